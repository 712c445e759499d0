import Model
import PushCore
import Testing

@Suite("A client in the middle of a frame")
struct FrameWatchTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private static func frame(_ kind: UInt8, flags: UInt8 = 0, _ length: Int = 0) -> [UInt8] {
        [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), kind, flags, 0, 0, 0, 1]
            + [UInt8](repeating: 7, count: length)
    }

    private static func at(_ seconds: Double) -> Instant { Sample.start + .seconds(seconds) }

    private func watch(_ parts: [UInt8]...) -> Instant? {
        var watch = FrameWatch()
        watch.read(Self.preface, at: Self.at(0))
        for (index, part) in parts.enumerated() { watch.read(part, at: Self.at(Double(index + 1))) }
        return watch.unfinished
    }

    private static let settings = frame(4, 6)
    private static let headers = frame(1, flags: 4, 300)

    @Test("Whole frames leave nothing unfinished, however they are cut")
    func whole() {
        let bytes = Self.preface + Self.settings + Self.headers + Self.frame(0, flags: 1, 70_000) + Self.frame(6, 8)
        for size in [1, 2, 9, 10, 1000, bytes.count] {
            var watch = FrameWatch()
            for start in stride(from: 0, to: bytes.count, by: size) {
                watch.read(bytes[start..<min(start + size, bytes.count)], at: Self.at(Double(start)))
            }
            #expect(watch.unfinished == nil, "\(size)")
        }
    }

    @Test("A beginning counts from its first byte, also behind a whole frame, whatever is added to it")
    func begun() {
        #expect(watch(Self.settings + [0]) == Self.at(1))
        #expect(watch(Self.settings, [0], [0], [44]) == Self.at(2))
        #expect(watch(Self.settings + Array(Self.headers.prefix(20)), [7], [7]) == Self.at(1))
        #expect(watch(Array(Self.headers.prefix(9))) == Self.at(1))
        // Another one begins with the bytes that finish the first.
        #expect(watch(Array(Self.headers.prefix(20)), Array(Self.headers.dropFirst(20)) + [0]) == Self.at(2))
        #expect(watch(Array(Self.headers.prefix(20)), Array(Self.headers.dropFirst(20))) == nil)
        var unspoken = FrameWatch()
        unspoken.read(Self.preface.prefix(3), at: Self.at(0))
        #expect(unspoken.unfinished == Self.at(0))
        #expect(FrameWatch().unfinished == nil)
    }

    @Test("Frames that ask for nothing are a flood where there are more than a client's requests and time account for")
    func floods() {
        let update = Self.frame(8, 4)
        for idle in [update, Self.frame(6, 8), Self.frame(2, 5), Self.frame(0), Self.frame(9, 1)] {
            var watch = FrameWatch()
            watch.read(Self.preface, at: Self.at(0))
            for _ in 0..<4000 { watch.read(idle, at: Self.at(0)) }
            #expect(!watch.isFlooding)
            watch.read(idle, at: Self.at(0))
            #expect(watch.isFlooding)
        }
        var busy = FrameWatch()
        busy.read(Self.preface, at: Self.at(0))
        for _ in 0..<5000 {
            busy.read(Self.headers, at: Self.at(0))
            for _ in 0..<20 { busy.read(update, at: Self.at(0)) }
            busy.read(Self.frame(0, flags: 1, 100), at: Self.at(0))
        }
        #expect(!busy.isFlooding)
        var slow = FrameWatch()
        for second in 0..<600 {
            for _ in 0..<100 { slow.read(update, at: Self.at(Double(second))) }
        }
        #expect(!slow.isFlooding)
    }

    @Test("A block of headers is unfinished until its last frame")
    func blocks() {
        let (open, more, last) = (Self.frame(1, flags: 1, 5), Self.frame(9, 5), Self.frame(9, flags: 4, 5))
        #expect(watch(open) == Self.at(1) && watch(open + more) == Self.at(1))
        #expect(watch(open + more + last) == nil)
        // Its time runs through all of them, or a client could go on for ever.
        #expect(watch(open, more, more) == Self.at(1))
    }

    @Test("The body of a request does not count, and its frame's header does")
    func bodies() {
        let data = Self.frame(0, 1000)
        #expect(watch(Array(data.prefix(500))) == nil && watch(Array(data.prefix(9))) == nil)
        #expect(watch(Array(data.prefix(5))) == Self.at(1))
    }
}
