internal import Model
package import PolicyCore

/// What a policy made of a person's switches, within a budget.
package struct Residency: Hashable, Sendable {
    package var policy: String
    package var warmStarts = 0
    package var coldStarts = 0
    package var terminations = 0
    /// The most that was resident at one moment.
    package var peakMegabytes: Int64 = 0
    /// Of all that were ended together.
    package var victimMegabytes: Int64 = 0
    /// All who could have been ended, each time that somebody had to, and what they had together.
    package var candidates = 0
    package var candidateMegabytes: Int64 = 0

    package var averageVictimMegabytes: Double {
        terminations == 0 ? 0 : Double(victimMegabytes) / Double(terminations)
    }
    package var averageCandidateMegabytes: Double {
        candidates == 0 ? 0 : Double(candidateMegabytes) / Double(candidates)
    }
}

/// Keeps the apps of a trace resident within a budget: nothing but switches, sizes and a policy.
///
/// An app that was opened holds its memory until it is ended. When one that is opened does not fit, the policy names
/// victims among the others until it does. A switch to a resident app is warm, to another one cold.
package struct ResidencyModel: Sendable {
    /// Apps by their place in the table; `nil` where the device went down.
    private var switches: [Int?] = []
    private let megabytes: [Int64]

    package init(_ trace: UsageTrace, _ table: AppsTable) throws(UnknownApp) {
        megabytes = table.apps.map(\.megabytes)
        var previous: Int?
        for entry in trace.entries {
            switch entry.kind {
            case .boot, .shutdown:
                previous = nil
                switches.append(nil)
            case .open:
                guard let app = entry.app, app != previous else { continue }
                guard let place = table.place(of: trace.apps[app]) else {
                    throw UnknownApp(line: entry.line, name: trace.apps[app])
                }
                previous = app
                switches.append(place)
            case .unlock, .wake, .sleep, .notification: continue
            }
        }
    }

    package func play(_ policy: any TerminationPolicy, megabytes budget: Int64) -> Residency {
        play(named: policy.name, budget) { _ in policy }
    }

    /// The bound: whose next use is the farthest away for its size goes first, and that is known.
    package func playClairvoyant(megabytes budget: Int64) -> Residency {
        let distances = nextSwitches()
        var next = megabytes.map { _ in Clairvoyant.never }
        return play(named: "clairvoyant", budget) { number in
            if number > 0, let app = switches[number - 1] {
                next[app] = distances[number - 1]
            } else {
                // Nobody was used since the device went up.
                next = megabytes.map { _ in Clairvoyant.never }
            }
            return Clairvoyant(distances: next.map { $0 - number })
        }
    }

    private func play(
        named name: String, _ budget: Int64, policy: (_ number: Int) -> any TerminationPolicy
    ) -> Residency {
        var result = Residency(policy: name)
        var history = UsageHistory()
        /// In the order of their launches.
        var resident: [Int] = []
        for (number, app) in switches.enumerated() {
            let policy = policy(number)
            guard let app else {
                resident = []
                history.wentDown()
                continue
            }
            history.used(AppIndex(UInt32(app)))
            if resident.contains(app) {
                result.warmStarts += 1
                continue
            }
            result.coldStarts += 1
            let used = resident.reduce(0) { $0 + megabytes[$1] }
            let missing = used + megabytes[app] - budget
            if missing > 0 {
                let victims = victims(policy, resident, missing, history, &result)
                resident.removeAll { victims.contains($0) }
            }
            resident.append(app)
            result.peakMegabytes = max(result.peakMegabytes, resident.reduce(0) { $0 + megabytes[$1] })
        }
        return result
    }

    private func victims(
        _ policy: any TerminationPolicy, _ resident: [Int], _ missing: Int64, _ history: UsageHistory,
        _ result: inout Residency
    ) -> [Int] {
        let candidates = resident.map {
            TerminationCandidate(app: AppIndex(UInt32($0)), dirtyBytes: megabytes[$0] << 20)
        }
        let victims = policy.victims(among: candidates, toFree: missing << 20, knowing: history).map {
            Int($0.rawValue)
        }
        result.terminations += victims.count
        result.victimMegabytes += victims.reduce(0) { $0 + megabytes[$1] }
        result.candidates += resident.count
        result.candidateMegabytes += resident.reduce(0) { $0 + megabytes[$1] }
        return victims
    }

    /// For each switch, the number of the next one to the same app before the device goes down.
    private func nextSwitches() -> [Int] {
        var next = megabytes.map { _ in Clairvoyant.never }
        var result = switches.map { _ in Clairvoyant.never }
        for number in switches.indices.reversed() {
            if let app = switches[number] {
                result[number] = next[app]
                next[app] = number
            } else {
                next = megabytes.map { _ in Clairvoyant.never }
            }
        }
        return result
    }
}

/// Knows the future.
private struct Clairvoyant: TerminationPolicy {
    static let never = 1_000_000_000

    /// In switches, by the apps' places.
    let distances: [Int]

    var name: String { "clairvoyant" }
    var sparesTheSuperfluous: Bool { false }

    func scores(of candidates: [TerminationCandidate], knowing _: UsageHistory) -> [Double] {
        candidates.map { Double(distances[Int($0.app.rawValue)]) * Double($0.dirtyBytes) }
    }
}
