internal import NotificationsWire

/// How notifications of a category are shown.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The app is told when the user dismisses one.
    public static let customDismissAction = Self(rawValue: 1)
    /// In cars as well. Without meaning here.
    public static let allowInCarPlay = Self(rawValue: 2)
    /// The title is shown also where previews are hidden.
    public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
    /// The subtitle is shown also where previews are hidden.
    public static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
    /// They are read aloud. Without meaning here.
    public static let allowAnnouncement = Self(rawValue: 16)
}

/// A kind of notification, with what the user can do about it.
// Its state is constant.
open class UNNotificationCategory: NSObject, NSCopying, @unchecked Sendable {
    let info: NotificationCategoryInfo

    init(_ info: NotificationCategoryInfo) {
        self.info = info
        super.init()
    }

    /// Creates a category.
    ///
    /// - Parameters:
    ///   - identifier: what content says in `categoryIdentifier`.
    ///   - actions: what the user can do, in the order in which it is offered.
    ///   - intentIdentifiers: what it is about. Without meaning here.
    ///   - options: how notifications of it are shown.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: "", options: options)
    }

    /// Creates a category.
    ///
    /// - Parameter hiddenPreviewsBodyPlaceholder: in place of the text where previews are hidden.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String, options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder, categorySummaryFormat: nil,
            options: options)
    }

    /// Creates a category.
    ///
    /// - Parameters:
    ///   - hiddenPreviewsBodyPlaceholder: in place of the text where previews are hidden.
    ///   - categorySummaryFormat: how several of a thread are summed up.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            NotificationCategoryInfo(
                identifier: identifier, actions: actions.map(\.info), intents: intentIdentifiers,
                options: options.words, placeholder: hiddenPreviewsBodyPlaceholder ?? "",
                summary: categorySummaryFormat ?? ""))
    }

    /// What content says in `categoryIdentifier`.
    open var identifier: String { info.identifier }
    /// What the user can do.
    open var actions: [UNNotificationAction] { info.actions.map(UNNotificationAction.make) }
    /// What it is about.
    open var intentIdentifiers: [String] { info.intents }
    /// How notifications of it are shown.
    open var options: UNNotificationCategoryOptions { .init(words: info.options) }
    /// In place of the text where previews are hidden.
    open var hiddenPreviewsBodyPlaceholder: String { info.placeholder }
    /// How several of a thread are summed up.
    open var categorySummaryFormat: String { info.summary }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether it is the same category.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationCategory)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }
}

extension UNNotificationCategoryOptions: WordSet {
    static let table: KeyValuePairs<NotificationCategoryOption, Self> = [
        .customDismissAction: .customDismissAction, .allowInCarPlay: .allowInCarPlay,
        .hiddenPreviewsShowTitle: .hiddenPreviewsShowTitle,
        .hiddenPreviewsShowSubtitle: .hiddenPreviewsShowSubtitle, .allowAnnouncement: .allowAnnouncement,
    ]
}
