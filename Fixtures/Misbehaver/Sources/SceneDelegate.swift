import UIKit

/// Says what its scene is told, as the app's delegate says the rest: `scene sceneWillConnect 1`.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    private func told(_ step: String, _ scene: UIScene) {
        (UIApplication.shared.delegate as? AppDelegate)?.told("scene", step, "\(scene.session.number)")
    }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        self.scene(scene, openURLContexts: connectionOptions.urlContexts)
        for activity in connectionOptions.userActivities { say("activity \(activity.activityType)") }
        told("sceneWillConnect", scene)
    }

    func sceneWillEnterForeground(_ scene: UIScene) { told("sceneWillEnterForeground", scene) }
    func sceneDidBecomeActive(_ scene: UIScene) { told("sceneDidBecomeActive", scene) }
    func sceneWillResignActive(_ scene: UIScene) { told("sceneWillResignActive", scene) }
    func sceneDidEnterBackground(_ scene: UIScene) { told("sceneDidEnterBackground", scene) }
    func sceneDidDisconnect(_ scene: UIScene) { told("sceneDidDisconnect", scene) }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        for context in URLContexts {
            (UIApplication.shared.delegate as? AppDelegate)?.told(
                "openURL", context.url.absoluteString, context.options.sourceApplication ?? "-")
        }
    }
}

/// The app's own steps, of which an app with scenes hears by notifications alone.
@MainActor
enum SceneSteps {
    private static var observers: [any NSObjectProtocol] = []

    static func observe(_ delegate: AppDelegate) {
        for (name, callback) in [
            (UIApplication.didBecomeActiveNotification, "didBecomeActive"),
            (UIApplication.willResignActiveNotification, "willResignActive"),
            (UIApplication.didEnterBackgroundNotification, "didEnterBackground"),
            (UIApplication.willEnterForegroundNotification, "willEnterForeground"),
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    MainActor.assumeIsolated {
                        // As on iOS, it also comes when an app with scenes is launched.
                        let isLaunch =
                            callback == "willEnterForeground" && UIApplication.shared.applicationState != .background
                        if !isLaunch { delegate.told(callback) }
                    }
                })
        }
    }

    /// `activate new scene`, `activate scene 2`, `destroy scene 2`.
    static func perform(_ action: String) {
        let words = action.split(separator: " ").map(String.init)
        let session = UIApplication.shared.openSessions.first { "\($0.number)" == words.last }
        switch (words.first, session) {
        case ("activate", let session):
            guard session != nil || words.dropFirst().first == "new" else { return say("answered false") }
            let activity = NSUserActivity(activityType: "org.greenroom.fixtures.misbehaver")
            UIApplication.shared.requestSceneSessionActivation(session, userActivity: activity, options: nil) { _ in
                say("answered false")
            }
        case ("destroy", let session?):
            UIApplication.shared.requestSceneSessionDestruction(session, options: nil) { _ in say("answered false") }
        default: say("cannot \(action)")
        }
    }
}
