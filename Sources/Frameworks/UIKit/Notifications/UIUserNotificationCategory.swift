internal import Foundation
internal import UserNotifications

/// In the information of a response: what the user wrote, a `String`.
public let UIUserNotificationActionResponseTypedTextKey = "UIUserNotificationActionResponseTypedTextKey"
/// In the parameters of an action: what the button says that sends the text, a `String`.
public let UIUserNotificationTextInputActionButtonTitleKey = "UIUserNotificationTextInputActionButtonTitleKey"

/// How much room there is for actions.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationCategory")
public enum UIUserNotificationActionContext: UInt, Sendable {
    /// For four.
    case `default`
    /// For two.
    case minimal
}

/// Whether the app comes to the screen for an action.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationActionOptions")
public enum UIUserNotificationActivationMode: UInt, Sendable {
    /// It does.
    case foreground
    /// It does not.
    case background
}

/// What an action asks for.
@available(
    *, deprecated,
    message: "Use UserNotifications Framework's UNNotificationAction or UNTextInputNotificationAction"
)
public enum UIUserNotificationActionBehavior: UInt, Sendable {
    /// Nothing.
    case `default`
    /// A text.
    case textInput
}

/// Something that the user can do about a notification.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationAction")
open class UIUserNotificationAction: NSObject {
    fileprivate(set) var values = Values()

    struct Values {
        var identifier: String?
        var title: String?
        var behavior = UIUserNotificationActionBehavior.default
        var parameters: [AnyHashable: Any] = [:]
        var activationMode = UIUserNotificationActivationMode.foreground
        var isAuthenticationRequired = false
        var isDestructive = false
    }

    /// What the delegate is told of it.
    open var identifier: String? { values.identifier }
    /// What the user reads.
    open var title: String? { values.title }
    /// What it asks for.
    open var behavior: UIUserNotificationActionBehavior { values.behavior }
    /// How it asks for that.
    open var parameters: [AnyHashable: Any] { values.parameters }
    /// Whether the app comes to the screen for it.
    open var activationMode: UIUserNotificationActivationMode { values.activationMode }
    /// On an unlocked device only.
    open var isAuthenticationRequired: Bool { values.isAuthenticationRequired }
    /// Whether it destroys something.
    open var isDestructive: Bool { values.isDestructive }

    /// Creates an action without a name.
    public override init() { super.init() }

    convenience init(_ action: UNNotificationAction) {
        self.init()
        values.identifier = action.identifier
        values.title = action.title
        values.activationMode = action.options.contains(.foreground) ? .foreground : .background
        values.isAuthenticationRequired = action.options.contains(.authenticationRequired)
        values.isDestructive = action.options.contains(.destructive)
        guard let asking = action as? UNTextInputNotificationAction else { return }
        values.behavior = .textInput
        values.parameters[UIUserNotificationTextInputActionButtonTitleKey] = asking.textInputButtonTitle
    }

    var action: UNNotificationAction {
        var options: UNNotificationActionOptions = []
        if activationMode == .foreground { options.insert(.foreground) }
        if isAuthenticationRequired { options.insert(.authenticationRequired) }
        if isDestructive { options.insert(.destructive) }
        let (identifier, title) = (identifier ?? "", title ?? "")
        guard behavior == .textInput else {
            return UNNotificationAction(identifier: identifier, title: title, options: options)
        }
        let button = parameters[UIUserNotificationTextInputActionButtonTitleKey] as? String
        return UNTextInputNotificationAction(
            identifier: identifier, title: title, options: options, textInputButtonTitle: button ?? title,
            textInputPlaceholder: "")
    }
}

/// An action that an app fills in.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationAction")
open class UIMutableUserNotificationAction: UIUserNotificationAction {
    /// What the delegate is told of it.
    open override var identifier: String? {
        get { values.identifier }
        set { values.identifier = newValue }
    }

    /// What the user reads.
    open override var title: String? {
        get { values.title }
        set { values.title = newValue }
    }

    /// What it asks for.
    open override var behavior: UIUserNotificationActionBehavior {
        get { values.behavior }
        set { values.behavior = newValue }
    }

    /// How it asks for that.
    open override var parameters: [AnyHashable: Any] {
        get { values.parameters }
        set { values.parameters = newValue }
    }

    /// Whether the app comes to the screen for it.
    open override var activationMode: UIUserNotificationActivationMode {
        get { values.activationMode }
        set { values.activationMode = newValue }
    }

    /// On an unlocked device only.
    open override var isAuthenticationRequired: Bool {
        get { values.isAuthenticationRequired }
        set { values.isAuthenticationRequired = newValue }
    }

    /// Whether it destroys something.
    open override var isDestructive: Bool {
        get { values.isDestructive }
        set { values.isDestructive = newValue }
    }
}

/// A kind of notification, with what the user can do about it.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationCategory")
open class UIUserNotificationCategory: NSObject {
    fileprivate var name: String?
    fileprivate var actionsByContext: [UIUserNotificationActionContext: [UIUserNotificationAction]] = [:]

    /// What a notification says in `category`.
    open var identifier: String? { name }

    /// Creates a category without a name.
    public override init() { super.init() }

    /// What is offered.
    open func actions(for context: UIUserNotificationActionContext) -> [UIUserNotificationAction]? {
        actionsByContext[context]
    }

    convenience init(_ category: UNNotificationCategory) {
        self.init()
        name = category.identifier
        actionsByContext[.default] = category.actions.map(UIUserNotificationAction.init)
    }

    var category: UNNotificationCategory {
        let actions = actionsByContext[.default] ?? actionsByContext[.minimal] ?? []
        return UNNotificationCategory(
            identifier: identifier ?? "", actions: actions.map(\.action), intentIdentifiers: [])
    }
}

/// A category that an app fills in.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationCategory")
open class UIMutableUserNotificationCategory: UIUserNotificationCategory {
    /// What a notification says in `category`.
    open override var identifier: String? {
        get { name }
        set { name = newValue }
    }

    /// Says what is offered where there is so much room.
    open func setActions(_ actions: [UIUserNotificationAction]?, for context: UIUserNotificationActionContext) {
        actionsByContext[context] = actions
    }
}
