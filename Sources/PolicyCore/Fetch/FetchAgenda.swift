internal import Model

/// Which apps a planner has to weigh when it looks. All others *rest*: they are barred or have something fresh until a
/// known moment, so weighing them would change nothing.
///
/// The agenda follows from the records, so it is left out of comparisons and checkpoints. After a restart all apps are
/// weighed once. Every change of a record that bears on when its app may fetch calls `wake`.
struct FetchAgenda: Sendable {
    /// How an app rests that was weighed.
    enum Rest {
        /// It does not fetch, or does so right now: until that changes.
        case idle
        /// Something bars it until then.
        case barred(until: WallTime)
        /// What it has is fresh enough that it would not even go along with others, until then.
        case fresh(until: WallTime)
    }

    /// Every app that fetches is in it. Before the first look none is, and all have to be weighed.
    private(set) var isComplete = false
    /// Those that do not rest, in no order.
    private(set) var awake: [AppIndex] = []
    /// By number, as far as one was ever here.
    private var isAwake: [Bool] = []
    private var barred = SlotQueue()
    private var fresh = SlotQueue()
    /// The moment of the last look, and the first one at which an app wakes.
    private var looked = WallTime(nanoseconds: .min)
    private var wakes: Int64?
    /// No verdict on a past fetch changes by itself before.
    var nextVerdict = WallTime(nanoseconds: .min)

    /// Only the apps that are awake have to be weighed at this moment.
    func holds(at moment: WallTime) -> Bool {
        isComplete && moment >= looked && moment.nanoseconds < wakes ?? .max
    }

    /// The app's record has changed: the next look weighs it.
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

    /// Wakes the apps that rested until this moment; `all` are those that fetch.
    mutating func look(at moment: WallTime, all: some Sequence<AppIndex>) {
        if !isComplete || moment < looked {
            let verdict = nextVerdict
            self = FetchAgenda()
            (isComplete, nextVerdict) = (true, verdict)
            for app in all { wake(app) }
        }
        looked = moment
        while let (number, _) = barred.popDue(at: moment.nanoseconds) { wake(AppIndex(UInt32(number))) }
        while let (number, _) = fresh.popDue(at: moment.nanoseconds) { wake(AppIndex(UInt32(number))) }
        noteWakes()
    }

    /// Lets apps rest. They are named by their places in `awake`, in order.
    mutating func take(_ rests: [(place: Int, rest: Rest)]) {
        guard let first = rests.first else { return }
        for (place, rest) in rests {
            let number = Int(awake[place].rawValue)
            isAwake[number] = false
            switch rest {
            case .idle: break
            case .barred(let until): barred.arm(number, at: until.nanoseconds)
            case .fresh(let until): fresh.arm(number, at: until.nanoseconds)
            }
        }
        var left = first.place
        for place in first.place..<awake.count where isAwake[Int(awake[place].rawValue)] {
            awake[left] = awake[place]
            left += 1
        }
        awake.removeLast(awake.count - left)
        noteWakes()
    }

    private mutating func noteWakes() {
        let (bar, end) = (barred.next(), fresh.next())
        wakes = if let bar, let end { min(bar, end) } else { bar ?? end }
    }

    /// When the first resting app is to be looked at. One with something fresh wakes earlier than that, by `later`.
    mutating func next(later: Span) -> WallTime? {
        let bar = barred.next().map { WallTime(nanoseconds: $0) }
        guard let end = fresh.next().map({ WallTime(nanoseconds: $0) + later }) else { return bar }
        return min(bar ?? end, end)
    }
}

// Planners with the same records are equal, whatever their agendas have found out so far.
extension FetchAgenda: Hashable {
    static func == (a: FetchAgenda, b: FetchAgenda) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension FetchPlanner {
    /// What bears on when an app may fetch has changed.
    mutating func reweigh(_ place: Int) { agenda.wake(records[place].app) }

    /// All that should go now, and when to look again.
    mutating func batch(at moment: WallTime, radio: RadioState) -> (members: [FetchBatch.Member], next: WallTime?) {
        let all = records.lazy.filter { $0.interval != nil }.map(\.app)
        agenda.look(at: moment, all: all)
        let batch = FetchBatch(self, at: moment, radio: radio)
        agenda.take(batch.rests)
        guard radio.model != nil, let resting = agenda.next(later: restsBeyond + (.zero - rules.ahead)) else {
            return (batch.members, batch.next)
        }
        return (batch.members, min(batch.next ?? resting, resting))
    }

    /// The time for which what an app has must be fresh so that it is not weighed at all.
    private var restsBeyond: Span { max(rules.join, rules.ahead) }

    /// Until when an app rests that has something fresh; `nil`: it is weighed at each look.
    func restsUntil(_ place: Int, at moment: WallTime) -> WallTime? {
        // What is computed with numbers that stop at the ends is weighed each time.
        guard moment.nanoseconds >= 0, rules.ahead >= .zero, restsBeyond <= Self.longestRest,
            !isSeenInFuture(place, at: moment), let fresh = freshUntil(place, at: moment),
            fresh.nanoseconds <= Self.lastRest, fresh - moment > restsBeyond
        else { return nil }
        return fresh + (.zero - restsBeyond)
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
