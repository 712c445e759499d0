/// Which moments of the wall clock are meant, in the Gregorian calendar: all that are given have to match. In another
/// calendar, `days` says which days match, and only the units below a day count. Units that
/// are smaller than the smallest one given are at their least: `hour: 8` is 8:00:00 of each day, `weekday: 2` midnight
/// of each Monday. Units that are left out between two that are given match anything: `day: 1, minute: 30` is half past
/// each hour of the first.
///
/// A day that a month does not have (31 April, 29 February) is left out in that month. A time that a change to daylight
/// saving time skips is taken at the end of the gap, and one that comes twice is taken the first time; with no hour
/// given, each hour counts that there really is.
package struct CalendarComponents: Hashable, Sendable, Codable {
    package var year: Int?
    package var quarter: Int?
    package var month: Int?
    package var weekOfYear: Int?
    package var weekOfMonth: Int?
    package var day: Int?
    /// 1: Sunday … 7: Saturday.
    package var weekday: Int?
    /// The how manieth of its weekday in the month; −1: the last. Needs a weekday.
    package var weekdayOrdinal: Int?
    package var hour: Int?
    package var minute: Int?
    package var second: Int?
    /// The year that `weekOfYear` counts in.
    package var yearForWeekOfYear: Int?
    /// `nil`: the zone of the machine, whichever that is then.
    package var zone: ZoneRules?
    /// The calendar's: 1 is Sunday.
    package var firstWeekday = 1
    package var minimumDaysInFirstWeek = 1
    /// Of another calendar than the Gregorian one.
    package var days: DayList?

    package init(
        year: Int? = nil, month: Int? = nil, day: Int? = nil, hour: Int? = nil, minute: Int? = nil, second: Int? = nil,
        weekday: Int? = nil
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.weekday = weekday
    }
}
