package import Model

/// When apps fetch in the background (S9): it learns when each is opened, and weighs the openings that a fetch would
/// serve against what the radio would spend on it. A value: the same calls give the same plans.
///
/// The caller tells what happens, and asks what is due: at `nextLook`, when the radio has woken, when the user takes
/// the device up, and when an app has left the screen. It sees itself to what bars an app from being fetched for, as
/// that it is on screen, or was closed by the user.
package struct FetchPlanner: Hashable, Sendable, Codable {
    @Constant package private(set) var rules: FetchRules
    /// In the order of the apps' indices.
    var records: [FetchRecord] = []
    var apps: [AppIndex] { records.map(\.app) }
    var rhythm = UserRhythm()
    /// Seconds east of Greenwich.
    var utcOffset: Int32 = 0
    /// The last step of time whose samples were taken.
    private var lastStep: Int64?
    private var today: Int64?
    /// What `nextLook` answers; kept, since it is asked for after every event.
    var look: WallTime?
    var agenda = FetchAgenda()

    private enum CodingKeys: String, CodingKey { case rules, records, rhythm, utcOffset, lastStep, today, look }

    package init(rules: FetchRules) { _rules = Constant(wrappedValue: rules) }

    // MARK: What happens

    /// The user opened it: from then on it is on screen, where it looks for itself.
    package mutating func opened(_ app: AppIndex, at moment: WallTime, utcOffset: Int32) {
        self.utcOffset = utcOffset
        pass(to: moment)
        let place = make(app)
        records[place].habit.opened(at: moment, hour: localHour(moment))
        reweigh(place)
        rhythm.opened(hourOfDay: Int(localHour(moment) % 24))
        records[place].judge(at: moment, isOpening: true, freshness: rules.freshness)
    }

    /// It is no longer on screen: until now its user saw what it has.
    package mutating func left(_ app: AppIndex, at moment: WallTime) {
        guard prior.countsSeen, let place = place(of: app) else { return }
        pass(to: moment)
        records[place].left = moment
        reweigh(place)
    }

    /// Somebody took the device up, or laid it down.
    package mutating func userIsPresent(_ isPresent: Bool, at moment: WallTime) {
        pass(to: moment)
        rhythm.present(isPresent, at: moment)
    }

    /// `nil`: it does not fetch; zero: as often as the system sees fit.
    package mutating func setMinimumInterval(_ app: AppIndex, _ interval: Span?) {
        if interval == nil, place(of: app) == nil { return }
        let place = make(app)
        records[place].interval = interval.map { max(.zero, $0) }
        reweigh(place)
        if interval == nil { records[place].habit.forgetSamples() }
        // At once, to be asked what comes of it.
        look = interval == nil ? look : WallTime(nanoseconds: 0)
    }

    package mutating func began(_ app: AppIndex, at moment: WallTime) {
        pass(to: moment)
        let place = make(app)
        records[place].judge(at: moment, isOpening: false, freshness: rules.freshness)
        let expected = Self.thousandths(expected(place, at: moment))
        records[place].began(at: moment, expected: expected, remembering: Int(rules.decisions))
        reweigh(place)
    }

    /// What it cost is what its bytes did: neither the radio's waking nor its tails, which it may have shared. `nil`:
    /// it is not known yet, and `moved` tells the bytes.
    package mutating func ended(_ app: AppIndex, at moment: WallTime, result: FetchResult, cost: Energy?) {
        pass(to: moment)
        guard let place = place(of: app) else { return }
        records[place].ended(at: moment, result, cost: cost)
        reweigh(place)
        noteVerdict(place)
        look = min(look ?? nextStep(moment), nextStep(moment))
    }

    package mutating func forget(_ app: AppIndex) {
        guard let place = place(of: app) else { return }
        reweigh(place)
        records.remove(at: place)
    }

    /// Takes the samples of the time that has passed.
    private mutating func pass(to moment: WallTime) {
        let step = UserRhythm.step(of: moment)
        guard let last = lastStep else {
            lastStep = step
            today = localHour(moment) / 24
            return
        }
        guard step != last else { return }
        lastStep = step
        // Somebody set the clock, or the device was off: nothing was watched.
        guard step > last, step - last <= Self.longestGap else {
            for place in records.indices { records[place].habit.forgetSamples() }
            return
        }
        for number in last + 1...step { takeSamples(number) }
    }

    private mutating func takeSamples(_ step: Int64) {
        let moment = WallTime(nanoseconds: step * UserRhythm.stepLength.nanoseconds)
        let (hour, part) = (localHour(moment), partOfHour(moment))
        if hour / 24 != today {
            today = hour / 24
            rhythm.fade(by: rules.fading, slowly: rules.slowFading)
            for place in records.indices { records[place].habit.fade(by: rules.fading) }
        }
        rhythm.watched(Self.stepHours, hourOfDay: Int(hour % 24))
        let count = Int(rules.freshness.nanoseconds / UserRhythm.stepLength.nanoseconds)
        for place in records.indices {
            records[place].habit.pass(Self.stepHours)
            guard records[place].interval != nil, count > 0 else { continue }
            let circumstances = rhythm.circumstances(lastSeen: lastSeen(place), at: moment)
            let usual = rhythm.usual(records[place].habit, hour: hour, part: part, prior)
            rhythm.settle(
                records[place].habit.replaceSample(
                    step: step, of: count, by: OpeningHabit.Sample(circumstances: circumstances, usual: usual)))
        }
    }

    // MARK: What is due

    /// All that should go now, together, the one that is worth most first.
    package mutating func due(at moment: WallTime, radio: RadioState) -> [AppIndex] {
        pass(to: moment)
        judgeAll(at: moment)
        let batch = batch(at: moment, radio: radio)
        look = batch.next
        return batch.members.map { records[$0.place].app }
    }

    /// When to ask again at the latest, if nothing happens before.
    package func nextLook(at moment: WallTime, radio: RadioState) -> WallTime? {
        guard radio.model != nil, let look else { return nil }
        return max(look, moment)
    }

    package func plan(_ app: AppIndex, at moment: WallTime, radio: RadioState) -> FetchPlan {
        guard let place = place(of: app), let interval = records[place].interval else {
            return FetchPlan(reason: .notAsked)
        }
        if let since = records[place].underWaySince { return FetchPlan(reason: .underWay(since: since)) }
        let bar = bar(place, interval, at: moment)
        let earliest = max(bar?.until ?? moment, moment)
        guard let model = radio.model else { return FetchPlan(earliest: earliest, reason: .noNetwork) }
        let stale = max(earliest, (freshUntil(place, at: moment) ?? moment) + (Span.zero - rules.ahead))
        let own = ownCost(place, model)
        let waking = RadioState(model).marginalCost(lasting: .zero, sent: 0, received: 0)
        var plan = FetchPlan(earliest: earliest, reason: bar?.reason ?? .notAsked)
        for step in 0..<Self.stepsAhead where plan.latest == nil {
            let then = stale + UserRhythm.stepLength * step
            let expected = expected(place, at: then)
            let worth = worth(place, expected)
            if worth > own, plan.wanted == nil { plan.wanted = then }
            if worth > own + waking, missed(worth) >= waking { plan.latest = then }
        }
        if bar == nil { plan.reason = reason(place, at: moment, radio: radio, own: own, waking: waking) }
        return plan
    }

    private func reason(
        _ place: Int, at moment: WallTime, radio: RadioState, own: Energy, waking: Energy
    ) -> FetchReason {
        let expected = expected(place, at: moment)
        let (thousandths, worth) = (Self.thousandths(expected), worth(place, expected))
        let batch = FetchBatch(self, at: moment, radio: radio)
        if batch.members.contains(where: { $0.place == place }) {
            return batch.isRide
                ? .radioIsAwake(expected: thousandths, cost: own, worth: worth)
                : .worthIt(expected: thousandths, cost: own, worth: worth)
        }
        if let fresh = freshUntil(place, at: moment), fresh > moment { return .fresh(until: fresh) }
        if worth <= own { return .notWorthIt(expected: thousandths, cost: own, worth: worth) }
        return .waitsForRadio(expected: thousandths, cost: own + waking, worth: worth)
    }

    /// The hours of the coming day in which it is likely enough to be opened.
    package func expectedOpenings(_ app: AppIndex, at moment: WallTime) -> [ExpectedOpening] {
        guard let place = place(of: app) else { return [] }
        let length: Int64 = 3600 * 1_000_000_000
        let begin = moment.nanoseconds - moment.nanoseconds % length
        return (Int64(0)..<24).compactMap { hour in
            let from = WallTime(nanoseconds: begin + hour * length)
            let chance = rhythm.chance(records[place].habit, hourOfDay: Int(localHour(from) % 24), prior)
            guard chance >= Self.leastChance else { return nil }
            return ExpectedOpening(from: from, to: from + .seconds(3600), chance: Self.thousandths(chance))
        }
    }

    package func decisions(_ app: AppIndex) -> [FetchDecision] { place(of: app).map { records[$0].decisions } ?? [] }

    // MARK: Records

    private func insertionPlace(of app: AppIndex) -> Int {
        // Where nobody was ever forgotten, an app's number is its place.
        if app.rawValue < records.count, records[Int(app.rawValue)].app == app { return Int(app.rawValue) }
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if records[middle].app < app { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func place(of app: AppIndex) -> Int? {
        let place = insertionPlace(of: app)
        return place < records.count && records[place].app == app ? place : nil
    }

    mutating func make(_ app: AppIndex) -> Int {
        let place = insertionPlace(of: app)
        if place == records.count || records[place].app != app { records.insert(FetchRecord(app), at: place) }
        return place
    }
}

// MARK: Weighing

extension FetchPlanner {
    /// A day.
    private static let longestGap: Int64 = 288
    private static let stepsAhead: Int64 = 288
    private static let stepHours: Float = 1 / 12
    private static let leastChance: Float = 0.05

    static func thousandths(_ value: Float) -> Int32 { Int32(min(1_000_000, max(0, value)) * 1000 + 0.5) }

    func nextStep(_ moment: WallTime) -> WallTime {
        WallTime(nanoseconds: (UserRhythm.step(of: moment) + 1) * UserRhythm.stepLength.nanoseconds)
    }

    private func localSeconds(_ moment: WallTime) -> Int64 { moment.nanoseconds / 1_000_000_000 + Int64(utcOffset) }
    private func localHour(_ moment: WallTime) -> Int64 { max(0, localSeconds(moment) / 3600) }
    private func partOfHour(_ moment: WallTime) -> Float { Float(max(0, localSeconds(moment)) % 3600) / 3600 }

    var prior: FetchPrior { rules.prior ?? .early }

    func isSeenInFuture(_ place: Int, at moment: WallTime) -> Bool {
        lastSeen(place).map { $0 > moment } ?? false
    }

    /// When its user saw it last, as far as is known: at least for a moment when it was opened.
    private func lastSeen(_ place: Int) -> WallTime? {
        guard let opened = records[place].habit.lastOpening else { return nil }
        return max(opened, records[place].left ?? opened)
    }

    func freshUntil(_ place: Int, at moment: WallTime) -> WallTime? {
        let fetched = records[place].freshSince
        // Nothing was seen in the future, where somebody has set the clock back.
        guard prior.countsSeen, let seen = lastSeen(place), seen <= moment else {
            return fetched.map { $0 + rules.freshness }
        }
        return max(fetched ?? seen, seen) + rules.freshness
    }

    /// What bars it from fetching at a moment, and until when.
    func bar(_ place: Int, _ interval: Span, at moment: WallTime) -> (until: WallTime, reason: FetchReason)? {
        if let failedAt = records[place].failedAt {
            let failures = records[place].failures
            var pause = rules.pauseAfterFailure
            for _ in 1..<max(1, failures) { pause = min(rules.longestPause, pause * 2) }
            let until = failedAt + pause
            if until > moment { return (until, .failedBefore(times: failures, until: until)) }
        }
        guard let began = records[place].lastBegan else { return nil }
        let until = began + max(interval, rules.leastInterval)
        return until > moment ? (until, .interval(until: until)) : nil
    }

    /// Openings in the time for which a fetch at this moment would be fresh.
    func expected(_ place: Int, at moment: WallTime) -> Float {
        let circumstances = rhythm.circumstances(lastSeen: lastSeen(place), at: moment)
        let usual = rhythm.usual(records[place].habit, hour: localHour(moment), part: partOfHour(moment), prior)
        return rhythm.expected(usual: usual, circumstances, prior)
    }

    /// An app that often has nothing new is worth less, but a sixteenth at least: it may have some day.
    func worth(_ place: Int, _ expected: Float) -> Energy {
        let news = Double(max(64, records[place].news)) / 1024
        return Energy(picojoules: Int64(min(1e18, Double(rules.worth.picojoules) * Double(expected) * news)))
    }

    /// Of what an hour's openings are worth, what is missed while the radio's waking is put off.
    func missed(_ worth: Energy) -> Energy {
        Energy(picojoules: worth.picojoules.scaled(by: rules.patience.nanoseconds, over: rules.freshness.nanoseconds))
    }

    func ownCost(_ place: Int, _ model: RadioModel) -> Energy {
        records[place].cost ?? records[place].usual?.cost(model)
            ?? model.power * rules.usualLength + model.sentByte * rules.usualSent
            + model.receivedByte * rules.usualReceived
    }
}
