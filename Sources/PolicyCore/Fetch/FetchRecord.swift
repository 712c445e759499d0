internal import Model

/// What a planner keeps of one app.
struct FetchRecord: Hashable, Sendable, Codable {
    var app: AppIndex
    /// `nil`: it does not fetch.
    var interval: Span?
    var habit = OpeningHabit()
    /// While it fetches.
    var underWaySince: WallTime?
    var lastBegan: WallTime?
    /// When the last one ended that did not fail.
    var freshSince: WallTime?
    /// When the app left the screen.
    var left: WallTime?
    var failures: Int32 = 0
    var failedAt: WallTime?
    /// How often there was something new, of late, in 1024ths.
    var news: Int32 = 1024
    /// What the bytes of its fetches cost, on average, where that is told and not what they were.
    var cost: Energy?
    var decisions: [FetchDecision] = []
    /// What its fetches move, on average; `nil`: none was seen.
    var usual: FetchBytes?
    /// The same before the last fetch that was seen.
    var usualBefore: FetchBytes?

    init(_ app: AppIndex) { self.app = app }

    mutating func began(at moment: WallTime, expected: Int32, remembering most: Int) {
        underWaySince = moment
        lastBegan = moment
        decisions.append(FetchDecision(began: moment, expected: expected, verdict: .pending))
        if decisions.count > max(1, most) { decisions.removeFirst(decisions.count - max(1, most)) }
    }

    mutating func ended(at moment: WallTime, _ result: FetchResult, cost: Energy?) {
        guard underWaySince != nil else { return }
        underWaySince = nil
        if let cost {
            let known = self.cost ?? cost
            self.cost = Energy(picojoules: known.picojoules + (cost.picojoules - known.picojoules) / 4)
        }
        switch result {
        case .newData: news += (1024 - news) / 8
        case .noData: news -= news / 8
        case .failed:
            failures = min(30, failures + 1)
            failedAt = moment
        }
        if result != .failed {
            freshSince = moment
            failures = 0
            failedAt = nil
        }
        guard let last = decisions.indices.last else { return }
        decisions[last].ended = moment
        decisions[last].result = result
        decisions[last].cost = cost ?? decisions[last].cost
        switch result {
        case .newData: break
        case .noData: decisions[last].verdict = .noData
        case .failed: decisions[last].verdict = .failed
        }
    }

    /// Settles the verdict of what is still pending.
    mutating func judge(at moment: WallTime, isOpening: Bool, freshness: Span) {
        // Only the last ones can be pending, and the last but one only while the last is under way.
        for place in decisions.indices.suffix(2) where decisions[place].verdict == .pending {
            guard let ended = decisions[place].ended else { continue }
            if moment - ended > freshness {
                decisions[place].verdict = .wasted
            } else if isOpening {
                decisions[place].verdict = .hit(after: moment - ended)
            } else if place < decisions.count - 1, decisions[place + 1].ended != nil {
                // Something fresher stands in its place.
                decisions[place].verdict = .wasted
            }
        }
    }
}
