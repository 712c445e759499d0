package import LinuxSystem

/// A value on a bus, with its exact type.
package indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(DBusObjectPath)
    case signature([DBusType])
    case descriptor(DBusDescriptor)
    case variant(DBusValue)
    /// An array of bytes: it is read as this, never as `array`.
    case bytes([UInt8])
    case array(DBusType, [DBusValue])
    case dictionary(key: DBusType, value: DBusType, [DBusEntry])
    case structure([DBusValue])

    package var type: DBusType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .descriptor: .descriptor
        case .variant: .variant
        case .bytes: .array(.byte)
        case .array(let element, _): .array(element)
        case .dictionary(let key, let value, _): .dictionary(key: key, value: value)
        case .structure(let members): .structure(members.map(\.type))
        }
    }
}

/// A key of a dictionary and what belongs to it. Entries keep the order in which they were sent.
package struct DBusEntry: Hashable, Sendable {
    package var key: DBusValue
    package var value: DBusValue

    package init(_ key: DBusValue, _ value: DBusValue) {
        self.key = key
        self.value = value
    }
}

/// A descriptor that comes with a message. Two are equal if they are the same open descriptor of this process.
package struct DBusDescriptor: Hashable, Sendable {
    package let descriptor: Descriptor

    package init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    package static func == (one: DBusDescriptor, other: DBusDescriptor) -> Bool {
        one.descriptor === other.descriptor
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(descriptor)) }
}

// MARK: Making

extension DBusValue {
    /// An array of texts, `as`.
    package static func strings(_ texts: [String]) -> DBusValue { .array(.string, texts.map { .string($0) }) }

    /// A dictionary of properties, `a{sv}`.
    package static func properties(_ properties: KeyValuePairs<String, DBusValue>) -> DBusValue {
        .properties(properties.map { ($0.key, $0.value) })
    }

    package static func properties(_ properties: [(String, DBusValue)]) -> DBusValue {
        .dictionary(
            key: .string, value: .variant,
            properties.map { DBusEntry(.string($0.0), .variant($0.1)) })
    }
}

// MARK: Reading

extension DBusValue {
    package var string: String? {
        switch self {
        case .string(let text): text
        case .objectPath(let path): path.text
        default: nil
        }
    }

    package var bool: Bool? {
        if case .boolean(let value) = self { return value }
        return nil
    }

    /// Any integer that fits.
    package var int: Int? {
        switch self {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Any number.
    package var number: Double? {
        if case .double(let value) = self { return value }
        return int.map(Double.init)
    }

    package var strings: [String]? {
        guard case .array(.string, let values) = self else { return nil }
        return values.compactMap(\.string)
    }

    /// What a dictionary has for a text, out of its variant.
    package subscript(key: String) -> DBusValue? {
        guard case .dictionary(_, _, let entries) = self else { return nil }
        return entries.first { $0.key == .string(key) }?.value.plain
    }

    /// Without the variants around it.
    package var plain: DBusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }
}
