import Foundation
import LinuxSystem
import Model
import NATSClient
import PushCore
import PushGateway
import Synchronization
import Testing

@Suite(
    "A fleet on a cluster of three", .serialized, .inTurn,
    .enabled(if: NATSServers.isThere, "NOT TESTED: there is no nats-server (Debian: nats-server)"))
struct ClusterTests {
    @Test("Of two writes after the same one, one is done, also when they arrive together")
    func compareAndSwap() async throws {
        let servers = try await NATSServers(3)
        let place = try await StorePlace(.shared, servers: servers.urls)
        // Makes the streams.
        let store = try await place.open(replicas: 3)
        let clients = [
            try await NATSClient.connect(NATSSettings(servers: [servers.url(0)], name: "a")) { _ in },
            try await NATSClient.connect(NATSSettings(servers: [servers.url(1)], name: "b")) { _ in },
            try await NATSClient.connect(NATSSettings(servers: [servers.url(2)], name: "c")) { _ in },
        ]
        let subject = "\(place.prefix).mailbox.0.race"
        var sequence: UInt64 = 0
        for round in 0..<200 {
            let results = await withTaskGroup(of: NATSStoring.self) { group in
                for (index, client) in clients.enumerated() {
                    let (after, id) = (sequence, "race@\(sequence)")
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            client.store(
                                Array("\(round) \(index)".utf8), on: subject, after: after, identifier: id,
                                within: .seconds(10)
                            ) { continuation.resume(returning: $0) }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let done = results.compactMap { result -> UInt64? in
                if case .done(let sequence) = result { return sequence }
                return nil
            }
            #expect(done.count == 1, "\(round): \(results)")
            sequence = done.max() ?? sequence
        }
        for client in clients { await client.close() }
        await store.store.close()
    }

    @Test("A server that is killed while messages flow costs none that was accepted", arguments: [0, 1, 2])
    func kill(_ victim: Int) async throws {
        let servers = try await NATSServers(3)
        let place = try await StorePlace(.shared, servers: servers.urls)
        let (a, b) = (try await place.open(replicas: 3), try await place.open(replicas: 3))
        let present = try DeviceID.random()
        let absent = try (0..<5).map { _ in try DeviceID.random() }
        let (link, _) = await b.connect(present)
        let taker = Taker(b, present, link)
        var accepted: [String] = []
        var last: [DeviceID: String] = [:]
        var refused = 0
        var index = 0
        // Until those that are left have agreed on another leader, some are refused.
        let end = Clock.boot() + 120_000_000_000
        while accepted.count < 120, Clock.boot() < end {
            defer { index += 1 }
            if index == 40 { servers.kill(victim) }
            let text = "\(index)"
            switch await a.accept(a.message(text, for: present, topic: "t\(index)")) {
            case .accepted: accepted.append(text)
            default: refused += 1
            }
            let device = absent[index % absent.count]
            if await a.accept(a.message(text, for: device)) == .accepted { last[device] = text }
        }
        #expect(accepted.count == 120, "\(refused) were refused")
        try await eventually(within: 60) { taker.texts.isSuperset(of: accepted) }
        try servers.start(victim)
        for device in absent {
            let texts = await b.connect(device).page?.messages.map(\.text)
            // One that was refused may have been written all the same.
            #expect(Int(texts?.first ?? "") ?? -1 >= Int(last[device] ?? "") ?? 0)
        }
        taker.end()
        await a.store.close()
        await b.store.close()
    }

    @Test("A server that stands still is left, and what came meanwhile is delivered")
    func hang() async throws {
        let servers = try await NATSServers(3)
        let place = try await StorePlace(.shared, servers: servers.urls)
        let a = try await place.open(servers: [servers.url(0)], replicas: 3)
        let b = try await place.open(servers: [servers.url(1)], replicas: 3)
        let device = try DeviceID.random()
        let (link, _) = await b.connect(device)
        let taker = Taker(b, device, link)
        var accepted: [String] = []
        servers.suspend(1)
        let end = Clock.boot() + 20_000_000_000
        var index = 0
        while Clock.boot() < end {
            index += 1
            let message = a.message("\(index)", for: device, topic: "t\(index)")
            if await a.accept(message) == .accepted { accepted.append("\(index)") }
            if accepted.count > 200 { break }
        }
        #expect(!accepted.isEmpty)
        try await eventually(within: 60) { taker.texts.isSuperset(of: accepted) }
        servers.resume(1)
        taker.end()
        await a.store.close()
        await b.store.close()
    }

    @Test("All servers may be killed together: what was accepted is there when they are back")
    func all() async throws {
        let servers = try await NATSServers(3)
        let place = try await StorePlace(.shared, servers: servers.urls)
        let store = try await place.open(replicas: 3)
        let devices = try (0..<20).map { _ in try DeviceID.random() }
        for device in devices { #expect(await store.accept(store.message("kept", for: device)) == .accepted) }
        for index in 0..<3 { servers.kill(index) }
        try await eventually { store.store.trouble != nil }
        #expect(await store.accept(store.message("lost", for: devices[0])) == .unavailable)
        for index in 0..<3 { try servers.start(index) }
        try await eventually(within: 60) { store.store.trouble == nil }
        for device in devices { #expect(await store.connect(device).page?.messages.map(\.text) == ["kept"]) }
        await store.store.close()
    }

    @Test("Without a majority of the servers nothing is accepted")
    func minority() async throws {
        let servers = try await NATSServers(3)
        let place = try await StorePlace(.shared, servers: servers.urls)
        let store = try await place.open(replicas: 3)
        let device = try DeviceID.random()
        #expect(await store.accept(store.message("before", for: device)) == .accepted)
        servers.kill(0)
        servers.kill(1)
        #expect(await store.accept(store.message("lost", for: device)) == .unavailable)
        try servers.start(0)
        var outcome = StoreOutcome.unavailable
        let end = Clock.boot() + 60_000_000_000
        while outcome != .accepted, Clock.boot() < end {
            try await eventually(within: 60) { store.store.trouble == nil }
            outcome = await store.accept(store.message("after", for: device))
        }
        #expect(outcome == .accepted)
        #expect(await store.connect(device).page?.messages.map(\.text) == ["after"])
        await store.store.close()
    }
}
