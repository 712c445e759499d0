import Testing
import Wire

@Suite("Framing")
struct FramingTests {
    private func lines(_ framer: inout LineFramer) throws(WireError) -> [String] {
        var result: [String] = []
        while let line = try framer.next() { result.append(String(decoding: line, as: UTF8.self)) }
        return result
    }

    @Test("Lines come out whole, however the stream is cut", arguments: 1...12)
    func pieces(size: Int) throws {
        let stream = Array("one\n\n\ntwo\nthree three\n\nrest".utf8)
        var framer = LineFramer()
        var seen: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            framer.append(Array(stream[start..<min(start + size, stream.count)]))
            seen += try lines(&framer)
        }
        #expect(seen == ["one", "two", "three three"])
        #expect(framer.buffered == 4)
        framer.append([0x0A])
        #expect(try lines(&framer) == ["rest"])
        #expect(framer.buffered == 0)
    }

    @Test("A line of the greatest length is taken, one byte more is refused for good")
    func limit() throws {
        let longest = [UInt8](repeating: 0x61, count: Limits.lineLength - 1)
        var framer = LineFramer()
        framer.append(longest + [0x0A])
        #expect(try framer.next()?.count == longest.count)
        framer.append(longest)
        #expect(try framer.next() == nil)
        framer.append([0x61])
        #expect(throws: WireError.lineTooLong) { try framer.next() }
        framer.append([0x0A, 0x61, 0x0A])
        #expect(throws: WireError.lineTooLong) { try framer.next() }
        #expect(framer.buffered == 0)
    }

    @Test("A whole line that is too long is refused even if it comes at once")
    func limitAtOnce() throws {
        var framer = LineFramer(limit: 4)
        framer.append(Array("abc\nabcd\nabc\n".utf8))
        #expect(try framer.next() == Array("abc".utf8))
        #expect(throws: WireError.lineTooLong) { try framer.next() }
    }

    @Test("A long line in single bytes costs one look at each byte")
    func noRescans() throws {
        // Rescanning from the start would look at 80,000,000,000 bytes here and never end.
        var framer = LineFramer()
        for _ in 0..<400_000 {
            framer.append([0x61])
            #expect(try framer.next() == nil)
        }
        framer.append([0x0A])
        #expect(try framer.next()?.count == 400_000)
    }

    @Test("Many lines that were put in at once come out in order")
    func manyLines() throws {
        var framer = LineFramer()
        framer.append((0..<50_000).map { "\($0)\n" }.joined().utf8.map { $0 })
        #expect(try lines(&framer) == (0..<50_000).map(String.init))
    }

    @Test("Output is taken in any pieces and stays in order")
    func outgoing() throws {
        var queue = OutgoingQueue()
        var random = Seeded(7)
        var expected: [UInt8] = []
        var seen: [UInt8] = []
        for step in 0..<5_000 {
            let message = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: random.below(100))
            expected += message
            try queue.append(message)
            let taken = min(random.below(110), queue.count)
            seen += queue.pending.prefix(taken)
            queue.removeFirst(taken)
        }
        seen += queue.pending
        #expect(seen == expected)
    }

    @Test("A peer that does not read is cut off at the limit, one long answer is not")
    func cutOff() throws {
        var queue = OutgoingQueue()
        try queue.append([UInt8](repeating: 0x61, count: Limits.waitingOutput - 1))
        try queue.append([0x61])
        #expect(throws: WireError.peerTooSlow) { try queue.append([0x61]) }
        queue.removeFirst(1)
        try queue.append([UInt8](repeating: 0x61, count: Limits.lineLength))
        #expect(throws: WireError.peerTooSlow) { try queue.append([0x61]) }
        queue.removeFirst(queue.count)
        #expect(queue.isEmpty)
        #expect(throws: WireError.lineTooLong) {
            try queue.append([UInt8](repeating: 0x61, count: Limits.lineLength + 1))
        }
    }
}
