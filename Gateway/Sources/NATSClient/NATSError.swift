internal import CNATS

/// Why something did not happen.
package enum NATSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A setting that the library does not take: what it is, and what the library says.
    case setting(String, String)
    /// There is no connection, or it broke before an answer came: it is not known whether the request arrived.
    case disconnected
    /// No answer came in time.
    case timedOut
    /// Nothing listens on the subject.
    case noResponders
    /// More waits to be sent than is kept.
    case overloaded
    /// JetStream refused it: its code, and its words.
    case refused(code: Int, String)
    /// The answer is none that this version knows.
    case unreadable

    package var description: String {
        switch self {
        case .setting(let name, let reason): "\(name) cannot be used: \(reason)"
        case .disconnected: "there is no connection to NATS"
        case .timedOut: "NATS did not answer in time"
        case .noResponders: "nothing listens on the subject"
        case .overloaded: "NATS does not take messages as fast as they come"
        case .refused(let code, let words): "JetStream refused it: \(words) (\(code))"
        case .unreadable: "the answer cannot be read"
        }
    }

    static func text(_ status: natsStatus) -> String {
        guard let text = unsafe natsStatus_GetText(status) else { return "status \(status.rawValue)" }
        return unsafe String(cString: text)
    }
}
