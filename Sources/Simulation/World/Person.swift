package import Model

/// What somebody does with a device.
package enum PersonAction: Hashable, Sendable, Codable {
    /// Lights the screen, which is locked.
    case wake
    case unlock
    /// An app by its number.
    case open(Int)
    case home
    /// Puts the device away, dark and locked.
    case sleep
    /// An app has news; nothing that the person does.
    case notification(Int)
    case callComes, callAccepted, callDeclined, callEnds
    case messageComes, messageDismissed
    case pluggedIn, unplugged
    case turnedOff, turnedOn
}

/// How somebody lives with a device: in the figures of two real people whose months are known, rounded.
package struct Habits: Hashable, Sendable, Codable {
    /// How often the device is taken up an hour, for each hour of the day, while the person is awake.
    package var pickups = [2, 1, 1, 1, 1, 2, 4, 6, 7, 6, 6, 6, 7, 7, 6, 6, 7, 7, 8, 9, 9, 9, 7, 4]
    /// Of the day; each day a little different.
    package var rises = Span.seconds(7 * 3600)
    package var goesToBed = Span.seconds(23.5 * 3600)
    /// In a thousand pickups, those that are over with a look at the lock screen.
    package var glances = 250
    /// In a thousand opens, those after which another one follows before the device is put away.
    package var goesOn = 680
    /// In a thousand such, those that go back to the app before.
    package var goesBack = 380
    /// In a thousand such, those that look at the home screen for a while.
    package var lingers = 150
    /// How long an app is used on average; favourites longer than others.
    package var uses = Span.seconds(55)
    package var notificationsPerDay = 110
    package var callsPerDay = 3
    package var messagesPerDay = 4
    /// In a thousand days, those on which the device is turned off for a while.
    package var restarts = 60

    package init() {}
}

