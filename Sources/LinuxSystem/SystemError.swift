internal import Glibc
package import SystemPackage

/// A system call that failed: which, on what, and why.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package let operation: String
    package let errno: Errno
    package let path: String?

    package init(_ operation: String, _ errno: Errno, path: String? = nil) {
        self.operation = operation
        self.errno = errno
        self.path = path
    }

    package var description: String {
        path.map { "\(operation) \($0): \(errno)" } ?? "\(operation): \(errno)"
    }

    /// What `errno` says now.
    static func last(_ operation: String, path: String? = nil) -> SystemError {
        SystemError(operation, Errno(rawValue: Glibc.errno), path: path)
    }
}

/// Calls until the call is not interrupted; −1 becomes a typed error.
@discardableResult
func check<Result: SignedInteger>(
    _ operation: String, path: String? = nil, _ call: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        if Glibc.errno != EINTR { throw .last(operation, path: path) }
    }
}
