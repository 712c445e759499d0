/// The rule by which a zone goes on for ever, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Hashable, Sendable {
    /// A day of a year by month, week and weekday, and the local time of the change in seconds.
    private struct Day: Hashable {
        var month: Int64
        var week: Int64
        var weekday: Int64
        var time: Int64
    }

    private let standard: Int64
    private var summer: (offset: Int64, begins: Day, ends: Day)?

    static func == (a: TimeZoneRule, b: TimeZoneRule) -> Bool {
        a.standard == b.standard && a.summer?.offset == b.summer?.offset && a.summer?.begins == b.summer?.begins
            && a.summer?.ends == b.summer?.ends
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(standard)
        hasher.combine(summer?.begins)
        hasher.combine(summer?.ends)
    }

    /// `nil` where there is none, or one by days of the year, which no zone of today has.
    init?(_ text: String) {
        var rest = text[...]
        guard Self.name(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        if rest.isEmpty { return }
        guard Self.name(&rest) else { return nil }
        var offset = standard + 3600
        if rest.first != "," {
            guard let west = Self.time(&rest) else { return nil }
            offset = -west
        }
        guard let begins = Self.day(&rest), let ends = Self.day(&rest), rest.isEmpty else { return nil }
        summer = (offset, begins, ends)
    }

    /// As a value; `nil` where nothing changes.
    var yearly: TimeZoneFile.Yearly? {
        guard let summer else { return nil }
        func day(_ day: Day) -> TimeZoneFile.Yearly.Day {
            TimeZoneFile.Yearly.Day(
                month: Int32(day.month), week: Int32(day.week), weekday: Int32(day.weekday),
                time: Int32(clamping: day.time))
        }
        return TimeZoneFile.Yearly(
            standard: Int32(clamping: standard), daylight: Int32(clamping: summer.offset), begins: day(summer.begins),
            ends: day(summer.ends))
    }

    func offset(at moment: Int64) -> Int32 {
        guard summer != nil else { return Int32(standard) }
        let year = Self.year(moment)
        let all = (year - 1...year + 1).flatMap(transitions).sorted { $0.at < $1.at }
        return all.last { $0.at <= moment }?.offset ?? Int32(standard)
    }

    /// Those of a year, in their order.
    func transitions(in year: Int64) -> [TimeZoneFile.Transition] {
        guard let summer else { return [] }
        let begins = Self.seconds(summer.begins, in: year) - standard
        let ends = Self.seconds(summer.ends, in: year) - summer.offset
        return [
            TimeZoneFile.Transition(at: begins, offset: Int32(summer.offset)),
            TimeZoneFile.Transition(at: ends, offset: Int32(standard)),
        ].sorted { $0.at < $1.at }
    }

    static func year(_ moment: Int64) -> Int64 {
        var year = 1970 + Int64((Double(moment) / 31_556_952).rounded(.down))
        while days(year + 1, 1) * 86_400 <= moment { year += 1 }
        while days(year, 1) * 86_400 > moment { year -= 1 }
        return year
    }

    /// From 1970 to the first of a month, in the Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let century = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofCentury = shifted - century * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5
        return century * 146_097 + ofCentury * 365 + ofCentury / 4 - ofCentury / 100 + ofYear - 719_468
    }

    private static func seconds(_ day: Day, in year: Int64) -> Int64 {
        let first = days(year, day.month)
        let next = day.month == 12 ? days(year + 1, 1) : days(year, day.month + 1)
        // 1970 began on a Thursday.
        let weekday = ((first + 4) % 7 + 7) % 7
        var date = first + (day.weekday - weekday + 7) % 7 + (day.week - 1) * 7
        while date >= next { date -= 7 }
        return date * 86_400 + day.time
    }

    // MARK: Reading

    private static func name(_ rest: inout Substring) -> Bool {
        let before = rest.count
        if rest.first == "<" {
            rest = rest.drop { $0 != ">" }.dropFirst()
        } else {
            rest = rest.drop { $0.isLetter }
        }
        return rest.count < before
    }

    private static func number(_ rest: inout Substring) -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        return digits.count <= 3 ? Int64(digits) : nil
    }

    /// Hours, perhaps with a sign, minutes and seconds.
    private static func time(_ rest: inout Substring) -> Int64? {
        let sign: Int64 = rest.first == "-" ? -1 : 1
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        guard let hours = number(&rest) else { return nil }
        var seconds = hours * 3600
        for unit in [Int64(60), 1] where rest.first == ":" {
            rest = rest.dropFirst()
            guard let value = number(&rest) else { return nil }
            seconds += value * unit
        }
        return sign * seconds
    }

    private static func day(_ rest: inout Substring) -> Day? {
        guard rest.hasPrefix(",M") else { return nil }
        rest = rest.dropFirst(2)
        var numbers: [Int64] = []
        for place in 0..<3 {
            if place > 0 {
                guard rest.first == "." else { return nil }
                rest = rest.dropFirst()
            }
            guard let value = number(&rest) else { return nil }
            numbers.append(value)
        }
        guard (1...12).contains(numbers[0]), (1...5).contains(numbers[1]), (0...6).contains(numbers[2]) else {
            return nil
        }
        var time: Int64 = 7200
        if rest.first == "/" {
            rest = rest.dropFirst()
            guard let given = self.time(&rest) else { return nil }
            time = given
        }
        return Day(month: numbers[0], week: numbers[1], weekday: numbers[2], time: time)
    }
}
