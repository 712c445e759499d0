package import Model

/// Reads the times of the protocol and says them to people.
package struct Moment {
    /// What the clock says now, and how far local time is ahead of UTC at a moment, in seconds.
    package struct Clock: Sendable {
        package var now: @Sendable () -> WallTime
        package var offset: @Sendable (WallTime) -> Int64

        package init(now: @escaping @Sendable () -> WallTime, offset: @escaping @Sendable (WallTime) -> Int64) {
            self.now = now
            self.offset = offset
        }
    }

    package let time: WallTime

    /// Fails unless the text is `YYYY-MM-DDTHH:MM:SS[.f…]Z`.
    package init?(_ text: String) {
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
        time = WallTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
    }

    /// "5 s ago".
    package func age(_ clock: Clock) -> String {
        let seconds = (clock.now().nanoseconds - time.nanoseconds) / 1_000_000_000
        return switch seconds {
        case ..<1: "now"
        case ..<60: "\(seconds) s ago"
        case ..<3600: "\(seconds / 60) min ago"
        case ..<86_400: "\(seconds / 3600) h ago"
        default: "\(seconds / 86_400) d ago"
        }
    }

    /// Local time of day, with the date in front on another day than today.
    package func local(_ clock: Clock, milliseconds: Bool = false) -> String {
        let here = Self.shifted(time, clock)
        let (date, clockTime) = (here.prefix(10), here.dropFirst(11).prefix(milliseconds ? 12 : 8))
        let isToday = Self.shifted(clock.now(), clock).prefix(10) == date
        return isToday ? String(clockTime) : "\(date) \(clockTime)"
    }

    private static func shifted(_ time: WallTime, _ clock: Clock) -> String {
        WallTime(nanoseconds: time.nanoseconds + clock.offset(time) * 1_000_000_000).iso8601
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
