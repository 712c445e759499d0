public import Foundation

/// Something that the user may begin an app with.
@preconcurrency @MainActor
open class UIApplicationShortcutItem: NSObject {
    /// What kind of beginning.
    public let type: String
    /// In words.
    public let localizedTitle: String
    /// In more words.
    public let localizedSubtitle: String?
    /// What it shows beside them.
    public let icon: UIApplicationShortcutIcon?
    /// What the app wants to know of it again.
    public let userInfo: [String: any NSSecureCoding]?
    /// What it is about, so that the right scene does it.
    open var targetContentIdentifier: Any?

    /// Creates a shortcut.
    public init(
        type: String, localizedTitle: String, localizedSubtitle: String? = nil,
        icon: UIApplicationShortcutIcon? = nil, userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
        self.userInfo = userInfo
    }
}

/// Creates a shortcut that can be changed.
public typealias UIMutableApplicationShortcutItem = UIApplicationShortcutItem

/// What a shortcut shows beside its words.
@preconcurrency @MainActor
open class UIApplicationShortcutIcon: NSObject {
    /// The system's own.
    public enum IconType: Int, Sendable, CaseIterable {
        case compose, play, pause, add, location, search, share, prohibit, contact, home, markLocation, favorite, love
        case cloud, invitation, confirmation, mail, message, date, time, capturePhoto, captureVideo, task
        case taskCompleted, alarm, bookmark, shuffle, audio, update
    }

    enum Source {
        case system(IconType), template(String), symbol(String)
    }

    let source: Source

    /// Creates an icon of the system.
    public init(type: IconType) { source = .system(type) }

    /// Creates an icon of the app's.
    public init(templateImageName: String) { source = .template(templateImageName) }

    /// Creates an icon of the system's symbols.
    public init(systemImageName: String) { source = .symbol(systemImageName) }
}

extension UIApplication {
    /// Lets the app do what one of its shortcuts is for, as if the user had chosen it: with scenes the one in front, or
    /// the one that connects next, among the options of its connection; else the app's delegate. Ours, for an app that
    /// shows its own shortcuts; the user's own choice comes from the system (`greenroom open APP --shortcut TYPE`).
    ///
    /// - Parameter completionHandler: called with whether it was done.
    public func choose(_ shortcut: UIApplicationShortcutItem, completionHandler: @escaping (Bool) -> Void = { _ in }) {
        if scenes?.give(shortcut) == true { return completionHandler(true) }
        if let scene = scenes?.front as? UIWindowScene {
            guard let delegate = scene.delegate as? any UIWindowSceneDelegate else {
                completionHandler(false)
                return
            }
            delegate.windowScene(scene, performActionFor: shortcut, completionHandler: completionHandler)
        } else if let delegate {
            delegate.application(self, performActionFor: shortcut, completionHandler: completionHandler)
        } else {
            completionHandler(false)
        }
    }
}
