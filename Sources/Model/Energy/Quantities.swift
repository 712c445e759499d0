/// Work done or stored, in whole picojoules: power in milliwatts times nanoseconds, so that nothing is ever rounded.
package struct Energy: Hashable, Comparable, Sendable, Codable {
    package var picojoules: Int64

    package init(picojoules: Int64) { self.picojoules = picojoules }

    package static let zero = Energy(picojoules: 0)
    package static func joules(_ value: Int64) -> Energy { Energy(picojoules: value &* 1_000_000_000_000) }

    /// For people and reports; sums are made of picojoules.
    package var joules: Double { Double(picojoules) / 1e12 }

    package static func < (a: Energy, b: Energy) -> Bool { a.picojoules < b.picojoules }
    package static func + (a: Energy, b: Energy) -> Energy { Energy(picojoules: a.picojoules &+ b.picojoules) }
    package static func - (a: Energy, b: Energy) -> Energy { Energy(picojoules: a.picojoules &- b.picojoules) }
    package static func * (a: Energy, b: Int64) -> Energy { Energy(picojoules: a.picojoules &* b) }
    package static func += (a: inout Energy, b: Energy) { a = a + b }

    /// One of so many equal parts; the first ones get what cannot be divided, so that all together are the whole.
    package func part(_ index: Int, of count: Int) -> Energy {
        let (quotient, remainder) = picojoules.quotientAndRemainder(dividingBy: Int64(count))
        return Energy(picojoules: quotient + (Int64(index) < remainder ? 1 : 0))
    }
}

/// Energy a time, in milliwatts.
package struct Power: Hashable, Comparable, Sendable, Codable {
    package var milliwatts: Int64

    package init(milliwatts: Int64) { self.milliwatts = milliwatts }

    package static let zero = Power(milliwatts: 0)
    package static func milliwatts(_ value: Int64) -> Power { Power(milliwatts: value) }

    package static func < (a: Power, b: Power) -> Bool { a.milliwatts < b.milliwatts }
    package static func + (a: Power, b: Power) -> Power { Power(milliwatts: a.milliwatts &+ b.milliwatts) }
    package static func * (a: Power, b: Span) -> Energy { Energy(picojoules: a.milliwatts &* b.nanoseconds) }
}

extension Int64 {
    /// This times a number, divided by another and rounded down; `max` where that is too large. None may be negative.
    package func scaled(by factor: Int64, over divisor: Int64) -> Int64 {
        let product = multipliedFullWidth(by: factor)
        guard product.high < divisor else { return .max }
        return divisor.dividingFullWidth(product).quotient
    }
}
