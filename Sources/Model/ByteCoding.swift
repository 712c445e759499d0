/// Writes values compactly: integers as LEB128 varints, text with its length before it.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ value: UInt8) { bytes.append(value) }

    package mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Zigzag: small magnitudes of either sign stay small.
    package mutating func write(_ value: Int64) { write(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func write(_ value: String) {
        let utf8 = value.utf8
        write(UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    package mutating func write<T>(_ value: T?, _ body: (inout ByteWriter, T) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    package mutating func write<T>(_ values: [T], _ body: (inout ByteWriter, T) -> Void) {
        write(UInt64(values.count))
        for value in values { body(&self, value) }
    }

    /// What another one wrote, as it is.
    package mutating func append(_ other: ByteWriter) { bytes.append(contentsOf: other.bytes) }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

/// Bytes that no `ByteWriter` of this version wrote.
package struct MalformedBytes: Error, Equatable, CustomStringConvertible {
    package let offset: Int
    package let expected: String

    package init(offset: Int, expected: String) {
        self.offset = offset
        self.expected = expected
    }

    package var description: String { "the recording is damaged at byte \(offset): \(expected) expected" }
}

/// Reads what `ByteWriter` wrote; every read is checked, so a cut or damaged recording is an error, never a trap.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    package private(set) var offset: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    package var isAtEnd: Bool { offset == bytes.endIndex }

    package mutating func byte() throws(MalformedBytes) -> UInt8 {
        guard offset < bytes.endIndex else { throw MalformedBytes(offset: offset, expected: "another byte") }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func unsigned() throws(MalformedBytes) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw MalformedBytes(offset: offset, expected: "a shorter number") }
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    package mutating func signed() throws(MalformedBytes) -> Int64 {
        let raw = try unsigned()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    package mutating func bool() throws(MalformedBytes) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw MalformedBytes(offset: offset - 1, expected: "a truth value")
        }
    }

    package mutating func string() throws(MalformedBytes) -> String {
        let length = try unsigned()
        guard length <= UInt64(bytes.endIndex - offset) else {
            throw MalformedBytes(offset: offset, expected: "\(length) bytes of text")
        }
        let end = offset + Int(length)
        guard let text = String(validating: bytes[offset..<end], as: UTF8.self) else {
            throw MalformedBytes(offset: offset, expected: "valid UTF-8")
        }
        offset = end
        return text
    }

    package mutating func optional<T>(
        _ body: (inout ByteReader) throws(MalformedBytes) -> T
    ) throws(MalformedBytes) -> T? {
        try bool() ? try body(&self) : nil
    }

    package mutating func array<T>(
        _ body: (inout ByteReader) throws(MalformedBytes) -> T
    ) throws(MalformedBytes) -> [T] {
        let count = try count()
        var values: [T] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }

    /// Of elements that follow, each of a byte at least.
    package mutating func count() throws(MalformedBytes) -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.endIndex - offset) else {
            throw MalformedBytes(offset: offset, expected: "\(count) elements")
        }
        return Int(count)
    }

    /// An enumeration case by its number.
    package mutating func value<T: RawRepresentable>(
        _ type: T.Type
    ) throws(MalformedBytes) -> T where T.RawValue == UInt8 {
        let raw = try byte()
        guard let value = T(rawValue: raw) else {
            throw MalformedBytes(offset: offset - 1, expected: "a \(type), not \(raw)")
        }
        return value
    }
}
