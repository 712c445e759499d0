internal import Synchronization

/// The app's `Info.plist`, where its code runs in a process that is not its own, such as one of tests.
package enum AppInformation {
    private static let source = Mutex<(@Sendable () -> [String: Any])?>(nil)

    /// `nil`: it is that of the process's bundle.
    package static func use(_ source: (@Sendable () -> [String: Any])?) { self.source.withLock { $0 = source } }

    /// `nil`: it is that of the process's bundle.
    package static var substitute: [String: Any]? { source.withLock(\.self)?() }
}
