/// Nanoseconds, or other quantities, as measured: nothing is left out.
struct Samples {
    private(set) var values: [Int64] = []

    var count: Int { values.count }

    mutating func append(_ value: Int64) { values.append(value) }

    /// The smallest value that is not below this share of all.
    func percentile(_ share: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return Double(sorted[min(max(rank, 1), sorted.count) - 1])
    }

    var p50: Double { percentile(0.5) }
    var p99: Double { percentile(0.99) }
}

/// A figure with what it is measured against and what was promised.
struct Figure {
    enum Unit: String {
        case nanoseconds = "ns"
        case bytes
        case count
        case perSecond = "1/s"
        case bytesPerSecond = "bytes/s"
        case percent = "%"
    }

    enum Target {
        case none
        case atMost(Double)
        case atLeast(Double)
        /// Value divided by floor.
        case ratioAtMost(Double)
        /// Floor divided by value: how many times faster than the peer.
        case fasterAtLeast(Double)
    }

    var what: String
    var value: Double
    var unit: Unit
    /// The floor, or the peer, and its name.
    var floor: Double?
    var against: String?
    var target = Target.none
    var samples = 1

    var ratio: Double? { floor.flatMap { $0 > 0 ? value / $0 : nil } }

    /// `nil` without a target.
    var isMet: Bool? {
        switch target {
        case .none: nil
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        case .ratioAtMost(let limit): ratio.map { $0 <= limit } ?? false
        case .fasterAtLeast(let limit): ratio.map { 1 / $0 >= limit } ?? false
        }
    }

    var targetText: String {
        switch target {
        case .none: "-"
        case .atMost(let limit): "≤ \(Format.quantity(limit, unit))"
        case .atLeast(let limit): "≥ \(Format.quantity(limit, unit))"
        case .ratioAtMost(let limit): "≤ \(Format.number(limit)) × floor"
        case .fasterAtLeast(let limit): "≥ \(Format.number(limit)) × faster"
        }
    }
}

enum Format {
    static func quantity(_ value: Double, _ unit: Figure.Unit) -> String {
        switch unit {
        case .nanoseconds: scaled(value, ["ns", "µs", "ms", "s"], by: 1_000)
        case .bytes: scaled(value, ["B", "KiB", "MiB", "GiB"], by: 1_024)
        case .count: number(value)
        case .perSecond: "\(scaled(value, ["", "k", "M", "G"], by: 1_000))/s"
        case .bytesPerSecond: "\(scaled(value, ["B", "KiB", "MiB", "GiB"], by: 1_024))/s"
        case .percent: "\(number(value)) %"
        }
    }

    private static func scaled(_ value: Double, _ units: [String], by step: Double) -> String {
        guard value.isFinite else { return "-" }
        var rest = value
        var unit = 0
        while rest.magnitude >= step, unit < units.count - 1 {
            rest /= step
            unit += 1
        }
        return units[unit].isEmpty ? number(rest) : "\(number(rest)) \(units[unit])"
    }

    /// Three digits that count.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        if value.magnitude >= 100 || value == value.rounded() { return String(Int(value.rounded())) }
        let digits = value.magnitude >= 10 ? 10.0 : 100.0
        return "\((value * digits).rounded() / digits)"
    }
}
