import AppRuntime
import Foundation
import NotificationsWire
import Testing
import UIKit
import UserNotifications
import Wire

/// As today's apps have it.
private class PushDelegate: UIResponder, UIApplicationDelegate {
    var tokens: [Data] = []
    var errors: [String] = []
    var payloads: [[AnyHashable: Any]] = []
    var result = UIBackgroundFetchResult.newData
    var handlers: [@Sendable (UIBackgroundFetchResult) -> Void] = []
    var keeps = false
    var continuation: CheckedContinuation<Void, Never>?

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        tokens.append(deviceToken)
        continuation?.resume()
    }

    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        errors.append(error.localizedDescription)
        continuation?.resume()
    }

    // Without `@Sendable`, as apps write it.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        payloads.append(userInfo)
        completionHandler(result)
    }
}

/// As apps have it that write `async`.
private final class AsyncPushDelegate: UIResponder, UIApplicationDelegate {
    var payloads: [[AnyHashable: Any]] = []

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await Task.yield()
        payloads.append(userInfo)
        return .failed
    }
}

/// As apps had it until 2013.
private final class OldestPushDelegate: UIResponder, UIApplicationDelegate {
    var payloads: [[AnyHashable: Any]] = []

    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]) {
        payloads.append(userInfo)
    }
}

private final class SilentPushDelegate: UIResponder, UIApplicationDelegate {}

private final class CenterDelegate: UNUserNotificationCenterDelegate {
    var responses: [String] = []

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async { responses.append(response.actionIdentifier) }
}

extension UIKitTests {
    @Suite("Pushes", .timeLimit(.minutes(1)))
    @MainActor
    struct RemoteNotificationTests {
        private let service = FakeNotifications.install()
        private let link = NotedLink()

        private static let payload = #"{"aps":{"content-available":1},"episode":{"number":7}}"#

        /// What the window says.
        private static func push(_ seq: Int64) -> String {
            NotificationPush(seq: seq, payload: payload, silent: true).windowText
        }

        private func start(
            _ delegate: AnyClass, options: JSONValue = [:], state: String = "inactive", launched: Bool = true
        ) throws -> (UIApplication, Lifecycle) {
            let (application, lifecycle) = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: delegate, link)
            let params: JSONValue = ["state": .string(state), "options": options]
            if launched {
                for name in [CallbackName.willFinishLaunching, .didFinishLaunching] {
                    _ = lifecycle.handle(Callback(seq: 1, name: name, params: params))
                }
            }
            return (application, lifecycle)
        }

        private func end(_ application: UIApplication) {
            application.end()
            FakeNotifications.uninstall()
        }

        private func wake(_ lifecycle: Lifecycle, _ kind: String, _ payload: String, window: Int64 = 9) {
            let params: JSONValue = [
                "service": "notifications", "kind": .string(kind), "payload": .string(payload),
                "window": .int(window),
            ]
            #expect(lifecycle.handle(Callback(seq: 2, name: .handleServiceEvents, params: params)) == [:])
        }

        private func pushed(_ payload: String) -> NotificationInfo {
            NotificationInfo(
                date: 1,
                request: NotificationRequestInfo(
                    identifier: "p", content: NotificationContentInfo(body: "b", userInfo: payload), trigger: .push))
        }

        @Test("An app that does not use notifications touches no service")
        func untouched() throws {
            let (application, lifecycle) = try start(SilentPushDelegate.self)
            defer { end(application) }
            for name in [CallbackName.didBecomeActive, .willResignActive, .didEnterBackground] {
                _ = lifecycle.handle(Callback(seq: 3, name: name, params: [:]))
            }
            #expect(!service.isStarted && service.methods.isEmpty)
        }

