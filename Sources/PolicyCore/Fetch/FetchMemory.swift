package import Model

/// What a planner has learned of its user. It outlives the system: who restarts the device has the habits of before.
package struct FetchMemory: Hashable, Sendable, Codable {
    /// In the order of the apps' indices.
    var records: [FetchRecord]
    var rhythm: UserRhythm
    /// Seconds east of Greenwich: hours are the user's.
    var utcOffset: Int32

    /// Of whom something is known.
    package var apps: [AppIndex] { records.map(\.app) }

    /// The same of apps that have other numbers now.
    ///
    /// - Parameter number: an app's number now; `nil` if it is gone.
    package func renumbered(_ number: (AppIndex) -> AppIndex?) -> FetchMemory {
        var renumbered = self
        renumbered.records = records.compactMap { record in
            number(record.app).map { FetchRecord($0, as: record) }
        }
        renumbered.records.sort { $0.app < $1.app }
        return renumbered
    }

    /// A planner can work with it: it may come from a file.
    var isSound: Bool { rhythm.isSound && records.allSatisfy { $0.habit.isSound && $0.usual?.isSound != false } }
}

extension FetchPlanner {
    /// Without what is under way, and what apps wish for.
    package var memory: FetchMemory {
        FetchMemory(
            records: records.map { record in
                var past = record
                past.interval = nil
                past.underWaySince = nil
                // Its stable form is older: what is lost is for how long the app was on screen.
                past.left = nil
                past.habit.forgetSamples()
                past.decisions.removeAll { $0.ended == nil }
                past.usualBefore = nil
                for place in past.decisions.indices { past.decisions[place].moved = nil }
                return past
            }, rhythm: rhythm, utcOffset: utcOffset)
    }

    /// Goes on with what was learned before a restart; what was learned since of an app counts more.
    package mutating func remember(_ memory: FetchMemory) {
        guard memory.isSound else { return }
        utcOffset = memory.utcOffset
        rhythm = rhythm.following(memory.rhythm)
        for old in memory.records {
            let place = make(old.app)
            guard records[place].habit.openings == 0, records[place].decisions.isEmpty else { continue }
            let interval = records[place].interval
            records[place] = old
            records[place].interval = interval
            reweigh(place)
            agenda.nextVerdict = WallTime(nanoseconds: .min)
            // At once, to be asked what comes of it.
            if interval != nil { look = WallTime(nanoseconds: 0) }
        }
    }
}

// MARK: The stable form

extension FetchMemory {
    package func encode(into writer: inout ByteWriter) {
        rhythm.encode(into: &writer)
        writer.write(Int64(utcOffset))
        writer.write(records) { $1.encode(into: &$0) }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        rhythm = try UserRhythm(from: &reader)
        utcOffset = try reader.int32()
        records = try reader.array { reader throws(MalformedBytes) in try FetchRecord(from: &reader) }
    }
}

extension ByteWriter {
    mutating func write(_ value: Float) { write(UInt64(value.bitPattern)) }
    mutating func write(_ values: [Float]) { write(values) { $0.write($1) } }
    mutating func write(_ moment: WallTime?) { write(moment) { $0.write($1.nanoseconds) } }
}

extension ByteReader {
    mutating func float() throws(MalformedBytes) -> Float {
        guard let bits = UInt32(exactly: try unsigned()) else {
            throw MalformedBytes(offset: offset, expected: "a number of 32 bits")
        }
        return Float(bitPattern: bits)
    }

    mutating func floats() throws(MalformedBytes) -> [Float] {
        try array { reader throws(MalformedBytes) in try reader.float() }
    }

    mutating func moment() throws(MalformedBytes) -> WallTime? {
        try optional { reader throws(MalformedBytes) in WallTime(nanoseconds: try reader.signed()) }
    }

    mutating func int32() throws(MalformedBytes) -> Int32 {
        guard let value = Int32(exactly: try signed()) else {
            throw MalformedBytes(offset: offset, expected: "a number of 32 bits")
        }
        return value
    }
}

extension FetchRecord {
    /// The same of an app that has another number now.
    init(_ app: AppIndex, as other: FetchRecord) {
        self = other
        self.app = app
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(UInt64(app.rawValue))
        habit.encode(into: &writer)
        writer.write(lastBegan)
        writer.write(freshSince)
        writer.write(Int64(failures))
        writer.write(failedAt)
        writer.write(Int64(news))
        writer.write(cost) { $0.write($1.picojoules) }
        writer.write(decisions) { $1.encode(into: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(try reader.app())
        habit = try OpeningHabit(from: &reader)
        lastBegan = try reader.moment()
        freshSince = try reader.moment()
        failures = try reader.int32()
        failedAt = try reader.moment()
        news = try reader.int32()
        cost = try reader.optional { reader throws(MalformedBytes) in Energy(picojoules: try reader.signed()) }
        decisions = try reader.array { reader throws(MalformedBytes) in try FetchDecision(from: &reader) }
    }
}

extension FetchDecision {
    func encode(into writer: inout ByteWriter) {
        writer.write(began.nanoseconds)
        writer.write(ended)
        writer.write(result) { $0.write($1.rawValue) }
        writer.write(cost) { $0.write($1.picojoules) }
        writer.write(Int64(expected))
        switch verdict {
        case .pending: writer.write(UInt8(0))
        case .hit(let span):
            writer.write(UInt8(1))
            writer.write(span.nanoseconds)
        case .wasted: writer.write(UInt8(2))
        case .noData: writer.write(UInt8(3))
        case .failed: writer.write(UInt8(4))
        }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        began = WallTime(nanoseconds: try reader.signed())
        ended = try reader.moment()
        result = try reader.optional { reader throws(MalformedBytes) in try reader.value(FetchResult.self) }
        cost = try reader.optional { reader throws(MalformedBytes) in Energy(picojoules: try reader.signed()) }
        expected = try reader.int32()
        switch try reader.byte() {
        case 0: verdict = .pending
        case 1: verdict = .hit(after: Span(nanoseconds: try reader.signed()))
        case 2: verdict = .wasted
        case 3: verdict = .noData
        case 4: verdict = .failed
        default: throw MalformedBytes(offset: reader.offset - 1, expected: "a verdict")
        }
    }
}
