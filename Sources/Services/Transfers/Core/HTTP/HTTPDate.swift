internal import Model

/// The three forms of a date in HTTP (RFC 9110, section 5.6.7), as seconds since 1970.
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter now: dates with two digits for the year are not more than fifty years ahead of it.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 6, words[5] == "GMT", let day = number(words[1], 2) {
            guard let year = year(words[3], now: now) else { return nil }
            return seconds(year: year, month: words[2], day: day, time: words[4])
        }
        // Sun Nov  6 08:49:37 1994
        if words.count == 5, let day = number(words[2], 2), words[4].utf8.count == 4, let year = number(words[4], 4) {
            return seconds(year: year, month: words[1], day: day, time: words[3])
        }
        return nil
    }

    private static func year(_ text: String, now: Int64) -> Int64? {
        guard let value = number(text, 4) else { return nil }
        if text.utf8.count == 4 { return value }
        guard text.utf8.count == 2 else { return nil }
        let present = 1970 + now / 31_556_952
        var year = present / 100 * 100 + value
        if year > present + 50 { year -= 100 }
        return year
    }

    private static func number(_ text: String, _ longest: Int) -> Int64? {
        guard (1...longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    private static func seconds(year: Int64, month: String, day: Int64, time: String) -> Int64? {
        guard let place = months.firstIndex(of: month), (1...31).contains(day), year >= 1970 else { return nil }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
            let second = number(parts[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let date = "\(min(year, 2261))-\(padded(Int64(place) + 1))-\(padded(day))T\(padded(hour)):\(padded(minute))"
        // A leap second counts as the one before it, and what is beyond all clocks as far away.
        return WallTime(iso8601: "\(date):\(padded(min(second, 59)))Z").map { $0.nanoseconds / 1_000_000_000 }
    }
}
