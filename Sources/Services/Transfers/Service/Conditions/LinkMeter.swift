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
    private var link: Int64?
    private var looked: Int64?
    private var totals = ConnectionTotals()

    /// Which interface it is changes seldom.
    private static let keepsInterface: Int64 = 2_000_000_000

    init(_ surroundings: SurroundingsSource = SurroundingsSource()) {
        source = DefaultLink(sys: surroundings.sys, proc: surroundings.proc)
    }

    /// Nothing moved where there is nothing to compare with: at the first look, and when the link has changed.
    mutating func read() -> Reading {
        let now = Clock.boot()
        if known.map({ now - $0 >= Self.keepsInterface }) ?? true {
            known = now
            let present = source.interface
            if present != interface { (interface, link) = (present, nil) }
        }
        // What comes in between the two counts belongs to the link alone: connections are read last.
        let bytes = interface.flatMap { source.bytes(over: $0) }
        let own = totals.moved(OwnConnections.bytes())
        let elapsed = Span(nanoseconds: now - (looked ?? now))
        let before = link
        (link, looked) = (bytes, now)
        guard let bytes, let before, bytes >= before, let own else { return Reading(elapsed: elapsed) }
        return Reading(elapsed: elapsed, link: bytes - before, own: own)
    }
}
