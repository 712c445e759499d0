import AppRuntime
import Foundation
import NotificationsWire
import Synchronization
import Testing
import UserNotifications
import Wire

/// What is called how, for the tests of both forms.
@MainActor
private class Recorder: NSObject {
    let calls = Bell<String>()
    var presented: [UNNotification] = []
    var responses: [UNNotificationResponse] = []
    var options: UNNotificationPresentationOptions = [.banner, .sound]
    var isOnMain = true

    override nonisolated init() { super.init() }
}

private final class HandlerDelegate: Recorder, UNUserNotificationCenterDelegate {
    var presentHandlers: [@Sendable (UNNotificationPresentationOptions) -> Void] = []
    var handlers: [@Sendable () -> Void] = []
    var keeps = false

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        presented.append(notification)
        if keeps { presentHandlers.append(completionHandler) } else { completionHandler(options) }
        calls.ring("willPresent \(notification.request.identifier)")
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        responses.append(response)
        if keeps { handlers.append(completionHandler) } else { completionHandler() }
        calls.ring("didReceive \(response.notification.request.identifier)")
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        calls.ring("openSettings \(notification?.request.identifier ?? "none")")
    }
}

private final class AsyncDelegate: Recorder, UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        await Task.yield()
        presented.append(notification)
        calls.ring("willPresent \(notification.request.identifier)")
        return options
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {
        await Task.yield()
        responses.append(response)
        calls.ring("didReceive \(response.notification.request.identifier)")
    }
}

private final class SilentDelegate: Recorder, UNUserNotificationCenterDelegate {}

/// What UIKit would do.
private final class Application: NotificationApplication {
    let calls = Bell<String>()
    private(set) var payloads: [[AnyHashable: Any]] = []
    var result = NotificationPushResult.newData

    func didReceive(
        push payload: [AnyHashable: Any], _ completion: @escaping @Sendable (NotificationPushResult) -> Void
    ) {
        payloads.append(payload)
        completion(result)
        calls.ring("push")
    }

    func willPresent(_ notification: UNNotification) { calls.ring("willPresent \(notification.request.identifier)") }

    func didReceive(_ response: UNNotificationResponse, _ completion: @escaping @Sendable () -> Void) {
        completion()
        calls.ring("didReceive \(response.notification.request.identifier)")
    }
}

@Suite("What an app is told of notifications", .timeLimit(.minutes(1)))
@MainActor
struct DeliveryTests {
    private let service = ScriptedService()
    private let client: NotificationClient
    private let center: UNUserNotificationCenter

    init() {
        client = service.client()
        center = UNUserNotificationCenter(client)
    }

    private static func shown(_ identifier: String) -> NotificationInfo {
        NotificationInfo(
            date: 20, due: 10,
            request: NotificationRequestInfo(
                identifier: identifier,
                content: NotificationContentInfo(
                    title: "T", badge: 2, sound: "bell.caf", userInfo: "{\"a\":[1.5,true]}"),
                trigger: .calendar(NotificationComponents(hour: 8), repeats: true)))
    }

    private func present(_ seq: Int64, _ identifier: String = "n") {
        service.ask(.willPresent, seq, NotificationWillPresent(seq: seq, notification: Self.shown(identifier)).json)
    }

    private func respond(
        _ seq: Int64, _ identifier: String = "n", action: String = NotificationActionName.open, text: String? = nil
    ) {
        let response = NotificationResponseInfo(notification: Self.shown(identifier), action: action, text: text)
        service.ask(.didReceive, seq, NotificationDidReceive(seq: seq, response: response).json)
    }

    /// The service is connected: it has the first answer of a delegate that is there.
    private func greet() async { _ = await service.call(.hello) }

    @Test("A delegate connects, and says how a notification is shown while the app is on the screen")
    func handler() async throws {
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        present(1)
        #expect(try await service.answer(1).get() == ["options": ["sound", "banner"]])
        let notification = try #require(delegate.presented.first)
        #expect(notification.date == Date(timeIntervalSince1970: 10), "when it was due")
        #expect(notification.request.content.title == "T" && notification.request.content.badge == 2)
        #expect(notification.request.content.sound == UNNotificationSound(named: .init("bell.caf")))
        #expect(notification.request.content.userInfo["a"] as? [Double] == [1.5, 1])
        let trigger = try #require(notification.request.trigger as? UNCalendarNotificationTrigger)
        #expect(trigger.dateComponents.hour == 8 && trigger.repeats)
        delegate.options = UNNotificationPresentationOptions(rawValue: 4)
        present(2)
        #expect(try await service.answer(2).get() == ["options": ["list", "banner"]], "what alert stands for")
    }

