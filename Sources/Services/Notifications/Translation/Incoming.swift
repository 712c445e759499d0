package import Model
package import NotificationsCore
package import NotificationsWire
package import Wire

// The Core's words and those of the wire: what comes from apps and tools.

/// The zone of a name; `nil`: there is none.
package typealias ZoneFinder = (String) -> ZoneRules?

extension WallTime {
    package init(wire seconds: Double) {
        self.init(nanoseconds: Int64(min(max(seconds.isFinite ? seconds : 0, 0), 9e9) * 1e9))
    }

    package var wire: Double { Double(nanoseconds) / 1e9 }
}

extension NotificationContent {
    package init(wire info: NotificationContentInfo) throws(RPCError) {
        self.init(title: info.title, body: info.body, badge: info.badge.map { Int($0) }, sound: info.sound)
        subtitle = info.subtitle
        category = info.category
        thread = info.thread
        if let text = info.userInfo {
            guard case .object? = try? JSONValue(parsing: text) else {
                throw .invalidParameter("userInfo", "userInfo must be a JSON object, as text")
            }
            userInfo = text
        }
        interruption = InterruptionLevel(rawValue: info.level.rawValue) ?? .active
        relevance = info.relevance.isFinite ? min(max(info.relevance, 0), 1) : 0
        launchImage = info.launchImage
        targetContent = info.targetContent
        guard info.attachments.count <= Self.mostAttachments else {
            throw .invalidParameter("attachments", "a notification has \(Self.mostAttachments) attachments at most")
        }
        attachments = info.attachments.map { Attachment(name: $0.identifier, path: $0.path) }
    }

    private static let mostAttachments = 16
}

extension NotificationRequest {
    package init(wire info: NotificationRequestInfo, _ zones: ZoneFinder) throws(RPCError) {
        self.init(
            identifier: info.identifier, content: try NotificationContent(wire: info.content),
            trigger: try info.trigger.map { trigger throws(RPCError) in try NotificationTrigger(wire: trigger, zones) }
                ?? .now)
    }
}

extension NotificationTrigger {
    package init(wire info: NotificationTriggerInfo, _ zones: ZoneFinder) throws(RPCError) {
        switch info {
        case .interval(let seconds, let repeats):
            guard seconds.isFinite, seconds > 0 else {
                throw .invalidParameter("seconds", "an interval is longer than 0 seconds")
            }
            self = .after(seconds: .seconds(seconds), repeats: repeats)
        case .calendar(let components, let repeats):
            self = .matching(try CalendarComponents(wire: components, zones), repeats: repeats)
        case .region(let region, let repeats):
            let numbers = [region.latitude, region.longitude, region.radius]
            guard numbers.allSatisfy(\.isFinite), region.radius >= 0 else {
                throw .invalidParameter("region", "a region has a centre and a radius")
            }
            self = .region(
                RegionTrigger(
                    identifier: region.identifier, latitude: region.latitude, longitude: region.longitude,
                    radius: region.radius, onEntry: region.onEntry, onExit: region.onExit), repeats: repeats)
        case .push: throw .invalidParameter("trigger", "only a provider's notification has this trigger")
        }
    }
}

extension CalendarComponents {
    package init(wire info: NotificationComponents, _ zones: ZoneFinder) throws(RPCError) {
        self.init()
        func number(_ value: Int64?, _ name: String) throws(RPCError) -> Int? {
            guard let value else { return nil }
            guard let number = Int32(exactly: value) else {
                throw .invalidParameter(name, "\(name) is no part of a date: \(value)")
            }
            return Int(number)
        }
        year = try number(info.year, "year")
        quarter = try number(info.quarter, "quarter")
        month = try number(info.month, "month")
        weekOfYear = try number(info.weekOfYear, "weekOfYear")
        weekOfMonth = try number(info.weekOfMonth, "weekOfMonth")
        day = try number(info.day, "day")
        weekday = try number(info.weekday, "weekday")
        weekdayOrdinal = try number(info.weekdayOrdinal, "weekdayOrdinal")
        hour = try number(info.hour, "hour")
        minute = try number(info.minute, "minute")
        second = try number(info.second, "second")
        yearForWeekOfYear = try number(info.yearForWeekOfYear, "yearForWeekOfYear")
        firstWeekday = try number(info.firstWeekday, "firstWeekday") ?? firstWeekday
        minimumDaysInFirstWeek =
            try number(info.minimumDaysInFirstWeek, "minimumDaysInFirstWeek") ?? minimumDaysInFirstWeek
        if let name = info.timeZone {
            guard let rules = zones(name) ?? ZoneRules(distanceIn: name) else {
                throw .invalidParameter("timeZone", "there is no time zone \(name.prefix(64))")
            }
            zone = rules
        }
        if let calendar = info.calendar { days = try DayList(wire: calendar) }
    }
}

