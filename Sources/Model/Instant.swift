/// A moment on the clock that counts from boot and goes on while the machine sleeps (`CLOCK_BOOTTIME`).
package struct Instant: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds since boot.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Instant(nanoseconds: 0)

    package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Instant, b: Span) -> Instant { Instant(nanoseconds: a.nanoseconds.adding(b.nanoseconds)) }
    package static func - (a: Instant, b: Instant) -> Span {
        Span(nanoseconds: a.nanoseconds.subtracting(b.nanoseconds))
    }
}

/// A length of time in whole nanoseconds; 64 bits, since the Core adds and compares millions of them a second. What is
/// longer than they hold (292 years) is as long as they hold: an app may send any number.
package struct Span: Hashable, Comparable, Sendable, Codable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Span(nanoseconds: 0)
    package static let longest = Span(nanoseconds: .max)
    /// What is no number is no time.
    package static func seconds(_ value: Double) -> Span {
        let nanoseconds = value * 1e9
        if let exact = Int64(exactly: nanoseconds.rounded(.towardZero)) { return Span(nanoseconds: exact) }
        return nanoseconds.isNaN ? .zero : Span(nanoseconds: nanoseconds < 0 ? .min : .max)
    }
    package static func milliseconds(_ value: Int64) -> Span { Span(nanoseconds: value.multiplied(by: 1_000_000)) }

    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package static func < (a: Span, b: Span) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Span, b: Span) -> Span { Span(nanoseconds: a.nanoseconds.adding(b.nanoseconds)) }
    package static func - (a: Span, b: Span) -> Span { Span(nanoseconds: a.nanoseconds.subtracting(b.nanoseconds)) }
    package static func * (a: Span, b: Int64) -> Span { Span(nanoseconds: a.nanoseconds.multiplied(by: b)) }
}

extension Int64 {
    // Arithmetic that stops at the ends: what an app, a file or a test says may be any number, and a sum that wrapped
    // around would be a deadline in the past.
    @inline(__always)
    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    @inline(__always)
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }

    @inline(__always)
    fileprivate func multiplied(by other: Int64) -> Int64 {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

/// A moment of wall-clock time: nanoseconds since 1970-01-01T00:00:00Z.
package struct WallTime: Hashable, Comparable, Sendable, Codable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    package init(microseconds: Int64) { nanoseconds = microseconds.multiplied(by: 1000) }

    package static func < (a: WallTime, b: WallTime) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: WallTime, b: Span) -> WallTime {
        WallTime(nanoseconds: a.nanoseconds.adding(b.nanoseconds))
    }
    package static func - (a: WallTime, b: WallTime) -> Span {
        Span(nanoseconds: a.nanoseconds.subtracting(b.nanoseconds))
    }

    /// Later than anything: `Date.distantFuture`, and whatever these bits cannot count.
    package static let never = WallTime(nanoseconds: .max)

    /// UTC, ISO 8601 with six digits and `Z`, the form of every time that Greenroom prints.
    package var iso8601: String {
        let (seconds, rest) = Self.floorDivide(nanoseconds, 1_000_000_000)
        let (days, secondOfDay) = Self.floorDivide(seconds, 86_400)
        let (year, month, day) = Self.civil(fromDays: days)
        func pad(_ value: Int64, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let time = "\(pad(secondOfDay / 3600, 2)):\(pad(secondOfDay / 60 % 60, 2)):\(pad(secondOfDay % 60, 2))"
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(time).\(pad(rest / 1000, 6))Z"
    }

    /// Fails unless the text is `YYYY-MM-DDTHH:MM:SS[.f…]Z`.
    package init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard bytes.count >= 20, bytes.count <= 30, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54,
            bytes[13] == 0x3A, bytes[16] == 0x3A, bytes.last == 0x5A, let year = number(0..<4),
            let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var nanoseconds: Int64 = 0
        if bytes.count > 20 {
            guard bytes[19] == 0x2E, let digits = number(20..<bytes.count - 1) else { return nil }
            nanoseconds = digits
            for _ in (bytes.count - 21)..<9 { nanoseconds *= 10 }
        }
        let days = Self.days(year, month, day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        // Nanoseconds reach from 1677 to 2262.
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows, product <= Int64.max - nanoseconds else { return nil }
        self.init(nanoseconds: product + nanoseconds)
    }

    private static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
        return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
    }

    /// The Gregorian date of a day count from 1970-01-01, by 400-year eras that begin on 1 March.
    private static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Days from 1970-01-01 of a Gregorian date, by 400-year eras that begin on 1 March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
