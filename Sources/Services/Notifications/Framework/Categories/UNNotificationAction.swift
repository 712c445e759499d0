internal import NotificationsWire

/// How an action is done.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// On an unlocked device only.
    public static let authenticationRequired = Self(rawValue: 1)
    /// It destroys something.
    public static let destructive = Self(rawValue: 2)
    /// The app comes to the screen for it.
    public static let foreground = Self(rawValue: 4)
}

/// A small picture beside an action.
// Its state is constant.
open class UNNotificationActionIcon: NSObject, NSCopying, @unchecked Sendable {
    let name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    /// A picture of the app's bundle.
    public convenience init(templateImageName: String) { self.init(name: templateImageName) }
    /// A picture of the system.
    public convenience init(systemImageName: String) { self.init(name: systemImageName) }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether it is the same picture.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationActionIcon)?.name == name }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { name.hashValue }
}

/// Something that the user can do about a notification.
// Its state is constant.
open class UNNotificationAction: NSObject, NSCopying, @unchecked Sendable {
    let info: NotificationActionInfo

    init(_ info: NotificationActionInfo) {
        self.info = info
        super.init()
    }

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - identifier: what the delegate is told of it.
    ///   - title: what the user reads.
    ///   - options: how it is done.
    public convenience init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.init(identifier: identifier, title: title, options: options, icon: nil)
    }

    /// Creates an action with a small picture.
    public convenience init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], icon: UNNotificationActionIcon?
    ) {
        self.init(
            NotificationActionInfo(
                identifier: identifier, title: title, options: options.words, icon: icon?.name))
    }

    /// What the delegate is told of it.
    open var identifier: String { info.identifier }
    /// What the user reads.
    open var title: String { info.title }
    /// How it is done.
    open var options: UNNotificationActionOptions { .init(words: info.options) }
    /// A small picture.
    open var icon: UNNotificationActionIcon? { info.icon.map(UNNotificationActionIcon.init(name:)) }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether it is the same action.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationAction)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }

    static func make(_ info: NotificationActionInfo) -> UNNotificationAction {
        info.textInput == nil ? UNNotificationAction(info) : UNTextInputNotificationAction(info)
    }
}

/// An action for which the user writes something.
// As its superclass.
open class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
    /// The inherited initializers say nothing of a text, and the user writes one all the same.
    override init(_ info: NotificationActionInfo) {
        var info = info
        info.textInput = info.textInput ?? .init(button: "", placeholder: "")
        super.init(info)
    }

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - identifier: what the delegate is told of it.
    ///   - title: what the user reads.
    ///   - options: how it is done.
    ///   - textInputButtonTitle: what the button says that sends the text.
    ///   - textInputPlaceholder: what is there before the user has written anything.
    public convenience init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.init(
            identifier: identifier, title: title, options: options, icon: nil,
            textInputButtonTitle: textInputButtonTitle, textInputPlaceholder: textInputPlaceholder)
    }

    /// Creates an action with a small picture.
    public convenience init(
        identifier: String, title: String, options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon?, textInputButtonTitle: String, textInputPlaceholder: String
    ) {
        self.init(
            NotificationActionInfo(
                identifier: identifier, title: title, options: options.words, icon: icon?.name,
                textInput: .init(button: textInputButtonTitle, placeholder: textInputPlaceholder)))
    }

    /// What the button says that sends the text.
    open var textInputButtonTitle: String { info.textInput?.button ?? "" }
    /// What is there before the user has written anything.
    open var textInputPlaceholder: String { info.textInput?.placeholder ?? "" }
}

extension UNNotificationActionOptions: WordSet {
    static let table: KeyValuePairs<NotificationActionOption, Self> = [
        .authenticationRequired: .authenticationRequired, .destructive: .destructive, .foreground: .foreground,
    ]
}
