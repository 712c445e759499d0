internal import Model

/// What all apps of a device have in common: when its user is there, at which hours apps are opened, and how much
/// likelier an opening becomes after another one, or while the user is present.
///
/// The last is learned as a table of factors. In each combination of circumstances – how long ago the app was seen,
/// and whether or how long ago somebody was there –, a factor is the openings that came, divided by those that the
/// hours of the day had let expect. All apps share it, so that a few days fill it.
struct UserRhythm: Hashable, Sendable, Codable {
    static let stepLength = Span.seconds(300)
    static let soon = Span.seconds(900)

    static func step(of moment: WallTime) -> Int64 { moment.nanoseconds / stepLength.nanoseconds }

    /// Openings that came, and that were expected; all over one time.
    private struct Odds: Hashable, Codable {
        var came: Float = 0.5
        var expected: Float = 0.5

        func factor(_ prior: FetchPrior) -> Float { (came + prior.odds) / (expected + prior.odds) }
    }

    private(set) var isPresent = false
    private var presenceChanged: WallTime?
    /// Openings of all apps by the hour of the day, and for how many hours it was watched.
    private var openings = [Float](repeating: 0, count: 24)
    private var watched = [Float](repeating: 0, count: 24)
    private var allOpenings: Float = 0
    /// A fifth of an hour, so that nothing is divided by zero.
    private(set) var allWatched: Float = 0.2
    private var soonOdds = [Odds](repeating: Odds(), count: circumstanceCount)
    private var hourOdds = [Odds](repeating: Odds(), count: circumstanceCount)

    // MARK: Circumstances

    private static let sinceOpening: [Int64] = [300, 900, 1800, 3600, 7200, 14_400, 28_800, 57_600, 129_600, 345_600]
    private static let sincePresent: [Int64] = [900, 3600, 10_800]
    private static let circumstanceCount = (sinceOpening.count + 1) * (sincePresent.count + 2)

    private static func bin(_ span: Span, _ limits: [Int64]) -> Int {
        limits.firstIndex { span.nanoseconds <= $0 * 1_000_000_000 } ?? limits.count
    }

    /// Which they are for an app that was last seen then, at a moment.
    func circumstances(lastSeen: WallTime?, at moment: WallTime) -> UInt8 {
        let recency = lastSeen.map { Self.bin(moment - $0, Self.sinceOpening) } ?? Self.sinceOpening.count
        let presence =
            isPresent ? 0 : 1 + (presenceChanged.map { Self.bin(moment - $0, Self.sincePresent) } ?? 0)
        return UInt8(recency + (Self.sinceOpening.count + 1) * presence)
    }

    // MARK: Learning

    mutating func present(_ isPresent: Bool, at moment: WallTime) {
        guard isPresent != self.isPresent || presenceChanged == nil else { return }
        self.isPresent = isPresent
        presenceChanged = moment
    }

    mutating func opened(hourOfDay: Int) {
        openings[hourOfDay] += 1
        allOpenings += 1
    }

    mutating func watched(_ hours: Float, hourOfDay: Int) {
        watched[hourOfDay] += hours
        allWatched += hours
    }

    mutating func settle(_ sample: OpeningHabit.Sample) {
        guard let place = sample.circumstances.map(Int.init), place < hourOdds.count else { return }
        hourOdds[place].came += Float(sample.later)
        hourOdds[place].expected += sample.usual
        soonOdds[place].came += Float(sample.soon)
        soonOdds[place].expected += sample.usual / 4
    }

    mutating func fade(by factor: Float, slowly slow: Float) {
        for hour in 0..<24 {
            openings[hour] *= factor
            watched[hour] *= factor
        }
        allOpenings *= factor
        allWatched *= factor
        for place in hourOdds.indices {
            hourOdds[place].came *= slow
            hourOdds[place].expected *= slow
            soonOdds[place].came *= slow
            soonOdds[place].expected *= slow
        }
    }

    // MARK: Telling

    /// Openings of an app in the hour from a moment, as the hours of the day say. Where an hour tells little of the
    /// app, it is taken to follow the hours of all.
    func usual(_ habit: OpeningHabit, hour: Int64, part: Float, _ prior: FetchPrior) -> Float {
        let mean = max((allOpenings + prior.allOpenings) / (allWatched + prior.allHours), 0.001)
        let ofApp = (habit.openings + prior.openings) / (habit.hoursKnown + prior.hours)
        func rate(_ hour: Int) -> Float {
            let ofAll = (openings[hour] + prior.even) / (watched[hour] + prior.even / mean)
            // For how long the app was seen in this hour, if it is not known for as long as the device.
            let seen = watched[hour] * min(1, habit.hoursKnown / allWatched)
            let average = prior.usualDays * ofApp * ofAll / mean
            return (habit.openings(inHour: hour) + average) / (seen + prior.usualDays)
        }
        return rate(Int(hour % 24)) * (1 - part) + rate(Int((hour + 1) % 24)) * part
    }

    /// Openings an hour that can be expected, which is the lesser of what the next quarter and the next hour promise:
    /// what will be opened later can be fetched for later.
    func expected(usual: Float, _ circumstances: UInt8, _ prior: FetchPrior) -> Float {
        let place = Int(circumstances)
        return usual * min(hourOdds[place].factor(prior), soonOdds[place].factor(prior))
    }

    /// That an app is opened in an hour of the day at all.
    func chance(_ habit: OpeningHabit, hourOfDay: Int, _ prior: FetchPrior) -> Float {
        let seen = watched[hourOfDay] * min(1, habit.hoursKnown / allWatched)
        return min(1, habit.days(withHour: hourOfDay) / (seen + prior.quietDays))
    }
}

extension UserRhythm {
    var isSound: Bool {
        let odds = soonOdds + hourOdds
        return openings.count == 24 && watched.count == 24 && soonOdds.count == Self.circumstanceCount
            && hourOdds.count == Self.circumstanceCount && allWatched > 0
            && (openings + watched + [allOpenings, allWatched]).allSatisfy(\.isFinite)
            && odds.allSatisfy { $0.came.isFinite && $0.expected.isFinite }
    }

    /// What was learned before, with who is there now.
    func following(_ earlier: UserRhythm) -> UserRhythm {
        var next = earlier
        next.isPresent = isPresent
        next.presenceChanged = presenceChanged ?? earlier.presenceChanged
        return next
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(isPresent)
        writer.write(presenceChanged)
        writer.write(openings)
        writer.write(watched)
        writer.write(allOpenings)
        writer.write(allWatched)
        for table in [soonOdds, hourOdds] {
            writer.write(table.map(\.came))
            writer.write(table.map(\.expected))
        }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        isPresent = try reader.bool()
        presenceChanged = try reader.moment()
        openings = try reader.floats()
        watched = try reader.floats()
        allOpenings = try reader.float()
        allWatched = try reader.float()
        soonOdds = try Self.odds(from: &reader)
        hourOdds = try Self.odds(from: &reader)
    }

    private static func odds(from reader: inout ByteReader) throws(MalformedBytes) -> [Odds] {
        let (came, expected) = (try reader.floats(), try reader.floats())
        guard came.count == expected.count else {
            throw MalformedBytes(offset: reader.offset, expected: "as many openings that were expected as came")
        }
        return zip(came, expected).map { Odds(came: $0, expected: $1) }
    }
}
