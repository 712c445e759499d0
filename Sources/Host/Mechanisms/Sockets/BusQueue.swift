/// The messages that wait to be read at a program's connection to a message bus, as far as they are seen (D-Bus
/// specification, “Message Format”). The bytes come from others: nothing in them is taken for granted.
package struct BusQueue: Hashable, Sendable {
    package struct Call: Hashable, Sendable {
        /// Interface and method, for people; empty: it cannot be read.
        package var method: String
        /// Tells it from other calls.
        package var identity: Int
    }

    /// How many begin in what is seen.
    package private(set) var count = 0
    /// The first one that asks for something. Signals and answers do not.
    package private(set) var call: Call?
    /// It does not begin with a message: the program has read half of one, or this is no message bus.
    package private(set) var isTorn = false

    package init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.count >= Message.headLength {
            guard let message = Message(rest) else {
                isTorn = count == 0
                return
            }
            count += 1
            if message.isCall {
                call = Call(method: message.method, identity: Array(rest.prefix(Message.identityLength)).hashValue)
                return
            }
            rest = rest.dropFirst(message.length)
        }
        // Less than a head: a program that reads heads first has taken the rest.
        isTorn = count == 0 && !rest.isEmpty
    }
}

private struct Message {
    static let headLength = 16
    /// Head, sender, serial number, and the method.
    static let identityLength = 256
    private static let longest = 1 << 27

    let isCall: Bool
    let length: Int
    let method: String

    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        let isLittle = bytes[start] == UInt8(ascii: "l")
        guard isLittle || bytes[start] == UInt8(ascii: "B") else { return nil }
        let (kind, version) = (bytes[start + 1], bytes[start + 3])
        var reader = FieldReader(bytes: bytes, isLittle: isLittle)
        reader.skip(4)
        guard (1...4).contains(kind), version == 1, let body = reader.uint32(), let serial = reader.uint32(),
            let fields = reader.uint32(), serial != 0, body <= Self.longest, fields <= Self.longest / 2
        else { return nil }
        length = Self.headLength + (Int(fields) + 7) / 8 * 8 + Int(body)
        isCall = kind == 1
        method = isCall ? reader.method(within: Int(fields)) : ""
    }
}

/// Reads the fields of a head.
private struct FieldReader {
    private var bytes: ArraySlice<UInt8>
    private let start: Int
    private let isLittle: Bool

    init(bytes: ArraySlice<UInt8>, isLittle: Bool) {
        self.bytes = bytes
        self.isLittle = isLittle
        start = bytes.startIndex
    }

    mutating func skip(_ count: Int) { bytes = bytes.dropFirst(count) }

    mutating func uint32() -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        defer { skip(4) }
        let four = bytes.prefix(4)
        return (isLittle ? Array(four.reversed()) : Array(four)).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func text(lengthOf count: Int?) -> String? {
        // A zero byte ends it.
        guard let count, bytes.count > count else { return nil }
        defer { skip(count + 1) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private mutating func align(to width: Int) {
        let place = bytes.startIndex - start
        skip((width - place % width) % width)
    }

    /// Each field is a code, the type of its value, and the value.
    mutating func method(within length: Int) -> String {
        let end = bytes.startIndex + length
        var (interface, member) = ("", "")
        while bytes.startIndex < end {
            align(to: 8)
            guard let code = bytes.popFirst(), let typeLength = bytes.popFirst(), typeLength == 1,
                let type = text(lengthOf: Int(typeLength)), let value = value(of: type)
            else { break }
            if code == 2 { interface = value }
            if code == 3 { member = value }
        }
        let name = interface.isEmpty ? member : "\(interface).\(member)"
        let isName = name.utf8.allSatisfy { $0 >= 0x30 && $0 < 0x7b || $0 == UInt8(ascii: ".") }
        return isName && !member.isEmpty && name.utf8.count <= 511 ? name : ""
    }

    private mutating func value(of type: String) -> String? {
        switch type {
        case "s", "o":
            align(to: 4)
            return text(lengthOf: uint32().map { Int($0) })
        case "g": return text(lengthOf: bytes.popFirst().map { Int($0) })
        case "u":
            align(to: 4)
            return uint32().map { String($0) }
        default: return nil
        }
    }
}
