import Model
import PushCore
import PushGateway
import Testing

/// What a gateway may expect of any store.
@Suite("Stores")
struct StoreContractTests {
    static var kinds: [StoreKind] { NATSServers.isThere ? StoreKind.allCases : [.embedded] }

    @Test(
        "The store of a fleet is under test",
        .enabled(if: NATSServers.isThere, "NOT TESTED: there is no nats-server (Debian: nats-server)"))
    func present() { #expect(Self.kinds.count == 2) }

    private func texts(_ page: StoredPage?) throws -> [String] { try #require(page).messages.map(\.text) }

    /// Waits until the store has what was said to it: it handles what concerns a device in its order.
    private func settled(_ store: TestStore, _ device: DeviceID) async throws {
        _ = await store.unregister(device, "org.example.other")
    }

    @Test("A message waits for its device, and is gone when the device has acknowledged it", arguments: kinds)
    func waits(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        #expect(await store.accept(store.message("one", for: device)) == .accepted)
        let (link, page) = await store.connect(device)
        #expect(try texts(page) == ["one"])
        #expect(page?.isAll == true)
        store.store.acknowledge(device, try #require(page?.messages.first?.number))
        #expect(try texts(await store.load(device)).isEmpty)
        store.store.detach(device, link)
        #expect(try texts(await store.connect(device).page).isEmpty)
        await store.store.close()
    }

    @Test("For a device that is away, each app's newest message is kept", arguments: kinds)
    func newest(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        for (text, topic) in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("a3", "a")] {
            #expect(await store.accept(store.message(text, for: device, topic: topic)) == .accepted)
        }
        #expect(try texts(await store.connect(device).page) == ["b1", "a3"])
        await store.store.close()
    }

    @Test("A device that takes messages as they come gets all of them, in their order", arguments: kinds)
    func delivers(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        let (link, _) = await store.connect(device)
        var numbers: [Int64] = []
        for text in ["1", "2", "3"] {
            let message = store.message(text, for: device)
            async let outcome = store.accept(message)
            let delivered = try await link.next()
            #expect(delivered.text == text)
            numbers.append(delivered.number)
            #expect(await outcome == .accepted)
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
        // None has been acknowledged: all come again.
        store.store.detach(device, link)
        #expect(try texts(await store.connect(device).page) == ["1", "2", "3"])
        await store.store.close()
    }

    @Test("A message takes the place of the one with the same collapse identifier", arguments: kinds)
    func collapses(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        let (link, _) = await store.connect(device)
        for (text, collapse) in [("x1", "x"), ("y1", "y"), ("plain", nil), ("x2", "x")] {
            #expect(await store.accept(store.message(text, for: device, collapse: collapse)) == .accepted)
        }
        store.store.detach(device, link)
        #expect(try texts(await store.connect(device).page) == ["y1", "plain", "x2"])
        await store.store.close()
    }

    @Test("For a device that does not read, each app's newest message is kept", arguments: kinds)
    func behind(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        _ = await store.connect(device, isReading: false)
        for text in ["1", "2"] { #expect(await store.accept(store.message(text, for: device)) == .accepted) }
        #expect(try texts(await store.load(device)) == ["2"])
        await store.store.close()
    }

    @Test("What is to be delivered now or never is delivered, or forgotten", arguments: kinds)
    func never(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        #expect(await store.accept(store.message("never", for: device, lasts: 0)) == .accepted)
        let (link, page) = await store.connect(device)
        #expect(try texts(page).isEmpty)
        #expect(await store.accept(store.message("now", for: device, lasts: 0)) == .accepted)
        #expect(try await link.next().text == "now")
        store.store.detach(device, link)
        #expect(try texts(await store.connect(device).page).isEmpty)
        await store.store.close()
    }

    @Test("A message that has expired is not given to its device", arguments: kinds)
    func expires(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        #expect(await store.accept(store.message("old", for: device, topic: "a", lasts: -5)) == .accepted)
        #expect(await store.accept(store.message("new", for: device, topic: "b")) == .accepted)
        #expect(try texts(await store.connect(device).page) == ["new"])
        await store.store.close()
    }

    @Test("Urgent messages come first, and no more than are asked for", arguments: kinds)
    func order(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        for (text, priority) in [("low", 1), ("five", 5), ("ten", 10), ("also ten", 10)] {
            let message = store.message(text, for: device, topic: "t\(priority)\(text.count)", priority: priority)
            #expect(await store.accept(message) == .accepted)
        }
        let page = await store.connect(device).page
        #expect(try texts(page) == ["ten", "also ten", "five", "low"])
        let some = await store.load(device, limit: 2)
        #expect(try texts(some) == ["ten", "also ten"])
        #expect(some?.isAll == false)
        await store.store.close()
    }

    @Test("A device's newest connection is its only one", arguments: kinds)
    func replaces(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        let (old, _) = await store.connect(device)
        let (new, _) = await store.connect(device)
        try await old.untilReplaced()
        // The end of the old one is not that of the new one.
        store.store.detach(device, old)
        #expect(await store.accept(store.message("to the new one", for: device)) == .accepted)
        #expect(try await new.next().text == "to the new one")
        await store.store.close()
    }

    @Test("A message that its device acknowledges is accepted, whether it has been written or not", arguments: kinds)
    func acknowledges(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let device = try DeviceID.random()
        let (link, _) = await store.connect(device)
        for text in ["1", "2", "3", "4"] {
            async let outcome = store.accept(store.message(text, for: device))
            store.store.acknowledge(device, try await link.next().number)
            #expect(await outcome == .accepted)
        }
        try await settled(store, device)
        store.store.detach(device, link)
        #expect(try texts(await store.connect(device).page).isEmpty)
        await store.store.close()
    }

    @Test("Ten thousand messages to a hundred devices are all answered, and kept", arguments: kinds)
    func many(_ kind: StoreKind) async throws {
        let store = try await StorePlace(kind).open()
        let devices = try (0..<100).map { _ in try DeviceID.random() }
        let outcomes = await withTaskGroup(of: StoreOutcome.self) { group in
            for device in devices {
                group.addTask {
                    var worst = StoreOutcome.accepted
                    for index in 0..<100 {
                        let message = store.message("\(index)", for: device, topic: "t\(index % 4)")
                        let outcome = await store.accept(message)
                        if outcome != .accepted { worst = outcome }
                    }
                    return worst
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .accepted })
        for device in devices { #expect(try texts(await store.connect(device).page) == ["96", "97", "98", "99"]) }
        await store.store.close()
    }
}
