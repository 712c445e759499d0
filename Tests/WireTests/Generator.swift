import Wire

/// SplitMix64: a failing run is repeated by its seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func text() -> String {
        let alphabet: [Character] = [
            "a", "Z", "\"", "\\", "/", "\n", "\t", "\u{0}", "\u{1F}", "é", "漢", "😀", "\u{2028}", " ",
        ]
        return String((0..<below(20)).map { _ in alphabet[below(alphabet.count)] })
    }

    mutating func json(depth: Int = 4) -> JSONValue {
        switch below(depth > 0 ? 8 : 6) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .int(Int64(below(20)))
        case 3: .int(Int64(bitPattern: next()))
        case 4:
            .double(
                Double(sign: .plus, exponent: below(600) - 300, significand: Double.random(in: -2...2, using: &self)))
        case 5: .string(text())
        case 6: .array((0..<below(5)).map { _ in json(depth: depth - 1) })
        default: .object(object(depth: depth - 1))
        }
    }

    mutating func object(depth: Int = 3) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<below(5) { object[text()] = json(depth: depth) }
        return object
    }

    mutating func message() -> RPCMessage {
        let id: RPCID = below(2) == 0 ? .int(Int64(below(1000)) - 500) : .string(text())
        let params: JSONValue = below(3) == 0 ? .null : .object(object())
        return switch below(4) {
        case 0: .request(id: id, method: text(), params: params)
        case 1: .notification(method: text(), params: params)
        case 2: .response(id: id, result: json())
        default: .failure(id: id, RPCError(.refused, text(), data: below(2) == 0 ? .null : json(depth: 0)))
        }
    }
}
