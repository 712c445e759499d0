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

/// All deadlines in order.
struct Deadlines: Codable {
    private static let kinds = UInt32(DeadlineKind.every.count)
    private var slots = SlotQueue()

    /// What each app takes, armed or not.
    static let bytesOfApp = Int(kinds) * SlotQueue.bytesOfSlot

    init() {}

    @inline(__always)
    private static func number(_ slot: DeadlineSlot) -> Int { Int(slot.app.rawValue * kinds + slot.kind.rawValue) }

    var armedCount: Int { slots.armedCount }

    mutating func addApp() { slots.add(Int(Self.kinds)) }

    var appCount: Int { slots.count / Int(Self.kinds) }

    @inline(__always)
    func instant(_ slot: DeadlineSlot) -> Instant? {
        slots[Self.number(slot)].map { Instant(nanoseconds: $0) }
    }

    func hasAny(_ app: AppIndex) -> Bool {
        let first = Int(app.rawValue) * Int(Self.kinds)
        for number in first..<first + Int(Self.kinds) where slots[number] != nil { return true }
        return false
    }

    mutating func arm(_ slot: DeadlineSlot, at instant: Instant) {
        slots.arm(Self.number(slot), at: instant.nanoseconds)
    }

    mutating func disarm(_ slot: DeadlineSlot) { slots.disarm(Self.number(slot)) }

    /// The earliest armed deadline.
    mutating func next() -> Instant? { slots.next().map { Instant(nanoseconds: $0) } }

    /// Disarms and returns the earliest slot that is due, and since when.
    mutating func popDue(at now: Instant) -> (slot: DeadlineSlot, due: Instant)? {
        guard let (number, due) = slots.popDue(at: now.nanoseconds) else { return nil }
        guard let kind = DeadlineKind(rawValue: UInt32(number) % Self.kinds) else { return nil }
        let app = AppIndex(UInt32(number) / Self.kinds)
        return (DeadlineSlot(app: app, kind: kind), Instant(nanoseconds: due))
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
                slots.arm(app * Int(Self.kinds) + kind, at: at.nanoseconds)
            }
        }
    }

    /// An app had so many kinds of deadlines when checkpoints did not say how many.
    private static let firstKinds = 4

    private enum CodingKeys: String, CodingKey { case kinds, due }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Int(Self.kinds), forKey: .kinds)
        let moments: [Instant?] = (0..<slots.count).map { number in slots[number].map { Instant(nanoseconds: $0) } }
        try container.encode(moments, forKey: .due)
    }

    /// Every armed slot, for the invariants.
    var armed: [(DeadlineSlot, Instant)] {
        (0..<slots.count).compactMap { number in
            guard let at = slots[number], let kind = DeadlineKind(rawValue: UInt32(number) % Self.kinds) else {
                return nil
            }
            return (DeadlineSlot(app: AppIndex(UInt32(number) / Self.kinds), kind: kind), Instant(nanoseconds: at))
        }
    }
}
