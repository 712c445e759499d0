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
}

struct DeadlineSlot: Hashable, Codable {
    let app: AppIndex
    let kind: DeadlineKind
}

/// All deadlines in order. A slot that is armed anew keeps its old place in the heap until that is due: the heap has
/// at most two entries a slot in the steady state and nothing is searched.
struct Deadlines: Codable {
    private struct Entry: Comparable, Codable {
        let at: Instant
        let slot: UInt32
        static func < (a: Entry, b: Entry) -> Bool { (a.at, a.slot) < (b.at, b.slot) }
    }

    private static let kinds = UInt32(DeadlineKind.allCases.count)
    private var heap = Heap<Entry>()
    /// When each slot is due; `nil` when it is not armed.
    private var due: [Instant?] = []
    /// The earliest heap entry of each slot.
    private var queued: [Instant?] = []
    private(set) var armedCount = 0

    init() {}

    private static func number(_ slot: DeadlineSlot) -> Int { Int(slot.app.rawValue * kinds + slot.kind.rawValue) }

    mutating func addApp() {
        for _ in 0..<Self.kinds {
            due.append(nil)
            queued.append(nil)
        }
    }

    var appCount: Int { due.count / Int(Self.kinds) }

    func instant(_ slot: DeadlineSlot) -> Instant? { due[Self.number(slot)] }

    mutating func arm(_ slot: DeadlineSlot, at: Instant) {
        let number = Self.number(slot)
        if due[number] == nil { armedCount += 1 }
        due[number] = at
        if let first = queued[number], first <= at { return }
        queued[number] = at
        heap.insert(Entry(at: at, slot: UInt32(number)))
    }

    mutating func disarm(_ slot: DeadlineSlot) {
        let number = Self.number(slot)
        guard due[number] != nil else { return }
        due[number] = nil
        armedCount -= 1
    }

    /// The earliest armed deadline.
    mutating func next() -> Instant? {
        settleTop()
        return heap.min?.at
    }

    /// Disarms and returns the earliest slot that is due, and since when.
    mutating func popDue(at now: Instant) -> (slot: DeadlineSlot, due: Instant)? {
        settleTop()
        guard let entry = heap.min, entry.at <= now else { return nil }
        heap.removeMin()
        queued[Int(entry.slot)] = nil
        due[Int(entry.slot)] = nil
        armedCount -= 1
        guard let kind = DeadlineKind(rawValue: entry.slot % Self.kinds) else { return nil }
        return (DeadlineSlot(app: AppIndex(entry.slot / Self.kinds), kind: kind), entry.at)
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
            if let later = due[number] { heap.insert(Entry(at: later, slot: entry.slot)) }
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
                due[app * Int(Self.kinds) + kind] = stored[app * kinds + kind]
            }
        }
        queued = due
        for (number, at) in due.enumerated() {
            guard let at else { continue }
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
        try container.encode(due, forKey: .due)
    }

    /// Every armed slot, for the invariants.
    var armed: [(DeadlineSlot, Instant)] {
        due.enumerated().compactMap { number, at in
            guard let at, let kind = DeadlineKind(rawValue: UInt32(number) % Self.kinds) else { return nil }
            return (DeadlineSlot(app: AppIndex(UInt32(number) / Self.kinds), kind: kind), at)
        }
    }
}
