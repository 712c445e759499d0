import Foundation
import LinuxSystem
import Model
import NATSClient
import PushCore
import PushGateway
import TestPace
import Testing

@Suite(
    "A fleet of gateways", .inTurn,
    .enabled(if: NATSServers.isThere, "NOT TESTED: there is no nats-server (Debian: nats-server)"))
struct FleetTests {
    @Test("A message that one gateway accepts reaches the device that is connected to another one")
    func across() async throws {
        let place = try await StorePlace(.shared)
        let (a, b) = (try await place.open(), try await place.open())
        let device = try DeviceID.random()
        let (link, page) = await b.connect(device)
        #expect(page?.messages.isEmpty == true)
        for text in ["1", "2", "3"] {
            async let outcome = a.accept(a.message(text, for: device))
            let message = try await link.next()
            #expect(message.text == text)
            b.store.acknowledge(device, message.number)
            #expect(await outcome == .accepted)
        }
        // What the device has acknowledged does not come again elsewhere.
        b.store.detach(device, link)
        #expect(await a.connect(device).page?.messages.isEmpty == true)
        await a.store.close()
        await b.store.close()
    }

    @Test("A message waits at no gateway: its device may come to any")
    func waits() async throws {
        let place = try await StorePlace(.shared)
        let a = try await place.open()
        let device = try DeviceID.random()
        #expect(await a.accept(a.message("1", for: device, topic: "x")) == .accepted)
        await a.store.close()
        let b = try await place.open()
        #expect(await b.accept(b.message("2", for: device, topic: "y")) == .accepted)
        #expect(await b.connect(device).page?.messages.map(\.text) == ["1", "2"])
        await b.store.close()
    }

    @Test("A device that connects to another gateway is there from then on, and its old connection ends")
    func moves() async throws {
        let place = try await StorePlace(.shared)
        let (a, b) = (try await place.open(), try await place.open())
        let device = try DeviceID.random()
        let (old, _) = await a.connect(device)
        #expect(await b.accept(b.message("at a", for: device)) == .accepted)
        #expect(try await old.next().text == "at a")
        let (new, page) = await b.connect(device)
        #expect(page?.messages.map(\.text) == ["at a"])
        try await old.untilReplaced()
        #expect(await a.accept(a.message("at b", for: device)) == .accepted)
        #expect(try await new.next().text == "at b")
        await a.store.close()
        await b.store.close()
    }

    @Test("Tokens are those of the fleet, and end at all gateways")
    func tokens() async throws {
        let place = try await StorePlace(.shared)
        let a = try await place.open()
        // One whose folder is another one.
        let b = try await place.open(secret: Array(repeating: 9, count: 32))
        let device = try DeviceID.random()
        _ = await a.connect(device)
        let token = try #require(await a.register(device, "app").token)
        #expect(b.reason(token, "app") == nil)
        #expect(await a.unregister(device, "app").isEnded)
        try await eventually { b.reason(token, "app") == .unregistered }
        #expect(b.rejection(token, "app")?.timestamp == a.rejection(token, "app")?.timestamp)
        // The topic came with the registration.
        #expect(b.reason(token, "other") == .deviceTokenNotForTopic)
        _ = await b.connect(device)
        let second = try #require(await b.register(device, "app").token)
        try await eventually { a.reason(second, "app") == nil }
        #expect(a.reason(token, "app") == .unregistered)
        await a.store.close()
        await b.store.close()
    }

    @Test("A registration that two gateways end at the same time ends once")
    func twice() async throws {
        let place = try await StorePlace(.shared)
        let (a, b) = (try await place.open(), try await place.open())
        for round in 0..<20 {
            let device = try DeviceID.random()
            _ = await a.connect(device)
            let token = try #require(await a.register(device, "app\(round)").token)
            async let first = a.unregister(device, "app\(round)")
            async let second = b.unregister(device, "app\(round)")
            // The device is at one of them only.
            let (atHome, elsewhere) = await (first, second)
            #expect(atHome.isEnded && !elsewhere.isEnded)
            try await eventually {
                a.rejection(token, "app\(round)") == b.rejection(token, "app\(round)")
                    && a.reason(token, "app\(round)") == .unregistered
            }
        }
        await a.store.close()
        await b.store.close()
    }

    @Test("Two gateways that write to one mailbox at the same time lose nothing")
    func race() async throws {
        let place = try await StorePlace(.shared)
        let (a, b) = (try await place.open(), try await place.open())
        let device = try DeviceID.random()
        await withTaskGroup(of: StoreOutcome.self) { group in
            for (index, store) in [a, b, a, b, a, b, a, b].enumerated() {
                group.addTask {
                    var worst = StoreOutcome.accepted
                    for _ in 0..<25 {
                        let outcome = await store.accept(store.message("x", for: device, topic: "t\(index)"))
                        if outcome != .accepted { worst = outcome }
                    }
                    return worst
                }
            }
            for await outcome in group { #expect(outcome == .accepted) }
        }
        let topics = await a.connect(device).page?.messages.map(\.topic) ?? []
        #expect(Set(topics) == Set((0..<8).map { "t\($0)" }) && topics.count == 8)
        await a.store.close()
        await b.store.close()
    }

    @Test("While NATS is away nothing is accepted, and everything is there when it is back")
    func away() async throws {
        let servers = try await NATSServers(1)
        let place = try await StorePlace(.shared, servers: servers.urls)
        let store = try await place.open()
        let (here, there) = (try DeviceID.random(), try DeviceID.random())
        let (link, _) = await store.connect(here)
        #expect(await store.accept(store.message("before", for: there)) == .accepted)
        #expect(store.store.trouble == nil)
        servers.kill(0)
        try await eventually { store.store.trouble == "NATS is away" }
        #expect(await store.accept(store.message("lost", for: there)) == .unavailable)
        #expect(await store.accept(store.message("lost", for: here)) == .unavailable)
        // A device that comes now is given what waits for it as soon as that is known.
        let late = TestLink(isReading: true)
        store.store.attach(there, late)
        async let page = store.load(there)
        try servers.start(0)
        #expect(await page?.messages.map(\.text) == ["before"])
        try await eventually { store.store.trouble == nil }
        #expect(await store.accept(store.message("after", for: here)) == .accepted)
        #expect(try await link.next().text == "after")
        await store.store.close()
    }

    @Test("A gateway does not start without a store")
    func unreachable() async throws {
        let servers = try await NATSServers(1)
        let place = try await StorePlace(.shared, servers: servers.urls)
        servers.kill(0)
        await #expect(throws: GatewayError.self) { try await place.open(patience: .milliseconds(300)) }
    }
}

/// Waits for what another process or thread does, and nothing says when.
func eventually(
    within seconds: Double = 30, _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = Clock.boot() + Pace.nanoseconds(seconds: seconds)
    while !condition() {
        guard Clock.boot() < end else {
            Issue.record("it did not happen", sourceLocation: sourceLocation)
            return
        }
        // Nothing says when: what is waited for is in another process or on another thread.
        try await Task.sleep(for: .milliseconds(10))
    }
}
