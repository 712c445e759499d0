internal import Model

/// Which apps should fetch together at a moment.
///
/// An app is *willing* where the openings that can be expected are worth more than its bytes, and what it has is stale
/// or nearly so. A radio that sleeps is woken for those whose content is stale, once the openings that they would miss
/// by waiting are worth it; the nearly stale then go along, so that apps come to wait for the same moments. A radio
/// that is awake anyway takes the willing along before they are stale, if what they lose of their hour is less than
/// what not waking it spares.
struct FetchBatch {
    struct Member {
        let place: Int
        let worth: Energy
        let own: Energy
        /// For how long what it has is fresh.
        let left: Span
    }

    /// What is worth most comes first.
    private(set) var members: [Member] = []
    /// It goes because the radio is awake: for these it would not have been woken.
    private(set) var isRide = false
    /// When to look again, as far as it depends on those that do not rest (`FetchAgenda`); `nil`: there are none.
    private(set) var next: WallTime?

    /// Apps that were awake in the planner's agenda and can rest from now on.
    private(set) var rests: [(place: Int, rest: FetchAgenda.Rest)] = []

    init(_ planner: FetchPlanner, at moment: WallTime, radio: RadioState) {
        guard let model = radio.model else { return }
        let rules = planner.rules
        var willing: [Member] = []
        // All in one body: a call for each app would hand the whole planner on.
        let isPart = planner.agenda.holds(at: moment)
        for number in 0..<(isPart ? planner.agenda.awake.count : planner.records.count) {
            guard let place = isPart ? planner.place(of: planner.agenda.awake[number]) : number,
                let interval = planner.records[place].interval, planner.records[place].underWaySince == nil
            else {
                if isPart { rests.append((number, .idle)) }
                continue
            }
            if let bar = planner.bar(place, interval, at: moment) {
                lookAgain(at: bar.until)
                if isPart { rests.append((number, .barred(until: bar.until))) }
                continue
            }
            let left = planner.freshUntil(place, at: moment).map { max(.zero, $0 - moment) } ?? .zero
            let stale = moment + max(.zero, left - rules.ahead)
            lookAgain(at: stale > moment ? stale : moment + rules.look)
            guard left <= rules.join else {
                if isPart, let until = planner.restsUntil(place, at: moment) {
                    rests.append((number, .fresh(until: until)))
                }
                continue
            }
            let worth = planner.worth(place, planner.expected(place, at: moment))
            let own = planner.ownCost(place, model)
            if worth > own { willing.append(Member(place: place, worth: worth, own: own, left: left)) }
        }
        if isPart { willing.sort { $0.place < $1.place } }
        guard !willing.isEmpty else { return }
        let asleep = RadioState(model).marginalCost(lasting: .zero, sent: 0, received: 0)
        let waking = radio.marginalCost(lasting: .zero, sent: 0, received: 0)
        if Self.isWorthWaking(willing, waking, planner) {
            members = willing
            isRide = radio.isWarm && !Self.isWorthWaking(willing, asleep, planner)
        } else if radio.isWarm, Self.lost(willing, rules) <= Double((asleep - waking).picojoules) * rules.ride {
            members = willing
            isRide = true
        }
        members.sort { ($1.worth - $1.own, $0.place) < ($0.worth - $0.own, $1.place) }
    }

    private static func isWorthWaking(_ willing: [Member], _ waking: Energy, _ planner: FetchPlanner) -> Bool {
        let stale = willing.filter { $0.left <= planner.rules.ahead }
        guard !stale.isEmpty else { return false }
        let surplus = stale.reduce(Energy.zero) { $0 + $1.worth - $1.own }
        let missed = stale.reduce(Energy.zero) { $0 + planner.missed($1.worth) }
        return surplus >= waking && missed >= waking
    }

    /// What is lost of the hours that those have paid for who go early.
    private static func lost(_ willing: [Member], _ rules: FetchRules) -> Double {
        willing.reduce(0) {
            $0 + Double($1.own.picojoules) * Double($1.left.nanoseconds) / Double(rules.freshness.nanoseconds)
        }
    }

    private mutating func lookAgain(at moment: WallTime) { next = min(next ?? moment, moment) }
}
