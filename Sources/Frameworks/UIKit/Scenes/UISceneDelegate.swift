/// The methods that the system calls when a scene's state changes. Every method is optional and called on the main
/// thread, within the time limits of the app delegate's, which are not called in an app with scenes.
@preconcurrency @MainActor
public protocol UISceneDelegate: AnyObject {
    /// The scene has been made; it comes to the foreground next. Make its windows here.
    ///
    /// - Parameters:
    ///   - session: what is kept of the scene; `stateRestorationActivity` says where the user was.
    ///   - connectionOptions: what it is to open.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)

    /// The scene is gone; it may come back, as another object, with the same session.
    func sceneDidDisconnect(_ scene: UIScene)

    /// The scene is in front and gets events.
    func sceneDidBecomeActive(_ scene: UIScene)

    /// The scene is about to be interrupted or to leave the screen.
    func sceneWillResignActive(_ scene: UIScene)

    /// The scene is about to come to the screen, for the first time as well.
    func sceneWillEnterForeground(_ scene: UIScene)

    /// The scene has left the screen. Save everything here: the app is suspended once nothing entitles it to run,
    /// without being told, and may then be ended without being told.
    func sceneDidEnterBackground(_ scene: UIScene)

    /// The scene is asked to open URLs. Those for which it was made are among the options of its connection.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)

    /// The user goes on in the scene with something that was begun elsewhere: a URL of a site that the app is opened
    /// with, an activity of the type `NSUserActivityTypeBrowsingWeb`. That for which the scene was made is among the
    /// options of its connection.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)

    /// An activity of a type is about to be continued.
    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)

    /// An activity could not be continued. There are no other devices: it is not called.
    func scene(_ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// An activity is about to be continued and was brought up to date. There are no other devices: it is not called.
    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity)

    /// What the scene needs to show again what it shows; asked when it has left the screen, after
    /// `sceneDidEnterBackground(_:)` and within its time. It outlives the app's process and is the session's
    /// `stateRestorationActivity` at the next launch.
    ///
    /// - Returns: `nil`: nothing.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}

    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}

    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}

    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}

    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}

    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}

    /// Does nothing.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}

    /// Does nothing.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}

    /// Does nothing.
    public func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {}

    /// Does nothing.
    public func scene(
        _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {}

    /// Does nothing.
    public func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {}

    /// The scene's user activity.
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { scene.userActivity }
}

/// The delegate of a scene that shows windows.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's window, if the delegate holds it.
    var window: UIWindow? { get set }

    /// The user has chosen one of the app's shortcuts (`greenroom open APP --shortcut TYPE`).
    ///
    /// - Parameter completionHandler: to be called with whether it was done.
    func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void)
}

extension UIWindowSceneDelegate {
    /// No window.
    public var window: UIWindow? {
        get { nil }
        set {}
    }

    /// Not done.
    public func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) { completionHandler(false) }
}
