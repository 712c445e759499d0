public import Foundation

/// The methods that the system calls when the app's state changes. Every method is optional and called on the main
/// thread; each has a time limit, after which the system ends the app (WWDC 2010, session 105).
///
/// Put `@main` on the class that implements it.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: AnyObject, NSObjectProtocol {
    /// The window of the app, if the delegate holds it.
    var window: UIWindow? { get set }

    /// The app has been launched. Called only if `application(_:didFinishLaunchingWithOptions:)` is not implemented.
    func applicationDidFinishLaunching(_ application: UIApplication)

    /// The app is being launched; its state has not been restored yet.
    ///
    /// - Parameter launchOptions: why the app was launched, `nil` if the user opened it.
    /// - Returns: false if the app does not want the URL that it was launched with.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The app has been launched and becomes active next, or stays in the background: `applicationState` tells.
    ///
    /// - Parameter launchOptions: why the app was launched, `nil` if the user opened it.
    /// - Returns: false if the app does not want the URL that it was launched with.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The app is in front and gets events.
    func applicationDidBecomeActive(_ application: UIApplication)

    /// The app is about to be interrupted (a call, an alert, the switcher, the lock) or to leave the screen.
    func applicationWillResignActive(_ application: UIApplication)

    /// The app has left the screen. Save everything here: it is suspended once nothing entitles it to run, without
    /// being told, and may then be ended without being told.
    func applicationDidEnterBackground(_ application: UIApplication)

    /// The app is about to come back to the screen.
    func applicationWillEnterForeground(_ application: UIApplication)

    /// The app is about to be ended while it runs. A suspended app is ended without this call.
    func applicationWillTerminate(_ application: UIApplication)

    /// Memory is short, whatever the app's state: give up what can be made again. Called while the app runs; a
    /// suspended app hears nothing and may be ended. The notification, the view controllers, the caches and the memory
    /// pressure sources come after it (WWDC 2015, session 212).
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    /// A new day began, the clocks went forward or back, the time zone changed or somebody set the clock; also while
    /// the app was suspended, then before `applicationWillEnterForeground(_:)`.
    func applicationSignificantTimeChange(_ application: UIApplication)

    /// The app is asked to open a URL of a scheme that its `Info.plist` declares in `CFBundleURLTypes`.
    ///
    /// - Returns: whether the app handled it.
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool

    /// A scene is being connected, in an app whose `Info.plist` has `UIApplicationSceneManifest`.
    ///
    /// - Parameters:
    ///   - connectingSceneSession: in which it appears.
    ///   - options: why it does.
    /// - Returns: of which classes it is made.
    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration

    /// The system thinks that the user opens the app soon, and gives it 30 seconds to fetch what is new
    /// (`UIApplication.setMinimumBackgroundFetchInterval(_:)`; it needs `fetch` in `UIBackgroundModes`). The app runs
    /// as if it were in front, but nobody sees it; it is launched for this if it does not run.
    ///
    /// - Parameter completionHandler: to be called when the work is done, as soon as possible, on any thread. The
    ///   system then takes the app's snapshot anew and suspends it, and minds the result: who often has nothing new is
    ///   asked less often. Who does not call it in time is ended, or on devices of 2013 suspended.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void)

    /// All transfers of a background URL session have come to an end, or a server wants to know who asks. The app
    /// creates the session with this identifier anew, whose delegate then hears what happened.
    ///
    /// - Parameter completionHandler: to be called after `urlSessionDidFinishEvents(forBackgroundURLSession:)`, on any
    ///   thread, within ten seconds. The system then takes the app's snapshot anew and suspends it.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void)

    /// The app is registered for pushes (`UIApplication.registerForRemoteNotifications()`).
    ///
    /// - Parameter deviceToken: what the app's provider needs to reach this app on this device. It may be another one
    ///   at each launch.
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

    /// The app could not be registered for pushes.
    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)

    /// A push has come: one with `content-available`, which needs `remote-notification` in `UIBackgroundModes` and
    /// wakes or launches the app for 30 seconds; or, without a delegate of the notification center, any that came while
    /// the app was on the screen or that the user opened.
    ///
    /// - Parameters:
    ///   - userInfo: the whole payload.
    ///   - completionHandler: to be called once, on any thread, as soon as what it is about has been fetched. The app
    ///     is suspended then. An app that does not call it in time is ended, or on devices of 2013 suspended.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void)

    /// A push has come: the form of the method with a completion handler for those that prefer to return. Called where
    /// that one is not implemented.
    // Said of the method as well, and `sending`: otherwise delegates of Swift 5 are warned.
    @MainActor func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: sending [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// A push has come. Called only where no method is implemented that says what came of it, and not for a push that
    /// launched the app: that is among the launch options.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate willPresentNotification:withCompletionHandler:] or -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:] for user visible notifications and -[UIApplicationDelegate application:didReceiveRemoteNotification:fetchCompletionHandler:] for silent remote notifications"
    )
    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])

    /// A local notification has come while the app was on the screen, or the user has opened it. Called where the
    /// notification center has no delegate, and not for one that launched the app: that is among the launch options.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate willPresentNotification:withCompletionHandler:] or -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
    )
    func application(_ application: UIApplication, didReceive notification: UILocalNotification)

    /// The user has decided about `registerUserNotificationSettings(_:)`.
    ///
    /// - Parameter notificationSettings: what the app may do.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter requestAuthorizationWithOptions:completionHandler:]"
    )
    func application(_ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings)

    /// The user has chosen an action of a local notification. Called where the notification center has no delegate.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
    )
    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        for notification: UILocalNotification, completionHandler: @escaping @Sendable () -> Void)

    /// The user has chosen an action of a local notification, and perhaps written something. Called where the
    /// notification center has no delegate.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
    )
    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
        completionHandler: @escaping @Sendable () -> Void)

    /// The user has chosen an action of a push. Called where the notification center has no delegate.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
    )
    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping @Sendable () -> Void)

    /// The user has chosen an action of a push, and perhaps written something. Called where the notification center has
    /// no delegate.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
    )
    func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        forRemoteNotification userInfo: [AnyHashable: Any], withResponseInfo responseInfo: [AnyHashable: Any],
        completionHandler: @escaping @Sendable () -> Void)

    // MARK: Links, activities and shortcuts

    /// The app is asked to open a URL.
    ///
    /// - Returns: whether the app handled it.
    @available(*, deprecated, message: "Please use application:openURL:options:")
    func application(_ application: UIApplication, open url: URL, sourceApplication: String?, annotation: Any) -> Bool

    /// The app is asked to open a URL.
    ///
    /// - Returns: whether the app handled it.
    @available(*, deprecated, message: "Please use application:openURL:options:")
    func application(_ application: UIApplication, handleOpen url: URL) -> Bool

    /// The user goes on in the app with something that was begun elsewhere. Here that is a page: a URL of a site that
    /// the app is opened with, an activity of the type `NSUserActivityTypeBrowsingWeb`.
    ///
    /// - Parameter restorationHandler: to be called with the objects that show it, if there are any.
    /// - Returns: whether the app handled it; else it is asked to open the URL.
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool

    /// An activity of a type is about to be continued.
    ///
    /// - Returns: whether the app tells the user itself.
    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// An activity could not be continued. There are no other devices: it is not called.
    func application(
        _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error)

    /// An activity is about to be continued and was brought up to date. There are no other devices: it is not called.
    func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity)

    /// The user has chosen one of the app's shortcuts (`greenroom open APP --shortcut TYPE`).
    ///
    /// - Parameter completionHandler: to be called with whether it was done.
    func application(
        _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void)

    /// The user has closed scenes for good. No scenes can be closed so far: it is not called.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)

    // MARK: Protected files

    /// The device was locked: protected files can be read for some seconds more. An app that was suspended in that time
    /// hears it when it runs again and the device is still locked; then they are out of reach already.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// The device was unlocked: protected files can be read again.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

    // MARK: What windows show

    /// Whether what the windows of an app without scenes show is to be kept, after it has entered the background. Write
    /// what concerns the app as a whole with the coder.
    func application(_ application: UIApplication, shouldSaveSecureApplicationState coder: NSCoder) -> Bool
    /// Whether what was kept is to be restored, before `application(_:didFinishLaunchingWithOptions:)`. The windows are
    /// those that `application(_:willFinishLaunchingWithOptions:)` made. What was being read when an earlier launch
    /// ended is not read again.
    func application(_ application: UIApplication, shouldRestoreSecureApplicationState coder: NSCoder) -> Bool
    /// Whether it is to be kept, where the newer method says no.
    func application(_ application: UIApplication, shouldSaveApplicationState coder: NSCoder) -> Bool
    /// Whether it is to be restored, where the newer method says no.
    func application(_ application: UIApplication, shouldRestoreApplicationState coder: NSCoder) -> Bool
    /// It is being kept: before the controllers are asked.
    func application(_ application: UIApplication, willEncodeRestorableStateWith coder: NSCoder)
    /// It has been restored.
    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder)
    /// The controller whose state is to be restored; `nil`: the one in a window that has these identifiers, from the
    /// root on.
    func application(
        _ application: UIApplication,
        viewControllerWithRestorationIdentifierPath identifierComponents: [String], coder: NSCoder
    ) -> UIViewController?

    // MARK: What iOS asks, and nothing here does so far

    /// How a window may be turned. Windows are not turned: not called.
    func application(
        _ application: UIApplication, supportedInterfaceOrientationsFor window: UIWindow?
    ) -> UIInterfaceOrientationMask
    /// Whether the app uses extensions of a kind. There are none with an interface: not called.
    func application(
        _ application: UIApplication,
        shouldAllowExtensionPointIdentifier extensionPointIdentifier: UIApplication.ExtensionPointIdentifier
    ) -> Bool
    /// A watch asks. There are none: not called.
    func application(
        _ application: UIApplication, handleWatchKitExtensionRequest userInfo: [AnyHashable: Any]?,
        reply: @escaping ([AnyHashable: Any]?) -> Void)
    /// A watch asks for leave to read health data. There are none: not called.
    func applicationShouldRequestHealthAuthorization(_ application: UIApplication)
}
