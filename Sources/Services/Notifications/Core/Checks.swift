internal import Model

/// What is wrong with what an app, a tool or a file says.
struct Fault: Hashable, Sendable {
    var parameter: String
    var text: String

    init(_ parameter: String, _ text: String) {
        self.parameter = parameter
        self.text = text
    }

    var sentence: String { "\(parameter): \(text)" }
}

extension NotificationRequest {
    func fault(_ rules: NotificationRules) -> Fault? {
        if identifier.isEmpty { return Fault("identifier", "it is empty") }
        if identifier.utf8.count > rules.longestIdentifier {
            return Fault("identifier", "it is longer than \(rules.longestIdentifier) bytes")
        }
        return content.fault(rules) ?? trigger.fault(rules)
    }
}

extension NotificationContent {
    func fault(_ rules: NotificationRules) -> Fault? {
        var length = title.utf8.count + subtitle.utf8.count + body.utf8.count + category.utf8.count
        length += thread.utf8.count + userInfo.utf8.count + launchImage.utf8.count
        length += (sound?.utf8.count ?? 0) + (targetContent?.utf8.count ?? 0)
        for attachment in attachments { length += attachment.name.utf8.count + attachment.path.utf8.count }
        if length > rules.longestContent { return Fault("content", "it is longer than \(rules.longestContent) bytes") }
        if let badge, badge < 0 { return Fault("badge", "it is less than zero") }
        if !relevance.isFinite { return Fault("relevance", "it is no number") }
        return nil
    }
}

extension NotificationTrigger {
    func fault(_ rules: NotificationRules) -> Fault? {
        switch self {
        case .now, .push: return nil
        case .after(let seconds, let repeats):
            if seconds <= .zero { return Fault("seconds", "it must be greater than zero") }
            if seconds > rules.longestInterval { return Fault("seconds", "it is longer than fifty years") }
            if repeats, seconds < rules.shortestRepeat {
                return Fault("seconds", "a repeating one must be at least \(Int(rules.shortestRepeat.seconds)) seconds")
            }
            return nil
        case .matching(let components, _): return components.fault
        case .region(let region, _):
            if region.identifier.isEmpty || region.identifier.utf8.count > rules.longestIdentifier {
                return Fault("region", "its identifier is empty or too long")
            }
            let isPlace = abs(region.latitude) <= 90 && abs(region.longitude) <= 180
            if !isPlace { return Fault("region", "there is no such place") }
            if !(region.radius > 0) { return Fault("region", "its radius is no length") }
            return region.radius <= rules.largestRadius ? nil : Fault("region", "its radius is more than 1000 km")
        }
    }
}

extension CalendarComponents {
    /// In the order in which a person would correct them.
    private var ranges: [(name: String, value: Int?, range: ClosedRange<Int>)] {
        // Other calendars have longer years, and count them from elsewhere; their months and weeks are a few more.
        let isOther = days != nil
        let years = isOther ? -99_999...99_999 : 1...9999
        return [
            ("year", year, years), ("yearForWeekOfYear", yearForWeekOfYear, years), ("quarter", quarter, 1...4),
            ("month", month, 1...(isOther ? 13 : 12)), ("weekOfYear", weekOfYear, 1...(isOther ? 56 : 53)),
            ("weekOfMonth", weekOfMonth, 0...6), ("day", day, 1...(isOther ? 32 : 31)), ("weekday", weekday, 1...7),
            ("weekdayOrdinal", weekdayOrdinal, -5...5),
            ("hour", hour, 0...23), ("minute", minute, 0...59), ("second", second, 0...59),
            ("firstWeekday", firstWeekday, 1...7), ("minimumDaysInFirstWeek", minimumDaysInFirstWeek, 1...7),
        ]
    }

    var fault: Fault? {
        for (name, value, range) in ranges {
            if let value, !range.contains(value) {
                return Fault(name, "\(value) is not between \(range.lowerBound) and \(range.upperBound)")
            }
        }
        if weekdayOrdinal == 0 { return Fault("weekdayOrdinal", "it is zero") }
        if weekdayOrdinal != nil, weekday == nil, days == nil { return Fault("weekdayOrdinal", "it needs a weekday") }
        // The last two have values in any case.
        if ranges.dropLast(2).allSatisfy({ $0.value == nil }) { return Fault("components", "none is given") }
        if let text = zone?.fault { return Fault("timeZone", text) }
        return days?.fault.map { Fault("calendar", $0) }
    }
}

extension ZoneRules {
    /// What POSIX allows, and a little more.
    private static let offsets: ClosedRange<Int32> = -93_600...93_600
    private static let mostTransitions = 4096

    package var fault: String? {
        let all = [initialOffset] + transitions.map(\.offset) + (rule.map { [$0.standard, $0.daylight] } ?? [])
        if !all.allSatisfy(Self.offsets.contains) { return "an offset is longer than 26 hours" }
        if transitions.count > Self.mostTransitions { return "it has more than \(Self.mostTransitions) transitions" }
        let times = transitions.map(\.at)
        if !zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) { return "its transitions are out of order" }
        if !times.allSatisfy({ abs($0.clamped) < 1 << 40 }) { return "a transition is out of all time" }
        if let rule, rule.begins.fault || rule.ends.fault { return "its rule names no day" }
        return nil
    }
}

extension ZoneRules.Change {
    fileprivate var fault: Bool {
        guard (-604_800...604_800).contains(time) else { return true }
        return switch day {
        case .monthWeekday(let month, let week, let weekday):
            !(1...12).contains(month) || !(1...5).contains(week) || !(0...6).contains(weekday)
        case .julian(let day): !(1...365).contains(day)
        case .ordinal(let day): !(0...365).contains(day)
        }
    }
}

extension Int64 {
    /// Has a magnitude.
    fileprivate var clamped: Int64 { self == .min ? .min + 1 : self }
}

extension [NotificationCategory] {
    func fault(_ rules: NotificationRules) -> Fault? {
        if count > rules.mostCategories { return Fault("categories", "more than \(rules.mostCategories)") }
        var length = 0
        for category in self {
            if category.actions.count > rules.mostActions {
                return Fault("actions", "\(category.identifier) has more than \(rules.mostActions)")
            }
            length += category.identifier.utf8.count + (category.hiddenPreviewsPlaceholder?.utf8.count ?? 0)
            for intent in category.intents { length += intent.utf8.count }
            for action in category.actions {
                length += action.identifier.utf8.count + action.title.utf8.count
                length += (action.textInput.map { $0.buttonTitle.utf8.count + $0.placeholder.utf8.count }) ?? 0
            }
        }
        return length > rules.longestContent * 4 ? Fault("categories", "they are longer than 64 KiB together") : nil
    }
}
