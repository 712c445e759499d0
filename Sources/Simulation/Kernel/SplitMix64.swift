package import Model

/// Reproducible random numbers: a seed gives the same ones everywhere, for ever.
package struct SplitMix64: Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A stream of its own for a purpose, so that drawing for one thing never shifts what another one gets.
    package init(seed: UInt64, for purpose: UInt64...) {
        state = seed
        for word in purpose {
            state ^= word &* 0x9e37_79b9_7f4a_7c15
            state = next()
        }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A number from zero to below the bound; zero where the bound is not positive.
    package mutating func below(_ bound: Int) -> Int {
        bound > 1 ? Int(next().multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    package mutating func oneIn(_ number: Int) -> Bool { below(number) == 0 }

    /// True in so many of a thousand cases.
    package mutating func chance(perMille: Int) -> Bool { perMille > 0 && below(1000) < perMille }

    /// A length of time from the first to the second, evenly spread.
    package mutating func span(_ shortest: Span, _ longest: Span) -> Span {
        guard shortest < longest else { return shortest }
        let width = UInt64(longest.nanoseconds - shortest.nanoseconds)
        return Span(nanoseconds: shortest.nanoseconds + Int64(next().multipliedFullWidth(by: width).high))
    }

    /// Returns a random selection of Greenroom's background modes and `others`.
    package mutating func modes(and others: [String] = []) -> BackgroundModes {
        BackgroundModes(keys: (BackgroundModes.knownKeys + others).filter { _ in oneIn(2) })
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