    @Test("The form without a handler is called where the other one is not implemented")
    func async() async throws {
        let delegate = AsyncDelegate()
        center.delegate = delegate
        await greet()
        present(1)
        #expect(try await service.answer(1).get() == ["options": ["sound", "banner"]])
        respond(2, "m", action: "say", text: "yes")
        #expect(try await service.answer(2).get() == [:])
        #expect(await delegate.calls.first(2) == ["willPresent n", "didReceive m"])
        let response = try #require(delegate.responses.first as? UNTextInputNotificationResponse)
        #expect(response.userText == "yes" && response.actionIdentifier == "say")
    }

    @Test("A delegate that implements nothing shows nothing and hears nothing")
    func silent() async throws {
        let delegate = SilentDelegate()
        center.delegate = delegate
        await greet()
        present(1)
        respond(2)
        service.ask(.openSettings, 3, NotificationOpenSettings(seq: 3).json)
        #expect(try await service.answer(1).get() == ["options": []])
        #expect(try await service.answer(2).get() == [:])
        #expect(try await service.answer(3).get() == [:])
    }

    @Test("The app's own settings are opened")
    func settings() async throws {
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        service.ask(.openSettings, 1, NotificationOpenSettings(seq: 1, notification: Self.shown("x")).json)
        #expect(try await service.answer(1).get() == [:])
        #expect(await delegate.calls.first(1) == ["openSettings x"])
    }

    @Test("A response that comes before there is a delegate is kept until there is")
    func held() async throws {
        client.start()
        await greet()
        respond(1, "early")
        present(2, "early as well")
        // Behind both, on the same queue and then on the main thread.
        _ = await center.notificationSettings()
        let delegate = HandlerDelegate()
        center.delegate = delegate
        #expect(await delegate.calls.first(2) == ["didReceive early", "willPresent early as well"])
        #expect(try await service.answer(1).get() == [:])
        #expect(service.answered.count(where: { $0 == 1 }) == 1)
    }

    @Test("In an app with UIKit nothing is told before it has been launched; what no delegate takes then is UIKit's")
    func launching() async throws {
        let application = Application()
        client.use(application)
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        respond(1, "early")
        _ = await center.notificationSettings()
        await settle()
        #expect(delegate.responses.isEmpty)
        client.finishLaunching()
        #expect(await delegate.calls.first(1) == ["didReceive early"])
        #expect(try await service.answer(1).get() == [:])

        center.delegate = nil
        present(2)
        respond(3)
        #expect(try await service.answer(2).get() == ["options": []], "nothing is shown without a delegate")
        #expect(try await service.answer(3).get() == [:])
        #expect(await application.calls.first(2) == ["willPresent n", "didReceive n"])
    }

    @Test("The delegate is held weakly")
    func weakly() async {
        var delegate: HandlerDelegate? = HandlerDelegate()
        center.delegate = delegate
        #expect(center.delegate === delegate)
        await greet()
        delegate = nil
        #expect(center.delegate == nil)
    }

    @Test("A push goes to the app with the whole payload, and what came of it to the service")
    func push() async throws {
        let application = Application()
        client.use(application)
        client.finishLaunching()
        client.start()
        await greet()
        let payload = #"{"aps":{"content-available":1,"alert":"x"},"id":12345678901,"on":true,"list":[null,"a"]}"#
        for (seq, result) in [(Int64(1), NotificationPushResult.newData), (2, .noData), (3, .failed)] {
            application.result = result
            service.ask(.push, seq, NotificationPush(seq: seq, payload: payload, silent: true).json)
            #expect(try await service.answer(seq).get() == ["result": .string(result.rawValue)])
        }
        let heard = try #require(application.payloads.first)
        #expect((heard["aps"] as? [String: Any])?["content-available"] as? Int == 1)
        #expect(heard["id"] as? Int == 12_345_678_901 && heard["on"] as? Bool == true)
        #expect((heard["list"] as? [Any])?.last as? String == "a")
        // What is no object reaches nobody, and is answered all the same.
        service.ask(.push, 4, NotificationPush(seq: 4, payload: "[]", silent: true).json)
        #expect(try await service.answer(4).get() == ["result": "noData"])
        #expect(application.payloads.count == 3)
    }

