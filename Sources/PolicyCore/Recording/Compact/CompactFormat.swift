// The form in which a checkpoint is stored. JSON of ten thousand apps takes a second to read and hundreds of megabytes
// to write; this takes a tenth of either, and like JSON it keeps the name of every field, so that a Core that has
// gained or lost one reads the checkpoints of others.
//
//     magic    4 bytes, "grc1": JSON never begins so, and another form would have another digit
//     check    4 bytes, the lowest first, of everything behind it
//     names    4 bytes, the lowest first: where the names of the fields begin
//     value    a tag and what follows from it (`CompactTag`)
//     names    each its length as a varint, and its bytes; fields are numbered in their order, from 0

/// What follows a tag.
enum CompactTag: UInt8 {
    case null, no, yes
    /// A varint, zigzag.
    case signed
    /// A varint: a number too large for the other one.
    case unsigned
    /// 8 bytes, the lowest first.
    case double
    /// Its length as a varint, and its bytes.
    case text
    /// The length of its values in bytes (4 bytes, the lowest first), and they.
    case list
    /// The length of its fields in bytes (4 bytes, the lowest first); each is the number of its name as a varint, and a
    /// value.
    case object
}

/// Writes and reads values in the form of checkpoints.
package enum CompactFormat {
    static let magic: [UInt8] = Array("grc1".utf8)
    /// Magic, check, and where the names are.
    static let headerLength = 12
    /// Bytes of a length.
    static let lengthSize = 4
    /// How deep values may be nested: a damaged file must not overflow the stack.
    static let deepest = 100

    /// Whether these are bytes of this form, whole or damaged.
    package static func isThere(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = CompactWriter()
        try writer.writePart(value)
        return try writer.finish()
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let reader = try CompactReader(bytes)
        return try Value(from: CompactDecoder(reader: reader, at: headerLength, depth: 0))
    }

    /// FNV-1a.
    package static func check(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var state: UInt32 = 0x811c_9dc5
        for byte in bytes { state = (state ^ UInt32(byte)) &* 0x0100_0193 }
        return state
    }
}
