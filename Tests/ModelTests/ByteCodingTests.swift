import Model
import Testing

@Suite("The compact form")
struct ByteCodingTests {
    @Test(
        "Numbers of every size come back",
        arguments: [
            0, 1, -1, 63, 64, -64, -65, 127, 128, 1 << 20, Int64.max, Int64.min,
        ] as [Int64])
    func numbers(_ value: Int64) throws {
        var writer = ByteWriter()
        writer.write(value)
        writer.write(UInt64(bitPattern: value))
        var reader = ByteReader(writer.bytes[...])
        #expect(try reader.signed() == value)
        #expect(try reader.unsigned() == UInt64(bitPattern: value))
        #expect(reader.isAtEnd)
    }

    @Test("Small numbers take one byte")
    func small() {
        var writer = ByteWriter()
        for value in -64...63 as ClosedRange<Int64> { writer.write(value) }
        #expect(writer.bytes.count == 128)
    }

    private func sample() -> ByteWriter {
        var writer = ByteWriter()
        writer.write("Größe")
        writer.write([1, 2, 3] as [Int64]) { $0.write($1) }
        writer.write(nil as String?) { $0.write($1) }
        writer.write("x" as String?) { $0.write($1) }
        writer.write(true)
        return writer
    }

    private func read(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> (String, [Int64], String?, String?, Bool) {
        var reader = ByteReader(bytes)
        let text = try reader.string()
        let numbers = try reader.array { reader throws(MalformedBytes) in try reader.signed() }
        let none = try reader.optional { reader throws(MalformedBytes) in try reader.string() }
        let some = try reader.optional { reader throws(MalformedBytes) in try reader.string() }
        return (text, numbers, none, some, try reader.bool())
    }

    @Test("Texts, lists and optionals come back")
    func values() throws {
        let (text, numbers, none, some, flag) = try read(sample().bytes[...])
        #expect(text == "Größe")
        #expect(numbers == [1, 2, 3])
        #expect(none == nil)
        #expect(some == "x")
        #expect(flag)
    }

    @Test("Whatever is cut off is an error")
    func cut() {
        let bytes = sample().bytes
        for length in 0..<bytes.count {
            #expect(throws: MalformedBytes.self) { _ = try read(bytes[..<length]) }
        }
    }

    @Test(
        "A length beyond the end is an error, not an allocation", arguments: [[0xff, 0xff, 0xff, 0xff, 0x0f], [0xff]])
    func lengths(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        #expect(throws: MalformedBytes.self) { _ = try reader.string() }
        var other = ByteReader(bytes[...])
        #expect(throws: MalformedBytes.self) {
            _ = try other.array { reader throws(MalformedBytes) in try reader.byte() }
        }
    }

    @Test("A slice that does not begin at zero is read from its own beginning to its own end")
    func slices() throws {
        var writer = ByteWriter()
        writer.write(UInt64(300))
        let bytes: [UInt8] = [9, 9, 9] + writer.bytes + [9]
        var reader = ByteReader(bytes[3..<5])
        #expect(try reader.unsigned() == 300)
        #expect(reader.isAtEnd)
        #expect(throws: MalformedBytes(offset: 5, expected: "another byte")) { try reader.byte() }
    }

    @Test("A number of more than 64 bits is refused, the largest of 64 is not")
    func tooLarge() throws {
        let nines = [UInt8](repeating: 0xff, count: 9)
        var largest = ByteReader((nines + [1])[...])
        #expect(try largest.unsigned() == .max)
        for bytes in [nines + [2], nines + [0xff, 1]] {
            var reader = ByteReader(bytes[...])
            #expect(throws: MalformedBytes.self) { try reader.unsigned() }
        }
    }

    @Test("Changed bytes give a value or an error, never a trap")
    func damaged() {
        let bytes = sample().bytes
        for place in bytes.indices {
            for value in UInt8.min...UInt8.max {
                var changed = bytes
                changed[place] = value
                _ = try? read(changed[...])
            }
        }
    }
}
