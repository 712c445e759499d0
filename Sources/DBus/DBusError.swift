internal import Glibc
package import SystemPackage

/// Why something on a bus did not happen.
package enum DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection to the bus now.
    case notConnected
    /// The connection ended before there was an answer. The peer may have done what it was asked.
    case disconnected
    /// No program has this name, and the bus cannot start one.
    case noOwner(String)
    case timedOut
    /// The peer, or the bus, answered with an error.
    case refused(name: String, message: String)
    /// A name, a path, an address or a value that D-Bus does not allow.
    case invalid(String)
    /// An answer of other types than were asked for.
    case unexpected(types: String)
    /// A message of more bytes or values than are taken or sent here.
    case tooLarge
    /// Too many calls are unanswered, or too many messages wait to be sent.
    case tooMany
    case system(operation: String, Errno)

    package var description: String {
        switch self {
        case .notConnected: "there is no connection to the D-Bus message bus"
        case .disconnected: "the connection to the D-Bus message bus ended"
        case .noOwner(let name): "no program on the bus has the name \(name)"
        case .timedOut: "there was no answer in time"
        case .refused(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .invalid(let what): "\(what) is not allowed on D-Bus"
        case .unexpected(let types): "the answer has the unexpected types “\(types)”"
        case .tooLarge: "the message is too large"
        case .tooMany: "too many messages are under way"
        case .system(let operation, let errno): "\(operation): \(errno)"
        }
    }

    /// Names of errors that D-Bus defines.
    package enum Name {
        private static let prefix = "org.freedesktop.DBus.Error."
        package static let failed = prefix + "Failed"
        package static let noReply = prefix + "NoReply"
        package static let invalidArgs = prefix + "InvalidArgs"
        package static let unknownObject = prefix + "UnknownObject"
        package static let unknownInterface = prefix + "UnknownInterface"
        package static let unknownMethod = prefix + "UnknownMethod"
        package static let unknownProperty = prefix + "UnknownProperty"
        package static let propertyReadOnly = prefix + "PropertyReadOnly"
        package static let limitsExceeded = prefix + "LimitsExceeded"
        static let serviceUnknown = prefix + "ServiceUnknown"
        static let nameHasNoOwner = prefix + "NameHasNoOwner"
        static let timeouts: Set<String> = [prefix + "Timeout", prefix + "TimedOut"]
    }
}

/// The result of a function of libsystemd; a negative one becomes a typed error.
@discardableResult
func check(_ operation: String, _ result: CInt) throws(DBusError) -> CInt {
    guard result < 0 else { return result }
    switch -result {
    case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: throw .disconnected
    case ENOBUFS: throw .tooMany
    default: throw .system(operation: operation, Errno(rawValue: -result))
    }
}
