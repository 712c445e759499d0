package import Model

/// Where what is available comes from.
package enum MemorySource: UInt8, Hashable, Codable, Sendable {
    /// A budget of the system's own: whatever an app has is missing in it.
    case budget
    /// What the machine says: pages that can be had without asking count as available there.
    case machine
}

/// What the Core knows of the device's memory. Without a budget there is no policy for it.
package struct MemoryState: Hashable, Codable, Sendable {
    /// Bytes for all apps together.
    package internal(set) var budget: Int64 = 0
    /// `nil` is a budget: checkpoints did not always say.
    var source: MemorySource?
    /// Bytes taken without asking in this shortage that the machine counted as available before.
    var taken: Int64?
    /// Bytes that the host saw last, corrected by what has gone since.
    package internal(set) var available: Int64 = 0
    package internal(set) var level = MemoryLevel.normal
    /// What a person pretends, until it is taken back.
    package internal(set) var simulated: MemoryLevel?
    /// Latches between the two ends of a mark.
    package internal(set) var isReclaiming = false
    var isTerminating = false
    /// `available` is an estimate since something has gone: not enough to end what is on screen.
    var isEstimated = false
    var lastWarning: Instant?
    /// When the host is to look again, while memory is short.
    var nextLook: Instant?
    var lookPause = Self.shortestPause
    /// The entry that tells of the shortage: why what is done about it is done.
    var cause: LogSequence?
    /// Who is used when: what the order of terminations is learnt from.
    var history = UsageHistory()
    /// Something happened that policy has to look at in this event.
    var mustJudge = false

    /// More than any machine has.
    static let mostBytes: Int64 = 1 << 48
    static let shortestPause = Span.milliseconds(100)
    static let longestPause = Span.seconds(2)

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case budget, available, level, simulated, isReclaiming, isTerminating, isEstimated, lastWarning, nextLook,
            lookPause, cause
        case history, source, taken
    }

    /// Bytes of a mark.
    func share(_ thousandths: Int64) -> Int64 { budget / 1000 * min(max(0, thousandths), 1000) }
}

/// What an app's memory is to the policy.
package struct AppMemory: Hashable, Codable, Sendable {
    /// Taking what can be taken from a suspended app.
    enum Reclaim: Hashable, Codable, Sendable {
        case none
        /// The host was asked; so much is expected.
        case asked(Int64)
        case done
    }

    package internal(set) var footprint = Footprint.zero
    /// Somebody has looked.
    package internal(set) var isKnown = false
    /// Dirty bytes that it gained between the last two looks.
    var growth: Int64 = 0
    var reclaim = Reclaim.none
    /// The worst of which it was warned in this shortage.
    var warned = MemoryLevel.normal
    /// It is near its own limit.
    var isNearLimit = false
    /// And was not told so yet. `nil` is no: checkpoints did not always say.
    var owesLimitWarning: Bool?
    /// It was ended for memory.
    var endedAt: Instant?
    /// It came back soon after it was ended for memory: others go first until then.
    var sparedUntil: Instant?

    package init() {}

    /// The very figures by which victims are chosen and limits enforced; tools show no others. `nil` while nobody has
    /// looked.
    package var known: Footprint? { isKnown ? footprint : nil }
}

// A checkpoint from before there was a policy for memory says nothing of it.
extension KeyedDecodingContainer {
    func decode(_ type: MemoryState.Type, forKey key: Key) throws -> MemoryState {
        try decodeIfPresent(type, forKey: key) ?? MemoryState()
    }

    func decode(_ type: AppMemory.Type, forKey key: Key) throws -> AppMemory {
        try decodeIfPresent(type, forKey: key) ?? AppMemory()
    }
}

extension System {
    package var memoryRules: MemoryRules { profile.memory ?? MemoryRules() }
}
