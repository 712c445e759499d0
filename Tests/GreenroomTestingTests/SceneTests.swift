import Foundation
import GreenroomTesting
import Testing
import UIKit

/// What a scene and its app are told, in its order, with the scene's state at that moment.
@MainActor
private enum SceneTrace {
    static var events: [String] = []
    static var observers: [any NSObjectProtocol] = []

    static func begin() {
        end()
        for name in [
            UIScene.willConnectNotification, UIScene.didDisconnectNotification, UIScene.didActivateNotification,
            UIScene.willDeactivateNotification, UIScene.willEnterForegroundNotification,
            UIScene.didEnterBackgroundNotification, UIApplication.didBecomeActiveNotification,
            UIApplication.willEnterForegroundNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.willResignActiveNotification,
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let name = notification.name.rawValue.replacing("Notification", with: "")
                    MainActor.assumeIsolated { events.append(name) }
                })
        }
    }

    static func end() {
        observers.forEach(NotificationCenter.default.removeObserver)
        (observers, events) = ([], [])
    }

    static func take() -> [String] {
        defer { events = [] }
        return events
    }
}

private final class SceneApp: UIResponder, UIApplicationDelegate {
    var chosen: [UISceneSession] = []

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        SceneTrace.events.append("launched \(launchOptions?.count ?? 0) \(application.connectedScenes.count)")
        return true
    }

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        chosen.append(connectingSceneSession)
        return UISceneConfiguration(name: "Default Configuration", sessionRole: connectingSceneSession.role)
    }

    func applicationDidBecomeActive(_ application: UIApplication) { SceneTrace.events.append("app") }
    func applicationWillResignActive(_ application: UIApplication) { SceneTrace.events.append("app") }
    func applicationDidEnterBackground(_ application: UIApplication) { SceneTrace.events.append("app") }
    func applicationWillEnterForeground(_ application: UIApplication) { SceneTrace.events.append("app") }
    func applicationWillTerminate(_ application: UIApplication) { SceneTrace.events.append("terminate") }
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        SceneTrace.events.append("app")
        return true
    }
}

/// As Xcode makes it, with what tests want to know.
private final class SceneDelegate: UIResponder, UIWindowSceneDelegate, NSUserActivityDelegate {
    var window: UIWindow?
    var page = 0

    private func note(_ what: String, _ scene: UIScene) { SceneTrace.events.append("\(what) \(scene.activationState)") }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = UIViewController()
        window?.makeKeyAndVisible()
        page = session.stateRestorationActivity?.userInfo?["page"] as? Int ?? 0
        let urls = connectionOptions.urlContexts.map { " \($0.url)" }.joined()
        note("connect page \(page)\(urls)", scene)
    }

    func sceneDidDisconnect(_ scene: UIScene) { note("disconnect", scene) }
    func sceneDidBecomeActive(_ scene: UIScene) { note("active", scene) }
    func sceneWillResignActive(_ scene: UIScene) { note("resign", scene) }
    func sceneWillEnterForeground(_ scene: UIScene) { note("foreground", scene) }
    func sceneDidEnterBackground(_ scene: UIScene) { note("background", scene) }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        for context in URLContexts {
            note("open \(context.url) of \(context.options.sourceApplication ?? "the user")", scene)
        }
    }

    func userActivityWillSave(_ userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["page": page])
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "org.example.read")
        activity.delegate = self
        activity.needsSave = true
        activity.addUserInfoEntries(from: ["page": -1, "link": URL(string: "https://example.org/a") as Any])
        return activity
    }
}

extension TestingTests {
    @Suite("Scenes")
    @MainActor
    struct SceneTests {
        private func install(_ device: TestDevice) throws -> TestedApp<SceneApp> {
            try device.install(
                SceneApp.self, identifier: "org.example.Reader", urlSchemes: ["reader"], backgroundModes: ["fetch"],
                sceneDelegate: SceneDelegate.self)
        }

