internal import Model

/// What a recording keeps of an effect: enough to see that a replay came to the same one.
package struct EffectMark: Hashable, Sendable {
    /// A number of `EffectKind`; another version may know more of them.
    package let kind: UInt8
    package let digest: UInt32

    package init(kind: UInt8, digest: UInt32) {
        self.kind = kind
        self.digest = digest
    }

    package init(_ effect: Effect) {
        var digest = FieldDigest()
        effect.encode(into: &digest)
        kind = effect.kind.rawValue
        self.digest = digest.value
    }

    package var kindName: String { EffectKind(rawValue: kind).name }
}

/// FNV-1a over whole fields instead of bytes, since the Core's effects pass by here millions of times a second. The
/// same fields give the same digest in every build, for ever: recordings hold them.
struct FieldDigest: FieldSink {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: UInt32 { UInt32(truncatingIfNeeded: state ^ (state >> 32)) }

    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
        // A product's low bits know nothing of a factor's high ones.
        state ^= state >> 29
    }

    mutating func write(_ value: UInt8) { mix(UInt64(value)) }
    mutating func write(_ value: UInt64) { mix(value) }
    mutating func write(_ value: Int64) { mix(UInt64(bitPattern: value)) }
    mutating func write(_ value: Bool) { mix(value ? 1 : 0) }

    /// The length, then eight bytes at a time, the first the lowest.
    mutating func write(_ value: String) {
        let utf8 = value.utf8
        mix(UInt64(utf8.count))
        var word: UInt64 = 0
        var shift: UInt64 = 0
        for byte in utf8 {
            word |= UInt64(byte) << shift
            shift += 8
            if shift == 64 {
                mix(word)
                (word, shift) = (0, 0)
            }
        }
        if shift > 0 { mix(word) }
    }
}
