import Model
import PushCore
import PushLink

/// Values that the tests share, each with what most tests do not care about filled in.
enum Sample {
    static let topic = "com.example.app"
    static let id = "123e4567-e89b-12d3-a456-426614174000"
    /// A moment on the wall clock.
    static let now = WallTime(nanoseconds: 1_700_000_000_000_000_000)
    static let start = Instant(nanoseconds: 1_000_000_000_000)

    static func device(_ number: UInt8 = 1) throws(Missing) -> DeviceID {
        guard let device = DeviceID([UInt8](repeating: number, count: 12)) else { throw Missing() }
        return device
    }

    struct Missing: Error {}

    static func message(
        _ number: Int64, _ device: DeviceID, topic: String = topic, priority: Int = 10, expires: Int64? = nil,
        collapse: String? = nil, payload: String = "{}"
    ) -> PushMessage {
        PushMessage(
            number: number, device: device, topic: topic, id: id, type: .alert, priority: priority,
            expires: expires ?? now.nanoseconds / 1_000_000_000 + 3600, collapse: collapse, at: now,
            payload: Array(payload.utf8))
    }

    static func key(_ number: UInt8 = 1) -> [UInt8] { [4] + [UInt8](repeating: number, count: 64) }

    /// Stands in for SHA-256: 32 bytes that depend on every byte.
    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var dice = SplitMix(seed: bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        return (0..<32).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    }

    /// Stands in for signatures: the digest of the key and the text.
    static func signature(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] { digest(key + text) + digest(text + key) }

    static let nonce: [UInt8] = Array(0..<32)

    static let proof = LinkProof(
        names: ["push.example.com", "localhost"], digest: digest, isSigned: { signature($0, $1) == $2 })

    static func proof(_ key: [UInt8] = key(), nonce: [UInt8] = nonce, at name: String = "push.example.com") -> [UInt8] {
        signature(key, LinkRules.proof(nonce: nonce, gateway: name))
    }

    static func authority(secret: [UInt8] = [7]) -> TokenAuthority {
        TokenAuthority(seal: { digest(secret + $0) }, digest: digest)
    }
}

/// The same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
