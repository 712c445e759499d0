internal import CSystemd
internal import LinuxSystem

/// Appends values to a message.
@safe struct MessageWriter {
    /// Bytes of values in one message.
    static let mostBytes = 1 << 20

    private let message: OpaquePointer
    private var bytes = 0

    init(_ message: OpaquePointer) { unsafe self.message = message }

    mutating func append(_ values: [DBusValue]) throws(DBusError) {
        for value in values { try append(value) }
    }

    private mutating func append(_ value: DBusValue) throws(DBusError) {
        let letter = CChar(bitPattern: value.type.letter)
        switch value {
        case .byte(let number): try basic(letter, number)
        // C reads a boolean from an `int`.
        case .boolean(let value): try basic(letter, CInt(value ? 1 : 0))
        case .int16(let number): try basic(letter, number)
        case .uint16(let number): try basic(letter, number)
        case .int32(let number): try basic(letter, number)
        case .uint32(let number): try basic(letter, number)
        case .int64(let number): try basic(letter, number)
        case .uint64(let number): try basic(letter, number)
        case .double(let number): try basic(letter, number)
        case .string(let text): try self.text(letter, text)
        case .objectPath(let path): try text(letter, path.text)
        case .signature(let types): try text(letter, types.code)
        case .descriptor(let descriptor): try basic(letter, descriptor.descriptor.rawValue)
        case .bytes(let bytes): try array(bytes)
        case .variant(let inner): try container(letter, inner.type.code, [inner])
        case .array(let element, let values): try container(letter, element.code, values)
        case .structure(let members): try container(letter, members.map(\.type).code, members)
        case .dictionary(let key, let value, let entries):
            let pair = key.code + value.code
            try open(letter, "{\(pair)}")
            for entry in entries {
                try container(CChar(bitPattern: UInt8(ascii: "e")), pair, [entry.key, entry.value])
            }
            try close()
        }
    }

    private mutating func count(_ more: Int) throws(DBusError) {
        bytes += more
        guard bytes <= Self.mostBytes else { throw .tooLarge }
    }

    private mutating func basic<Number: BitwiseCopyable>(_ letter: CChar, _ number: Number) throws(DBusError) {
        try count(8)
        var number = number
        try unsafe accepted(sd_bus_message_append_basic(message, letter, &number))
    }

    private mutating func text(_ letter: CChar, _ text: String) throws(DBusError) {
        guard !text.utf8.contains(0) else { throw .invalid("a zero in a text") }
        try count(text.utf8.count + 8)
        try accepted(unsafe text.withCString { unsafe sd_bus_message_append_basic(message, letter, $0) })
    }

    private mutating func array(_ bytes: [UInt8]) throws(DBusError) {
        try count(bytes.count)
        let letter = CChar(bitPattern: UInt8(ascii: "y"))
        let result = unsafe bytes.withUnsafeBytes {
            unsafe sd_bus_message_append_array(message, letter, $0.baseAddress, $0.count)
        }
        try accepted(result)
    }

    private mutating func container(
        _ letter: CChar, _ inside: String, _ values: [DBusValue]
    ) throws(DBusError) {
        try open(letter, inside)
        try append(values)
        try close()
    }

    private mutating func open(_ letter: CChar, _ inside: String) throws(DBusError) {
        try count(8)
        try accepted(unsafe inside.withCString { unsafe sd_bus_message_open_container(message, letter, $0) })
    }

    private func close() throws(DBusError) { try unsafe accepted(sd_bus_message_close_container(message)) }

    /// libsystemd compares what is appended with the types of the container around it.
    private func accepted(_ result: CInt) throws(DBusError) {
        if result < 0 { throw .invalid("a value of another type than its container has") }
    }
}