extension DayList {
    init(wire info: NotificationCalendar) throws(RPCError) {
        guard let days = info.days else {
            throw .invalidParameter(
                "calendar", "\(info.identifier.prefix(64)) needs days: only the app can count in it")
        }
        let runs = days.compactMap { Int32(exactly: $0) }
        guard runs.count == days.count else { throw .invalidParameter("calendar", "a day is out of all time") }
        self.init(calendar: info.identifier, isLeapMonth: info.isLeapMonth, runs: runs)
    }
}

extension NotificationCategory {
    package init(wire info: NotificationCategoryInfo) {
        self.init(
            identifier: info.identifier, actions: info.actions.map { NotificationAction(wire: $0) },
            options: CategoryOptions(words: info.options))
        intents = info.intents
        hiddenPreviewsPlaceholder = info.placeholder.isEmpty ? nil : info.placeholder
    }
}

extension NotificationAction {
    package init(wire info: NotificationActionInfo) {
        self.init(
            identifier: info.identifier, title: info.title, options: ActionOptions(words: info.options),
            textInput: info.textInput.map { TextInput(buttonTitle: $0.button, placeholder: $0.placeholder) })
    }
}

extension ResponseAction {
    /// - Parameter action: `nil` opens it.
    package init(wire action: String?, text: String?) {
        self =
            switch action {
            case nil, NotificationActionName.open: .open
            case NotificationActionName.dismiss: .dismiss
            case let identifier?: .custom(identifier: identifier, text: text)
            }
    }
}

// MARK: Sets of words

/// An option set whose members have names on the wire.
package protocol Worded: OptionSet where RawValue == UInt32 {
    associatedtype Word: RawRepresentable<String>, CaseIterable
    static func option(_ word: Word) -> Self
}

extension Worded where Element == Self {
    package init(words: [Word]) { self = words.reduce(into: []) { $0.formUnion(Self.option($1)) } }
    package var words: [Word] { Word.allCases.filter { isSuperset(of: Self.option($0)) } }
}

extension AuthorizationOptions: Worded {
    package static func option(_ word: NotificationOption) -> AuthorizationOptions {
        switch word {
        case .badge: .badge
        case .sound: .sound
        case .alert: .alert
        case .carPlay: .carPlay
        case .criticalAlert: .criticalAlert
        case .providesAppNotificationSettings: .providesSettings
        case .provisional: .provisional
        case .announcement: .announcement
        case .timeSensitive: .timeSensitive
        }
    }
}

extension PresentationOptions: Worded {
    package static func option(_ word: NotificationPresentation) -> PresentationOptions {
        switch word {
        case .badge: .badge
        case .sound: .sound
        case .list: .list
        case .banner: .banner
        }
    }
}

extension ActionOptions: Worded {
    package static func option(_ word: NotificationActionOption) -> ActionOptions {
        switch word {
        case .authenticationRequired: .authenticationRequired
        case .destructive: .destructive
        case .foreground: .foreground
        }
    }
}

extension CategoryOptions: Worded {
    package static func option(_ word: NotificationCategoryOption) -> CategoryOptions {
        switch word {
        case .customDismissAction: .customDismissAction
        case .allowInCarPlay: .allowInCarPlay
        case .hiddenPreviewsShowTitle: .hiddenPreviewsShowTitle
        case .hiddenPreviewsShowSubtitle: .hiddenPreviewsShowSubtitle
        case .allowAnnouncement: .allowAnnouncement
        }
    }
}
