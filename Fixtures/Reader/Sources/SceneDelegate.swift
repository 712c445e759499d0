import Foundation
import UIKit

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var page = 0

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = UIViewController()
        window?.makeKeyAndVisible()
        page = session.stateRestorationActivity?.userInfo?["page"] as? Int ?? 0
        Log.add("connect page \(page)")
        // As most apps keep it: nobody calls synchronize().
        let reads = UserDefaults.standard.integer(forKey: "reads")
        if reads > 0 { Log.add("read \(reads) times") }
        turn(connectionOptions.urlContexts)
        if let shortcut = connectionOptions.shortcutItem { turn(shortcut) }
        for activity in connectionOptions.userActivities { turn(activity) }
    }

    func sceneDidDisconnect(_ scene: UIScene) { Log.add("disconnect") }
    func sceneDidBecomeActive(_ scene: UIScene) { Log.add("active") }
    func sceneWillResignActive(_ scene: UIScene) { Log.add("resign") }
    func sceneWillEnterForeground(_ scene: UIScene) { Log.add("foreground") }

    func sceneDidEnterBackground(_ scene: UIScene) {
        UserDefaults.standard.set(UserDefaults.standard.integer(forKey: "reads") + 1, forKey: "reads")
        UIApplication.shared.shortcutItems = [
            UIApplicationShortcutItem(
                type: "org.greenroom.fixtures.reader.last", localizedTitle: "Page \(page)",
                userInfo: ["page": page as NSNumber])
        ]
        Log.add("background")
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) { turn(URLContexts) }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "org.greenroom.fixtures.reader.page")
        activity.addUserInfoEntries(from: ["page": page])
        return activity
    }

    func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        turn(shortcutItem)
        completionHandler(true)
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { turn(userActivity) }

    private func turn(_ shortcut: UIApplicationShortcutItem) {
        page = shortcut.userInfo?["page"] as? Int ?? 0
        Log.add("shortcut to \(page)")
    }

    private func turn(_ activity: NSUserActivity) {
        page = activity.userInfo?["page"] as? Int ?? 0
        Log.add("\(activity.activityType) \(page)")
    }

    private func turn(_ contexts: Set<UIOpenURLContext>) {
        for context in contexts {
            guard let number = Int(context.url.lastPathComponent) else { continue }
            page = number
            Log.add("page \(page)")
        }
    }
}
