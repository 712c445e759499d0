/// A set of words of `UIBackgroundModes` (L11): Apple's, Greenroom's own `listen` (X5), and any other word, which a
/// service may guard. The policy itself knows `fetch`, `listen` and `processing`; every other word has an effect only
/// if a service guards it.
package struct BackgroundModes: Hashable, Sendable {
    /// A set of known words is one byte, because the policy checks it at every event.
    private enum Storage: Hashable, Sendable {
        case known(UInt8)
        /// The other words are sorted and unique, and there is at least one.
        indirect case mixed(UInt8, others: [String])
    }

    private let storage: Storage

    private init(_ bits: UInt8, others: [String] = []) {
        storage = others.isEmpty ? .known(bits) : .mixed(bits, others: others)
    }

    // The modes that no service guards. Services name their own modes by word.
    package static let fetch: BackgroundModes = "fetch"
    package static let listen: BackgroundModes = "listen"
    package static let processing: BackgroundModes = "processing"

    /// The words that Greenroom defines. The index of a word is its bit.
    package static let knownKeys = [
        "audio", "location", "voip", "fetch", "remote-notification", "listen", "processing",
    ]

    /// Skips texts that are not valid words (`isKey`).
    package init(keys: some Sequence<String>) {
        var (bits, others): (UInt8, Set<String>) = (0, [])
        for key in keys {
            if let place = Self.knownKeys.firstIndex(of: key) {
                bits |= 1 << UInt8(place)
            } else if Self.isKey(key) {
                others.insert(key)
            }
        }
        self.init(bits, others: others.sorted())
    }

    /// Whether the text is a valid word of `UIBackgroundModes`: letters, digits, points and hyphens, as in identifiers.
    package static func isKey(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 127, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
        else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    private var bits: UInt8 {
        switch storage {
        case .known(let bits), .mixed(let bits, _): bits
        }
    }

    /// The words that Greenroom does not define, sorted.
    package var otherKeys: [String] {
        guard case .mixed(_, let others) = storage else { return [] }
        return others
    }

    /// The known words in the order of `knownKeys`, then the other words, sorted.
    package var keys: [String] {
        Self.knownKeys.enumerated().filter { bits & 1 << UInt8($0.offset) != 0 }.map(\.element) + otherKeys
    }

    package var isEmpty: Bool { storage == .known(0) }

    package func contains(_ other: BackgroundModes) -> Bool {
        guard bits & other.bits == other.bits else { return false }
        return other.otherKeys.allSatisfy(otherKeys.contains)
    }

    package func isDisjoint(with other: BackgroundModes) -> Bool {
        guard bits & other.bits == 0 else { return false }
        return !otherKeys.contains(where: other.otherKeys.contains)
    }

    package func intersection(_ other: BackgroundModes) -> BackgroundModes {
        BackgroundModes(bits & other.bits, others: otherKeys.filter(other.otherKeys.contains))
    }

    package mutating func formUnion(_ other: BackgroundModes) {
        let others = other.otherKeys.isEmpty ? otherKeys : Set(otherKeys).union(other.otherKeys).sorted()
        self = BackgroundModes(bits | other.bits, others: others)
    }
}

extension BackgroundModes: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: BackgroundModes...) {
        self.init(0)
        for element in elements { formUnion(element) }
    }
}

extension BackgroundModes: ExpressibleByStringLiteral {
    package init(stringLiteral key: String) { self.init(keys: [key]) }
}

extension BackgroundModes: CustomStringConvertible {
    package var description: String { keys.joined(separator: " ") }
}

// MARK: Recordings and checkpoints

extension BackgroundModes {
    /// The bit of `mask` that reports other words after it.
    private static let hasOthers: UInt8 = 128

    /// The known words, one bit each, as in recordings since version 1. The highest bit reports other words.
    package var mask: UInt8 { otherKeys.isEmpty ? bits : bits | Self.hasOthers }

    package static func hasOthers(mask: UInt8) -> Bool { mask & hasOthers != 0 }

    /// Returns `nil` if `mask` and `otherKeys` cannot have written these values.
    package init?(mask: UInt8, otherKeys: [String]) {
        self.init(mask & ~Self.hasOthers, others: otherKeys)
        guard self.mask == mask, BackgroundModes(keys: otherKeys) == BackgroundModes(0, others: otherKeys) else {
            return nil
        }
    }
}

extension BackgroundModes: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Checkpoints of every version store a set of known words as a number. Any other value must be a list, and its
        // error is the one to report.
        if let mask = try? container.decode(UInt8.self) {
            self.init(mask & ~Self.hasOthers)
        } else {
            self.init(keys: try container.decode([String].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if otherKeys.isEmpty { try container.encode(mask) } else { try container.encode(keys) }
    }
}
