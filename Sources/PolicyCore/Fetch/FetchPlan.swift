package import Model

/// A time in which an app is likely to be opened.
package struct ExpectedOpening: Hashable, Sendable, Codable {
    package var from: WallTime
    package var to: WallTime
    /// That it is opened at least once, in thousandths.
    package var chance: Int32
}

/// When an app is to fetch, and why then.
package struct FetchPlan: Hashable, Sendable, Codable {
    /// Never before; `nil`: never at all.
    package var earliest: WallTime?
    /// When it is expected to be worth it; `nil`: not within a day, as far as one can tell.
    package var wanted: WallTime?
    /// From then on it is worth waking the radio; before, it waits for one that is awake. `nil`: never worth it.
    package var latest: WallTime?
    package var reason: FetchReason

    /// It should go now.
    package var isDue: Bool {
        switch reason {
        case .worthIt, .radioIsAwake: true
        default: false
        }
    }
}

/// Why an app fetches now, or what it waits for.
package enum FetchReason: Hashable, Sendable, Codable {
    /// The app has not asked, or no longer asks.
    case notAsked
    case underWay(since: WallTime)
    case noNetwork
    /// The app's own interval since the last one, or the least that there is.
    case interval(until: WallTime)
    case failedBefore(times: Int32, until: WallTime)
    /// It has something fresh.
    case fresh(until: WallTime)
    /// The openings that can be expected in the time for which it would be fresh, in thousandths; what its bytes cost;
    /// and what the openings are worth.
    case notWorthIt(expected: Int32, cost: Energy, worth: Energy)
    /// Worth its bytes, but not worth waking the radio for what would be missed meanwhile.
    case waitsForRadio(expected: Int32, cost: Energy, worth: Energy)
    case worthIt(expected: Int32, cost: Energy, worth: Energy)
    case radioIsAwake(expected: Int32, cost: Energy, worth: Energy)

    package var sentence: String {
        switch self {
        case .notAsked: "it has not asked for background fetch: its minimum interval is never"
        case .underWay(let since): "it has been fetching since \(since.iso8601)"
        case .noNetwork: "there is no network"
        case .interval(let until): "its minimum interval is over at \(until.iso8601)"
        case .failedBefore(let times, let until):
            "the last \(times == 1 ? "fetch" : "\(times) fetches") failed: it is tried again from \(until.iso8601) on"
        case .fresh(let until): "what it has is fresh until \(until.iso8601)"
        case .notWorthIt(let expected, let cost, let worth):
            "\(Self.openings(expected)), worth \(Self.joules(worth)): less than the \(Self.joules(cost)) of a fetch"
        case .waitsForRadio(let expected, let cost, let worth):
            "\(Self.openings(expected)), worth \(Self.joules(worth)): enough for a fetch, but not for waking the radio, "
                + "which makes it \(Self.joules(cost)); it goes with whoever wakes it next"
        case .worthIt(let expected, let cost, let worth):
            "\(Self.openings(expected)), worth \(Self.joules(worth)): more than the \(Self.joules(cost)) of a fetch"
        case .radioIsAwake(let expected, let cost, let worth):
            "the radio is awake, so a fetch costs only \(Self.joules(cost)); \(Self.openings(expected)), worth "
                + Self.joules(worth)
        }
    }

    private static func openings(_ thousandths: Int32) -> String {
        let hundredths = (thousandths + 5) / 10
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) openings are expected within the hour"
    }

    private static func joules(_ energy: Energy) -> String {
        let hundredths = energy.picojoules / 10_000_000_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) J"
    }
}

/// A fetch of the past, and whether it was of use.
package struct FetchDecision: Hashable, Sendable, Codable {
    package enum Verdict: Hashable, Sendable, Codable {
        /// It is under way, or what it brought is still fresh and nobody has looked.
        case pending
        /// The app was opened so long after it, and the content was fresh.
        case hit(after: Span)
        /// Nobody looked while it was fresh.
        case wasted
        /// There was nothing new.
        case noData
        case failed

        package var name: String {
            switch self {
            case .pending: "pending"
            case .hit: "hit"
            case .wasted: "wasted"
            case .noData: "noData"
            case .failed: "failed"
            }
        }
    }

    package var began: WallTime
    package var ended: WallTime?
    package var result: FetchResult?
    package var cost: Energy?
    /// The openings within an hour that were expected when it began, in thousandths.
    package var expected: Int32
    package var verdict: Verdict
    /// What was seen of its bytes so far; `nil`: nobody looked.
    package var moved: FetchBytes?
}
