package import AppRuntime
public import Foundation
internal import Wire

/// The app as the system sees it. There is one, `shared`; use it on the main thread.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The app that runs in this process; `nil` where none does.
    package private(set) static var running: UIApplication?

    /// The app. There is one from `UIApplicationMain` on; in a test, while an app runs on its device.
    public class var shared: UIApplication {
        guard let running else {
            // As on iOS, where using it without an app ends the process; here it says what to do.
            fatalError(
                """
                UIApplication.shared was used where no app runs. In an app, UIApplicationMain (or @main on the delegate) \
                makes it. In a test, install the delegate's class on a TestDevice of GreenroomTesting and open the app \
                first; between an app's end and its next launch there is none.
                """)
        }
        return running
    }

    /// The state of an app that runs. A suspended app never sees its own state.
    public enum State: Int, Sendable {
        /// In front, and events reach it.
        case active
        /// In the foreground, but events do not reach it: during launch, an interruption, a change of state.
        case inactive
        /// Not on the screen.
        case background
    }

    /// The object that the system calls when the app's state changes. The app holds it, where Apple's does not:
    /// `UIApplicationMain` keeps it alive there.
    open var delegate: (any UIApplicationDelegate)?

    /// The state of the app. In `applicationWillResignActive` it is still `active`, in
    /// `applicationWillEnterForeground` still `background`.
    open var applicationState: State { state }

    /// The app's delegate, if it is a responder; the chain ends with it.
    open override var next: UIResponder? { delegate as? UIResponder }

    /// The windows that are not hidden, the one that was shown last at the end.
    open var windows: [UIWindow] { visibleWindows.compactMap(\.window) }

    /// The window that gets events that belong to no place on the screen.
    open var keyWindow: UIWindow? { windows.first(where: \.isKeyWindow) }

    /// Whether the screen is to stay on while the app is active. It lapses when the app leaves the screen and counts
    /// again when it is back; a new process begins with false. Greenroom itself puts no device to sleep: `greenroom
    /// status` and services say which app keeps the screen on, for what does.
    open var isIdleTimerDisabled = false {
        didSet {
            guard isIdleTimerDisabled != oldValue else { return }
            connection?.request(.keepScreenOn, ["keeps": .bool(isIdleTimerDisabled)]) { result in
                if case .failure(let error) = result { ApplicationLauncher.complain(error.message) }
            }
        }
    }

    /// Whether files that are protected by the device's lock can be read: until some seconds after it was locked, and
    /// from the unlocking on. Greenroom encrypts no file, so that they can in fact always be read; the value is for
    /// code that has to work where they cannot.
    open var isProtectedDataAvailable: Bool { systemChanges?.known["protectedData"]?.string != "unavailable" }

    /// The app's shortcuts that it sets while it runs. They are kept when it ends, as long as it is installed, and come
    /// after those of `UIApplicationShortcutItems` in its `Info.plist`, which are not among them. `greenroom shortcuts`
    /// has them all.
    open var shortcutItems: [UIApplicationShortcutItem]? {
        get { shortcuts.dynamic }
        set { shortcuts.dynamic = newValue }
    }
    lazy var shortcuts = SavedShortcuts()

    var state: State = .inactive
    /// The way to the system; `nil` in a process that it did not start.
    package internal(set) var connection: (any AppLink)? {
        didSet {
            backgroundTasks.attach(connection)
            backgroundWindows.attach(connection)
            BackgroundLaunches.shared.attach(connection)
            snapshots.connection = connection
        }
    }
    package nonisolated let backgroundTasks = BackgroundTasks()
    package nonisolated let backgroundWindows = BackgroundWindows()
    package internal(set) var systemChanges: SystemChanges?
    package let snapshots = Snapshots()
    package private(set) lazy var notifications = ApplicationNotifications(self)
    package lazy var remoteControl = ApplicationRemoteControl(self)

    /// What an app with scenes has; `nil`: its `Info.plist` has no scene manifest.
    package internal(set) var scenes: Scenes?

    struct WeakWindow {
        weak var window: UIWindow?
    }
    var visibleWindows: [WeakWindow] = []
    weak var currentKeyWindow: UIWindow?

    /// Creates the app; `UIApplicationMain` does it.
    public override nonisolated init() { super.init() }

    package func becomeShared() { UIApplication.running = self }

    /// The app's process is gone, where that is not the whole process: nothing reaches it or comes from it any more.
    package func end() {
        connection?.stop()
        connection = nil
        notifications.end()
        remoteControl.end()
        delegate = nil
        if UIApplication.running === self { UIApplication.running = nil }
    }
}

extension UIApplication {
    /// Keys of the launch options: why the app was launched.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public var rawValue: String
        /// Creates a key.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// To open a URL; the value is a `URL`.
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// By another app; the value is its identifier, a `String`.
        public static let sourceApplication = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
        /// For a push that came or that the user opened; the value is its payload, a dictionary.
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// For a local notification that the user opened; the value is a `UILocalNotification`.
        @available(
            *, deprecated,
            message:
                "Use UserNotifications Framework's -[UNUserNotificationCenterDelegate didReceiveNotificationResponse:withCompletionHandler:]"
        )
        public static let localNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
        /// For a location event; the value is `true`.
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
    }

    /// Keys of the options of `application(_:open:options:)`.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public var rawValue: String
        /// Creates a key.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The identifier of the app that asks, a `String`; absent if the user opened the URL.
        public static let sourceApplication = OpenURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        /// Whether a file is to be used where it is, a `Bool`.
        public static let openInPlace = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }

    /// Keys of the options of `open(_:options:completionHandler:)`. No option has a meaning here so far.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public var rawValue: String
        /// Creates a key.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension UIApplication {
    /// After `application(_:didFinishLaunchingWithOptions:)`; its `userInfo` are the launch options.
    public nonisolated static let didFinishLaunchingNotification = Notification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// After `applicationDidBecomeActive(_:)`.
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
    /// After `applicationWillResignActive(_:)`.
    public nonisolated static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    /// After `applicationDidEnterBackground(_:)`, within the same time limit.
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// After `applicationWillEnterForeground(_:)`.
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    /// After `applicationDidReceiveMemoryWarning(_:)`.
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
    /// After `applicationWillTerminate(_:)`, within the same time limit.
    public nonisolated static let willTerminateNotification = Notification.Name(
        "UIApplicationWillTerminateNotification")
}

extension UIApplication {
    /// Protected files can be read again, since the device was unlocked. Follows
    /// `applicationProtectedDataDidBecomeAvailable(_:)`; the object is the app.
    public nonisolated static let protectedDataDidBecomeAvailableNotification = Notification.Name(
        "UIApplicationProtectedDataDidBecomeAvailable")
    /// Protected files can be read for some seconds more, since the device was locked; or no longer, where the app was
    /// suspended meanwhile. Follows `applicationProtectedDataWillBecomeUnavailable(_:)`; the object is the app.
    public nonisolated static let protectedDataWillBecomeUnavailableNotification = Notification.Name(
        "UIApplicationProtectedDataWillBecomeUnavailable")
}