        @Test("A registration gives the delegate a token, or an error, and is known")
        func registration() async throws {
            let (application, _) = try start(PushDelegate.self)
            defer { end(application) }
            let delegate = try #require(application.delegate as? PushDelegate)
            #expect(application.isRegisteredForRemoteNotifications)
            application.unregisterForRemoteNotifications()
            #expect(!application.isRegisteredForRemoteNotifications)
            await withCheckedContinuation { continuation in
                delegate.continuation = continuation
                application.registerForRemoteNotifications()
            }
            #expect(delegate.tokens == [Data([1, 2])] && application.isRegisteredForRemoteNotifications)
            service.register(.failure(RPCError(.refused, "there is no gateway")))
            await withCheckedContinuation { continuation in
                delegate.continuation = continuation
                application.registerForRemoteNotifications()
            }
            #expect(delegate.errors == ["there is no gateway"])
        }

        @Test("A push that wakes the app is told with its whole payload; what came of it completes the window")
        func woken() async throws {
            let (application, lifecycle) = try start(PushDelegate.self, state: "background")
            defer { end(application) }
            let delegate = try #require(application.delegate as? PushDelegate)
            for (result, word) in [
                (UIBackgroundFetchResult.newData, "newData"), (.noData, "noData"), (.failed, "failed"),
            ] {
                delegate.result = result
                wake(lifecycle, "push", Self.push(Int64(delegate.payloads.count)))
                #expect(await link.completed() == ["window": 9, "result": .string(word)])
            }
            let payload = try #require(delegate.payloads.first)
            #expect((payload["aps"] as? [AnyHashable: Any])?["content-available"] as? Int == 1)
            #expect((payload["episode"] as? [String: Any])?["number"] as? Int == 7)
            wake(lifecycle, "push", "nonsense")
            #expect(await link.completed() == ["window": 9, "result": "noData"])
            #expect(delegate.payloads.count == 3)
        }

        @Test("The form that returns is called where there is no handler, and the oldest where nothing returns")
        func forms() async throws {
            let (first, firstLifecycle) = try start(AsyncPushDelegate.self)
            wake(firstLifecycle, "push", Self.push(1))
            #expect(await link.completed() == ["window": 9, "result": "failed"])
            #expect((first.delegate as? AsyncPushDelegate)?.payloads.count == 1)
            first.end()

            let (second, secondLifecycle) = try start(OldestPushDelegate.self)
            wake(secondLifecycle, "push", Self.push(1))
            // Before the callback is answered.
            #expect((second.delegate as? OldestPushDelegate)?.payloads.count == 1)
            #expect(await link.completed() == ["window": 9, "result": "noData"])
            second.end()

            let (third, thirdLifecycle) = try start(SilentPushDelegate.self)
            defer { end(third) }
            wake(thirdLifecycle, "push", Self.push(1))
            #expect(await link.completed() == ["window": 9, "result": "noData"])
        }

        @Test("A push to an app that runs comes by its own connection")
        func running() async throws {
            let (application, _) = try start(PushDelegate.self)
            defer { end(application) }
            NotificationClient.shared.start()
            let answer = await service.ask(
                .push, 1, NotificationPush(seq: 1, payload: Self.payload, silent: true).json)
            #expect(answer == ["result": "newData"])
            #expect((application.delegate as? PushDelegate)?.payloads.count == 1)
        }

        @Test("A push that comes with the app's waking and by its connection is told once, whichever is first")
        func bothWays() async throws {
            let (application, lifecycle) = try start(PushDelegate.self)
            defer { end(application) }
            NotificationClient.shared.start()
            let delegate = try #require(application.delegate as? PushDelegate)
            let push = NotificationPush(seq: 2, payload: Self.payload, silent: true)
            wake(lifecycle, "push", push.windowText)
            #expect(await link.completed() == ["window": 9, "result": "newData"])
            #expect(await service.ask(.push, 2, push.json) == ["result": "newData"])
            wake(lifecycle, "push", push.windowText)
            #expect(await link.completed() == ["window": 9, "result": "newData"])
            let other = NotificationPush(seq: 1, payload: Self.payload, silent: true)
            #expect(await service.ask(.push, 1, other.json) == ["result": "newData"])
            wake(lifecycle, "push", other.windowText)
            #expect(await link.completed() == ["window": 9, "result": "newData"])
            #expect(delegate.payloads.count == 2)
        }

