import Host
import Testing

/// What waits at a connection to a message bus.
@Suite("Messages that wait for a suspended program")
struct BusQueueTests {
    /// A message as the bus sends it.
    static func message(
        _ kind: UInt8, serial: UInt32 = 7, interface: String? = "org.example.Notes", member: String? = "Find",
        body: [UInt8] = [], isLittle: Bool = true
    ) -> [UInt8] {
        func word(_ value: UInt32) -> [UInt8] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8) }
        func field(_ code: UInt8, _ type: Character, _ text: String) -> [UInt8] {
            let value = Array(text.utf8)
            return [code, 1, type.asciiValue ?? 0, 0] + word(UInt32(value.count)) + value + [0]
        }
        var fields: [UInt8] = []
        for (code, type, text) in [(1, "o", "/a"), (2, "s", interface), (3, "s", member), (7, "s", ":1.9")]
            as [(UInt8, Character, String?)]
        {
            if let text { fields = padded(fields) + field(code, type, text) }
        }
        let head: [UInt8] = [UInt8(ascii: isLittle ? "l" : "B"), kind, 0, 1]
        return padded(head + word(UInt32(body.count)) + word(serial) + word(UInt32(fields.count)) + fields) + body
    }

    @Test(
        "A call is found behind signals and answers, in both byte orders, and names its method",
        arguments: [true, false])
    func call(_ isLittle: Bool) {
        let noise = Self.message(4, body: [1, 2, 3], isLittle: isLittle) + Self.message(2, isLittle: isLittle)
        let queue = BusQueue(noise + Self.message(1, body: [9], isLittle: isLittle) + [1, 2])
        #expect(queue.call?.method == "org.example.Notes.Find")
        #expect(queue.count == 3 && !queue.isTorn)
    }

    @Test("Signals, answers and errors ask for nothing")
    func noise() {
        let queue = BusQueue([2, 3, 4].flatMap { Self.message($0, body: [UInt8](repeating: 1, count: 100)) })
        #expect(queue.call == nil && queue.count == 3 && !queue.isTorn)
        let empty = BusQueue([])
        #expect(empty.call == nil && empty.count == 0 && !empty.isTorn)
    }

    @Test("The same call is known again, and another one is another")
    func identity() {
        let first = BusQueue(Self.message(1))
        #expect(first.call?.identity == BusQueue(Self.message(1)).call?.identity)
        #expect(first.call?.identity != BusQueue(Self.message(1, serial: 8)).call?.identity)
    }

    @Test("A call without an interface, without a method or with a name that is none is a call")
    func odd() {
        #expect(BusQueue(Self.message(1, interface: nil)).call?.method == "Find")
        #expect(BusQueue(Self.message(1, member: nil)).call?.method == "")
        #expect(BusQueue(Self.message(1, member: "a\u{1b}[2J")).call?.method == "")
        #expect(BusQueue(Self.message(1, interface: String(repeating: "a", count: 600))).call?.method == "")
    }

    @Test("Half a message that the program has begun to read, and what is no message, is told as that")
    func torn() {
        let whole = Self.message(1, body: [UInt8](repeating: 7, count: 40))
        for cut in [1, 8, 15, 16, 20, whole.count - 17, whole.count - 3] {
            let queue = BusQueue(Array(whole.dropFirst(cut)))
            #expect(queue.isTorn && queue.call == nil, "cut after \(cut)")
        }
        for other in ["OK 1234deadbeef\r\n", "\u{1}\0\0\0\0\0\u{8}\0 wayland", "x", "lBlBlBlBlBlBlBlBlBlB"] {
            #expect(BusQueue(Array(other.utf8)).isTorn, "\(other)")
        }
    }

    @Test("A message that is cut off at the end of what is seen counts")
    func cut() {
        let whole = Self.message(1, body: [UInt8](repeating: 7, count: 40))
        for length in 16..<whole.count {
            #expect(BusQueue(Array(whole.prefix(length))).call != nil, "\(length) bytes")
        }
        let behind = Self.message(4) + whole.prefix(15)
        #expect(BusQueue(behind).call == nil && BusQueue(behind).count == 1)
    }

    @Test("Lengths that lead nowhere, and random bytes, are survived")
    func rubbish() {
        var state: UInt64 = 1
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for _ in 0..<20_000 {
            var bytes = Self.message(next() % 6, serial: UInt32(next()), body: [1, 2, 3])
            for _ in 0..<(1 + next() % 4) { bytes[Int(next()) % bytes.count] = next() }
            _ = BusQueue(bytes + bytes.prefix(Int(next()) % bytes.count))
        }
        let huge = Self.message(4).prefix(4) + [0xff, 0xff, 0xff, 0x07, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0x03]
        #expect(BusQueue(Array(huge)).count == 1)
    }
}
