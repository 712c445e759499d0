internal import Model

/// What of an app's openings is kept.
///
/// Counts fade by the day. A *sample* is what was expected of the app at a moment, beside what then came: it settles
/// how much more or less likely openings are than the hour of the day alone would say (`UserRhythm`).
struct OpeningHabit: Hashable, Sendable, Codable {
    struct Sample: Hashable, Sendable, Codable {
        /// The circumstances (`UserRhythm.circumstances`); `nil`: nothing was expected.
        var circumstances: UInt8?
        /// Openings since: in a quarter of an hour, and in the whole time.
        var soon: UInt16 = 0
        var later: UInt16 = 0
        /// Openings an hour, as the hour of the day says.
        var usual: Float = 0
    }

    /// Openings by the hour of the day; from 24 on, on how many days there was one in that hour.
    private var hours = [Float](repeating: 0, count: 48)
    private(set) var openings: Float = 0
    /// For how many hours it has been known.
    private(set) var hoursKnown: Float = 0
    private(set) var lastOpening: WallTime?
    /// The local hour of the last opening, counted from 1970.
    private var lastHour: Int64?
    /// One for each step of an hour, by the step's number.
    private var samples: [Sample] = []

    mutating func opened(at moment: WallTime, hour: Int64) {
        let ofDay = Int(hour % 24)
        hours[ofDay] += 1
        if lastHour != hour { hours[24 + ofDay] += 1 }
        lastHour = hour
        openings += 1
        lastOpening = moment
        // Each sample of the last hour has seen this opening.
        let now = UserRhythm.step(of: moment)
        for back in 0..<Int64(samples.count) {
            let place = Int((now - back) % Int64(samples.count))
            guard samples[place].circumstances != nil else { continue }
            samples[place].later &+= 1
            let age = moment.nanoseconds - (now - back) * UserRhythm.stepLength.nanoseconds
            if age <= UserRhythm.soon.nanoseconds { samples[place].soon &+= 1 }
        }
    }

    mutating func pass(_ hours: Float) { hoursKnown += hours }

    mutating func fade(by factor: Float) {
        for place in hours.indices { hours[place] *= factor }
        openings *= factor
        hoursKnown *= factor
    }

    /// Puts a sample in the place of the one of an hour ago, which it returns.
    mutating func replaceSample(step: Int64, of count: Int, by sample: Sample) -> Sample {
        while samples.count < count { samples.append(Sample()) }
        let place = Int(step % Int64(count))
        let old = samples[place]
        samples[place] = sample
        return old
    }

    mutating func forgetSamples() { samples.removeAll(keepingCapacity: true) }

    func openings(inHour ofDay: Int) -> Float { hours[ofDay] }
    func days(withHour ofDay: Int) -> Float { hours[24 + ofDay] }
}

extension OpeningHabit {
    var isSound: Bool {
        hours.count == 48 && openings.isFinite && hoursKnown.isFinite && hours.allSatisfy(\.isFinite)
            && samples.allSatisfy(\.usual.isFinite)
    }

    /// Without its samples, which are of one hour.
    func encode(into writer: inout ByteWriter) {
        writer.write(hours)
        writer.write(openings)
        writer.write(hoursKnown)
        writer.write(lastOpening)
        writer.write(lastHour) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        hours = try reader.floats()
        openings = try reader.float()
        hoursKnown = try reader.float()
        lastOpening = try reader.moment()
        lastHour = try reader.optional { reader throws(MalformedBytes) in try reader.signed() }
    }
}