/// Somebody with a device, day for day, from a seed: gets up, takes the device up and puts it away, uses some apps much
/// and others hardly, is called and called upon, and sleeps.
package struct Person: Hashable, Sendable {
    package typealias TimedAction = (at: Instant, action: PersonAction)

    private struct Planned: Hashable {
        let at: Instant
        let order: Int
        let action: PersonAction
    }

    /// Somebody else's doing.
    private struct Incoming {
        let at: Instant
        let isCall: Bool
    }

    private let habits: Habits
    private let tastes: Tastes
    private var random: SplitMix64
    /// The midnight before which everything is planned.
    private var midnight: Instant
    private var plan: [Planned] = []
    private var taken = 0
    /// What goes on beyond midnight.
    private var late: [Planned] = []
    private var last: Int?
    private var beforeLast: Int?

    private static let day = Span.seconds(86_400)

    /// The person begins at a midnight, with so many apps.
    package init(habits: Habits = Habits(), apps: Int, seed: UInt64, from midnight: Instant = .zero) {
        self.habits = habits
        self.midnight = midnight
        random = SplitMix64(seed: seed, for: 0x9e_50)
        tastes = Tastes(apps: apps, uses: habits.uses, random: &random)
    }

    /// What happens next; never earlier than what was before.
    package mutating func next() -> TimedAction {
        while taken == plan.count { planDay() }
        defer { taken += 1 }
        return (plan[taken].at, plan[taken].action)
    }

    // MARK: A day

    private mutating func say(_ action: PersonAction, at moment: Instant) {
        plan.append(Planned(at: moment, order: plan.count, action: action))
    }

    private mutating func planDay() {
        plan = late
        taken = 0
        let rises = midnight + habits.rises + random.span(.zero, .seconds(3600))
        // Not beyond midnight, where the next day is planned.
        let bed = min(
            midnight + habits.goesToBed + random.span(.seconds(-2700), .seconds(2700)), midnight + .seconds(86_399))
        say(.unplugged, at: rises)
        var incoming = moments(habits.callsPerDay, from: rises, to: bed).map { Incoming(at: $0, isCall: true) }
        incoming += moments(habits.messagesPerDay, from: rises, to: bed).map { Incoming(at: $0, isCall: false) }
        incoming.sort { $0.at > $1.at }
        var now = rises
        if random.chance(perMille: habits.restarts) { now = turnOffAndOn(from: rises, to: bed) ?? now }
        while let pickup = nextPickup(after: now, before: bed) {
            while let next = incoming.last, next.at < pickup { now = attend(&incoming, notBefore: now) }
            now = takeUp(at: max(pickup, now), &incoming)
        }
        while !incoming.isEmpty { now = attend(&incoming, notBefore: now) }
        say(.pluggedIn, at: max(bed, now))
        for moment in moments(habits.notificationsPerDay, from: midnight, to: midnight + Self.day) {
            say(.notification(tastes.any(at: hour(moment), &random)), at: moment)
        }
        midnight = midnight + Self.day
        plan.sort { ($0.at, $0.order) < ($1.at, $1.order) }
        let end = plan.firstIndex { $0.at >= midnight } ?? plan.count
        late = Array(plan[end...])
        plan.removeSubrange(end...)
    }

    /// About so many moments, the last one first.
    private mutating func moments(_ count: Int, from start: Instant, to end: Instant) -> [Instant] {
        let number = count / 2 + random.below(count + 1)
        return (0..<number).map { _ in start + random.span(.zero, end - start) }.sorted(by: >)
    }

    private func hour(_ moment: Instant) -> Int {
        let sinceMidnight = (moment - midnight).nanoseconds / 3_600_000_000_000
        return Int(max(0, min(23, sinceMidnight)))
    }

    /// By thinning: moments at the highest rate of the day, of which the others' share is kept.
    private mutating func nextPickup(after start: Instant, before end: Instant) -> Instant? {
        let highest = max(1, habits.pickups.max() ?? 1)
        var moment = start
        while true {
            moment = moment + random.exponential(mean: Span(nanoseconds: 3_600_000_000_000 / Int64(highest)))
            guard moment < end else { return nil }
            let hour = hour(moment)
            if hour < habits.pickups.count, random.below(highest) < habits.pickups[hour] { return moment }
        }
    }

    // MARK: With the device in hand

    /// From taking it up to putting it away; returns when that is.
    private mutating func takeUp(at moment: Instant, _ incoming: inout [Incoming]) -> Instant {
        var now = moment
        say(.wake, at: now)
        now = now + random.span(.seconds(1), .seconds(3))
        if random.chance(perMille: habits.glances) {
            now = now + random.exponential(mean: .seconds(5))
        } else {
            say(.unlock, at: now)
            now = now + random.span(.milliseconds(500), .seconds(2))
            now = useApps(at: now, &incoming)
        }
        say(.sleep, at: now)
        return now + .seconds(1)
    }

    private mutating func useApps(at moment: Instant, _ incoming: inout [Incoming]) -> Instant {
        var now = moment
        var isFirst = true
        while true {
            if let next = incoming.last, next.at <= now { now = attend(&incoming, notBefore: now) }
            let app = choose(at: now, isFirst: isFirst)
            isFirst = false
            say(.open(app), at: now)
            now = now + .seconds(1) + random.exponential(mean: tastes.uses(app))
            guard random.chance(perMille: habits.goesOn) else { return now }
            if random.chance(perMille: habits.lingers) {
                say(.home, at: now)
                now = now + random.exponential(mean: .seconds(6))
            }
            now = now + random.span(.milliseconds(300), .seconds(2))
        }
    }

    private mutating func choose(at moment: Instant, isFirst: Bool) -> Int {
        var app = tastes.any(at: hour(moment), &random)
        // People go back to what they were at, between apps and from one pickup to the next.
        if random.chance(perMille: habits.goesBack), let back = isFirst ? last : beforeLast { app = back }
        if app != last { (beforeLast, last) = (last, app) }
        return app
    }

    /// The next call or message, now or when it is due; returns when it is dealt with.
    private mutating func attend(_ incoming: inout [Incoming], notBefore now: Instant) -> Instant {
        guard let next = incoming.popLast() else { return now }
        let comes = max(next.at, now)
        guard next.isCall else {
            say(.messageComes, at: comes)
            let read = comes + random.span(.seconds(2), .seconds(12))
            say(.messageDismissed, at: read)
            return read + .seconds(1)
        }
        say(.callComes, at: comes)
        let answered = comes + random.span(.seconds(3), .seconds(20))
        guard !random.oneIn(3) else {
            say(.callDeclined, at: answered)
            return answered + .seconds(1)
        }
        say(.callAccepted, at: answered)
        let ends = answered + .seconds(5) + random.exponential(mean: .seconds(90))
        say(.callEnds, at: ends)
        return ends + .seconds(1)
    }

    /// Early in the day, before anything else.
    private mutating func turnOffAndOn(from start: Instant, to end: Instant) -> Instant? {
        let off = start + random.span(.seconds(60), .seconds(1800))
        let on = off + random.span(.seconds(60), .seconds(3600))
        guard on + .seconds(60) < end else { return nil }
        say(.turnedOff, at: off)
        say(.turnedOn, at: on)
        return on + .seconds(60)
    }
}

