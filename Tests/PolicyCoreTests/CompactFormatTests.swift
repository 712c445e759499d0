import Foundation
import Model
import PolicyCore
import Testing

@Suite("The form of checkpoints") struct CompactFormatTests {
    /// A bit of everything that a value can have.
    private struct Sample: Codable, Equatable {
        enum Choice: Codable, Equatable {
            case plain
            case with(number: Int, Bool)
        }

        var name = "Ü"
        var none: String?
        var isOn = true
        var numbers: [Int64] = [0, -1, 63, -64, .max, .min]
        var large = UInt64.max
        var share = -0.1
        var part: Float = 0.25
        var choices: [Choice?] = [.plain, nil, .with(number: 7, false)]
        var texts = ["a": 1, "b": 2]
        var places: [UInt8: [String]] = [3: ["x"], 4: []]
        var vector = SIMD4<UInt64>(0, 1, .max, 3)
        var vectors: [SIMD4<Float>] = [SIMD4(0, -0.5, 1, .infinity), SIMD4(repeating: 2)]
        var pair: SIMD2<Double>? = SIMD2(0.1, -2)
    }

    private func busy() throws -> System {
        let device = TestDevice()
        let apps = (0..<8).map { device.installTest("app\($0)", modes: $0 == 3 ? .audio : []) }
        for app in apps { device.open(app) }
        device.use(.audio, by: apps[3])
        device.request(apps[2], .beginTask(TaskID(1), name: "upload"))
        device.perform(.interrupt(.call, wait: true))
        return device.system
    }

