import Foundation
import LinuxSystem
import Model
import PushCore
import PushGateway
import Testing

@Suite("Stores: registrations, and what outlives a gateway")
struct StoreRegistrationTests {
    static var kinds: [StoreKind] { StoreContractTests.kinds }

    @Test("A token is good until its registration ends, and says since when it is not", arguments: kinds)
    func tokens(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        _ = await store.connect(device)
        let first = try #require(await store.register(device, "app").token)
        #expect(try store.store.read(token: first[...], topic: "app").device == device)
        _ = await store.register(device, "other")
        #expect(store.reason(first, "other") == .deviceTokenNotForTopic)
        #expect(store.reason(first, "unknown") == .deviceTokenNotForTopic)
        let before = Clock.wall() / 1_000_000
        #expect(await store.unregister(device, "app").isEnded)
        let rejection = try #require(store.rejection(first, "app"))
        #expect(rejection.reason == .unregistered)
        #expect((before...Clock.wall() / 1_000_000).contains(rejection.timestamp ?? 0))
        let second = try #require(await store.register(device, "app").token)
        #expect(second != first)
        #expect(store.reason(first, "app") == .unregistered)
        #expect(store.reason(second, "app") == nil)
        await store.store.close()
    }

    @Test("With a registration its messages end, and no others", arguments: kinds)
    func messages(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        for topic in ["a", "b"] {
            #expect(await store.accept(store.message(topic, for: device, topic: topic)) == .accepted)
        }
        let (link, _) = await store.connect(device)
        _ = await store.register(device, "a")
        #expect(await store.unregister(device, "a").isEnded)
        store.store.detach(device, link)
        #expect(await store.connect(device).page?.messages.map(\.topic) == ["b"])
        await store.store.close()
    }

    @Test("A device that has not connected for too long is gone", arguments: kinds)
    func gone(_ kind: StoreKind) async throws {
        var rules = PushRules()
        rules.deviceLifetime = .milliseconds(50)
        let store = try await StorePlace(kind, rules: rules).open()
        let device = try DeviceID.random()
        let before = Clock.wall() / 1_000_000
        let (link, _) = await store.connect(device)
        #expect(await store.register(device, "app").token != nil)
        store.store.detach(device, link)
        // What has to pass is time.
        try await Task.sleep(for: .milliseconds(200))
        let outcome = await store.accept(store.message("late", for: device))
        guard case .deviceGone(let since) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect((before...Clock.wall() / 1_000_000).contains(since))
        await store.store.close()
    }

    @Test("A gateway that starts again has everything that the last one had", arguments: kinds)
    func again(_ kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try await place.open()
        let device = try DeviceID.random()
        let (link, _) = await store.connect(device)
        let good = try #require(await store.register(device, "good").token)
        let ended = try #require(await store.register(device, "ended").token)
        #expect(await store.unregister(device, "ended").isEnded)
        store.store.detach(device, link)
        let message = store.message("kept", for: device, topic: "good", collapse: "c")
        #expect(await store.accept(message) == .accepted)
        await store.store.close()

        let next = try await place.open()
        #expect(next.reason(good, "good") == nil)
        #expect(next.reason(good, "ended") == .deviceTokenNotForTopic)
        #expect(next.reason(ended, "ended") == .unregistered)
        let page = try #require(await next.connect(device).page)
        #expect(page.messages == [message])
        #expect(next.message("later", for: device).number > message.number)
        await next.store.close()
    }
}

extension TestStore {
    func rejection(_ token: String, _ topic: String) -> PushRejection? {
        do throws(PushRejection) {
            _ = try store.read(token: token[...], topic: topic)
            return nil
        } catch {
            return error
        }
    }

    func reason(_ token: String, _ topic: String) -> PushReason? { rejection(token, topic)?.reason }
}

extension RegistrationOutcome {
    var token: String? {
        if case .token(let token) = self { return token.text }
        return nil
    }

    var isEnded: Bool {
        if case .ended = self { return true }
        return false
    }
}
