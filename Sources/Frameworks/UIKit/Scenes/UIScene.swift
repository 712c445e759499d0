public import Foundation
public import UserNotifications

/// One instance of what an app shows, with a state of its own. The system makes it when it is to come to the screen;
/// the app keeps it by holding nothing. Use it on the main thread (WWDC 2019, session 258).
///
/// An app has scenes if its `Info.plist` has `UIApplicationSceneManifest`, and may have several if that says
/// `UIApplicationSupportsMultipleScenes`. It is in the foreground while one of them is. When memory is short, scenes in
/// the background are disconnected; they connect anew when they are shown.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// Where a scene is.
    public enum ActivationState: Int, Sendable {
        /// Not connected: before `scene(_:willConnectTo:options:)` has returned, and after the scene is gone.
        case unattached = -1
        /// In front, and events reach it.
        case foregroundActive
        /// In the foreground, but events do not reach it: during an interruption, a change of state.
        case foregroundInactive
        /// Not on the screen.
        case background
    }

    /// The session in which the scene appears; it outlives the scene.
    public let session: UISceneSession

    /// The object that is told what becomes of the scene. The scene holds it. The system makes it of the class that the
    /// scene's configuration names.
    open var delegate: (any UISceneDelegate)?

    /// Where the scene is. In `sceneWillResignActive` it is still `foregroundActive`, in `sceneWillEnterForeground`
    /// still `background`.
    open var activationState: ActivationState {
        switch activation {
        case .unattached: .unattached
        case .background: .background
        case .foregroundInactive: .foregroundInactive
        case .foregroundActive: .foregroundActive
        }
    }

    /// What the scene shows, in words.
    open var title: String! = ""

    /// What the user does in the scene; a change of it is kept with the session when the scene leaves the screen, where
    /// the delegate has no `stateRestorationActivity(for:)`.
    open var userActivity: NSUserActivity?

    /// The app.
    open override var next: UIResponder? { UIApplication.running }

    var activation = SceneActivation.unattached

    /// Creates a scene; the system does it.
    ///
    /// - Parameters:
    ///   - session: in which it appears.
    ///   - connectionOptions: why it does.
    public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// Opens the app that is registered for the URL's scheme, as `UIApplication.open(_:options:completionHandler:)`
    /// does.
    ///
    /// - Parameter completion: called on the main thread with whether the other app is being opened.
    open func open(
        _ url: URL, options: UIScene.OpenExternalURLOptions?,
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        guard let application = UIApplication.running else {
            return DispatchQueue.main.async { MainActor.assumeIsolated { completion?(false) } }
        }
        application.open(url, completionHandler: completion)
    }

    /// Opens the app that is registered for the URL's scheme.
    ///
    /// - Returns: whether the other app is being opened.
    @discardableResult
    open func open(_ url: URL, options: UIScene.OpenExternalURLOptions?) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }
}

extension UIScene {
    /// Why a scene is connected.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {
        /// The URLs that the scene is to open. They are given here alone, and not to `scene(_:openURLContexts:)`.
        public let urlContexts: Set<UIOpenURLContext>

        /// The identifier of the app that asks; `nil` if the user did.
        public let sourceApplication: String?

        /// Activities that the scene is to go on with: a site's URL, what `requestSceneSessionActivation` was given,
        /// and those of `greenroom open --activity`. They are given here alone.
        public let userActivities: Set<NSUserActivity>

        /// The shortcut that the user chose (`greenroom open --shortcut`). It is given here alone.
        public let shortcutItem: UIApplicationShortcutItem?

        /// What the user did with the notification that brings the app to the screen. The notification center's
        /// delegate is told of it as well.
        public let notificationResponse: UNNotificationResponse?

        /// The type of an activity of another device. There are none: `nil`.
        public let handoffUserActivityType: String? = nil

        init(_ delivery: Scenes.Delivery) {
            urlContexts = Set(delivery.urls)
            sourceApplication = delivery.urls.first?.options.sourceApplication
            userActivities = Set(delivery.activities)
            shortcutItem = delivery.shortcut
            notificationResponse = delivery.response
            super.init()
        }
    }

    /// How a URL is to be opened by this app.
    @preconcurrency @MainActor
    open class OpenURLOptions: NSObject {
        /// The identifier of the app that asks; `nil` if the user did.
        public let sourceApplication: String?

        /// Whether a file is to be used where it is.
        public let openInPlace = false

        init(sourceApplication: String?) {
            self.sourceApplication = sourceApplication
            super.init()
        }
    }

    /// How a URL is to be opened by another app. No option has a meaning here so far.
    @preconcurrency @MainActor
    open class OpenExternalURLOptions: NSObject {
        /// Creates the options.
        public nonisolated override init() { super.init() }

        /// Whether only the app may open it that the URL's website names.
        open var universalLinksOnly = false
    }
}

extension UIScene {
    /// After `scene(_:willConnectTo:options:)`. The object is the scene, as of all of these.
    public nonisolated static let willConnectNotification = Notification.Name("UISceneWillConnectNotification")
    /// After `sceneDidDisconnect(_:)`.
    public nonisolated static let didDisconnectNotification = Notification.Name("UISceneDidDisconnectNotification")
    /// After `sceneDidBecomeActive(_:)`, and before the app's `didBecomeActiveNotification`.
    public nonisolated static let didActivateNotification = Notification.Name("UISceneDidActivateNotification")
    /// After `sceneWillResignActive(_:)`, and before the app's `willResignActiveNotification`.
    public nonisolated static let willDeactivateNotification = Notification.Name("UISceneWillDeactivateNotification")
    /// After `sceneWillEnterForeground(_:)`, and before the app's `willEnterForegroundNotification`.
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UISceneWillEnterForegroundNotification")
    /// After `sceneDidEnterBackground(_:)`, and before the app's `didEnterBackgroundNotification`.
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UISceneDidEnterBackgroundNotification")
}

/// A URL that a scene is to open.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
    /// The URL.
    public let url: URL

    /// Who asks.
    public let options: UIScene.OpenURLOptions

    init(url: URL, sourceApplication: String?) {
        self.url = url
        options = UIScene.OpenURLOptions(sourceApplication: sourceApplication)
        super.init()
    }
}
