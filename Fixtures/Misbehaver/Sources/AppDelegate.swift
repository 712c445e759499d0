import Glibc
import UIKit

/// Says what it is told, with the time, and then does it wrong.
class AppDelegate: UIResponder, UIApplicationDelegate {
    private var misdeeds = Misdeed.given
    private var hoard: Hoard?

    func told(_ callback: String, _ details: String...) {
        say(([callback] + details).joined(separator: " "))
        Script.given.run(callback)
        for misdeed in misdeeds {
            switch misdeed {
            case .block(let name) where name == callback: Deed.blockForever()
            case .hold(let name) where name == callback: Remote.awaitRelease()
            case .slow(let name, let milliseconds) where name == nil || name == callback:
                Deed.wait(milliseconds: milliseconds)
            case .ignoreTermination where callback == "willTerminate": Deed.blockForever()
            case .crashAtLaunch where callback == "didFinishLaunching": Deed.crash()
            case .exitAtLaunch where callback == "didFinishLaunching": exit(3)
            case .leaveChild where callback == "didFinishLaunching": say("forked \(Deed.fork(1))")
            case .ignoreTermination, .block, .hold, .slow, .crashAtLaunch, .exitAtLaunch, .leaveChild, .neverConnect,
                .shareTooEarly:
                continue
            }
        }
    }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        told("willFinishLaunching")
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Surroundings.observe()
        Wakings.register()
        if Bundle.main.object(forInfoDictionaryKey: "UIApplicationSceneManifest") != nil { SceneSteps.observe(self) }
        Services.register { [unowned self] in told("handleServiceEvents") }
        told("didFinishLaunching")
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { told("didBecomeActive") }
    func applicationWillResignActive(_ application: UIApplication) { told("willResignActive") }
    func applicationDidEnterBackground(_ application: UIApplication) { told("didEnterBackground") }
    func applicationWillEnterForeground(_ application: UIApplication) { told("willEnterForeground") }
    func applicationWillTerminate(_ application: UIApplication) { told("willTerminate") }
    func applicationSignificantTimeChange(_ application: UIApplication) { say("significantTimeChange") }
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
        say("changed protectedData false")
    }
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) { say("changed protectedData true") }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        told("didReceiveMemoryWarning")
        Spare.giveBack()
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Wakings.keep(completionHandler)
        told("performFetch")
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Wakings.keep(completionHandler)
        say("session \(identifier)")
        told("handleEventsForBackgroundURLSession")
    }

    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
        for session in sceneSessions { told("scene", "didDiscardScene", "\(session.number)") }
    }

    func launched(_ task: String) {
        say("task \(task)")
        told("launchBackgroundTask")
    }

    func application(
        _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        // As an app that knows nothing of shortcuts hears of it.
        told("openURL", "greenroom-app:\(Bundle.main.bundleIdentifier ?? "")/shortcut/\(shortcutItem.type)", "-")
        completionHandler(true)
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        told("openURL", url.absoluteString, options[.sourceApplication] as? String ?? "-")
        return url.scheme == "misbehave" && obey(url)
    }

    /// `misbehave://block`, `crash`, `exit?code=3`, `fork?max=2000`, `leave-child`, `lock?file=/tmp/x`, `listen`,
    /// `draw?machine=/x`, `invert?by=sync`, `mode?words=block:willTerminate`, `open?url=other:x`,
    /// `can-open?url=other:x`, `do?action=end task "upload"`; and what it does with memory, see `obey(memory:value:)`.
    func obey(_ url: URL) -> Bool {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        switch url.host {
        case "block":
            // After this callback has returned: the main thread hangs, and no callback does.
            DispatchQueue.main.async { Deed.blockForever() }
        case "crash": DispatchQueue.main.async { Deed.crash() }
        case "exit": exit(value("code").flatMap { Int32($0) } ?? 3)
        case "fork": say("forked \(Deed.fork(value("max").flatMap { Int($0) } ?? 2000))")
        case "leave-child": say("forked \(Deed.fork(1))")
        case "lock": Deed.lock(value("file") ?? "")
        case "listen": Deed.listen()
        case "keep-screen-on": UIApplication.shared.isIdleTimerDisabled = value("keeps") == "true"
        case "draw": Drawing.draw(value("machine") ?? "")
        case "invert": Inversion.begin(by: value("by") ?? "mutex")
        case "mode": return set(mode: value("words") ?? "")
        case "open":
            guard let other = value("url").flatMap({ URL(string: $0) }) else { return false }
            UIApplication.shared.open(other) { say("answered \($0)") }
        case "do":
            // After this callback has returned, as a scenario's app does it.
            let action = value("action") ?? ""
            DispatchQueue.main.async { Script.given.perform(action) }
        case "can-open":
            guard let other = value("url").flatMap({ URL(string: $0) }) else { return false }
            say("answered \(UIApplication.shared.canOpenURL(other))")
        default: return url.host.map { obey(memory: $0) { value($0).flatMap { Int($0) } } } ?? false
        }
        return true
    }

    /// `take?mb=20` for good, `spare?mb=20` until a memory warning, `leak?every=100&most=500` and `leak-child` a
    /// megabyte every so many milliseconds, `waver?mb=20&every=50`, `hoard?mb=200&seed=1` purgeable data,
    /// `hoard-state`, `map?gb=100` maps an own sparse file, `reserve?gb=100` reserves pages and writes none. Reports
    /// the result.
    private func obey(memory deed: String, value: (String) -> Int?) -> Bool {
        let (megabytes, pause) = (value("mb") ?? 1, value("every") ?? 0)
        let most = value("most") ?? 1000
        switch deed {
        case "take": say(unsafe Greed.take(megabytes) == nil ? "no room" : "took \(megabytes)")
        case "spare":
            Spare.take(megabytes)
            say("took \(megabytes)")
        case "leak":
            say("leaks")
            Thread { Greed.leak(every: pause, most: most) }.start()
        case "leak-child": say("leaks in \(Greed.leakInChild(every: pause, most: most))")
        case "waver":
            say("wavers")
            Thread { Greed.waver(megabytes, every: pause) }.start()
        case "hoard":
            hoard = Hoard(megabytes: megabytes, seed: UInt64(value("seed") ?? 1))
            say("hoards")
        case "hoard-state": say("hoard \(hoard?.state ?? "none")")
        case "map", "reserve":
            let gigabytes = value("gb") ?? 1
            say(Greed.map(gigabytes, inFile: deed == "map") ? "mapped \(gigabytes)" : "no room")
        default: return false
        }
        return true
    }

    /// For this process and for later launches.
    private func set(mode words: String) -> Bool {
        misdeeds = words.split(separator: ",").compactMap { Misdeed(String($0)) }
        if misdeeds.contains(.ignoreTermination) { ignoreTermination() }
        do {
            try words.write(toFile: Misdeed.modeFile, atomically: true, encoding: .utf8)
            return true
        } catch {
            say("cannot write \(Misdeed.modeFile): \(error)")
            return false
        }
    }
}

/// Prints a line with the seconds since boot, as the daemon counts them.
func say(_ what: String) {
    var now = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &now)
    let microseconds = String(now.tv_nsec / 1000)
    let padding = String(repeating: "0", count: 6 - microseconds.count)
    print("\(now.tv_sec).\(padding)\(microseconds) \(what)")
}

func ignoreTermination() {
    _ = signal(SIGTERM, SIG_IGN)
}