    private func sorted(_ system: System) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(system)
    }

    @Test("What is written is read back, every kind of value and the Core itself")
    func roundTrip() throws {
        let sample = Sample()
        #expect(try CompactFormat.decode(Sample.self, from: CompactFormat.encode(sample)) == sample)
        let system = try busy()
        let bytes = try CompactFormat.encode(SegmentHeader(boot: "b", base: .zero, start: .fresh, system: system))
        let header = try CompactFormat.decode(SegmentHeader.self, from: bytes)
        #expect(try sorted(header.system) == sorted(system))
        #expect(header.boot == "b" && header.start == .fresh && header.version == SegmentHeader.version)
        #expect(CompactFormat.isThere(bytes) && !CompactFormat.isThere(Array(#"{"version":3}"#.utf8)))
        #expect(try bytes.count < JSONEncoder().encode(header).count)
    }

    @Test("A list tells its length, without which a vector reads nothing; another length is an error")
    func vectors() throws {
        struct Vector: Codable, Equatable { var uses = SIMD4<UInt64>(1, .max, 0, 3) }
        struct List: Codable, Equatable { var uses: [UInt64] }
        #expect(try CompactFormat.decode(Vector.self, from: CompactFormat.encode(Vector())) == Vector())
        let list = List(uses: [1, .max, 0, 3])
        #expect(try CompactFormat.encode(Vector()) == CompactFormat.encode(list))
        for count in [0, 3, 5] {
            let other = try CompactFormat.encode(List(uses: Array(repeating: 7, count: count)))
            #expect(throws: DecodingError.self) { try CompactFormat.decode(Vector.self, from: other) }
        }
        // One after the other, and what follows them.
        let rows: [[SIMD2<Float>]] = [[], [.init(0.5, -1)], [.zero, .one]]
        #expect(try CompactFormat.decode([[SIMD2<Float>]].self, from: CompactFormat.encode(rows)) == rows)
    }

    @Test("A whole number is read as a fraction too, as in JSON, however large it is")
    func wholeNumbers() throws {
        let bytes = try CompactFormat.encode([UInt64.max, 3])
        #expect(try CompactFormat.decode([Double].self, from: bytes) == [Double(UInt64.max), 3])
        #expect(try CompactFormat.decode([Double].self, from: CompactFormat.encode([-7])) == [-7])
        #expect(throws: DecodingError.self) {
            try CompactFormat.decode([Double].self, from: CompactFormat.encode(["7"]))
        }
    }

    @Test("What a Core learned of its user's habits, in vectors, is in its checkpoint")
    func habits() throws {
        var history = UsageHistory()
        for app: UInt32 in [0, 1, 0, 2, 1] { history.used(AppIndex(app)) }
        #expect(try CompactFormat.decode(UsageHistory.self, from: CompactFormat.encode(history)) == history)
    }

    @Test("It is pinned: what today's daemon writes, every later one reads")
    func pinned() throws {
        struct Small: Codable, Equatable {
            var id = 300
            var list = [true, false]
            var text: String? = "hi"
        }
        let pinned: [UInt8] = [
            0x67, 0x72, 0x63, 0x31, 0, 0, 0, 0, 0x22, 0, 0, 0,
            8, 17, 0, 0, 0,
            0, 3, 0xd8, 4,
            1, 7, 2, 0, 0, 0, 2, 1,
            2, 6, 2, 0x68, 0x69,
            2, 0x69, 0x64, 4, 0x6c, 0x69, 0x73, 0x74, 4, 0x74, 0x65, 0x78, 0x74,
        ]
        #expect(try CompactFormat.encode(Small()) == repaired(pinned))
        #expect(try CompactFormat.decode(Small.self, from: repaired(pinned)) == Small())
    }

    @Test("Fields that one version has and another has not are no error, as in JSON")
    func otherVersions() throws {
        struct Old: Codable { var first = 1 }
        struct New: Codable, Equatable {
            var first: Int
            var second: [String: Int]?
        }
        let old = try CompactFormat.encode(Old())
        #expect(try CompactFormat.decode(New.self, from: old) == New(first: 1, second: nil))
        let new = try CompactFormat.encode(New(first: 2, second: ["x": 3]))
        #expect(try CompactFormat.decode(Old.self, from: new).first == 2)
        #expect(throws: DecodingError.self) {
            struct Other: Codable { var third: Int }
            _ = try CompactFormat.decode(Other.self, from: new)
        }
    }

    /// With the check that it needs, so that the reader comes to what is damaged.
    private func repaired(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 8 else { return bytes }
        var result = bytes
        let check = CompactFormat.check(bytes[8...])
        for place in 0..<4 { result[4 + place] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(place))) }
        return result
    }

    @Test("Damage is found by the check, and is an error without it too, never a trap")
    func damage() throws {
        let bytes = try CompactFormat.encode(Sample())
        for place in bytes.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var damaged = bytes
                damaged[place] ^= change
                #expect(throws: DecodingError.self) { try CompactFormat.decode(Sample.self, from: damaged) }
                guard place >= 8 else { continue }
                // It may be another value by now, or none.
                _ = try? CompactFormat.decode(Sample.self, from: repaired(damaged))
            }
        }
        for length in bytes.indices {
            #expect(throws: DecodingError.self) { try CompactFormat.decode(Sample.self, from: Array(bytes[..<length])) }
            _ = try? CompactFormat.decode(Sample.self, from: repaired(Array(bytes[..<length])))
        }
    }

    /// A list in a list in a list.
    private struct Nest: Codable {
        var inner: [Nest]
        init(depth: Int) { inner = depth == 0 ? [] : [Nest(depth: depth - 1)] }
    }

    @Test("What is nested too deeply is an error, and does not overflow the stack")
    func depth() throws {
        #expect(throws: Never.self) {
            try CompactFormat.decode(Nest.self, from: CompactFormat.encode(Nest(depth: 20)))
        }
        #expect(throws: DecodingError.self) {
            try CompactFormat.decode(Nest.self, from: CompactFormat.encode(Nest(depth: 400)))
        }
    }

    @Test("An app more costs the same bytes, however many there are: less than half of what it costs as JSON")
    func growth() throws {
        func sizes(_ count: Int) throws -> (compact: Int, json: Int) {
            let device = TestDevice()
            for number in 0..<count { _ = device.installTest("app\(1000 + number)") }
            let (bytes, json) = (try CompactFormat.encode(device.system), try JSONEncoder().encode(device.system))
            return (bytes.count, json.count)
        }
        let (ten, twenty, hundred) = (try sizes(10), try sizes(20), try sizes(100))
        let one = (twenty.compact - ten.compact) / 10
        #expect(abs((hundred.compact - twenty.compact) - 80 * one) < 80 * 16)
        #expect(one < 800)
        #expect((hundred.compact - twenty.compact) * 2 < hundred.json - twenty.json)
    }
}
