/// Why a command did not do what it was asked; the message says what to do.
package enum CommandFailure: Error, Equatable, CustomStringConvertible {
    /// Refused, unknown or failed: exit code 1.
    case failed(String)
    /// Used wrongly: exit code 2.
    case misuse(String)
    /// There is no daemon to do it: exit code 3.
    case noDaemon(String)

    package var exitCode: Int32 {
        switch self {
        case .failed: 1
        case .misuse: 2
        case .noDaemon: 3
        }
    }

    package var description: String {
        switch self {
        case .failed(let message), .misuse(let message), .noDaemon(let message): message
        }
    }
}
