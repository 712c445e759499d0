internal import CSystemd
internal import LinuxSystem

/// Reads a message's values, within limits on their bytes and their number: a value takes more memory than its bytes.
@safe struct MessageReader {
    /// Bytes of values in one message. What a service reads is a thousandth of it.
    static let mostBytes = 1 << 20
    private static let mostValues = 1 << 16
    private static let mostDescriptors = 16

    private let message: OpaquePointer
    /// Bytes read so far.
    private(set) var bytes = 0
    private var values = 0
    private var descriptors = 0

    init(_ message: OpaquePointer) { unsafe self.message = message }

    mutating func readAll() throws(DBusError) -> [DBusValue] {
        var all: [DBusValue] = []
        while let value = try next() { all.append(value) }
        return all
    }

    /// The next value; `nil` behind the last of a container or of the message.
    private mutating func next() throws(DBusError) -> DBusValue? {
        var letter: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try unsafe check("read", sd_bus_message_peek_type(message, &letter, &contents)) > 0 else { return nil }
        values += 1
        guard values <= Self.mostValues else { throw .tooLarge }
        let inside = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        switch UInt8(bitPattern: letter) {
        case UInt8(ascii: "a"): return try array(inside)
        case UInt8(ascii: "r"): return .structure(try container(letter, inside))
        case UInt8(ascii: "v"):
            guard let value = try container(letter, inside).first else { throw .invalid("an empty variant") }
            return .variant(value)
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): return try text(letter)
        default: return try number(letter)
        }
    }

    private mutating func count(_ more: Int) throws(DBusError) {
        bytes += more
        guard bytes <= Self.mostBytes else { throw .tooLarge }
    }

    // MARK: Containers

    private mutating func container(_ letter: CChar, _ inside: String) throws(DBusError) -> [DBusValue] {
        try unsafe check("read", sd_bus_message_enter_container(message, letter, inside))
        let values = try readAll()
        try unsafe check("read", sd_bus_message_exit_container(message))
        return values
    }

    private mutating func array(_ inside: String) throws(DBusError) -> DBusValue {
        guard inside != "y" else { return try bytesArray() }
        let letter = CChar(bitPattern: UInt8(ascii: "a"))
        if inside.utf8.first == UInt8(ascii: "{") {
            guard case .dictionary(let key, let value)? = DBusType("a" + inside) else { throw .invalid("“a\(inside)”") }
            return .dictionary(key: key, value: value, try entries(letter, inside))
        }
        guard let element = DBusType(inside) else { throw .invalid("“a\(inside)”") }
        return .array(element, try container(letter, inside))
    }

    private mutating func entries(_ letter: CChar, _ inside: String) throws(DBusError) -> [DBusEntry] {
        let pair = String(inside.dropFirst().dropLast())
        let entry = CChar(bitPattern: UInt8(ascii: "e"))
        var all: [DBusEntry] = []
        try unsafe check("read", sd_bus_message_enter_container(message, letter, inside))
        while try unsafe check("read", sd_bus_message_at_end(message, 0)) == 0 {
            values += 1
            let parts = try container(entry, pair)
            guard parts.count == 2 else { throw .invalid("an entry of \(parts.count) values") }
            all.append(DBusEntry(parts[0], parts[1]))
        }
        try unsafe check("read", sd_bus_message_exit_container(message))
        return all
    }

    private mutating func bytesArray() throws(DBusError) -> DBusValue {
        var start: UnsafeRawPointer?
        var size = 0
        let byte = CChar(bitPattern: UInt8(ascii: "y"))
        try unsafe check("read", sd_bus_message_read_array(message, byte, &start, &size))
        try count(size)
        return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: size)))
    }

    // MARK: Values without parts

    private mutating func text(_ letter: CChar) throws(DBusError) -> DBusValue {
        var start: UnsafePointer<CChar>?
        try unsafe check("read", sd_bus_message_read_basic(message, letter, &start))
        let text = unsafe start.map { unsafe String(cString: $0) } ?? ""
        try count(text.utf8.count + 8)
        switch UInt8(bitPattern: letter) {
        case UInt8(ascii: "o"):
            guard let path = DBusObjectPath(text: text) else { throw .invalid("the path “\(text)”") }
            return .objectPath(path)
        case UInt8(ascii: "g"):
            guard let types = DBusType.list(text) else { throw .invalid("the signature “\(text)”") }
            return .signature(types)
        default: return .string(text)
        }
    }

    private mutating func number(_ letter: CChar) throws(DBusError) -> DBusValue {
        try count(8)
        switch UInt8(bitPattern: letter) {
        case UInt8(ascii: "y"): return .byte(try basic(letter, 0))
        // C reads a boolean as an `int`.
        case UInt8(ascii: "b"): return .boolean(try basic(letter, CInt(0)) != 0)
        case UInt8(ascii: "n"): return .int16(try basic(letter, 0))
        case UInt8(ascii: "q"): return .uint16(try basic(letter, 0))
        case UInt8(ascii: "i"): return .int32(try basic(letter, 0))
        case UInt8(ascii: "u"): return .uint32(try basic(letter, 0))
        case UInt8(ascii: "x"): return .int64(try basic(letter, 0))
        case UInt8(ascii: "t"): return .uint64(try basic(letter, 0))
        case UInt8(ascii: "d"): return .double(try basic(letter, 0))
        case UInt8(ascii: "h"): return .descriptor(try descriptor(letter))
        default: throw .invalid("a value of the type “\(UnicodeScalar(UInt8(bitPattern: letter)))”")
        }
    }

    private func basic<Number: BitwiseCopyable>(_ letter: CChar, _ zero: Number) throws(DBusError) -> Number {
        var number = zero
        try unsafe check("read", sd_bus_message_read_basic(message, letter, &number))
        return number
    }

    /// The message closes its own: this is a duplicate.
    private mutating func descriptor(_ letter: CChar) throws(DBusError) -> DBusDescriptor {
        descriptors += 1
        guard descriptors <= Self.mostDescriptors else { throw .tooLarge }
        let theirs = Descriptor(borrowing: try basic(letter, CInt(-1)))
        do throws(SystemError) {
            return DBusDescriptor(try theirs.duplicate())
        } catch {
            throw .system(operation: error.operation, error.errno)
        }
    }
}
