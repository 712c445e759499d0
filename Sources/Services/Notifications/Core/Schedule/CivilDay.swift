/// A day of the Gregorian calendar, and what can be said of it.
struct CivilDay: Hashable, Sendable {
    let year: Int
    let month: Int
    let day: Int
    /// Days from 1970-01-01.
    let number: Int

    init(number: Int) {
        // By eras of 400 years that begin on 1 March.
        let (era, dayOfEra) = floorDivide(number + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        self.number = number
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
        number = Self.number(year, month, day)
    }

    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivide(shiftedYear, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 1: Sunday … 7: Saturday.
    static func weekday(ofNumber number: Int) -> Int { floorDivide(number + 4, 7).remainder + 1 }

    var weekday: Int { Self.weekday(ofNumber: number) }
    var daysInMonth: Int { Self.days(in: month, of: year) }
    var quarter: Int { (month - 1) / 3 + 1 }

    /// Zero where the days before the first week are too few to be one.
    func weekOfMonth(firstWeekday: Int, minimumDays: Int) -> Int {
        let first = Self.weekday(ofNumber: number - day + 1)
        let before = floorDivide(first - firstWeekday, 7).remainder
        return (day - 1 + before) / 7 + (7 - before >= minimumDays ? 1 : 0)
    }

    func weekOfYear(firstWeekday: Int, minimumDays: Int) -> (year: Int, week: Int) {
        let begins = number - floorDivide(weekday - firstWeekday, 7).remainder
        // Of this day's year is the week.
        let decisive = begins + 7 - minimumDays
        let year = CivilDay(number: decisive).year
        return (year, (decisive - Self.number(year, 1, 1)) / 7 + 1)
    }
}

/// The quotient is rounded down, and the remainder is never negative.
func floorDivide<Number: FixedWidthInteger>(_ value: Number, _ by: Number) -> (
    quotient: Number, remainder: Number
) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
    return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
}