        @Test("Without a delegate of the center an alert on the screen goes to the app's delegate, once")
        func onScreen() async throws {
            let (application, _) = try start(PushDelegate.self)
            defer { end(application) }
            NotificationClient.shared.start()
            let delegate = try #require(application.delegate as? PushDelegate)
            let alert = pushed(#"{"aps":{"alert":"x"}}"#)
            let answer = await service.ask(
                .willPresent, 1, NotificationWillPresent(seq: 1, notification: alert).json)
            #expect(answer == ["options": []] && delegate.payloads.count == 1)
            // With content available it comes as a push as well.
            let both = pushed(Self.payload)
            _ = await service.ask(.willPresent, 2, NotificationWillPresent(seq: 2, notification: both).json)
            #expect(delegate.payloads.count == 1)
            let tap = NotificationResponseInfo(notification: alert, action: NotificationActionName.open)
            _ = await service.ask(.didReceive, 3, NotificationDidReceive(seq: 3, response: tap).json)
            #expect(delegate.payloads.count == 2)
        }

        @Test(
            "A push that the user opened launches the app with its payload, which the oldest method does not hear again"
        )
        func launched() async throws {
            let text = #"{"aps":{"alert":"x"},"real":1.5}"#
            let options: JSONValue = ["remoteNotification": .string(text)]
            let (application, _) = try start(OldestPushDelegate.self, options: options)
            defer { end(application) }
            #expect(service.isStarted, "the response follows")
            let delegate = try #require(application.delegate as? OldestPushDelegate)
            let tap = NotificationResponseInfo(notification: pushed(text), action: NotificationActionName.open)
            _ = await service.ask(.didReceive, 1, NotificationDidReceive(seq: 1, response: tap).json)
            #expect(delegate.payloads.isEmpty)
            _ = await service.ask(.didReceive, 2, NotificationDidReceive(seq: 2, response: tap).json)
            #expect(delegate.payloads.count == 1, "a second one")
        }

        @Test("Newer methods hear a push that launched the app as well")
        func launchedNewer() async throws {
            let text = #"{"aps":{"alert":"x"}}"#
            let (application, _) = try start(
                PushDelegate.self, options: ["remoteNotification": try JSONValue(parsing: text)])
            defer { end(application) }
            let tap = NotificationResponseInfo(notification: pushed(text), action: NotificationActionName.open)
            _ = await service.ask(.didReceive, 1, NotificationDidReceive(seq: 1, response: tap).json)
            #expect((application.delegate as? PushDelegate)?.payloads.count == 1)
        }

        @Test("An app that is woken for a response is done when its center's delegate is")
        func response() async throws {
            let (application, lifecycle) = try start(SilentPushDelegate.self, state: "background")
            defer { end(application) }
            let delegate = CenterDelegate()
            wake(lifecycle, "response", #"{"seq":4}"#)
            #expect(service.isStarted)
            UNUserNotificationCenter.current().delegate = delegate
            let response = NotificationResponseInfo(notification: pushed("{}"), action: "later")
            _ = await service.ask(.didReceive, 4, NotificationDidReceive(seq: 4, response: response).json)
            #expect(await link.completed() == ["window": 9, "result": "done"])
            #expect(delegate.responses == ["later"])
        }

        @Test("What comes while the app is being launched is told when it has been")
        func early() async throws {
            let (application, lifecycle) = try start(SilentPushDelegate.self, launched: false)
            defer { end(application) }
            let delegate = CenterDelegate()
            UNUserNotificationCenter.current().delegate = delegate
            let response = NotificationResponseInfo(notification: pushed("{}"), action: "tap")
            service.send(.didReceive, 1, NotificationDidReceive(seq: 1, response: response).json)
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(delegate.responses.isEmpty)
            _ = lifecycle.handle(
                Callback(seq: 1, name: .didFinishLaunching, params: ["state": "inactive", "options": [:]]))
            #expect(await service.answer(1) == [:])
            #expect(delegate.responses == ["tap"])
        }
    }
}
