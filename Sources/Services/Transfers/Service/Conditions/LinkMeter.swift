internal import LinuxSystem
internal import Model
internal import TransferCore

/// What the machine's link and this process's connections carry from one look to the next.
struct LinkMeter {
    struct Reading {
        /// Zero at the first look.
        let elapsed: Span
        var link: Int64 = 0
        var own: Int64 = 0
    }

    private let source: DefaultLink
    private var interface: String?
    private var known: Int64?
    private var link: (bytes: Int64, packets: Int64)?
    private var looked: Int64?
    private var totals = ConnectionTotals()

    /// Which interface it is changes seldom.
    private static let keepsInterface: Int64 = 2_000_000_000

    init(_ surroundings: SurroundingsSource = SurroundingsSource()) {
        source = DefaultLink(sys: surroundings.sys, proc: surroundings.proc)
    }

    /// What the other side of a connection has on the way, and what waits to be read, comes when nobody wants it any
    /// more: no more of it than half a second's worth, and little when there is a limit.
    private static let smallestWindow: Int64 = 64 << 10

    /// Nothing moved where there is nothing to compare with: at the first look, and when the link has changed.
    ///
    /// - Parameters:
    ///   - isLimited: reading slowly is to slow the other side.
    ///   - isBounded: connections may be; not those that an app on screen uses as well.
    mutating func read(isLimited: Bool, isBounded: Bool) -> Reading {
        let now = Clock.boot()
        if known.map({ now - $0 >= Self.keepsInterface }) ?? true {
            known = now
            let present = source.interface
            if present != interface { (interface, link) = (present, nil) }
        }
        // What comes in between the two counts belongs to the link alone: connections are read last.
        let carried = interface.flatMap { source.carried(by: $0) }
        let elapsed = Span(nanoseconds: now - (looked ?? now))
        let before = link
        let counts = OwnConnections.look { [totals] connection in
            guard isBounded else { return nil }
            let second = Int64(Double(totals.came(on: connection)) / max(elapsed.seconds, 0.02))
            return Int32(clamping: isLimited ? Self.smallestWindow : max(Self.smallestWindow, second / 2))
        }
        let packets = (carried?.packets ?? 0) - (before?.packets ?? 0)
        let own = totals.moved(counts.mapValues(ConnectionCounts.init), packets: packets)
        (link, looked) = (carried, now)
        guard let carried, let before, carried.bytes >= before.bytes, let own else { return Reading(elapsed: elapsed) }
        return Reading(elapsed: elapsed, link: carried.bytes - before.bytes, own: own)
    }

    /// Connections are as the kernel thinks fit.
    static func leaveAlone() { _ = OwnConnections.look { _ in nil } }
}

extension ConnectionCounts {
    fileprivate init(_ counts: OwnConnections.Counts) {
        self.init(
            received: counts.received, receivedSegments: counts.receivedSegments, sent: counts.sent,
            segments: counts.segments)
    }
}
