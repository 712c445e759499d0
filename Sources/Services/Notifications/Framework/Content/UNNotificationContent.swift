internal import NotificationsWire
internal import Wire

/// How much a notification interrupts the user.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// It goes to the list, without light or sound.
    case passive
    /// It is shown at once, with its sound.
    case active
    /// It is shown although the user does not want to be disturbed.
    case timeSensitive
    /// It is heard although the device is silent.
    case critical
}

/// An object that makes content more specific, as Apple's intents do. No framework here has such objects.
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// What a notification says, shows and carries.
// What is mutable is filled in where it is made, and only read afterwards: a request keeps a copy.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    struct Values {
        var info = NotificationContentInfo()
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var userInfo: [AnyHashable: Any] = [:]
        var attachments: [UNNotificationAttachment] = []
        /// What only the older API has.
        var older: JSONValue?
    }

    var values: Values

    /// Creates empty content.
    public override init() {
        values = Values()
        super.init()
    }

    init(_ values: Values) {
        self.values = values
        super.init()
    }

    /// The title, in one line.
    open var title: String { values.info.title }
    /// What is below the title.
    open var subtitle: String { values.info.subtitle }
    /// The text.
    open var body: String { values.info.body }
    /// The number on the app's icon; 0 takes it away, `nil` leaves it as it is.
    open var badge: NSNumber? { values.badge }
    /// What is to be heard; `nil`: nothing.
    open var sound: UNNotificationSound? { values.sound }
    /// What the app wants to know again. Of a push it is the whole payload.
    open var userInfo: [AnyHashable: Any] { values.userInfo }
    /// Which of the app's categories it belongs to, for its actions.
    open var categoryIdentifier: String { values.info.category }
    /// What is shown together.
    open var threadIdentifier: String { values.info.thread }
    /// Pictures, sounds and films.
    open var attachments: [UNNotificationAttachment] { values.attachments }
    /// How much it interrupts the user.
    open var interruptionLevel: UNNotificationInterruptionLevel { values.info.level.level }
    /// From 0 to 1: which of an app's notifications is the most important one.
    open var relevanceScore: Double { values.info.relevance }
    /// The picture that is shown while the app is launched because of it.
    open var launchImageName: String { values.info.launchImage }
    /// What of the app it is about.
    open var targetContentIdentifier: String? { values.info.targetContent }
    /// By which the user's focus may filter it.
    open var filterCriteria: String? { values.info.filterCriteria }
    /// Not used.
    @available(*, deprecated, message: "summaryArgument is ignored")
    open var summaryArgument: String { "" }
    /// Not used.
    @available(*, deprecated, message: "summaryArgumentCount is ignored")
    open var summaryArgumentCount: Int { 0 }

    /// - Throws: `UNError.contentProvidingObjectNotAllowed`: nothing here can provide content.
    open func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
        throw UNError(.contentProvidingObjectNotAllowed)
    }

    /// The same content, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(values) }

    /// The same content, to be changed.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(values) }

    /// Whether it says, shows and carries the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationContent else { return false }
        if self === other { return true }
        guard let mine = try? record() else { return false }
        return (try? other.record()) == mine
    }

    /// Fits `isEqual(_:)`.
    open override var hash: Int { (try? record())?.hashValue ?? 0 }
}

/// Content that an app fills in.
// As its superclass.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    /// The title, in one line.
    open override var title: String {
        get { values.info.title }
        set { values.info.title = newValue }
    }

    /// What is below the title.
    open override var subtitle: String {
        get { values.info.subtitle }
        set { values.info.subtitle = newValue }
    }

    /// The text.
    open override var body: String {
        get { values.info.body }
        set { values.info.body = newValue }
    }

    /// The number on the app's icon; 0 takes it away, `nil` leaves it as it is.
    open override var badge: NSNumber? {
        get { values.badge }
        set { values.badge = newValue }
    }

    /// What is to be heard; `nil`: nothing.
    open override var sound: UNNotificationSound? {
        get { values.sound }
        set { values.sound = newValue }
    }

    /// What the app wants to know again, in the types of property lists.
    open override var userInfo: [AnyHashable: Any] {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }

    /// Which of the app's categories it belongs to, for its actions.
    open override var categoryIdentifier: String {
        get { values.info.category }
        set { values.info.category = newValue }
    }

    /// What is shown together.
    open override var threadIdentifier: String {
        get { values.info.thread }
        set { values.info.thread = newValue }
    }

    /// Pictures, sounds and films.
    open override var attachments: [UNNotificationAttachment] {
        get { values.attachments }
        set { values.attachments = newValue }
    }

    /// How much it interrupts the user.
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { values.info.level.level }
        set { values.info.level = NotificationLevel(newValue) }
    }

    /// From 0 to 1: which of an app's notifications is the most important one.
    open override var relevanceScore: Double {
        get { values.info.relevance }
        set { values.info.relevance = newValue }
    }

    /// The picture that is shown while the app is launched because of it.
    open override var launchImageName: String {
        get { values.info.launchImage }
        set { values.info.launchImage = newValue }
    }

    /// What of the app it is about.
    open override var targetContentIdentifier: String? {
        get { values.info.targetContent }
        set { values.info.targetContent = newValue }
    }

    /// By which the user's focus may filter it.
    open override var filterCriteria: String? {
        get { values.info.filterCriteria }
        set { values.info.filterCriteria = newValue }
    }

    /// Not used.
    @available(*, deprecated, message: "summaryArgument is ignored")
    open override var summaryArgument: String {
        get { "" }
        set {}
    }

    /// Not used.
    @available(*, deprecated, message: "summaryArgumentCount is ignored")
    open override var summaryArgumentCount: Int {
        get { 0 }
        set {}
    }
}
