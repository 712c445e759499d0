/// The date at which a cookie expires, as lenient as browsers are (RFC 6265, section 5.1.1): in whatever order and with
/// whatever between them there are a time, a day, a month and a year.
package enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private struct Found {
        var time: Int64?
        var day: Int64?
        var month: Int64?
        var year: Int64?
    }

    /// Seconds since 1970, before it as well; `nil`: it is no date.
    package static func seconds(_ text: String) -> Int64? {
        var found = Found()
        for token in text.utf8.split(whereSeparator: isDelimiter) { take(token, &found) }
        guard let time = found.time, let day = found.day, let month = found.month, var year = found.year else {
            return nil
        }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, day >= 1, day <= days(in: month, year) else { return nil }
        return daysSince1970(year, month, day) * 86_400 + time
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A token is the first thing that is missing and that it can be.
    private static func take(_ token: Substring.UTF8View.SubSequence, _ found: inout Found) {
        if found.time == nil, let time = time(token) {
            found.time = time
        } else if found.day == nil, let day = number(token, 1...2) {
            found.day = day
        } else if found.month == nil, let month = month(token) {
            found.month = month
        } else if found.year == nil, let year = number(token, 2...4) {
            found.year = year
        }
    }

    /// `H:M:S`, and anything behind it that does not begin with a digit.
    private static func time(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2, let hour = number(parts[0], 1...2),
            let minute = number(parts[1], 1...2), let second = number(parts[2], 1...2), hour <= 23, minute <= 59,
            second <= 59, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func month(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex(of: name).map { Int64($0) + 1 }
    }

    /// The digits with which a token begins, if there are so many.
    private static func number(_ token: Substring.UTF8View.SubSequence, _ counts: ClosedRange<Int>) -> Int64? {
        let digits = token.prefix(while: isDigit)
        guard counts.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func days(in month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// In the Gregorian calendar; years begin in March, so that a leap day is the last one.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
