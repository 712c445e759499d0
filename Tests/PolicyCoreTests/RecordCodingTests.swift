import Model
import PolicyCore
import Testing

@Suite("The records of a recording") struct RecordCodingTests {
    private let events = CodingTests.events.filter { !$0.isRetired }
    private let effects = [
        Effect(.thaw(AppIndex(1), Generation(2)), cause: LogSequence(3)), Effect(.halt),
    ]

    private func recorded() -> [UInt8] {
        var writer = RecordWriter()
        var bytes: [UInt8] = []
        for (number, event) in events.enumerated() {
            writer.write(event, after: Span(nanoseconds: Int64(number) * 1_000 - 5))
            bytes += writer.bytes
            writer.write(Array(effects.prefix(number % 3)))
            bytes += writer.bytes
        }
        return bytes
    }

    @Test("Every record comes back as it was")
    func roundTrip() throws {
        var reader = RecordReader(recorded()[...], version: SegmentHeader.version)
        for (number, event) in events.enumerated() {
            #expect(try reader.next() == .event(event, after: Span(nanoseconds: Int64(number) * 1_000 - 5)))
            #expect(try reader.next() == .effects(effects.prefix(number % 3).map(EffectMark.init)))
        }
        #expect(reader.isAtEnd)
        #expect(try reader.next() == nil)
    }

    @Test("The form of a record is for ever")
    func pinned() {
        var writer = RecordWriter()
        writer.write(.timer, after: Span(nanoseconds: 64))
        #expect(writer.bytes == [4, 1, 128, 1, 20, 170, 168])
        writer.write([Effect(.halt)])
        #expect(writer.bytes == [6, 2, 16, 144, 16, 34, 59, 74, 227])
        writer.write([])
        #expect(writer.bytes == [1, 2, 178, 193])
    }

    @Test("Version 1 accepts retired events, and today's rejects them")
    func retired() throws {
        let retired = CodingTests.events.filter(\.isRetired)
        #expect(!retired.isEmpty)
        for event in retired {
            var body = ByteWriter()
            event.encode(into: &body)
            var first = ByteWriter()
            first.write(UInt64(body.bytes.count))
            first.write(Int64(0))
            first.append(body)
            var before = RecordReader(first.bytes[...], version: 1)
            #expect(try before.next() == .event(event, after: .zero))
            var writer = RecordWriter()
            writer.write(event, after: .zero)
            var since = RecordReader(writer.bytes[...], version: SegmentHeader.version)
            #expect(throws: RecordReader.Fault.self) { try since.next() }
        }
    }

    @Test("A record that is cut is an error where it begins, and reading can go on from there")
    func cut() throws {
        var writer = RecordWriter()
        writer.write(.booted, after: .zero)
        let first = writer.bytes
        writer.write(effects)
        let second = writer.bytes
        for length in 1..<second.count {
            var reader = RecordReader((first + second.prefix(length))[...], version: SegmentHeader.version)
            #expect(try reader.next() == .event(.booted, after: .zero))
            for _ in 0..<2 {
                #expect(throws: RecordReader.Fault.cut(at: first.count)) { try reader.next() }
                #expect(reader.offset == first.count)
            }
        }
    }

    @Test("A change of any bit is an error")
    func damaged() {
        var writer = RecordWriter()
        for (number, event) in events.enumerated() {
            writer.write(event, after: .seconds(3))
            for place in writer.bytes.indices {
                for bit in 0..<8 {
                    var damaged = writer.bytes
                    damaged[place] ^= 1 << UInt8(bit)
                    var reader = RecordReader(damaged[...], version: SegmentHeader.version)
                    #expect(throws: RecordReader.Fault.self, "event \(number), byte \(place)") { try reader.next() }
                }
            }
        }
    }
}

extension Event {
    fileprivate var isRetired: Bool {
        if case .retired = self { true } else { false }
    }
}