    /// Everything that is on its way to the main thread has got there.
    private func settle() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    @Test("What the service asks twice on one connection the delegate is told once")
    func twice() async throws {
        let delegate = HandlerDelegate()
        delegate.keeps = true
        center.delegate = delegate
        await greet()
        respond(1)
        respond(1)
        _ = await delegate.calls.first(1)
        _ = await center.notificationSettings()
        await settle()
        #expect(delegate.responses.count == 1 && service.answered.isEmpty)
        // Called twice as well: it counts once.
        let handler = try #require(delegate.handlers.first)
        handler()
        handler()
        #expect(try await service.answer(1).get() == [:])
        respond(1)
        #expect(try await service.answer(1, 2).get() == [:], "what is over is answered again")
        #expect(delegate.responses.count == 1 && delegate.handlers.count == 1)
    }

    @Test(
        "A response whose handler was called while the service died is answered on the next connection, not told again")
    func lostAnswer() async throws {
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        service.dieAtAnswer()
        respond(7)
        _ = await delegate.calls.first(1)
        service.accept()
        #expect(await service.call(.hello, 2)["running"] == [])
        #expect(try await service.answer(7).get() == [:])
        // A service that does not know what the app has had asks again.
        respond(7)
        #expect(try await service.answer(7, 2).get() == [:])
        respond(8, "next")
        #expect(try await service.answer(8).get() == [:])
        #expect(delegate.responses.map(\.notification.request.identifier) == ["n", "next"])
    }

    @Test("What was overtaken by something with a greater number is told as well")
    func overtaken() async throws {
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        respond(8, "later")
        #expect(try await service.answer(8).get() == [:])
        respond(7, "earlier")
        #expect(try await service.answer(7).get() == [:])
        #expect(delegate.responses.map(\.notification.request.identifier) == ["later", "earlier"])
    }

    @Test("A response that the delegate still deals with when the service dies is answered on the next connection")
    func running() async throws {
        let delegate = HandlerDelegate()
        delegate.keeps = true
        center.delegate = delegate
        await greet()
        respond(3)
        present(4)
        _ = await delegate.calls.first(2)
        service.die()
        service.accept()
        #expect(await service.call(.hello, 2)["running"] == [3, 4])
        respond(3)
        _ = await center.notificationSettings()
        #expect(service.answered.isEmpty)
        delegate.presentHandlers[0]([.list])
        #expect(try await service.answer(4).get() == ["options": ["list"]])
        delegate.handlers[0]()
        #expect(try await service.answer(3).get() == [:])
        await settle()
        #expect(delegate.responses.count == 1 && delegate.presented.count == 1)
    }

    @Test("A handler that is dropped without being called is as good as called")
    func dropped() async throws {
        let delegate = HandlerDelegate()
        delegate.keeps = true
        center.delegate = delegate
        await greet()
        respond(1)
        present(2)
        _ = await delegate.calls.first(2)
        delegate.handlers = []
        delegate.presentHandlers = []
        #expect(try await service.answer(1).get() == [:])
        #expect(try await service.answer(2).get() == ["options": []])
    }

    @Test("What waits for a response to be dealt with is called when it has been, also if that was before")
    func windows() async throws {
        let delegate = HandlerDelegate()
        delegate.keeps = true
        center.delegate = delegate
        await greet()
        let done = Bell<String>()
        client.whenDone(with: 5) { _ in done.ring("five") }
        client.whenDone(with: nil) { _ in done.ring("any") }
        client.whenDone(with: 6) { _ in done.ring("six") }
        respond(5)
        _ = await delegate.calls.first(1)
        delegate.handlers[0]()
        #expect(Set(await done.first(2)) == ["five", "any"])
        client.whenDone(with: 5) { _ in done.ring("five again") }
        #expect(await done.first(3).last == "five again")
        respond(6)
        _ = await delegate.calls.first(2)
        delegate.handlers[1]()
        #expect(await done.first(4).last == "six")
    }

    @Test("What a later service asks, and what is not readable, is refused by name")
    func unknown() async throws {
        let delegate = HandlerDelegate()
        center.delegate = delegate
        await greet()
        service.send(.request(id: .int(1), method: "sing", params: ["seq": 1]))
        service.send(.request(id: .int(2), method: "willPresent", params: ["seq": 3]))
        service.send(.request(id: .int(4), method: "didReceive", params: [:]))
        #expect(await service.answer(1) == .failure(.methodNotFound("sing")))
        for seq in [Int64(2), 4] {
            guard case .failure(let error) = await service.answer(seq) else {
                Issue.record("\(seq) was not refused")
                continue
            }
            #expect(error.data["parameter"] == "seq")
        }
        // A refusal is given again on the next connection, as an answer is.
        service.die()
        service.accept()
        _ = await service.call(.hello, 2)
        #expect(await service.answer(1, 2) == .failure(.methodNotFound("sing")))
    }
}
