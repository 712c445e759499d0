import Model

/// Steele, Lea and Flood's generator: tiny, fast, and the same numbers for the same seed on every machine.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// True once in `n` times.
    mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

    mutating func role() -> ScreenRole { ScreenRole.allCases[below(ScreenRole.allCases.count)] }

    /// Some of all background modes, and perhaps one that only a service knows.
    mutating func modes() -> BackgroundModes {
        BackgroundModes(keys: (BackgroundModes.knownKeys + ["heard"]).filter { _ in oneIn(2) })
    }
}
