internal import CAllocations
internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// Who goes when memory runs out, in the Core's order and with what ends it at hand, before it is needed. Between the
/// moment that the shortage is seen and the last kill nothing is looked up, read or allocated: when memory is short,
/// whoever asks for some waits for others to give it up. The Core is told afterwards.
final class KillTable {
    private struct Entry {
        var one: Incarnation
        /// Where it stood when the table was made; whoever has come nearer to the screen since is passed over.
        var place: Int
        var lever: KillSwitch
    }

    /// What the way from the crossing to the last kill took.
    struct Passage: Hashable, Sendable {
        var kills = 0
        var nanoseconds: Int64 = 0
        var allocations: UInt64 = 0
        var pageFaults: UInt64 = 0
    }

    private unowned let host: Host
    private var entries: [Entry] = []
    /// What each entry's end would bring now, and who is chosen: in memory before they are needed.
    private var orders: [StandingOrder] = []
    private var isChosen: [Bool] = []
    private var ended: [Incarnation] = []
    private let blank: KillSwitch?
    private(set) var rehearsals = 0
    private(set) var rehearsal = Passage()
    /// The last time that it was not a rehearsal.
    private(set) var last: Passage?
    /// The number of the Core's events when the table was made.
    private var madeAt: UInt64?
    private var isDue = false

    /// More than go at once; the Core sees to the others.
    private static let capacity = 64
    private static let pause: Int64 = 50_000_000

    init(_ host: Host) {
        self.host = host
        blank = try? KillSwitch.blank()
        entries.reserveCapacity(Self.capacity)
        orders.reserveCapacity(Self.capacity)
        isChosen.reserveCapacity(Self.capacity)
        ended.reserveCapacity(Self.capacity)
    }

    var count: Int { entries.count }

    /// Before the loop waits: if something happened since, the table is made anew in a moment, and in any case before
    /// it can be needed.
    /// - Parameter leisure: nanoseconds in which memory cannot run short.
    func settle(leisure: Int64) {
        guard !isDue, madeAt != host.eventCount else { return }
        isDue = true
        host.loop.after(nanoseconds: max(Self.pause, leisure / 2)) { [weak self] in self?.remake() }
    }

    /// The order depends on the time as well.
    func remake() {
        isDue = false
        madeAt = host.eventCount
        let before = entries.map(\.one)
        entries.removeAll(keepingCapacity: true)
        for app in host.system.memoryVictims() where entries.count < Self.capacity {
            guard let process = host.host(app)?.process, let lever = process.killSwitch else { continue }
            let one = Incarnation(app, process.generation)
            let order = host.system.standingOrder(one)
            if order.bytes > 0 { entries.append(Entry(one: one, place: order.place, lever: lever)) }
        }
        letGo(before)
        rehearse()
    }

    /// What would end those that are not next any more: otherwise every app would have it open one day.
    private func letGo(_ before: [Incarnation]) {
        let present = Set(entries.map(\.one))
        for one in before where !present.contains(one) { host.process(one.app, one.generation)?.ownKillSwitch = nil }
    }

    /// Everything but the kill itself, so that all that the way needs is in memory, and stays there (MCL_ONFAULT).
    private func rehearse() {
        rehearsal = pass(available: -(1 << 40), isRehearsal: true)
        // What was not there is now.
        if rehearsal.pageFaults > 0 { rehearsal = pass(available: -(1 << 40), isRehearsal: true) }
        rehearsals += 1
    }

    /// Ends who has to go when so much is available. Nobody, if there is no need.
    func end(available: Int64) -> [Incarnation] {
        guard host.system.memoryNeed(available: available) > 0 else { return [] }
        let passage = pass(available: available, isRehearsal: false)
        if passage.kills > 0 { last = passage }
        return ended
    }

    private func pass(available: Int64, isRehearsal: Bool) -> Passage {
        let (began, allocations, faults) = (Clock.monotonic(), gr_allocations(), gr_page_faults())
        ended.removeAll(keepingCapacity: true)
        orders.removeAll(keepingCapacity: true)
        isChosen.removeAll(keepingCapacity: true)
        var need = host.system.memoryNeed(available: available)
        for entry in entries {
            let order = host.system.standingOrder(entry.one)
            orders.append(order.place <= entry.place ? order : .none)
            isChosen.append(false)
        }
        while need > 0 {
            orders.choose(toFree: need, into: &isChosen)
            guard isChosen.contains(true) else { break }
            for index in entries.indices where isChosen[index] {
                let isEnded = isRehearsal ? blank?.pull() ?? false : entries[index].lever.pull()
                if isEnded {
                    ended.append(entries[index].one)
                    need -= orders[index].bytes
                }
                // Where the kernel refused, others have to go in its place.
                orders[index] = .none
            }
        }
        return Passage(
            kills: ended.count, nanoseconds: Clock.monotonic() - began,
            allocations: gr_allocations() - allocations, pageFaults: gr_page_faults() - faults)
    }

    var info: MemoryInfo.KillPath {
        MemoryInfo.KillPath(
            ready: count, rehearsals: rehearsals, rehearsal: Self.info(rehearsal), last: last.map(Self.info))
    }

    private static func info(_ passage: Passage) -> MemoryInfo.Passage {
        MemoryInfo.Passage(
            kills: passage.kills, nanoseconds: passage.nanoseconds, allocations: Int64(clamping: passage.allocations),
            pageFaults: Int64(clamping: passage.pageFaults))
    }
}

extension AppProcess {
    /// What ends it at once: its group, else its first process; the rest is done when the Core asks for it.
    var killSwitch: KillSwitch? {
        if let known = ownKillSwitch { return known }
        guard let first else { return nil }
        ownKillSwitch = box.killSwitch ?? KillSwitch(first)
        return ownKillSwitch
    }
}
