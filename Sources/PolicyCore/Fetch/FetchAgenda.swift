internal import Model

/// Which apps a planner has to weigh at a look, so that it passes over those of which it knows that nothing can come
/// of it yet: they *rest*, barred or with something fresh, until a moment that is known.
///
/// It follows from the records alone, so it is neither part of what a planner is nor in its checkpoint: one that was
/// just made knows of no app that rests. Whatever changes a record that bears on when its app may fetch says so here.
struct FetchAgenda: Sendable {
    enum Rest {
        /// It does not fetch, or does so right now: until that changes.
        case idle
        /// Something bars it until then.
        case barred(until: WallTime)
        /// What it has is fresh enough that it would not even go along with others.
        case fresh(until: WallTime)
        case none
    }

    /// All apps that want to fetch are here; else each of them has to be weighed.
    private(set) var isComplete = false
    /// Those that do not rest, in no order.
    private(set) var awake: [AppIndex] = []
    /// By number, as far as one was ever here.
    private var isAwake: [Bool] = []
    private var barred = SlotQueue()
    private var fresh = SlotQueue()
    /// The moment of the last look, and the first one at which somebody wakes.
    private var looked = WallTime(nanoseconds: .min)
    private var wakes: Int64?
    /// No verdict on a past fetch changes by itself before.
    var nextVerdict = WallTime(nanoseconds: .min)

    /// Whoever is not awake rests at that moment, too.
    func holds(at moment: WallTime) -> Bool {
        isComplete && moment >= looked && moment.nanoseconds < wakes ?? .max
    }

    /// Something has changed: it is weighed at the next look.
    mutating func wake(_ app: AppIndex) {
        guard isComplete else { return }
        let number = Int(app.rawValue)
        if isAwake.count <= number {
            let more = number + 1 - isAwake.count
            isAwake.append(contentsOf: repeatElement(false, count: more))
            barred.add(more)
            fresh.add(more)
        }
        barred.disarm(number)
        fresh.disarm(number)
        guard !isAwake[number] else { return }
        isAwake[number] = true
        awake.append(app)
    }

    /// At a moment, wakes whoever rested until then, and lets those rest who can. `weigh` says how an app rests.
    mutating func look(at moment: WallTime, all: some Sequence<AppIndex>, _ weigh: (AppIndex) -> Rest) {
        if !isComplete || moment < looked {
            let verdict = nextVerdict
            self = FetchAgenda()
            (isComplete, nextVerdict) = (true, verdict)
            for app in all { wake(app) }
        }
        looked = moment
        while let (number, _) = barred.popDue(at: moment.nanoseconds) { wake(AppIndex(UInt32(number))) }
        while let (number, _) = fresh.popDue(at: moment.nanoseconds) { wake(AppIndex(UInt32(number))) }
        var left = 0
        for place in awake.indices {
            let app = awake[place]
            let number = Int(app.rawValue)
            switch weigh(app) {
            case .idle: isAwake[number] = false
            case .barred(let until):
                isAwake[number] = false
                barred.arm(number, at: until.nanoseconds)
            case .fresh(let until):
                isAwake[number] = false
                fresh.arm(number, at: until.nanoseconds)
            case .none:
                awake[left] = app
                left += 1
            }
        }
        awake.removeLast(awake.count - left)
        let (bar, end) = (barred.next(), fresh.next())
        wakes = if let bar, let end { min(bar, end) } else { bar ?? end }
    }

    /// When the first of those that rest is to be looked at; `later`: so long after it wakes, if it has something fresh.
    mutating func next(later: Span) -> WallTime? {
        let bar = barred.next().map { WallTime(nanoseconds: $0) }
        guard let end = fresh.next().map({ WallTime(nanoseconds: $0) + later }) else { return bar }
        return min(bar ?? end, end)
    }
}

// Two planners with the same records are the same, whatever each has found out of them.
extension FetchAgenda: Hashable {
    static func == (a: FetchAgenda, b: FetchAgenda) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension FetchPlanner {
    /// What bears on when an app may fetch has changed.
    mutating func reweigh(_ place: Int) { agenda.wake(records[place].app) }

    /// Lets apps rest that can, and says when the first of those is to be looked at.
    mutating func lookAtAgenda(_ moment: WallTime) -> WallTime? {
        // By itself, so that it can be changed while the records are looked at.
        var agenda = FetchAgenda()
        swap(&agenda, &self.agenda)
        let all = records.lazy.filter { $0.interval != nil }.map(\.app)
        agenda.look(at: moment, all: all) { app in
            guard let place = place(of: app) else { return .idle }
            return rest(place, at: moment)
        }
        let next = agenda.next(later: restsBeyond + (.zero - rules.ahead))
        swap(&agenda, &self.agenda)
        return next
    }

    /// The time for which what an app has must be fresh so that it is not weighed at all.
    private var restsBeyond: Span { max(rules.join, rules.ahead) }

    private func rest(_ place: Int, at moment: WallTime) -> FetchAgenda.Rest {
        guard let interval = records[place].interval, records[place].underWaySince == nil else { return .idle }
        if let bar = bar(place, interval, at: moment) { return .barred(until: bar.until) }
        // What is computed with numbers that stop at the ends is weighed each time.
        guard moment.nanoseconds >= 0, rules.ahead >= .zero, restsBeyond <= Self.longestRest,
            !isSeenInFuture(place, at: moment), let fresh = freshUntil(place, at: moment),
            fresh.nanoseconds <= Self.lastRest, fresh - moment > restsBeyond
        else { return .none }
        return .fresh(until: fresh + (.zero - restsBeyond))
    }

    private static let longestRest = Span.seconds(1_000_000_000)
    private static let lastRest = Int64.max - 1

    /// Settles the verdicts on what was fetched, where one may change.
    mutating func judgeAll(at moment: WallTime) {
        guard moment >= agenda.nextVerdict else { return }
        var next = WallTime.never
        for place in records.indices {
            records[place].judge(at: moment, isOpening: false, freshness: rules.freshness)
            if let ended = records[place].pendingSince { next = min(next, ended + rules.freshness) }
        }
        agenda.nextVerdict = next
    }

    /// A fetch has ended.
    mutating func noteVerdict(_ place: Int) {
        // What it brought stands in the place of what the one before did.
        if records[place].hasPendingBefore { agenda.nextVerdict = WallTime(nanoseconds: .min) }
        guard let ended = records[place].pendingSince else { return }
        agenda.nextVerdict = min(agenda.nextVerdict, ended + rules.freshness)
    }
}

extension FetchRecord {
    /// When a fetch ended on which there is no verdict yet; of two, the earlier one.
    var pendingSince: WallTime? {
        var since: WallTime?
        for place in decisions.indices.suffix(2) where decisions[place].verdict == .pending {
            guard let ended = decisions[place].ended else { continue }
            since = min(since ?? ended, ended)
        }
        return since
    }

    var hasPendingBefore: Bool {
        decisions.count > 1 && decisions[decisions.count - 2].verdict == .pending
    }
}
