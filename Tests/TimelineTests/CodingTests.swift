import Model
import Testing
import Timeline
import Wire

@Suite("The records of the ring") struct CodingTests {
    private func read(_ bytes: [UInt8]) throws -> [TimelineRecord] {
        var reader = SegmentReader(bytes)
        var records: [TimelineRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// One of each kind, with members drawn.
    private func storm(_ dice: inout Dice, _ count: Int) -> [TimelineRecord] {
        let apps = ["a", "org.example.b", "ü"]
        var at: Int64 = 0
        return (0..<count).map { _ in
            at += Int64.random(in: -1_000...1_000_000_000, using: &dice)
            let app = apps[Int.random(in: 0..<apps.count, using: &dice)]
            let text = String(repeating: "é", count: Int.random(in: 0...20, using: &dice))
            let number = Int64.random(in: .min ... .max, using: &dice)
            let what: Happening =
                switch Int.random(in: 0..<14, using: &dice) {
                case 0: .began(Beginning(.restarted, boot: text, offset: number, standing: 3))
                case 1: .clockSet(offset: number)
                case 2: .named(app: app, name: text)
                case 3: .state(app: app, LifecycleState.allCases.randomElement(using: &dice) ?? .active)
                case 4:
                    .entry(
                        TimelineEntry(
                            app: number > 0 ? app : nil, sequence: UInt64(number.magnitude), event: text,
                            reason: text + "!", cause: number % 2 == 0 ? 1 : nil,
                            took: number % 3 == 0 ? Span(nanoseconds: number) : nil))
                case 5:
                    .assertionBegan(
                        app: app,
                        HeldAssertion(
                            id: 7, kind: "task", name: text, expires: number > 0 ? Instant(nanoseconds: number) : nil))
                case 6: .assertionEnded(app: app, id: UInt64(number.magnitude))
                case 7:
                    .processorUsed(app: number > 0 ? app : nil, used: Span(nanoseconds: number), over: .seconds(1))
                case 8: .memory(app: app, Footprint(dirty: number, purgeable: 0, clean: 5))
                case 9: .available(bytes: number, budget: 1)
                case 11: .networkUsed(app: app, sent: number, received: 7, over: .seconds(1))
                case 12: .diskUsed(app: app, read: number, written: 0, over: Span(nanoseconds: number))
                case 10: .priority(app: app, AppPriority.allCases.randomElement(using: &dice) ?? .timed)
                default: .report(app: app, TimelineReport(id: text, namespace: "X", code: number, reason: text))
                }
            return TimelineRecord(Instant(nanoseconds: at), what)
        }
    }

    @Test("What is written is read, in one piece or record by record", arguments: 1...20)
    func roundTrip(_ seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let records = storm(&dice, 500)
        var whole = SegmentWriter()
        let bytes = whole.encode(records)
        #expect(try read(bytes) == records)
        var single = SegmentWriter()
        #expect(records.flatMap { single.encode([$0]) } == bytes)
    }

    @Test("Who goes on with a file writes what one writer would have written", arguments: 1...10)
    func goesOn(_ seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let records = storm(&dice, 200)
        var one = SegmentWriter()
        let (first, second) = (one.encode(Array(records[..<77])), one.encode(Array(records[77...])))
        var reader = SegmentReader(first)
        while try reader.next() != nil {}
        var other = SegmentWriter(after: reader)
        #expect(other.encode(Array(records[77...])) == second)
        reader.grow(to: first + second)
        var rest: [TimelineRecord] = []
        while let record = try reader.next() { rest.append(record) }
        #expect(rest == Array(records[77...]))
    }

    @Test("A file that is cut or damaged anywhere is an error or other records, never a trap")
    func damage() throws {
        var dice = Dice(seed: 3)
        var writer = SegmentWriter()
        let bytes = writer.encode(storm(&dice, 60))
        for end in bytes.indices { _ = try? read(Array(bytes[..<end])) }
        for place in bytes.indices {
            for value in [UInt8(0), 0xff, bytes[place] ^ 0x40] {
                var damaged = bytes
                damaged[place] = value
                _ = try? read(damaged)
            }
        }
        #expect(throws: MalformedBytes.self) { try read([0, 0, 0, 0]) }
    }

    @Test("An ordinary record takes about ten bytes, and a long text is cut at a letter")
    func size() throws {
        var writer = SegmentWriter()
        _ = writer.encode(Sample.session)
        // The same again, a minute later: no text is new.
        let later = Sample.session.dropFirst().map { TimelineRecord($0.at + .seconds(60), $0.what) }
        let bytes = writer.encode(Array(later))
        #expect(bytes.count <= later.count * 12, "\(bytes.count) bytes for \(later.count) records")
        var other = SegmentWriter()
        let long = String(repeating: "€", count: 1000)
        let records = try read(other.encode([Sample.record(1, .named(app: "a", name: long))]))
        #expect(records == [Sample.record(1, .named(app: "a", name: String(repeating: "€", count: 170)))])
    }

    @Test("Texts beyond the number that a file keeps are written in full, and read")
    func manyTexts() throws {
        let records = (0..<5000).map { Sample.record(Double($0), .named(app: "a", name: "name \($0 % 4500)")) }
        var writer = SegmentWriter()
        #expect(try read(writer.encode(records)) == records)
    }

    @Test("The protocol's form of a record is read as the same record", arguments: 1...20)
    func json(_ seed: UInt64) throws {
        for record in Sample.session {
            let json = try JSONValue(parsing: record.json(offset: Sample.offset).encoded)
            #expect(try TimelineRecord(json: json) == record)
        }
        var dice = Dice(seed: seed)
        for record in storm(&dice, 100) {
            // Texts are exact; numbers as far as JSON's doubles are.
            let json = try JSONValue(parsing: record.json(offset: 0).encoded)
            let read = try #require(try TimelineRecord(json: json))
            #expect(read.at == record.at && read.what.app == record.what.app)
        }
        #expect(try TimelineRecord(json: ["kind": "later", "clock": 5]) == nil)
    }

    @Test("What stands is what a file of its own needs", arguments: [5, 12, 17, 21, 26])
    func standing(_ count: Int) throws {
        var standing = Standing()
        let before = Sample.session.prefix(count)
        for record in before { standing.note(record) }
        let beginning = Beginning(
            .continued, boot: standing.boot, offset: standing.offset, standing: standing.records.count)
        let begin = TimelineRecord(standing.latest, .began(beginning))
        let rest = Array(Sample.session.dropFirst(count))
        let alone = Tracks([begin] + standing.records + rest, now: Sample.at(10), since: Sample.wall(9.5))
        let whole = Tracks(Sample.session, now: Sample.at(10), since: Sample.wall(9.5))
        #expect(alone.apps.map(\.name) == whole.apps.map(\.name))
        #expect(alone.apps.map { $0.states.map(\.value) } == whole.apps.map { $0.states.map(\.value) })
        #expect(alone.apps.map { $0.states.map(\.begin) } == whole.apps.map { $0.states.map(\.begin) })
    }

    @Test("Of what has ended nothing stands")
    func ended() {
        var standing = Standing()
        for record in Sample.session { standing.note(record) }
        #expect(standing.records.count == 3)
        standing.note(Sample.record(11, .state(app: Sample.journal, .notRunning)))
        standing.note(Sample.record(11.1, .memory(app: Sample.journal, Footprint(dirty: 1))))
        #expect(standing.records.isEmpty)
    }
}
