internal import Model
internal import PushLink

/// Bytes that are no mailbox and no message: another version of the program wrote them, or something else.
package struct UnreadableMailbox: Error, Hashable, Sendable {}

extension Mailbox {
    private static let version: UInt8 = 1
    /// Milliseconds that are nanoseconds without an overflow.
    private static let latest = Int64.max / 1_000_000

    package var encoded: [UInt8] {
        var writer = FieldWriter(capacity: encodedCount)
        writer.add(Self.version)
        writer.add((visit == nil ? 0 : 1 as UInt8) | (isPresent ? 2 : 0))
        writer.add(visit?.node ?? 0)
        writer.add(visit?.number ?? 0)
        writer.add(UInt64(bitPattern: seen))
        writer.add(UInt64(bitPattern: greatest))
        writer.add(UInt16(clamping: messages.count))
        for message in messages { message.write(to: &writer) }
        return writer.bytes
    }

    /// Bytes of `encoded`.
    package var encodedCount: Int { messages.reduce(36) { $0 + $1.encodedCount } }

    package init(_ bytes: [UInt8], device: DeviceID) throws(UnreadableMailbox) {
        var reader = FieldReader(bytes)
        guard try reader.byte() == Self.version else { throw UnreadableMailbox() }
        let flags = try reader.byte()
        let (node, number) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let seen = Int64(bitPattern: try reader.integer(UInt64.self))
        let greatest = try reader.number()
        guard (0...Self.latest).contains(seen) else { throw UnreadableMailbox() }
        var messages: [PushMessage] = []
        for _ in 0..<(try reader.integer(UInt16.self)) {
            messages.append(try PushMessage(&reader, device: device))
        }
        guard reader.isAtEnd else { throw UnreadableMailbox() }
        self.init(
            visit: flags & 1 == 0 ? nil : Visit(node: node, number: number), isPresent: flags & 2 != 0, seen: seen,
            greatest: greatest, messages: messages)
    }
}

extension PushMessage {
    /// As one gateway tells it to another.
    package var encoded: [UInt8] {
        var writer = FieldWriter(capacity: encodedCount + DeviceID.length)
        writer.add(device.bytes)
        write(to: &writer)
        return writer.bytes
    }

    package init(encoded bytes: [UInt8]) throws(UnreadableMailbox) {
        var reader = FieldReader(bytes)
        guard let device = DeviceID(try reader.bytes(DeviceID.length)) else { throw UnreadableMailbox() }
        try self.init(&reader, device: device)
        guard reader.isAtEnd else { throw UnreadableMailbox() }
    }

    fileprivate var encodedCount: Int {
        31 + topic.utf8.count + id.utf8.count + type.rawValue.utf8.count + (collapse?.utf8.count ?? 0) + payload.count
    }

    fileprivate func write(to writer: inout FieldWriter) {
        writer.add(UInt64(bitPattern: number))
        writer.add(UInt64(bitPattern: expires))
        writer.add(UInt64(bitPattern: at.nanoseconds))
        writer.add((collapse == nil ? 0 : 128 as UInt8) | UInt8(clamping: priority))
        for text in [topic, id, type.rawValue, collapse ?? ""] { writer.add(text) }
        writer.add(UInt16(clamping: payload.count))
        writer.add(payload)
    }

    fileprivate init(_ reader: inout FieldReader, device: DeviceID) throws(UnreadableMailbox) {
        let number = try reader.number()
        let expires = Int64(bitPattern: try reader.integer(UInt64.self))
        let at = Int64(bitPattern: try reader.integer(UInt64.self))
        let flags = try reader.byte()
        let (topic, id) = (try reader.text(), try reader.text())
        guard let type = LinkPushType(rawValue: try reader.text()) else { throw UnreadableMailbox() }
        let collapse = try reader.text()
        let payload = try reader.bytes(Int(try reader.integer(UInt16.self)))
        self.init(
            number: number, device: device, topic: topic, id: id, type: type, priority: Int(flags & 127),
            expires: expires, collapse: flags & 128 == 0 ? nil : collapse, at: WallTime(nanoseconds: at),
            payload: Array(payload))
    }
}

/// Integers in network order, and texts behind a byte with their length.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func add(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Of a text that its sender may make as long as it likes, only what has room: it was checked before.
    mutating func add(_ text: String) {
        let part = text.utf8.prefix(255)
        bytes.append(UInt8(part.count))
        bytes.append(contentsOf: part)
    }

    mutating func add(_ more: [UInt8]) { bytes.append(contentsOf: more) }
}

struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(UnreadableMailbox) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw UnreadableMailbox() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() throws(UnreadableMailbox) -> UInt8 {
        guard let byte = rest.popFirst() else { throw UnreadableMailbox() }
        return byte
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(UnreadableMailbox) -> Value {
        try bytes(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value($1) }
    }

    /// Of a message: microseconds since 1970, or a little more. The ones after it have to have room as well.
    mutating func number() throws(UnreadableMailbox) -> Int64 {
        let value = try integer(UInt64.self)
        guard value < 1 << 62 else { throw UnreadableMailbox() }
        return Int64(value)
    }

    mutating func text() throws(UnreadableMailbox) -> String {
        let bytes = try bytes(Int(try byte()))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw UnreadableMailbox() }
        return text
    }
}