/// Which apps somebody likes, at which time of the day.
private struct Tastes: Hashable, Sendable {
    /// By hour: each app's weight and those before it.
    private var sums: [[Int]] = []
    private var durations: [Span] = []

    init(apps: Int, uses: Span, random: inout SplitMix64) {
        let count = max(1, apps)
        // Zipf: the second is used half as much as the first, the third a third as much.
        let weights = (0..<count).map { 1_000_000 / ($0 + 1) }
        let peaks = (0..<count).map { _ in random.below(24) }
        for hour in 0..<24 {
            var sum = 0
            sums.append(
                (0..<count).map { app in
                    let distance = min((hour - peaks[app] + 24) % 24, (peaks[app] - hour + 24) % 24)
                    sum += distance <= 3 ? weights[app] * 3 : weights[app]
                    return sum
                })
        }
        durations = (0..<count).map { _ in
            Span(nanoseconds: uses.nanoseconds / 4 + random.span(.zero, uses).nanoseconds * 3 / 2)
        }
    }

    func uses(_ app: Int) -> Span { durations[app] }

    func any(at hour: Int, _ random: inout SplitMix64) -> Int {
        let sums = sums[hour]
        let drawn = random.below(sums[sums.count - 1])
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > drawn { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension SplitMix64 {
    /// A time until something that may come at any moment: short ones often, long ones seldom.
    package mutating func exponential(mean: Span) -> Span {
        // -log2 of an even number between 0 and 1, in parts of 2^16, from its leading bit and by squaring the rest.
        let drawn = next() | 1
        var log = Int64(drawn.leadingZeroBitCount + 1) << 16
        var mantissa = (drawn << UInt64(drawn.leadingZeroBitCount)) >> 33
        var bit: Int64 = 1 << 15
        while bit > 0 {
            mantissa = (mantissa * mantissa) >> 30
            if mantissa >= 1 << 31 {
                mantissa >>= 1
                log -= bit
            }
            bit >>= 1
        }
        // ln 2 in parts of 2^16.
        return Span(nanoseconds: max(0, mean.nanoseconds).scaled(by: log * 45_426, over: 1 << 32))
    }
}

extension PersonAction {
    /// What it is to a device whose apps have these names; nothing for what a device does not know of.
    package func input(_ apps: [String]) -> Input? {
        switch self {
        case .wake: .wake
        case .unlock: .unlock
        case .open(let app): app < apps.count ? .open(apps[app], role: .primary) : nil
        case .home: .home
        case .sleep: .sleep
        case .callComes: .interrupt(.call)
        case .callAccepted: .accept(.call)
        case .callDeclined: .dismiss(.call)
        case .callEnds: .endCall
        case .messageComes: .interrupt(.sms)
        case .messageDismissed: .dismiss(.sms)
        case .turnedOff: .shutDown
        case .turnedOn: .boot
        case .notification, .pluggedIn, .unplugged: nil
        }
    }
}
