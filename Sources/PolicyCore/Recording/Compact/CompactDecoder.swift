/// The bytes of a checkpoint, checked as a whole, and the names of its fields. Every read is checked as well, so what
/// is damaged all the same is an error, never a trap.
final class CompactReader {
    let bytes: [UInt8]
    /// Where the names begin, which is where values end.
    let end: Int
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        end = try Self.end(in: bytes)
        var place = end
        while place < bytes.count {
            let name = try text(at: &place, before: bytes.count)
            numbers[name] = names.count
            names.append(name)
        }
    }

    private static func end(in bytes: [UInt8]) throws -> Int {
        guard bytes.count > CompactFormat.headerLength, CompactFormat.isThere(bytes),
            number(4, in: bytes, at: 4) == UInt64(CompactFormat.check(bytes[8...]))
        else { throw problem("these are not the bytes of a checkpoint") }
        let end = Int(number(4, in: bytes, at: 8))
        guard end > CompactFormat.headerLength, end <= bytes.count else { throw problem("there are no names") }
        return end
    }

    static func problem(_ text: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
    }

    private static func number(_ count: Int, in bytes: [UInt8], at place: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in (0..<count).reversed() { value = value << 8 | UInt64(bytes[place + byte]) }
        return value
    }

    func number(of name: String) -> Int? { numbers[name] }

    func tag(at place: Int) throws -> CompactTag {
        guard place < end, let tag = CompactTag(rawValue: bytes[place]) else {
            throw Self.problem("a value is expected at byte \(place)")
        }
        return tag
    }

    func varint(at place: inout Int, before limit: Int) throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < limit {
            let next = bytes[place]
            place += 1
            guard shift < 63 || next <= 1 else { break }
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return value }
            shift += 7
        }
        throw Self.problem("a number is expected at byte \(place)")
    }

    func text(at place: inout Int, before limit: Int) throws -> String {
        let length = try varint(at: &place, before: limit)
        guard length <= UInt64(limit - place),
            let text = String(validating: bytes[place..<place + Int(length)], as: UTF8.self)
        else { throw Self.problem("a text is expected at byte \(place)") }
        place += Int(length)
        return text
    }

    func double(at place: Int) throws -> Double {
        guard place + 8 <= end else { throw Self.problem("a number is expected at byte \(place)") }
        return Double(bitPattern: Self.number(8, in: bytes, at: place))
    }

    /// Where the values of a container lie; `place` is behind its tag.
    func content(at place: Int) throws -> Range<Int> {
        let begin = place + CompactFormat.lengthSize
        guard begin <= end else { throw Self.problem("a length is expected at byte \(place)") }
        let length = Int(Self.number(CompactFormat.lengthSize, in: bytes, at: place))
        guard length <= end - begin else { throw Self.problem("\(length) bytes are expected at byte \(begin)") }
        return begin..<begin + length
    }

    /// Where the next value begins.
    func skip(_ place: Int) throws -> Int {
        var next = place + 1
        switch try tag(at: place) {
        case .null, .no, .yes: return next
        case .signed, .unsigned:
            _ = try varint(at: &next, before: end)
            return next
        case .double: return next + 8
        case .text:
            let length = try varint(at: &next, before: end)
            guard length <= UInt64(end - next) else { throw Self.problem("a text is expected at byte \(place)") }
            return next + Int(length)
        case .list, .object: return try content(at: next).upperBound
        }
    }
}

/// One value on the way from the bytes.
struct CompactDecoder: Decoder {
    let reader: CompactReader
    let at: Int
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func within(_ place: Int) throws -> CompactDecoder {
        guard depth < CompactFormat.deepest else { throw CompactReader.problem("values are nested too deeply") }
        return CompactDecoder(reader: reader, at: place, depth: depth + 1)
    }

    private func content(_ kind: CompactTag) throws -> Range<Int> {
        guard try reader.tag(at: at) == kind else { throw mismatch("\(kind)") }
        return try reader.content(at: at + 1)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CompactMembers<Key>(try CompactMemberTable(self, try content(.object))))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let content = try content(.list)
        return CompactElements(decoder: self, place: content.lowerBound, end: content.upperBound)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ expected: String) -> DecodingError {
        .typeMismatch(
            Any.self,
            DecodingError.Context(codingPath: [], debugDescription: "\(expected) is expected at byte \(at)"))
    }
}

