package import Model

/// Why a word is not what it should be, and what it should be.
package struct Mismatch: Error {
    var problem: String
    var expected: String
}

// Times, sizes and numbers, as scenarios write them.
extension Span {
    /// Ten years: no scenario is longer, and sums of such times stay within 64 bits.
    static let longest = Span(nanoseconds: 3650 * 86_400_000_000_000)

    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000), ("us", 1000), ("ns", 1),
    ]
    static let form = "a time such as 0s, 1.5s, 200ms, 3m, 2h or 1h30m"

    /// One or more numbers with units, the greater unit first; a number may have a fraction.
    package init(scenario text: String) throws(Mismatch) {
        let wrong = Mismatch(problem: "\(quoted(text)) is not a time", expected: Self.form)
        var rest = Substring(text)
        var total: Int64 = 0
        var smallest = Int64.max
        repeat {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let scale = Self.units.first(where: { $0.name == unit })?.nanoseconds, scale < smallest,
                let value = Self.scaled(number, by: scale)
            else { throw wrong }
            smallest = scale
            let (sum, isOver) = total.addingReportingOverflow(value)
            guard !isOver, sum <= Self.longest.nanoseconds else {
                throw Mismatch(problem: "\(quoted(text)) is too long", expected: "a time of up to 3650d")
            }
            total = sum
        } while !rest.isEmpty
        self.init(nanoseconds: total)
    }

    /// Decimal digits times a unit, exactly; `nil` where that is no whole number of nanoseconds or not one at all.
    fileprivate static func scaled(_ number: Substring, by scale: Int64) -> Int64? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = parts.first, let whole = Int64(first), first.count <= 18
        else { return nil }
        let (value, isOver) = whole.multipliedReportingOverflow(by: scale)
        // Too long is said by whoever adds up.
        guard !isOver else { return Int64.max }
        guard parts.count == 2 else { return value }
        var (fraction, unit) = (Int64(0), scale)
        guard !parts[1].isEmpty, parts[1].count <= 18 else { return nil }
        for digit in parts[1] {
            guard let digit = digit.wholeNumberValue else { return nil }
            guard digit == 0 || (unit >= 10 && unit.isMultiple(of: 10)) else { return nil }
            unit /= 10
            fraction += Int64(digit) * unit
        }
        let (sum, isOverAgain) = value.addingReportingOverflow(fraction)
        return isOverAgain ? Int64.max : sum
    }
}

/// Bytes with decimal or binary units.
package enum ByteCount {
    private static let units: [(name: String, bytes: Int64)] = [
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
        ("B", 1),
    ]
    static let form = "a size such as 20MB, 512kB or 64MiB"
    static let largest: Int64 = 1 << 50

    package static func read(_ text: String) throws(Mismatch) -> Int64 {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        let scale = unit.isEmpty ? 1 : units.first { $0.name == unit }?.bytes
        guard let scale, digits.count <= 16, let number = Int64(digits) else {
            throw Mismatch(problem: "\(quoted(text)) is not a size", expected: form)
        }
        let (bytes, isOver) = number.multipliedReportingOverflow(by: scale)
        guard !isOver, bytes <= largest else {
            throw Mismatch(problem: "\(quoted(text)) is too much", expected: "a size of up to 1048576GiB")
        }
        return bytes
    }

    static func text(_ bytes: Int64) -> String {
        guard bytes != 0, let unit = units.prefix(3).first(where: { bytes.isMultiple(of: $0.bytes) }) else {
            return "\(bytes)B"
        }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}

extension Energy {
    private static let units: [(name: String, picojoules: Int64)] = [
        ("kJ", 1_000_000_000_000_000), ("mJ", 1_000_000_000), ("J", 1_000_000_000_000),
    ]
    static let form = "joules such as 12J, 0.5J or 300mJ"
    /// A battery holds a fiftieth of that.
    static let largest = Energy.joules(1_000_000)

    package init(scenario text: String) throws(Mismatch) {
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }), text.first != "-", text.first != "+",
            let value = Span.scaled(text.dropLast(unit.name.count), by: unit.picojoules)
        else { throw Mismatch(problem: "\(quoted(text)) is not an amount of energy", expected: Self.form) }
        guard value <= Self.largest.picojoules else {
            throw Mismatch(problem: "\(quoted(text)) is too much", expected: "joules up to 1000kJ")
        }
        self.init(picojoules: value)
    }
}

/// A whole number within bounds, decimal or with 0x before it.
package func wholeNumber<Number: FixedWidthInteger>(
    _ text: String, in bounds: ClosedRange<Number>, as what: String
) throws(Mismatch) -> Number {
    let number = text.hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
    guard let number, bounds.contains(number), text.first != "+" else {
        throw Mismatch(
            problem: "\(quoted(text)) is not \(what)",
            expected: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
}

/// Something the user wrote, in quotation marks, without control characters and not too long.
func quoted(_ text: some StringProtocol) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(60) {
        shown.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return "`\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")`"
}
