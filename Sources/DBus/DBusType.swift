/// The type of a value on a bus. The D-Bus specification calls its text form a signature.
package indirect enum DBusType: Hashable, Sendable {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
    case string, objectPath, signature, descriptor
    /// A value that brings its type along.
    case variant
    case array(DBusType)
    case dictionary(key: DBusType, value: DBusType)
    case structure([DBusType])

    /// The longest signature that D-Bus allows, in bytes.
    package static let longestSignature = 255
    /// How deep arrays, and structures, may lie in one another.
    private static let deepest = 32

    /// The type's signature.
    package var code: String {
        switch self {
        case .array(let element): "a" + element.code
        case .dictionary(let key, let value): "a{" + key.code + value.code + "}"
        case .structure(let members): "(" + members.map(\.code).joined() + ")"
        default: String(UnicodeScalar(letter))
        }
    }

    /// The first letter of the signature.
    var letter: UInt8 {
        switch self {
        case .byte: UInt8(ascii: "y")
        case .boolean: UInt8(ascii: "b")
        case .int16: UInt8(ascii: "n")
        case .uint16: UInt8(ascii: "q")
        case .int32: UInt8(ascii: "i")
        case .uint32: UInt8(ascii: "u")
        case .int64: UInt8(ascii: "x")
        case .uint64: UInt8(ascii: "t")
        case .double: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .objectPath: UInt8(ascii: "o")
        case .signature: UInt8(ascii: "g")
        case .descriptor: UInt8(ascii: "h")
        case .variant: UInt8(ascii: "v")
        case .array, .dictionary: UInt8(ascii: "a")
        case .structure: UInt8(ascii: "r")
        }
    }

    /// Types without parts, by the letter of their signature.
    private static let simple: [UInt8: DBusType] = {
        let types: [DBusType] = [
            .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature, .descriptor, .variant,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.letter, $0) })
    }()

    /// Whether a key of a dictionary may have it.
    private var isBasic: Bool {
        switch self {
        case .variant, .array, .dictionary, .structure: false
        default: true
        }
    }

    /// The types that a signature lists; `nil` if it is not one.
    package static func list(_ signature: String) -> [DBusType]? {
        guard signature.utf8.count <= longestSignature else { return nil }
        var rest = Array(signature.utf8)[...]
        var types: [DBusType] = []
        while !rest.isEmpty {
            guard let type = next(&rest, arrays: 0, structures: 0) else { return nil }
            types.append(type)
        }
        return types
    }

    /// The one type of a signature.
    package init?(_ signature: String) {
        guard let types = Self.list(signature), types.count == 1 else { return nil }
        self = types[0]
    }

    private static func next(_ rest: inout ArraySlice<UInt8>, arrays: Int, structures: Int) -> DBusType? {
        guard let letter = rest.popFirst() else { return nil }
        if let type = simple[letter] { return type }
        switch letter {
        case UInt8(ascii: "a"):
            guard arrays < deepest else { return nil }
            guard rest.first == UInt8(ascii: "{") else {
                return next(&rest, arrays: arrays + 1, structures: structures).map { .array($0) }
            }
            rest.removeFirst()
            guard let key = next(&rest, arrays: arrays + 1, structures: structures), key.isBasic,
                let value = next(&rest, arrays: arrays + 1, structures: structures),
                rest.popFirst() == UInt8(ascii: "}")
            else { return nil }
            return .dictionary(key: key, value: value)
        case UInt8(ascii: "("):
            guard structures < deepest else { return nil }
            var members: [DBusType] = []
            while let first = rest.first, first != UInt8(ascii: ")") {
                guard let member = next(&rest, arrays: arrays, structures: structures + 1) else { return nil }
                members.append(member)
            }
            return rest.popFirst() == nil || members.isEmpty ? nil : .structure(members)
        default: return nil
        }
    }
}

extension [DBusType] {
    /// Their signature.
    package var code: String { map(\.code).joined() }
}
