internal import Foundation
internal import NotificationsWire
internal import UserNotifications
internal import Wire

/// The device's own sound for notifications.
public let UILocalNotificationDefaultSoundName = "UILocalNotificationDefaultSoundName"

/// A notification at a set time, as apps asked for it until 2016 (WWDC 2010, session 105).
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationRequest")
open class UILocalNotification: NSObject, NSCopying {
    /// When it is shown; at once if there is none, or if it is past.
    open var fireDate: Date?
    /// Where `fireDate` is meant; it is shown when the clock shows that time, wherever the device is then. `nil`: at
    /// that moment, whatever the clock shows.
    open var timeZone: TimeZone?
    /// After what it is shown again and again: `.minute`, `.hour`, `.day`, `.weekday` and `.weekOfYear` (a week),
    /// `.month` or `.year`. None: once.
    ///
    /// Here it is shown whenever the clock shows what it does at `fireDate`, also before that.
    open var repeatInterval: NSCalendar.Unit = []
    /// By which it is repeated. The calendar is the Gregorian one here.
    open var repeatCalendar: Calendar?
    /// The text; `nil`: nothing is shown.
    open var alertBody: String?
    /// The title, in one line.
    open var alertTitle: String?
    /// What the button says that opens the app.
    open var alertAction: String?
    /// Whether there is such a button.
    open var hasAction = true
    /// The picture that is shown while the app is launched because of it.
    open var alertLaunchImage: String?
    /// A file of the bundle, or `UILocalNotificationDefaultSoundName`; `nil`: nothing is to be heard.
    open var soundName: String?
    /// The number on the app's icon; 0 leaves it as it is.
    open var applicationIconBadgeNumber = 0
    /// What the app wants to know again, in the types of property lists.
    open var userInfo: [AnyHashable: Any]?
    /// Which of the app's categories it belongs to, for its actions.
    open var category: String?

    /// By which identifiers it was scheduled.
    var identifiers: [String] = []

    /// Creates a notification.
    public override init() { super.init() }

    /// The same notification, to be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = UILocalNotification(request(identifier: ""))
        copy.identifiers = identifiers
        return copy
    }

    /// Whether it says the same at the same time.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UILocalNotification else { return false }
        return request(identifier: "").content == other.request(identifier: "").content
    }

    /// Fits `isEqual(_:)`.
    open override var hash: Int { alertBody?.hashValue ?? 0 }
}

@available(*, deprecated)
extension UILocalNotification {
    private enum Key {
        static let date = "date"
        static let zone = "zone"
        static let interval = "interval"
        static let action = "action"
        static let hasAction = "hasAction"
    }

    /// What was asked for, by today's API or by this one.
    convenience init(_ request: UNNotificationRequest) {
        self.init()
        let content = request.content
        identifiers = [request.identifier]
        alertBody = content.body.isEmpty ? nil : content.body
        alertTitle = content.title.isEmpty ? nil : content.title
        alertLaunchImage = content.launchImageName.isEmpty ? nil : content.launchImageName
        category = content.categoryIdentifier.isEmpty ? nil : content.categoryIdentifier
        applicationIconBadgeNumber = content.badge?.intValue ?? 0
        soundName = content.soundName.map { $0 == "default" ? UILocalNotificationDefaultSoundName : $0 }
        userInfo = content.userInfo.isEmpty ? nil : content.userInfo
        guard let older = content.older else {
            fireDate = request.nextDate
            return
        }
        fireDate = older[Key.date]?.number.map(Date.init(timeIntervalSince1970:))
        timeZone = older[Key.zone]?.string.flatMap(TimeZone.init(identifier:))
        repeatInterval = NSCalendar.Unit(rawValue: UInt(older[Key.interval]?.int ?? 0))
        alertAction = older[Key.action]?.string
        hasAction = older[Key.hasAction]?.bool ?? true
    }

    /// What the service is asked for.
    func request(identifier: String) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = alertTitle ?? ""
        content.body = alertBody ?? ""
        content.launchImageName = alertLaunchImage ?? ""
        content.categoryIdentifier = category ?? ""
        content.userInfo = userInfo ?? [:]
        if applicationIconBadgeNumber != 0 { content.badge = NSNumber(value: applicationIconBadgeNumber) }
        content.sound = soundName.map { name in
            name == UILocalNotificationDefaultSoundName ? .default : UNNotificationSound(named: .init(name))
        }
        let older: JSONValue = [
            Key.date: JSONValue(fireDate?.timeIntervalSince1970), Key.zone: JSONValue(timeZone?.identifier),
            Key.interval: .int(Int64(repeatInterval.rawValue)), Key.action: JSONValue(alertAction),
            Key.hasAction: .bool(hasAction),
        ]
        return UNNotificationRequest(
            identifier: identifier, content: UNNotificationContent(content, older: older), trigger: trigger)
    }

    /// What of a date has to match so that the clock shows it after each interval.
    private var units: Set<Calendar.Component>? {
        switch repeatInterval {
        case .minute: [.second]
        case .hour: [.minute, .second]
        case .day: [.hour, .minute, .second]
        case .weekday, .weekOfYear, .weekOfMonth: [.weekday, .hour, .minute, .second]
        case .month: [.day, .hour, .minute, .second]
        case .year: [.month, .day, .hour, .minute, .second]
        default: nil
        }
    }

    /// One that is soon follows the device's own clock: by the time at which the service reads it, the wall clock may
    /// have shown it already.
    private static let soon = 60.0

    private var trigger: UNNotificationTrigger? {
        guard let fireDate else { return nil }
        let wait = fireDate.timeIntervalSinceNow
        if units == nil, wait <= 0 { return nil }
        if units == nil, wait < Self.soon {
            return UNTimeIntervalNotificationTrigger(timeInterval: wait, repeats: false)
        }
        // Half a second late rather than half a second past.
        let date = Date(timeIntervalSince1970: fireDate.timeIntervalSince1970.rounded(.up))
        let zone = timeZone ?? TimeZone(secondsFromGMT: 0) ?? .current
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let all: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        var components = calendar.dateComponents(units ?? all, from: date)
        // By the clock, wherever the device is; or at that moment.
        components.timeZone = timeZone == nil ? zone : nil
        return UNCalendarNotificationTrigger(dateMatching: components, repeats: units != nil)
    }
}

extension UNNotificationContent {
    /// The name of its sound.
    fileprivate var soundName: String? { sound?.name }
}

extension UNNotificationRequest {
    /// When it is shown next, as far as that is known.
    fileprivate var nextDate: Date? {
        switch trigger {
        case let calendar as UNCalendarNotificationTrigger: calendar.nextTriggerDate()
        case let interval as UNTimeIntervalNotificationTrigger: interval.nextTriggerDate()
        default: nil
        }
    }
}