        @Test("The scene's delegate is told of each change, and not the app's; the notifications of both come")
        func life() async throws {
            let device = try TestDevice()
            SceneTrace.begin()
            defer { SceneTrace.end() }
            let app = try install(device)
            try await device.open(app)
            #expect(
                SceneTrace.take() == [
                    "launched 0 0", "connect page 0 unattached", "UISceneWillConnect", "foreground background",
                    "UISceneWillEnterForeground", "UIApplicationWillEnterForeground", "active foregroundActive",
                    "UISceneDidActivate", "UIApplicationDidBecomeActive",
                ])
            let scene = try #require(UIApplication.shared.connectedScenes.first as? UIWindowScene)
            #expect(UIApplication.shared.openSessions == [scene.session] && scene.session.scene === scene)
            #expect(scene.activationState == .foregroundActive && scene.windows.count == 1)
            #expect(scene.keyWindow === UIApplication.shared.windows.first && scene.keyWindow?.next === scene)
            #expect(app.delegate?.chosen == [scene.session])
            try await device.interrupt(by: .call)
            #expect(scene.activationState == .foregroundInactive)
            try await device.dismiss(.call)
            _ = SceneTrace.take()
            try await device.home()
            #expect(
                SceneTrace.take() == [
                    "resign foregroundActive", "UISceneWillDeactivate", "UIApplicationWillResignActive",
                    "background background", "UISceneDidEnterBackground", "UIApplicationDidEnterBackground",
                ])
            try await device.open(app)
            #expect(
                SceneTrace.take() == [
                    "foreground background", "UISceneWillEnterForeground", "UIApplicationWillEnterForeground",
                    "active foregroundActive", "UISceneDidActivate", "UIApplicationDidBecomeActive",
                ])
            #expect(UIApplication.shared.connectedScenes == [scene])
        }

        @Test("A URL that launches the app comes with the scene's connection, a later one to the scene, each once")
        func urls() async throws {
            let device = try TestDevice()
            SceneTrace.begin()
            defer { SceneTrace.end() }
            let app = try install(device)
            try await device.open(#require(URL(string: "reader:first")))
            #expect(
                SceneTrace.take().filter { $0.contains("reader:") || $0 == "app" || $0.hasPrefix("launched") } == [
                    "launched 0 0", "connect page 0 reader:first unattached",
                ])
            try await device.home()
            try await device.open(#require(URL(string: "reader:second")))
            let told = SceneTrace.take().filter { $0.contains("reader:") || $0 == "app" }
            #expect(told.count == 1 && told.first?.hasPrefix("open reader:second of the user") == true, "\(told)")
            #expect(app.state == .active)
        }

        @Test("What the scene shows outlives the process: the session and its activity come back with the next launch")
        func restoration() async throws {
            let device = try TestDevice()
            SceneTrace.begin()
            defer { SceneTrace.end() }
            let app = try install(device)
            try await device.open(app)
            let scene = try #require(UIApplication.shared.connectedScenes.first)
            let session = scene.session.persistentIdentifier
            try await app.perform { _ in
                (scene.delegate as? SceneDelegate)?.page = 7
                scene.session.userInfo = ["mark": "here"]
            }
            try await device.home()
            try await app.crash(signal: 9)
            #expect(app.state == .notRunning)
            _ = SceneTrace.take()
            try await device.open(app)
            #expect(SceneTrace.take().contains("connect page 7 unattached"))
            let next = try #require(UIApplication.shared.connectedScenes.first)
            #expect(next !== scene && next.session.persistentIdentifier == session)
            #expect(next.session.userInfo?["mark"] as? String == "here")
            let link = next.session.stateRestorationActivity?.userInfo?["link"] as? URL
            #expect(link == URL(string: "https://example.org/a"))
        }

        @Test("An app that runs without being seen has no scene until it is opened")
        func unseen() async throws {
            let device = try TestDevice(.iOS7)
            SceneTrace.begin()
            defer { SceneTrace.end() }
            let app = try install(device)
            try await device.fetch(app, launching: true)
            #expect(app.launches == 1 && SceneTrace.take().filter { $0.hasPrefix("launched") } == ["launched 0 0"])
            #expect(UIApplication.shared.connectedScenes.isEmpty)
            _ = SceneTrace.take()
            try await device.open(app)
            #expect(
                SceneTrace.take().prefix(3) == [
                    "connect page 0 unattached", "UISceneWillConnect", "foreground background",
                ])
        }

        @Test("A scene that ends on the screen is disconnected before the app's delegate hears of the end")
        func end() async throws {
            let device = try TestDevice()
            SceneTrace.begin()
            defer { SceneTrace.end() }
            let app = try install(device)
            try await device.open(app)
            _ = SceneTrace.take()
            try await device.close(app)
            let told = SceneTrace.take()
            #expect(app.state == .notRunning)
            let ends = told.filter { $0.hasPrefix("disconnect") || $0 == "UISceneDidDisconnect" || $0 == "terminate" }
            #expect(ends == ["disconnect unattached", "UISceneDidDisconnect", "terminate"], "\(told)")
        }
    }
}
