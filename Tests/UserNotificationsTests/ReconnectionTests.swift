import AppRuntime
import Foundation
import NotificationsWire
import Synchronization
import Testing
import UserNotifications
import Wire

@Suite("When the notification service dies", .timeLimit(.minutes(1)))
struct ReconnectionTests {
    private func request(_ identifier: String) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.body = "b"
        return UNNotificationRequest(identifier: identifier, content: content, trigger: nil)
    }

    @Test("What it did not answer is asked again, in its order, and each handler is called once")
    func again() async throws {
        let service = ScriptedService()
        let center = UNUserNotificationCenter(service.client())
        try await center.add(request("zero"))
        service.leaveUnanswered(.add)
        let added = Bell<String>()
        for name in ["one", "two"] { center.add(request(name)) { error in added.ring(error == nil ? name : "no") } }
        _ = await service.call(.add, 3)
        service.leaveUnanswered()
        service.die()
        service.accept()
        _ = await added.first(2)
        let identifiers = try await (1...5).asyncMap { count in
            try NotificationRequestParameters(json: await service.call(.add, count)).request.identifier
        }
        #expect(identifiers == ["zero", "one", "two", "one", "two"])
        #expect(service.methods.filter { $0 == "hello" }.count == 2)
    }

    @Test("What is asked while there is no service is said when there is one")
    func early() async throws {
        let service = ScriptedService(connections: 0)
        let center = UNUserNotificationCenter(service.client())
        let added = Bell<Bool>()
        center.add(request("a")) { added.ring($0 == nil) }
        center.removeAllDeliveredNotifications()
        service.accept()
        #expect(await added.first(1) == [true])
        _ = await service.call(.removeDelivered)
        #expect(service.methods == ["hello", "add", "removeDelivered"])
    }

    @Test("A service that does not speak with the app is not asked again, and everything is answered with its error")
    func refused() async {
        let service = ScriptedService()
        service.answer(.hello, .failure(RPCError(.invalidRequest, "version 1 is not spoken here")))
        let center = UNUserNotificationCenter(service.client())
        for _ in 0..<2 {
            await #expect {
                try await center.add(request("a"))
            } throws: {
                $0.localizedDescription == "version 1 is not spoken here"
            }
        }
        #expect(service.methods == ["hello"])
    }

    @Test("The app runs while the service has not heard what it asks, but not until the user has decided")
    func errands() async throws {
        let service = ScriptedService()
        let heard = Bell<String>()
        service.errands.use { _, isOut in heard.ring(isOut ? "out" : "back") }
        let center = UNUserNotificationCenter(service.client())
        service.leaveUnanswered(.authorize, .add)
        center.requestAuthorization(options: .alert) { _, _ in }
        _ = await service.call(.authorize)
        let added = Bell<Bool>()
        center.add(request("a")) { added.ring($0 == nil) }
        #expect(await heard.first(1) == ["out"])
        _ = await service.call(.add)
        service.leaveUnanswered(.authorize)
        service.die()
        service.accept()
        _ = await added.first(1)
        #expect(await heard.first(2) == ["out", "back"])
    }

    @Test("An app that ends and begins again in one process begins with nothing, on a connection of its own")
    @MainActor
    func reset() async {
        let service = ScriptedService(connections: 2)
        let client = service.client()
        let center = UNUserNotificationCenter(client)
        let delegate = Delegate()
        service.answer(.hello, .success(NotificationGreeting(settings: ScriptedService.settings, badge: 8).json))
        center.delegate = delegate
        #expect(client.badge == 8 && !client.isRegistered)
        client.reset()
        #expect(center.delegate == nil)
        #expect(client.badge == 3 && client.isRegistered, "as the service says on the new connection")
        #expect(await service.call(.hello, 2)["running"] == [])
    }

    private final class Delegate: UNUserNotificationCenterDelegate {}
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
