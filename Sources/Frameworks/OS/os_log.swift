internal import Logging

/// Writes a message to a log.
///
/// - Parameters:
///   - message: in C's format; `%@` takes any object, and `%{private}@` hides it.
///   - dso: not used.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ arguments: any CVarArg...
) {
    log.write(type.level, FormatString.text(message.description, arguments))
}

/// Writes a message to a log.
///
/// - Parameters:
///   - dso: not used.
///   - message: in C's format; `%@` takes any object, and `%{private}@` hides it.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ arguments: any CVarArg...
) {
    log.write(type.level, FormatString.text(message.description, arguments))
}

/// Writes a message to a log.
@_disfavoredOverload
public func os_log(_ type: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(type.level, message.text)
}

/// Writes a message to the default log.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.notice, message.text) }
