import GRDB
import LinuxSystem
import Model
import PushCore
import PushGateway
import PushLink
import Testing

@Suite("Store and forward")
struct StoreTests {
    private func payload(_ number: Int) -> String { #"{"aps":{"alert":"\#(number)"}}"# }

    private func push(
        _ scene: Scene, _ number: Int, _ more: [(String, String)] = [], token: String? = nil,
        topic: String = TestGateway.topic, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await scene.provider.push(
            token ?? scene.token, scene.bearer, topic: topic, more, payload(number))
        #expect(answer.status == 200, sourceLocation: location)
    }

    /// The pushes that have come. The gateway answers a ping after what it had sent before.
    private func arrived(_ client: LinkClient, _ count: Int) async throws -> [LinkPush] {
        var pushes: [LinkPush] = []
        for _ in 0..<count { pushes.append(try await client.push()) }
        try await client.ping()
        for record in client.records.takeAll() { if case .push(let push) = record { pushes.append(push) } }
        return pushes
    }

    /// Runs a test with a device that can go and come back.
    private func with(
        _ configure: (inout GatewaySettings) -> Void = { _ in },
        _ body: (Scene, LinkDevice) async throws -> Void
    ) async throws {
        try await TestGateway.with(configure) { gateway in
            let device = LinkDevice()
            let client = try await device.connect(gateway)
            let scene = Scene(
                gateway: gateway, device: client, token: try await client.register(),
                provider: try await ProviderClient.connect(to: gateway), bearer: try gateway.key.bearer())
            try await body(scene, device)
        }
    }

    /// Closes the device's connection, and waits until the gateway knows.
    private func leave(_ scene: Scene, _ client: LinkClient? = nil) async throws {
        try await (client ?? scene.device).close()
        try await scene.gateway.until("greenroom_push_device_connections", is: 0)
    }

    @Test("For a device that is not there the newest message of each app is kept")
    func newestOnly() async throws {
        try await with { scene, device in
            let other = try await scene.device.register("com.example.other")
            try await leave(scene)
            for number in 1...3 { try await push(scene, number, [("apns-collapse-id", "\(number)")]) }
            for number in 4...5 { try await push(scene, number, token: other, topic: "com.example.other") }
            let pushes = try await arrived(device.connect(scene.gateway), 2)
            #expect(pushes.map(\.payload) == [payload(3), payload(5)])
            #expect(try await scene.gateway.metric("greenroom_push_superseded_total") == 3)
        }
    }

    @Test("A device that is there gets every message; until it acknowledges them, collapsed ones replace each other")
    func collapse() async throws {
        try await with { scene, device in
            try await push(scene, 1, [("apns-collapse-id", "a")])
            try await push(scene, 2, [("apns-collapse-id", "b")])
            try await push(scene, 3, [("apns-collapse-id", "a")])
            for number in 4...5 { try await push(scene, number) }
            #expect(try await arrived(scene.device, 5).map(\.payload) == (1...5).map(payload))
            try await leave(scene)
            // The first one gave way to the third; the others are kept as they were.
            #expect(try await arrived(device.connect(scene.gateway), 4).map(\.payload) == (2...5).map(payload))
        }
    }

    @Test("What is acknowledged does not come again, and what is not comes with the same number and identifier")
    func acknowledged() async throws {
        try await with { scene, device in
            for number in 1...3 { try await push(scene, number) }
            let first = try await arrived(scene.device, 3)
            scene.device.send(.ack(number: first[1].number))
            try await scene.device.ping()
            try await leave(scene)
            let client = try await device.connect(scene.gateway)
            #expect(try await arrived(client, 2) == [first[0], first[2]])
            for push in first { client.send(.ack(number: push.number)) }
            try await client.ping()
            try await leave(scene, client)
            #expect(try await arrived(device.connect(scene.gateway), 0).isEmpty)
            #expect(try await scene.gateway.metric("greenroom_push_acknowledged_total") == 3)
        }
    }

    @Test("A message that is to be delivered now or never is not kept")
    func nowOrNever() async throws {
        try await with { scene, device in
            try await push(scene, 1, [("apns-expiration", "0")])
            #expect(try await scene.device.push().payload == payload(1))
            try await leave(scene)
            try await push(scene, 2, [("apns-expiration", "0")])
            try await push(scene, 3, [("apns-expiration", "1000000000")])
            #expect(try await arrived(device.connect(scene.gateway), 0).isEmpty)
            #expect(try await scene.gateway.metric("greenroom_push_dropped_total") == 2)
        }
    }

    @Test("A message is kept until it expires, thirty days at most, and then removed")
    func expiration() async throws {
        try await with { scene, device in
            let other = try await scene.device.register("com.example.other")
            try await leave(scene)
            let end = SigningKey.now + 2
            try await push(scene, 1, [("apns-expiration", "\(end)")])
            try await push(scene, 2, token: other, topic: "com.example.other")
            var client = try await device.connect(scene.gateway)
            #expect(Set(try await arrived(client, 2).map(\.payload)) == [payload(1), payload(2)])
            try await leave(scene, client)
            // It is the time itself that this waits for.
            while SigningKey.now < end { try await Task.sleep(nanoseconds: 100_000_000) }
            client = try await device.connect(scene.gateway)
            let pushes = try await arrived(client, 1)
            #expect(pushes.map(\.payload) == [payload(2)])
            #expect(abs(pushes[0].expires - SigningKey.now - 30 * 86_400) < 60)
        }
    }

    @Test("Urgent messages come first, whenever they were sent; a silent one is never urgent")
    func priorities() async throws {
        try await with { scene, device in
            let topics = (0..<5).map { "com.example.p\($0)" }
            var tokens: [String] = []
            for topic in topics { tokens.append(try await scene.device.register(topic)) }
            try await leave(scene)
            for (index, priority) in ["1", "5", "10", "10", "5"].enumerated() {
                try await push(
                    scene, index, [("apns-priority", priority)], token: tokens[index], topic: topics[index])
            }
            let silent = try await scene.provider.push(
                scene.token, scene.bearer, [("apns-push-type", "background")],
                #"{"aps":{"content-available":1}}"#)
            #expect(silent.status == 200)
            let pushes = try await arrived(device.connect(scene.gateway), 6)
            #expect(pushes.map(\.priority) == [10, 10, 5, 5, 5, 1])
            #expect(
                pushes.map(\.number)
                    == pushes.sorted { ($1.priority, $0.number) < ($0.priority, $1.number) }.map(\.number))
        }
    }

    @Test("What was accepted survives a restart of the gateway, with what was registered and what had ended")
    func restart() async throws {
        let path = TestGateway.makeFolder()
        defer { TestGateway.remove(path) }
        let device = LinkDevice()
        var (token, gone) = ("", "")
        var first: LinkPush?
        try await TestGateway.with(path) { gateway in
            let client = try await device.connect(gateway)
            token = try await client.register()
            gone = try await client.register("com.example.gone")
            try await client.unregister("com.example.gone")
            let provider = try await ProviderClient.connect(to: gateway)
            let bearer = try gateway.key.bearer()
            #expect(try await provider.push(token, bearer, [], payload(1)).status == 200)
            first = try await client.push()
            #expect(try await provider.push(token, bearer, [], payload(2)).status == 200)
            client.send(.ack(number: try await client.push().number))
            try await client.ping()
        }
        try await TestGateway.with(path) { gateway in
            let provider = try await ProviderClient.connect(to: gateway)
            let bearer = try gateway.key.bearer()
            try await provider.push(gone, bearer, topic: "com.example.gone").expect(
                .unregistered, id: nil)
            let client = try await device.connect(gateway)
            #expect(try await arrived(client, 1) == [try #require(first)])
            // The token is as good as before, and numbers go on above those that were given.
            #expect(try await client.register() == token)
            #expect(try await provider.push(token, bearer, [], payload(3)).status == 200)
            #expect(try await client.push().number > (first?.number ?? .max))
        }
    }

    @Test("A message that its device has acknowledged is answered before the disk has it, and any other one after")
    func acknowledgedFirst() async throws {
        try await with { scene, _ in
            let absent = LinkDevice()
            let client = try await absent.connect(scene.gateway)
            let token = try await client.register()
            try await client.close()
            try await scene.gateway.until("greenroom_push_device_connections", is: 1)
            let waiting = try await ProviderClient.connect(to: scene.gateway)
            // The disk is busy for as long as this transaction lasts.
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            configuration.busyMode = .timeout(10)
            let queue = try DatabaseQueue(path: scene.gateway.folder.database, configuration: configuration)
            try queue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let stream = try await waiting.open(waiting.fields(token, scene.bearer))
            waiting.send(Array(payload(1).utf8), on: stream)
            // The first of these may be in the transaction that waits for the disk; the second is not.
            for number in 2...3 {
                let stream = try await scene.provider.open(scene.provider.fields(scene.token, scene.bearer))
                scene.provider.send(Array(payload(number).utf8), on: stream)
                scene.device.send(.ack(number: try await scene.device.push().number))
                if number == 3 { #expect(try await scene.provider.answer(to: stream).status == 200) }
            }
            #expect(waiting.ends.count == 0)
            try queue.inDatabase { try $0.execute(sql: "COMMIT") }
            #expect(try await waiting.answer(to: stream).status == 200)
            let kept = try await queue.read {
                try String.fetchAll($0, sql: "SELECT CAST(payload AS TEXT) FROM messages")
            }
            #expect(kept.contains(payload(1)) && !kept.contains(payload(3)))
            try queue.close()
        }
    }

    @Test("An app that is removed leaves no message behind")
    func unregistered() async throws {
        try await with { scene, device in
            try await push(scene, 1)
            _ = try await scene.device.push()
            try await scene.device.unregister()
            try await leave(scene)
            #expect(try await arrived(device.connect(scene.gateway), 0).isEmpty)
        }
    }

    @Test("A device that connects again is sent to its new connection, and the old one is told so")
    func replaced() async throws {
        try await with { scene, device in
            let client = try await device.connect(scene.gateway)
            let goodbye = try await scene.device.goodbye()
            #expect(goodbye.reason == LinkGoodbye.replaced.rawValue && goodbye.after == 60)
            try await scene.device.closed()
            try await push(scene, 1)
            #expect(try await client.push().payload == payload(1))
        }
    }

    @Test("A device gets 64 messages, and when it has acknowledged half of them the newest of what came since")
    func behind() async throws {
        try await with { scene, _ in
            for number in 1...100 { try await push(scene, number) }
            let first = try await arrived(scene.device, 64)
            #expect(first.map(\.payload) == (1...64).map(payload))
            for push in first { scene.device.send(.ack(number: push.number)) }
            #expect(try await arrived(scene.device, 1).map(\.payload) == [payload(100)])
            // From here on they come as they are sent.
            try await push(scene, 101)
            #expect(try await arrived(scene.device, 1).map(\.payload) == [payload(101)])
        }
    }

    @Test("More messages than a device may have at once come page by page, urgent ones first and each once")
    func pages() async throws {
        try await with { scene, device in
            var tokens: [String: String] = [:]
            for number in 0..<150 {
                tokens["com.example.t\(number)"] = try await scene.device.register("com.example.t\(number)")
            }
            try await leave(scene)
            for (index, (topic, token)) in tokens.enumerated() {
                try await push(
                    scene, index, [("apns-priority", index % 3 == 0 ? "10" : "5")], token: token, topic: topic)
            }
            let client = try await device.connect(scene.gateway)
            var pushes: [LinkPush] = []
            for _ in 0..<150 {
                let push = try await client.push()
                pushes.append(push)
                client.send(.ack(number: push.number))
            }
            #expect(Set(pushes.map(\.number)).count == 150 && Set(pushes.map(\.topic)) == Set(tokens.keys))
            #expect(pushes.prefix(50).allSatisfy { $0.priority == 10 })
            #expect(try await arrived(client, 0).isEmpty)
        }
    }
}
