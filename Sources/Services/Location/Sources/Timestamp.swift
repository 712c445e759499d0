/// Moments as ISO 8601 writes them.
enum Timestamp {
    /// Seconds since 1970; `nil` for what is no moment. Without an offset it is universal time, as GPX wants it.
    static func seconds(_ text: String) -> Double? {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard text.utf8.count <= 64, let year = reader.digits(4), reader.take("-"), let month = reader.digits(2),
            reader.take("-"), let day = reader.digits(2), let days = days(year, month, day)
        else { return nil }
        let midnight = Double(days) * 86_400
        if reader.rest.isEmpty { return midnight }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.digits(2), reader.take(":"),
            let minute = reader.digits(2), hour < 24, minute < 60
        else { return nil }
        var second = 0.0
        if reader.take(":") {
            // 60 is a leap second.
            guard let whole = reader.digits(2), whole <= 60 else { return nil }
            second = Double(whole)
            if reader.take(".") || reader.take(",") {
                guard let fraction = reader.fraction() else { return nil }
                second += fraction
            }
        }
        guard let offset = reader.offset(), reader.rest.isEmpty else { return nil }
        return midnight + Double(hour * 3600 + minute * 60) + second - Double(offset)
    }

    /// Days from 1970-01-01 by the Gregorian calendar; `nil` for a date that there is not.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day) else {
            return nil
        }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let daysTo1970 = 719_162
        return before * 365 + leapDays - daysTo1970 + lengths.prefix(month - 1).reduce(0, +) + day - 1
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            let text = rest.prefix(count)
            guard text.count == count, text.allSatisfy(Self.isDigit) else { return nil }
            rest = rest.dropFirst(count)
            return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }

        /// What stands behind the point.
        mutating func fraction() -> Double? {
            let text = rest.prefix(while: Self.isDigit)
            guard !text.isEmpty else { return nil }
            rest = rest.dropFirst(text.count)
            return text.reversed().reduce(0) { ($0 + Double($1 - UInt8(ascii: "0"))) / 10 }
        }

        /// Seconds that the clock is ahead of universal time.
        mutating func offset() -> Int? {
            if rest.isEmpty || take("Z") || take("z") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let hours = digits(2) else { return nil }
            _ = take(":")
            guard let minutes = rest.isEmpty ? 0 : digits(2), hours < 24, minutes < 60 else { return nil }
            return (isAhead ? 1 : -1) * (hours * 3600 + minutes * 60)
        }

        static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }
}
