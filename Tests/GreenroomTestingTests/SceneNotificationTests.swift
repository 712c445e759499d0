import GreenroomTesting
import Testing
import UIKit
import UserNotifications

private final class ChatApp: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    var told: [String] = []
    var launchOptions: [UIApplication.LaunchOptionsKey: Any]?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        self.launchOptions = launchOptions
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        center.setNotificationCategories([
            UNNotificationCategory(
                identifier: "message",
                actions: [
                    UNTextInputNotificationAction(
                        identifier: "reply", title: "Reply", options: [.foreground], textInputButtonTitle: "Send",
                        textInputPlaceholder: "")
                ], intentIdentifiers: [], options: [])
        ])
        Task { _ = try await center.requestAuthorization(options: [.alert]) }
        return true
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async { told.append(ChatScene.words(response)) }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) { completionHandler(.newData) }
}

private final class ChatScene: UIResponder, UIWindowSceneDelegate {
    /// What each scene was given when it connected.
    static var given: [String] = []

    static func words(_ response: UNNotificationResponse?) -> String {
        guard let response else { return "nothing" }
        let text = (response as? UNTextInputNotificationResponse)?.userText
        let action = response.actionIdentifier == UNNotificationDefaultActionIdentifier ? "open" : "reply"
        return "\(action) \(response.notification.request.content.body)\(text.map { ": \($0)" } ?? "")"
    }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) { Self.given.append(Self.words(connectionOptions.notificationResponse)) }
}

extension TestingTests {
    @Suite("Scenes that come for a notification")
    @MainActor
    struct SceneNotificationTests {
        /// Opened, left, and with a notification on the screen.
        private func begin(_ device: TestDevice, _ body: String = "Hello") async throws -> TestedApp<ChatApp> {
            let app = try device.install(
                ChatApp.self, identifier: "org.example.Chat", backgroundModes: ["remote-notification"],
                sceneDelegate: ChatScene.self, supportsMultipleScenes: true)
            ChatScene.given = []
            try await device.open(app)
            try await device.home()
            try await device.deliver(request(body), of: app)
            return app
        }

        private func request(_ body: String) -> UNNotificationRequest {
            let content = UNMutableNotificationContent()
            content.body = body
            content.categoryIdentifier = "message"
            return UNNotificationRequest(identifier: body, content: content, trigger: nil)
        }

        @Test("A tap that launches the app is among its scene's options, and told to the center's delegate as well")
        func launch() async throws {
            let device = try TestDevice()
            let app = try await begin(device)
            try await app.crash()
            try await device.tapNotification(of: app)
            #expect(ChatScene.given == ["nothing", "open Hello"] && app.launches == 2)
            #expect(app.delegate?.told == ["open Hello"])
            // It was for that one alone.
            try await device.openScene(of: app)
            try await device.home()
            try await app.crash()
            try await device.open(app)
            #expect(ChatScene.given == ["nothing", "open Hello", "nothing", "nothing"])
        }

        @Test("So are an action with what was written, and a push")
        func actions() async throws {
            let device = try TestDevice()
            let app = try await begin(device)
            try await app.crash()
            try await device.answerNotification(of: app, with: "reply", text: "On my way")
            #expect(ChatScene.given.last == "reply Hello: On my way")
            #expect(app.delegate?.told == ["reply Hello: On my way"])
            try await device.home()
            try await app.crash()
            try await device.push(["aps": ["alert": ["body": "Goal"]], "match": 7], to: app)
            try await device.tapNotification(of: app)
            #expect(ChatScene.given.last == "open Goal" && app.delegate?.told == ["open Goal"])
            #expect((app.delegate?.launchOptions?[.remoteNotification] as? [AnyHashable: Any])?["match"] as? Int == 7)
        }

        @Test("An app that runs without a scene is given it with the scene; a scene that is connected is not")
        func running() async throws {
            let device = try TestDevice()
            let app = try await begin(device)
            try await app.crash()
            try await device.push(["aps": ["content-available": 1]], to: app)
            #expect(app.launches == 2 && app.state == .suspended && ChatScene.given == ["nothing"])
            try await device.tapNotification(of: app)
            #expect(ChatScene.given == ["nothing", "open Hello"] && app.delegate?.told == ["open Hello"])
            #expect(app.launches == 2 && app.state == .active)
            try await device.home()
            try await device.deliver(request("Again"), of: app)
            try await device.tapNotification(of: app)
            #expect(app.delegate?.told == ["open Hello", "open Again"] && ChatScene.given.count == 2)
        }
    }
}
