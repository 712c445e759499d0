internal import Logging

/// Writes messages to a log. Use it on any thread.
public struct Logger: Sendable {
    private let log: OSLog

    /// Writes to the default log.
    public init() { log = .default }

    /// Writes to a log of its own.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Writes to a log.
    public init(_ log: OSLog) { self.log = log }

    /// Writes a message that matters as much as most do.
    public func log(_ message: OSLogMessage) { log.write(.notice, message.text) }

    /// Writes a message.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level.level, message.text) }

    /// Writes what helps to follow every step.
    public func trace(_ message: OSLogMessage) { log.write(.trace, message.text) }

    /// Writes what helps while developing.
    public func debug(_ message: OSLogMessage) { log.write(.debug, message.text) }

    /// Writes what helps to understand.
    public func info(_ message: OSLogMessage) { log.write(.info, message.text) }

    /// Writes what is worth to know.
    public func notice(_ message: OSLogMessage) { log.write(.notice, message.text) }

    /// Writes that something may be wrong.
    public func warning(_ message: OSLogMessage) { log.write(.warning, message.text) }

    /// Writes that something failed.
    public func error(_ message: OSLogMessage) { log.write(.error, message.text) }

    /// Writes that something failed and much with it.
    public func critical(_ message: OSLogMessage) { log.write(.critical, message.text) }

    /// Writes that there is a bug.
    public func fault(_ message: OSLogMessage) { log.write(.critical, message.text) }
}
