/// Takes values one after the other. A container ends when something is written to one around it.
final class CompactWriter {
    private struct Open {
        let serial: Int
        /// Where its length will stand.
        let length: Int
    }

    /// A container that values are written to, until it has ended.
    struct Place {
        fileprivate let serial: Int
        fileprivate let level: Int
    }

    private var bytes: [UInt8]
    private var numbers: [String: Int] = [:]
    private var names: [String] = []
    private var open: [Open] = []
    private var serials = 0
    /// What could not be said where it happened.
    private var failure: (any Error)?

    init() { bytes = CompactFormat.magic + [UInt8](repeating: 0, count: 8) }

    // MARK: Values

    func writePart(_ value: some Encodable) throws {
        let (level, before) = (open.count, bytes.count)
        try value.encode(to: CompactEncoder(writer: self))
        try close(to: level)
        guard bytes.count > before else { throw Self.problem("a value wrote nothing of itself") }
    }

    func tag(_ tag: CompactTag) { bytes.append(tag.rawValue) }

    func write(_ value: Bool) { tag(value ? .yes : .no) }

    func writeNumber(_ value: some FixedWidthInteger) {
        if let number = Int64(exactly: value) {
            tag(.signed)
            varint(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
        } else {
            tag(.unsigned)
            varint(UInt64(truncatingIfNeeded: value))
        }
    }

    func write(_ value: Double) {
        tag(.double)
        fixed(value.bitPattern, 8)
    }

    func write(_ value: String) {
        tag(.text)
        text(value)
    }

    // MARK: Containers

    func begin(_ kind: CompactTag) -> Place {
        tag(kind)
        serials += 1
        open.append(Open(serial: serials, length: bytes.count))
        fixed(0, CompactFormat.lengthSize)
        return Place(serial: serials, level: open.count)
    }

    /// The next value, or field, of a container.
    func next(in place: Place) throws {
        guard open.count >= place.level, open[place.level - 1].serial == place.serial else {
            throw Self.problem("something is written to what has ended already")
        }
        try close(to: place.level)
    }

    func field(_ name: String, in place: Place) throws {
        try next(in: place)
        varint(UInt64(number(of: name)))
    }

    /// Where nothing can be thrown: the end tells.
    func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            failure = failure ?? error
        }
    }

    func refuseSuper() -> any Encoder {
        attempt { throw Self.problem("classes that inherit are not written") }
        return CompactEncoder(writer: self)
    }

    private func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        let number = names.count
        names.append(name)
        numbers[name] = number
        return number
    }

    private func close(to level: Int) throws {
        while open.count > level, let last = open.popLast() {
            put(try length(bytes.count - last.length - CompactFormat.lengthSize), at: last.length)
        }
    }

    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        try close(to: 0)
        let end = try length(bytes.count)
        for name in names { text(name) }
        put(end, at: 8)
        put(CompactFormat.check(bytes[8...]), at: 4)
        return bytes
    }

    // MARK: Bytes

    private func length(_ count: Int) throws -> UInt32 {
        guard let length = UInt32(exactly: count) else { throw Self.problem("a checkpoint has more than 4 GiB") }
        return length
    }

    private func put(_ value: UInt32, at place: Int) {
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(byte))) }
    }

    private func fixed(_ value: UInt64, _ count: Int) {
        for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))) }
    }

    private func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private func text(_ value: String) {
        let utf8 = value.utf8
        varint(UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    static func problem(_ text: String) -> EncodingError {
        .invalidValue(text, EncodingError.Context(codingPath: [], debugDescription: text))
    }
}

/// One value's way to the bytes.
struct CompactEncoder: Encoder {
    let writer: CompactWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(CompactFields<Key>(writer: writer, place: writer.begin(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        CompactList(writer: writer, place: writer.begin(.list))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension CompactEncoder: SingleValueEncodingContainer {
    func encodeNil() { writer.tag(.null) }
    func encode(_ value: Bool) { writer.write(value) }
    func encode(_ value: String) { writer.write(value) }
    func encode(_ value: Double) { writer.write(value) }
    func encode(_ value: Float) { writer.write(Double(value)) }
    func encode(_ value: Int) { writer.writeNumber(value) }
    func encode(_ value: Int8) { writer.writeNumber(value) }
    func encode(_ value: Int16) { writer.writeNumber(value) }
    func encode(_ value: Int32) { writer.writeNumber(value) }
    func encode(_ value: Int64) { writer.writeNumber(value) }
    func encode(_ value: UInt) { writer.writeNumber(value) }
    func encode(_ value: UInt8) { writer.writeNumber(value) }
    func encode(_ value: UInt16) { writer.writeNumber(value) }
    func encode(_ value: UInt32) { writer.writeNumber(value) }
    func encode(_ value: UInt64) { writer.writeNumber(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.writePart(value) }
}

private struct CompactFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: CompactWriter
    let place: CompactWriter.Place
    var codingPath: [any CodingKey] { [] }

    private func at(_ key: Key) throws -> CompactEncoder {
        try writer.field(key.stringValue, in: place)
        return CompactEncoder(writer: writer)
    }

    func encodeNil(forKey key: Key) throws { try at(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: String, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Float, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Int8, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Int16, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Int32, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try at(key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try at(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try at(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        writer.attempt { try writer.field(key.stringValue, in: place) }
        return CompactEncoder(writer: writer).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.attempt { try writer.field(key.stringValue, in: place) }
        return CompactEncoder(writer: writer).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { writer.refuseSuper() }
    func superEncoder(forKey key: Key) -> any Encoder { writer.refuseSuper() }
}

private struct CompactList: UnkeyedEncodingContainer {
    let writer: CompactWriter
    let place: CompactWriter.Place
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(writer: CompactWriter, place: CompactWriter.Place) {
        self.writer = writer
        self.place = place
    }

    private mutating func next() throws -> CompactEncoder {
        try writer.next(in: place)
        count += 1
        return CompactEncoder(writer: writer)
    }

    private mutating func begin() {
        let (writer, place) = (writer, place)
        writer.attempt { try writer.next(in: place) }
        count += 1
    }

    mutating func encodeNil() throws { try next().encodeNil() }
    mutating func encode(_ value: Bool) throws { try next().encode(value) }
    mutating func encode(_ value: String) throws { try next().encode(value) }
    mutating func encode(_ value: Double) throws { try next().encode(value) }
    mutating func encode(_ value: Float) throws { try next().encode(value) }
    mutating func encode(_ value: Int) throws { try next().encode(value) }
    mutating func encode(_ value: Int8) throws { try next().encode(value) }
    mutating func encode(_ value: Int16) throws { try next().encode(value) }
    mutating func encode(_ value: Int32) throws { try next().encode(value) }
    mutating func encode(_ value: Int64) throws { try next().encode(value) }
    mutating func encode(_ value: UInt) throws { try next().encode(value) }
    mutating func encode(_ value: UInt8) throws { try next().encode(value) }
    mutating func encode(_ value: UInt16) throws { try next().encode(value) }
    mutating func encode(_ value: UInt32) throws { try next().encode(value) }
    mutating func encode(_ value: UInt64) throws { try next().encode(value) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        begin()
        return CompactEncoder(writer: writer).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        begin()
        return CompactEncoder(writer: writer).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { writer.refuseSuper() }
}
