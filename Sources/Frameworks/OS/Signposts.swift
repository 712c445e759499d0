internal import Logging
internal import Synchronization

/// Tells intervals of one name from each other.
public struct OSSignpostID: Hashable, Sendable, RawRepresentable {
    /// Apple's number.
    public let rawValue: UInt64

    /// Creates it of Apple's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Where there is one at a time.
    public static let exclusive = OSSignpostID(rawValue: 0xeeee_b0b5_b2b2_eeee)
    /// Of nothing.
    public static let null = OSSignpostID(rawValue: 0)
    /// Of nothing.
    public static let invalid = OSSignpostID(rawValue: .max)

    private static let last = Atomic<UInt64>(0)

    /// Creates an identifier of its own.
    public init(log: OSLog) { rawValue = Self.last.add(1, ordering: .relaxed).newValue }

    /// Creates an identifier that belongs to an object.
    public init(log: OSLog, object: AnyObject) { rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object))) }
}

/// What a signpost is.
public struct OSSignpostType: Equatable, Sendable, RawRepresentable {
    /// Apple's number.
    public let rawValue: UInt8

    /// Creates it of Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A moment.
    public static let event = OSSignpostType(rawValue: 0)
    /// An interval's begin.
    public static let begin = OSSignpostType(rawValue: 1)
    /// An interval's end.
    public static let end = OSSignpostType(rawValue: 2)

    fileprivate var word: String {
        switch self {
        case .begin: "begin"
        case .end: "end"
        default: "event"
        }
    }
}

extension OSLog {
    fileprivate func mark(_ type: OSSignpostType, _ name: StaticString, _ id: OSSignpostID, _ text: String = "") {
        let number = id == .exclusive ? "" : " #\(id.rawValue)"
        write(.debug, "signpost \(type.word) \(name)\(number)\(text.isEmpty ? "" : ": ")\(text)")
    }
}

/// Marks a moment, or an interval's begin or end, in a log.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {
    log.mark(type, name, signpostID)
}

/// Marks a moment, or an interval's begin or end, in a log.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {
    log.mark(type, name, signpostID, FormatString.text(format.description, arguments))
}

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID

    init(_ id: OSSignpostID) { self.id = id }

    /// An interval that somebody else began.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }
}

/// Marks moments and intervals in a log. Use it on any thread.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// Marks in the default log.
    public init() { log = .default }

    /// Marks in a log of its own.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Marks in a log of its own.
    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }

    /// Marks in a log.
    public init(logHandle: OSLog) { log = logHandle }

    /// Marks nothing.
    public static let disabled = OSSignposter(logHandle: .disabled)

    /// Whether marks are kept.
    public var isEnabled: Bool { log.signpostsEnabled }

    /// An identifier of its own.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    /// An identifier that belongs to an object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    /// Marks an interval's begin.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        log.mark(.begin, name, id)
        return OSSignpostIntervalState(id)
    }

    /// Marks an interval's begin.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage
    ) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, message.text)
        return OSSignpostIntervalState(id)
    }

    /// Marks an interval's end.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { log.mark(.end, name, state.id) }

    /// Marks an interval's end.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: OSLogMessage) {
        log.mark(.end, name, state.id, message.text)
    }

    /// Marks a moment.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) { log.mark(.event, name, id) }

    /// Marks a moment.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage) {
        log.mark(.event, name, id, message.text)
    }

    /// Marks an interval that lasts as long as a block.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
    ) rethrows -> Result {
        let state = beginInterval(name, id: id)
        defer { endInterval(name, state) }
        return try task()
    }
}
