internal import HeapModule
internal import Model

/// What a deadline of an app is for; each app has one of a kind at most.
enum DeadlineKind: UInt32, CaseIterable, Codable {
    /// A callback, the launch, or an end that has been asked for.
    case limit
    /// The next look at a running app, or its main thread's answer.
    case check
    /// A step of the suspension pipeline.
    case suspension
    /// The earliest end of an assertion.
    case assertion
    /// A look at the sockets of an app that they keep running, or the end of a suspended app's connections.
    case sockets
    /// The end of what an app was woken for, or its expiration handler's call.
    case window

    /// All of them, at hand: `allCases` makes a list each time.
    static let every = allCases
}

struct DeadlineSlot: Hashable, Codable {
    let app: AppIndex
    let kind: DeadlineKind
}

/// All deadlines in order. A slot that is armed anew keeps its old place in the heap until that is due: the heap has
/// at most two entries a slot in the steady state and nothing is searched.
struct Deadlines: Codable {
    private struct Entry: Comparable {
        let at: Int64
        let slot: UInt32
        static func < (a: Entry, b: Entry) -> Bool { a.at == b.at ? a.slot < b.slot : a.at < b.at }
    }

    private static let kinds = UInt32(DeadlineKind.every.count)
    private var heap = Heap<Entry>()
    /// When each slot is due, in nanoseconds; `none` when it is not armed.
    private var due: [Int64] = []
    /// The earliest heap entry of each slot.
    private var queued: [Int64] = []
    private(set) var armedCount = 0

    /// No moment; half as large as an optional one.
    private static let none = Int64.min

    /// What each app takes, armed or not.
    static let bytesOfApp = Int(kinds) * 2 * MemoryLayout<Int64>.size

    init() {}

    @inline(__always)
    private static func number(_ slot: DeadlineSlot) -> Int { Int(slot.app.rawValue * kinds + slot.kind.rawValue) }

    mutating func addApp() {
        for _ in 0..<Self.kinds {
            due.append(Self.none)
            queued.append(Self.none)
        }
    }

    var appCount: Int { due.count / Int(Self.kinds) }

    @inline(__always)
    func instant(_ slot: DeadlineSlot) -> Instant? {
        let at = due[Self.number(slot)]
        return at == Self.none ? nil : Instant(nanoseconds: at)
    }

    func hasAny(_ app: AppIndex) -> Bool {
        let first = Int(app.rawValue) * Int(Self.kinds)
        for number in first..<first + Int(Self.kinds) where due[number] != Self.none { return true }
        return false
    }

    mutating func arm(_ slot: DeadlineSlot, at instant: Instant) {
        let (number, at) = (Self.number(slot), max(instant.nanoseconds, Self.none + 1))
        if due[number] == Self.none { armedCount += 1 }
        due[number] = at
        if queued[number] != Self.none, queued[number] <= at { return }
        queued[number] = at
        heap.insert(Entry(at: at, slot: UInt32(number)))
    }

    mutating func disarm(_ slot: DeadlineSlot) {
        let number = Self.number(slot)
        guard due[number] != Self.none else { return }
        due[number] = Self.none
        armedCount -= 1
    }

    /// The earliest armed deadline.
    mutating func next() -> Instant? {
        settleTop()
        return heap.min.map { Instant(nanoseconds: $0.at) }
    }

    /// Disarms and returns the earliest slot that is due, and since when.
    mutating func popDue(at now: Instant) -> (slot: DeadlineSlot, due: Instant)? {
        settleTop()
        guard let entry = heap.min, entry.at <= now.nanoseconds else { return nil }
        heap.removeMin()
        queued[Int(entry.slot)] = Self.none
        due[Int(entry.slot)] = Self.none
        armedCount -= 1
        guard let kind = DeadlineKind(rawValue: entry.slot % Self.kinds) else { return nil }
        return (DeadlineSlot(app: AppIndex(entry.slot / Self.kinds), kind: kind), Instant(nanoseconds: entry.at))
    }

    /// Drops entries at the top that were cancelled, and moves back those that were postponed.
    private mutating func settleTop() {
        while let entry = heap.min {
            let number = Int(entry.slot)
            if due[number] == entry.at, queued[number] == entry.at { return }
            heap.removeMin()
            // A second entry of a slot that was armed for an earlier moment: the earlier one stands for it.
            guard queued[number] == entry.at else { continue }
            queued[number] = due[number]
            if due[number] != Self.none { heap.insert(Entry(at: due[number], slot: entry.slot)) }
        }
    }

    // The heap's layout depends on history; what counts is which slots are armed, so that is what is stored.
    init(from decoder: any Decoder) throws {
        let stored: [Instant?]
        let kinds: Int
        if let values = try? decoder.container(keyedBy: CodingKeys.self) {
            stored = try values.decode([Instant?].self, forKey: .due)
            kinds = try values.decode(Int.self, forKey: .kinds)
        } else {
            stored = try decoder.singleValueContainer().decode([Instant?].self)
            kinds = Self.firstKinds
        }
        guard kinds > 0, kinds <= 64 else { return }
        for app in 0..<stored.count / kinds {
            addApp()
            for kind in 0..<min(kinds, Int(Self.kinds)) {
                guard let at = stored[app * kinds + kind] else { continue }
                due[app * Int(Self.kinds) + kind] = max(at.nanoseconds, Self.none + 1)
            }
        }
        queued = due
        for (number, at) in due.enumerated() where at != Self.none {
            heap.insert(Entry(at: at, slot: UInt32(number)))
            armedCount += 1
        }
    }

    /// An app had so many kinds of deadlines when checkpoints did not say how many.
    private static let firstKinds = 4

    private enum CodingKeys: String, CodingKey { case kinds, due }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Int(Self.kinds), forKey: .kinds)
        let moments: [Instant?] = due.map { $0 == Self.none ? nil : Instant(nanoseconds: $0) }
        try container.encode(moments, forKey: .due)
    }

    /// Every armed slot, for the invariants.
    var armed: [(DeadlineSlot, Instant)] {
        due.enumerated().compactMap { number, at in
            guard at != Self.none, let kind = DeadlineKind(rawValue: UInt32(number) % Self.kinds) else { return nil }
            return (DeadlineSlot(app: AppIndex(UInt32(number) / Self.kinds), kind: kind), Instant(nanoseconds: at))
        }
    }
}
