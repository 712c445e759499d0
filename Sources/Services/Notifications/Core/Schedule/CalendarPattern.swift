/// What `CalendarComponents` mean: units that are smaller than the smallest one given are filled in.
struct CalendarPattern: Hashable, Sendable {
    private let components: CalendarComponents
    /// The first day of a week, where a week is all that is given.
    private var isFirstOfWeek = false
    /// The first day of what is given, where that is a month, a quarter or a year.
    private var month: Int?
    private var day: Int?
    private var weekOfYear: Int?
    /// `nil`: any.
    private(set) var hour: Int?
    private(set) var minute: Int?
    private(set) var second: Int

    /// The components are in their ranges (`CalendarComponents.fault`).
    init(_ components: CalendarComponents) {
        self.components = components
        second = components.second ?? 0
        minute = components.minute ?? (components.second == nil ? 0 : nil)
        let hasTime = components.hour != nil || components.minute != nil || components.second != nil
        hour = components.hour ?? (hasTime ? nil : 0)
        month = components.month
        day = components.day
        weekOfYear = components.weekOfYear
        guard !hasTime, components.day == nil, components.weekday == nil else { return }
        if components.weekOfMonth != nil || components.weekOfYear != nil {
            isFirstOfWeek = true
        } else if components.yearForWeekOfYear != nil {
            weekOfYear = 1
            isFirstOfWeek = true
        } else {
            day = 1
            if components.month == nil {
                month = components.quarter.map { $0 * 3 - 2 } ?? 1
            }
        }
    }

    /// Its times are the same on each day, so that one that is skipped is missed.
    var hasDefiniteTime: Bool { hour != nil && minute != nil }

    // MARK: Days

    /// The first such day in the range.
    func firstDay(in range: Range<Int>) -> Int? {
        if let days = components.days { return days.firstDay(in: range) }
        var number = range.lowerBound
        while number < range.upperBound {
            let date = CivilDay(number: number)
            if let year = components.year, date.year != year {
                guard date.year < year else { return nil }
                number = CivilDay.number(year, 1, 1)
            } else if !matchesMonth(date) {
                number += date.daysInMonth - date.day + 1
            } else if let day, date.day != day {
                number += day > date.day ? day - date.day : date.daysInMonth - date.day + 1
                // A month that lacks the day: what came of the sum is in the next one, and is looked at again.
            } else if matchesWeek(date) {
                return number
            } else {
                number += 1
            }
        }
        return nil
    }

    private func matchesMonth(_ date: CivilDay) -> Bool {
        (month == nil || month == date.month) && (components.quarter == nil || components.quarter == date.quarter)
    }

    private func matchesWeek(_ date: CivilDay) -> Bool {
        if let weekday = components.weekday, weekday != date.weekday { return false }
        if let ordinal = components.weekdayOrdinal {
            let place = ordinal > 0 ? (date.day - 1) / 7 + 1 : -((date.daysInMonth - date.day) / 7 + 1)
            if place != ordinal { return false }
        }
        if let week = components.weekOfMonth {
            let own = date.weekOfMonth(
                firstWeekday: components.firstWeekday, minimumDays: components.minimumDaysInFirstWeek)
            if own != week || isFirstOfWeek && date.weekday != components.firstWeekday && date.day != 1 { return false }
        }
        guard weekOfYear != nil || components.yearForWeekOfYear != nil else { return true }
        let own = date.weekOfYear(
            firstWeekday: components.firstWeekday, minimumDays: components.minimumDaysInFirstWeek)
        if let weekOfYear, own.week != weekOfYear { return false }
        if let year = components.yearForWeekOfYear, own.year != year { return false }
        return components.weekOfMonth != nil || !isFirstOfWeek || date.weekday == components.firstWeekday
    }

    // MARK: Times

    /// The first such second of a day, from that one on.
    func firstTime(from start: Int) -> Int? {
        let (first, rest) = (start / 3600, start % 3600)
        guard let hour else {
            for hour in first..<24 {
                if let time = timeOfHour(from: hour == first ? rest : 0) { return hour * 3600 + time }
            }
            return nil
        }
        guard hour >= first else { return nil }
        return timeOfHour(from: hour == first ? rest : 0).map { hour * 3600 + $0 }
    }

    private func timeOfHour(from start: Int) -> Int? {
        if let minute {
            let time = minute * 60 + second
            return time >= start ? time : nil
        }
        let minute = max(0, (start - second + 59) / 60)
        return minute < 60 ? minute * 60 + second : nil
    }

    /// The first such moment of a clock that shows the seconds of this range, counted from 1970 as if it were UTC.
    func firstMoment(in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        let last = floorDivide(range.upperBound - 1, 86_400).quotient
        var (day, start) = floorDivide(range.lowerBound, 86_400)
        while day <= last, let next = firstDay(in: day..<last + 1) {
            if let time = firstTime(from: next == day ? start : 0) {
                let moment = next * 86_400 + time
                return moment < range.upperBound ? moment : nil
            }
            day = next + 1
            start = 0
        }
        return nil
    }
}
