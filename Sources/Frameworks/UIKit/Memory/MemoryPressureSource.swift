public import Dispatch
internal import Synchronization

extension DispatchSource {
    /// How short memory is, as a memory pressure source tells it (Apple's `DISPATCH_MEMORYPRESSURE_*`).
    public struct MemoryPressureEvent: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a set from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Memory is no longer short, after the app was warned. A suspended app hears it when it runs again.
        public static let normal = MemoryPressureEvent(rawValue: 1)
        /// Memory is short: give up what can be made again.
        public static let warning = MemoryPressureEvent(rawValue: 2)
        /// Memory is so short that apps are about to be ended.
        public static let critical = MemoryPressureEvent(rawValue: 4)
        /// Any of them.
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    /// Creates a source that fires when the app gets a memory warning, and when memory is no longer short; after the
    /// delegate, the notification, the view controllers and the caches. It fires once for several warnings that come
    /// before its handler runs.
    ///
    /// Hold the source: it is silent once it is released. May be called on any thread.
    ///
    /// - Parameters:
    ///   - eventMask: the events that it fires for.
    ///   - queue: where its handlers run; a global queue if there is none.
    /// - Returns: a source that is suspended until `activate()` or `resume()`.
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        let source = makeUserDataOrSource(queue: queue)
        guard let source = source as? DispatchSource else {
            // There is one class of sources; a protocol hides it.
            preconditionFailure("libdispatch has sources of a kind that is not DispatchSource")
        }
        MemoryPressureSources.add(source, eventMask)
        return source
    }
}

/// A source of `DispatchSource.makeMemoryPressureSource(eventMask:queue:)`.
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol, AnyObject {}

extension DispatchSourceMemoryPressure {
    /// The events since the handler ran last; for use in the handler.
    public var data: DispatchSource.MemoryPressureEvent {
        let bits: UInt = (self as any DispatchSourceProtocol).data
        return DispatchSource.MemoryPressureEvent(rawValue: bits)
    }

    /// The events that the source fires for.
    public var mask: DispatchSource.MemoryPressureEvent { MemoryPressureSources.mask(of: self) }
}

extension DispatchSource: DispatchSourceMemoryPressure {}

/// The memory pressure sources of the process.
enum MemoryPressureSources {
    private struct Entry: Sendable {
        weak let source: DispatchSource?
        let mask: DispatchSource.MemoryPressureEvent
    }

    private static let entries = Mutex<[Entry]>([])

    static func add(_ source: DispatchSource, _ mask: DispatchSource.MemoryPressureEvent) {
        entries.withLock { entries in
            entries.removeAll { $0.source == nil }
            entries.append(Entry(source: source, mask: mask))
        }
    }

    static func mask(of source: any DispatchSourceMemoryPressure) -> DispatchSource.MemoryPressureEvent {
        guard let source = source as? DispatchSource else { return [] }
        return entries.withLock { entries in entries.first { $0.source === source }?.mask ?? [] }
    }

    static func signal(_ level: DispatchSource.MemoryPressureEvent) {
        let concerned = entries.withLock { entries in
            entries.compactMap { $0.mask.contains(level) ? $0.source : nil }
        }
        for source in concerned where !source.isCancelled { source.or(data: level.rawValue) }
    }
}
