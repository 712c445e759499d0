internal import Foundation
package import NotificationsWire

/// When a notification is shown. Use one of the subclasses.
// Its state, and that of its subclasses, is constant.
open class UNNotificationTrigger: NSObject, NSCopying, @unchecked Sendable {
    package let info: NotificationTriggerInfo

    package init(_ info: NotificationTriggerInfo) {
        self.info = info
        super.init()
    }

    /// Whether the notification is shown again and again.
    open var repeats: Bool {
        switch info {
        case .interval(_, let repeats), .calendar(_, let repeats), .region(_, let repeats): repeats
        case .push: false
        }
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it means the same moments.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationTrigger)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }

    /// As the service is asked for it.
    func record() -> NotificationTriggerInfo { info }

    static func make(_ info: NotificationTriggerInfo) -> UNNotificationTrigger {
        switch info {
        case .interval(let seconds, let repeats):
            UNTimeIntervalNotificationTrigger(seconds: seconds, repeats: repeats)
        case .calendar(let components, let repeats):
            UNCalendarNotificationTrigger(DateComponents(components), components, repeats: repeats)
        case .region(let region, let repeats): UNLocationNotificationTrigger(region, repeats: repeats)
        case .push: UNPushNotificationTrigger()
        }
    }
}

/// The notification came as a push.
// As its superclass.
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    package init() { super.init(.push) }
}

/// So many seconds after the request, by the device's own clock, whatever the wall clock is set to.
// As its superclass.
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// Seconds.
    public let timeInterval: TimeInterval

    /// Creates a trigger.
    ///
    /// - Parameters:
    ///   - timeInterval: seconds; more than none, and 60 at least if it repeats. Anything else ends the app, as on
    ///     Apple's systems.
    ///   - repeats: whether it is shown again each time that so many seconds have passed.
    public convenience init(timeInterval: TimeInterval, repeats: Bool) {
        precondition(timeInterval > 0 && timeInterval.isFinite, "time interval must be greater than 0")
        precondition(
            !repeats || timeInterval >= NotificationLimits.shortestRepetition,
            "time interval must be at least 60 if repeating")
        self.init(seconds: timeInterval, repeats: repeats)
    }

    init(seconds: TimeInterval, repeats: Bool) {
        timeInterval = seconds
        super.init(.interval(seconds: seconds, repeats: repeats))
    }

    /// When it would be shown if it were asked for now, as Apple's systems have it also of requests that are pending.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }
}

/// When the wall clock shows it.
// As its superclass.
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// What of a date has to match; what is not given matches anything.
    public let dateComponents: DateComponents

    /// Creates a trigger.
    ///
    /// - Parameters:
    ///   - dateComponents: what of a date has to match, in their own calendar or, without one, in the user's. Without a
    ///     time zone it follows the device's.
    ///   - repeats: whether it is shown each time that they match, or only the next time.
    public convenience init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.init(dateComponents, NotificationComponents(dateComponents), repeats: repeats)
    }

    init(_ dateComponents: DateComponents, _ components: NotificationComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(.calendar(components, repeats: repeats))
    }

    /// When the clock shows it next; `nil` if it never does.
    open func nextTriggerDate() -> Date? { nextTriggerDate(after: Date()) }

    package func nextTriggerDate(after date: Date) -> Date? {
        guard case .calendar(let components, _) = info, !components.isEmpty else { return nil }
        if components.calendar != nil { return nextTriggerDate(of: components, after: date) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = dateComponents.timeZone ?? .current
        calendar.firstWeekday = components.firstWeekday.map(Int.init) ?? 1
        calendar.minimumDaysInFirstWeek = components.minimumDaysInFirstWeek.map(Int.init) ?? 1
        var wanted = DateComponents(components)
        wanted.timeZone = nil
        return calendar.nextDate(after: date, matching: wanted, matchingPolicy: .nextTime)
    }

    /// In another calendar than the Gregorian one.
    private func nextTriggerDate(of components: NotificationComponents, after date: Date) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = dateComponents.timeZone ?? .current
        let hasTime = components.hour != nil || components.minute != nil || components.second != nil
        for day in CalendarDays(dateComponents).next(after: date) {
            var wanted = CalendarDays.gregorian(day)
            wanted.hour = components.hour.map(Int.init) ?? (hasTime ? nil : 0)
            wanted.minute = components.minute.map(Int.init)
            wanted.second = components.second.map(Int.init)
            if let next = calendar.nextDate(after: date, matching: wanted, matchingPolicy: .nextTime) { return next }
        }
        return nil
    }

    /// With the days that match, where only the app can tell which they are.
    override func record() -> NotificationTriggerInfo {
        guard case .calendar(var components, let repeats) = info, components.calendar != nil else { return info }
        components.calendar?.days = CalendarDays(dateComponents).runs(after: Date(), repeats: repeats)
        return .calendar(components, repeats: repeats)
    }
}

/// When the device enters or leaves a region.
///
/// CoreLocation, which has the regions, has its initializer as well.
// As its superclass.
open class UNLocationNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    package let circle: NotificationRegion

    package init(_ region: NotificationRegion, repeats: Bool) {
        circle = region
        super.init(.region(region, repeats: repeats))
    }
}

extension NotificationComponents {
    init(_ components: DateComponents) {
        self.init(
            era: components.era.map(Int64.init), year: components.year.map(Int64.init),
            quarter: components.quarter.map(Int64.init), month: components.month.map(Int64.init),
            day: components.day.map(Int64.init), hour: components.hour.map(Int64.init),
            minute: components.minute.map(Int64.init), second: components.second.map(Int64.init),
            weekday: components.weekday.map(Int64.init), weekdayOrdinal: components.weekdayOrdinal.map(Int64.init),
            weekOfMonth: components.weekOfMonth.map(Int64.init), weekOfYear: components.weekOfYear.map(Int64.init),
            yearForWeekOfYear: components.yearForWeekOfYear.map(Int64.init),
            timeZone: components.timeZone?.identifier, calendar: CalendarDays.record(components))
        // Only weeks ask what a week is.
        guard weekOfMonth != nil || weekOfYear != nil else { return }
        let calendar = components.calendar ?? .current
        firstWeekday = Int64(calendar.firstWeekday)
        minimumDaysInFirstWeek = Int64(calendar.minimumDaysInFirstWeek)
    }
}

extension DateComponents {
    init(_ components: NotificationComponents) {
        self.init(
            calendar: components.calendar.flatMap { CalendarDays.calendar(named: $0.identifier) },
            timeZone: components.timeZone.flatMap(TimeZone.init(identifier:)), era: components.era.map(Int.init),
            year: components.year.map(Int.init), month: components.month.map(Int.init),
            day: components.day.map(Int.init), hour: components.hour.map(Int.init),
            minute: components.minute.map(Int.init), second: components.second.map(Int.init),
            weekday: components.weekday.map(Int.init), weekdayOrdinal: components.weekdayOrdinal.map(Int.init),
            quarter: components.quarter.map(Int.init), weekOfMonth: components.weekOfMonth.map(Int.init),
            weekOfYear: components.weekOfYear.map(Int.init),
            yearForWeekOfYear: components.yearForWeekOfYear.map(Int.init))
        isLeapMonth = components.calendar?.isLeapMonth
    }
}
