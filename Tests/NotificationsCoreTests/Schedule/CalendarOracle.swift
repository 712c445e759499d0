import Model
import NotificationsCore

/// The same answer, found by looking at each second: slow, and simple enough to be believed.
struct CalendarOracle {
    let components: CalendarComponents
    let zone: ZoneRules

    /// The next one within so many seconds.
    func next(after second: Int, within length: Int) -> Int? {
        var local = second + zone.offset(at: second)
        for moment in second + 1...second + length {
            let before = local
            local = moment + zone.offset(at: moment)
            if local > before + 1, isDefinite, (before + 1..<local).contains(where: matches) { return moment }
            guard matches(local) else { continue }
            if components.hour == nil && hasTime { return moment }
            // By the same clock, had it been so before?
            let isSecond = (1...7200).contains { step in
                moment - step + zone.offset(at: moment - step) == local
            }
            if !isSecond { return moment }
        }
        return nil
    }

    private var hasTime: Bool { components.hour != nil || components.minute != nil || components.second != nil }
    private var isDefinite: Bool { hasTime ? components.hour != nil && minute != nil : true }
    private var minute: Int? { components.minute ?? (components.second == nil ? 0 : nil) }

    private func matches(_ local: Int) -> Bool {
        let day = Int((Double(local) / 86_400).rounded(.down))
        let time = local - day * 86_400
        func fits(_ wanted: Int?, _ value: Int) -> Bool { wanted.map { $0 == value } ?? true }
        guard fits(components.second ?? 0, time % 60), fits(minute, time / 60 % 60),
            fits(components.hour ?? (hasTime ? nil : 0), time / 3600)
        else { return false }
        // 1970-01-01 was a Thursday.
        let weekday = ((day + 4) % 7 + 7) % 7 + 1
        let (year, month, date, length) = Self.date(day)
        let isFree = hasTime || components.day != nil || components.weekday != nil
        guard fits(components.year, year), fits(components.quarter, (month + 2) / 3), fits(components.weekday, weekday)
        else { return false }
        if let ordinal = components.weekdayOrdinal {
            let forward = (date + 6) / 7
            let backward = -((length - date) / 7 + 1)
            guard ordinal == (ordinal > 0 ? forward : backward) else { return false }
        }
        guard isFree else {
            let first = components.month ?? components.quarter.map { $0 * 3 - 2 } ?? 1
            return month == first && date == 1
        }
        return fits(components.month, month) && fits(components.day, date)
    }

    /// Counts the years, as one would by hand.
    private static func date(_ number: Int) -> (year: Int, month: Int, day: Int, length: Int) {
        var year = 1970
        var rest = number
        while true {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length = isLeap ? 366 : 365
            if rest >= length {
                rest -= length
                year += 1
                continue
            }
            let months = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (place, days) in months.enumerated() {
                if rest < days { return (year, place + 1, rest + 1, days) }
                rest -= days
            }
        }
    }
}
