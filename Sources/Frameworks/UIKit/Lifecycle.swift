package import AppRuntime
internal import Dispatch
internal import Foundation
package import Wire

/// Turns the daemon's callbacks into calls of the delegate, each followed by its notification.
@MainActor
package final class Lifecycle {
    let application: UIApplication
    /// False once a launch method has returned false.
    private var acceptsLaunchURL = true
    private var launchURL: String?

    package init(_ application: UIApplication) { self.application = application }

    private var delegate: (any UIApplicationDelegate)? { application.delegate }
    /// In an app with scenes they are told what becomes of it, and not the app's delegate.
    private var scenes: Scenes? { application.scenes }

    /// - Returns: the result that the daemon is to get.
    package func handle(_ callback: Callback) -> JSONValue {
        if let scenes, scenes.handle(callback) { return [:] }
        switch callback.name {
        case .willFinishLaunching:
            application.state = callback.params["state"]?.string == "background" ? .background : .inactive
            launchURL = callback.params["options"]?["url"]?.string
            let options = launchOptions(callback)
            if delegate?.application(application, willFinishLaunchingWithOptions: options) == false {
                acceptsLaunchURL = false
            }
        case .didFinishLaunching:
            let options = launchOptions(callback)
            if scenes == nil { StateRestoration.restore(application) }
            if delegate?.application(application, didFinishLaunchingWithOptions: options) == false {
                acceptsLaunchURL = false
            }
            // Who hears of the launch may still register tasks, as a SwiftUI app's scenes do.
            post(UIApplication.didFinishLaunchingNotification, userInfo: options)
            BackgroundLaunches.shared.finishLaunching()
            application.notifications.finishLaunching()
            application.remoteControl.finishLaunching()
            scenes?.isComing = application.state != .background
        case .didBecomeActive:
            application.state = .active
            if scenes == nil { delegate?.applicationDidBecomeActive(application) }
            post(UIApplication.didBecomeActiveNotification)
        case .willResignActive:
            if scenes == nil { delegate?.applicationWillResignActive(application) }
            post(UIApplication.willResignActiveNotification)
            application.state = .inactive
        case .didEnterBackground:
            application.state = .background
            if scenes == nil { delegate?.applicationDidEnterBackground(application) }
            post(UIApplication.didEnterBackgroundNotification)
            if scenes == nil { StateRestoration.save(application) }
            Departure.prepare()
            MemoryRelief.enterBackground()
        case .willEnterForeground:
            application.backgroundTasks.enterForeground()
            if scenes == nil { delegate?.applicationWillEnterForeground(application) }
            post(UIApplication.willEnterForegroundNotification)
            application.state = .inactive
        case .willTerminate:
            scenes?.disconnectAll()
            delegate?.applicationWillTerminate(application)
            post(UIApplication.willTerminateNotification)
            Departure.prepare()
        case .openURL: return ["handled": .bool(open(callback.params))]
        case .performFetch: performFetch(callback.params)
        case .handleEventsForBackgroundURLSession: handleEvents(callback.params)
        case .launchBackgroundTask: launchTask(callback.params)
        case .handleServiceEvents: handleServiceEvents(callback.params)
        case .didReceiveMemoryWarning: warn(callback.params["level"]?.string == "critical" ? .critical : .warning)
        // Of an app that had scenes when it was installed, and has none.
        case .sceneWillConnect, .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive,
            .sceneDidEnterBackground, .sceneDidDisconnect, .didDiscardScene:
            break
        }
        return [:]
    }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: application, userInfo: userInfo)
    }

    private func warn(_ level: DispatchSource.MemoryPressureEvent) {
        delegate?.applicationDidReceiveMemoryWarning(application)
        post(UIApplication.didReceiveMemoryWarningNotification)
        for window in application.windows { window.rootViewController?.receiveMemoryWarning() }
        MemoryRelief.warn(level)
    }

    private func open(_ params: JSONValue) -> Bool {
        guard let text = params["url"]?.string, let url = URL(string: text) else { return false }
        let isLaunchURL = text == launchURL
        launchURL = nil
        // As on iOS: a launch method that returns false has dealt with the URL, or does not want it.
        if isLaunchURL, !acceptsLaunchURL { return false }
        let source = params["sourceApplication"]?.string
        guard let errand = Errand(url, sourceApplication: source, application) else { return false }
        if let scenes { return scenes.open(errand, in: params["scene"]?.int) }
        guard let delegate else { return false }
        switch errand {
        case .shortcut(let shortcut):
            delegate.application(application, performActionFor: shortcut) { _ in }
            return true
        case .activity(let activity):
            _ = delegate.application(application, willContinueUserActivityWithType: activity.activityType)
            if delegate.application(application, continue: activity, restorationHandler: restore) { return true }
            // A link that the app does not go on with is a URL like others.
            guard url.isOfSite else { return false }
        case .url: break
        }
        var options: [UIApplication.OpenURLOptionsKey: Any] = [.openInPlace: false]
        options[.sourceApplication] = source
        return delegate.application(application, open: url, options: options)
    }

    private func restore(_ objects: [any UIUserActivityRestoring]?) {}

    /// `nil` if there are none, as on iOS.
    private func launchOptions(_ callback: Callback) -> [UIApplication.LaunchOptionsKey: Any]? {
        guard let given = callback.params["options"] else { return nil }
        var options: [UIApplication.LaunchOptionsKey: Any] = [:]
        let source = given["sourceApplication"]?.string
        if scenes == nil, let url = given["url"]?.string.flatMap({ URL(string: $0) }),
            let errand = Errand(url, sourceApplication: source, application)
        {
            options.merge(errand.launchOptions) { $1 }
        }
        if given["location"] != nil { options[.location] = true }
        let (local, remote) = (given["localNotification"], given["remoteNotification"])
        if local != nil || remote != nil {
            let isOpened = callback.params["state"]?.string != "background"
            let given = application.notifications.launchOptions(local: local, remote: remote, isOpened: isOpened)
            options.merge(given) { $1 }
        }
        return options.isEmpty ? nil : options
    }
}