extension CompactDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { (try? reader.tag(at: at)) == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch try reader.tag(at: at) {
        case .yes: return true
        case .no: return false
        case .null, .signed, .unsigned, .double, .text, .list, .object: throw mismatch("a truth value")
        }
    }

    func decode(_ type: String.Type) throws -> String {
        guard try reader.tag(at: at) == .text else { throw mismatch("a text") }
        var place = at + 1
        return try reader.text(at: &place, before: reader.end)
    }

    func decode(_ type: Double.Type) throws -> Double {
        var place = at + 1
        switch try reader.tag(at: at) {
        case .double: return try reader.double(at: place)
        // Whoever has no whole number of that size, or made a fraction of it since: as in JSON.
        case .signed: return Double(try decode(Int64.self))
        case .unsigned: return Double(try reader.varint(at: &place, before: reader.end))
        case .null, .no, .yes, .text, .list, .object: throw mismatch("a number")
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        var place = at + 1
        let value: Value?
        switch try reader.tag(at: at) {
        case .signed:
            let raw = try reader.varint(at: &place, before: reader.end)
            value = Value(exactly: Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1))
        case .unsigned: value = Value(exactly: try reader.varint(at: &place, before: reader.end))
        case .null, .no, .yes, .double, .text, .list, .object: value = nil
        }
        guard let value else { throw mismatch("a \(Value.self)") }
        return value
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: within(at)) }
}

/// Which fields an object has, and where.
private final class CompactMemberTable {
    let decoder: CompactDecoder
    private(set) var members: [(name: Int, at: Int)] = []
    /// Fields are mostly read in the order in which they were written, each asked for once or twice.
    private var last = 0

    init(_ decoder: CompactDecoder, _ content: Range<Int>) throws {
        self.decoder = decoder
        let reader = decoder.reader
        var place = content.lowerBound
        while place < content.upperBound {
            let name = Int(clamping: try reader.varint(at: &place, before: content.upperBound))
            guard name < reader.names.count else { throw CompactReader.problem("a name is expected at byte \(place)") }
            members.append((name, place))
            place = try reader.skip(place)
        }
        guard place == content.upperBound else { throw CompactReader.problem("an object ends within a field") }
    }

    func place(of name: String) -> Int? {
        guard let number = decoder.reader.number(of: name) else { return nil }
        for step in members.indices {
            let index = (last + step) % members.count
            if members[index].name == number {
                last = index
                return members[index].at
            }
        }
        return nil
    }
}

private struct CompactMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let table: CompactMemberTable
    var codingPath: [any CodingKey] { [] }

    init(_ table: CompactMemberTable) { self.table = table }

    var allKeys: [Key] { table.members.compactMap { Key(stringValue: table.decoder.reader.names[$0.name]) } }

    func contains(_ key: Key) -> Bool { table.place(of: key.stringValue) != nil }

    private func at(_ key: Key) throws -> CompactDecoder {
        guard let place = table.place(of: key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: [], debugDescription: "\(key.stringValue) is missing"))
        }
        return try table.decoder.within(place)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try at(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try at(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try at(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try at(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try at(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try at(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try at(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try at(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try at(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try at(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try at(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try at(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try at(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try at(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try at(key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try Value(from: at(key)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try at(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try at(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { table.decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }
}

private struct CompactElements: UnkeyedDecodingContainer {
    private let decoder: CompactDecoder
    private let begin: Int
    private var place: Int
    private let end: Int
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { place >= end }

    init(decoder: CompactDecoder, place: Int, end: Int) {
        self.decoder = decoder
        begin = place
        self.place = place
        self.end = end
    }

    /// All are gone through to find it: a vector reads nothing without it, and a dictionary checks that it is even.
    var count: Int? {
        var (count, next) = (0, begin)
        while next < end {
            guard let after = try? decoder.reader.skip(next) else { return nil }
            next = after
            count += 1
        }
        return next == end ? count : nil
    }

    private func here() throws -> CompactDecoder {
        guard place < end else { throw CompactReader.problem("another value is expected at byte \(place)") }
        return try decoder.within(place)
    }

    private mutating func taking<Value>(_ body: (CompactDecoder) throws -> Value) throws -> Value {
        let value = try body(here())
        place = try decoder.reader.skip(place)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try here().decodeNil() else { return false }
        return try taking { _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try taking { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try taking { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try taking { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try taking { try $0.decode(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try taking { try Value(from: $0) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try taking { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try taking { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try taking { $0 } }
}
