import Crypto
import Model
import PushCore
import PushGateway
import PushLink
import Testing

@Suite("Clients that mean no good, where devices connect")
struct HostileDeviceTests {
    private func left(
        _ client: LinkClient, _ reason: LinkGoodbye, at location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await client.goodbye().reason == reason.rawValue, sourceLocation: location)
        try await client.closed()
    }

    private static let lines: [String] = [
        "x", "[]", "{}", #"{"t":"hello","v":2}"#, #"{"t":"push"}"#, #"{"t":"register","topic":"a b"}"#,
        "\u{0}\u{1}\u{2}",
    ]

    /// Lines that are no records, a deep one, and one that never ends.
    private static func garbage() -> [[UInt8]] {
        var all = lines.map { Array(($0 + "\n").utf8) }
        all.append([UInt8](repeating: UInt8(ascii: "["), count: 5000) + [10])
        all.append([UInt8](repeating: UInt8(ascii: "a"), count: 20_000))
        return all
    }

    @Test("What is no record ends the connection, before the key is proven and after it")
    func records() async throws {
        try await Scene.with { scene in
            for bytes in Self.garbage() {
                for isProven in [false, true] {
                    let client = try await LinkClient.connect(scene.gateway)
                    if isProven { try await client.prove(P256.Signing.PrivateKey()) }
                    client.send(bytes)
                    try await left(client, .badRecord)
                }
            }
            try await scene.works()
        }
    }

    @Test("Garbage instead of TLS closes the connection, and silence does when the time for a greeting is over")
    func noTLS() async throws {
        try await Scene.with({ $0.rules.greeting = .milliseconds(100) }) { scene in
            let loud = try await RawClient.connect(scene.gateway.devicePort, tls: nil)
            loud.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await loud.allBytes()
            let silent = try await RawClient.connect(scene.gateway.devicePort, tls: nil)
            let polite = try await LinkClient.connect(scene.gateway)
            _ = try await silent.allBytes(within: 60)
            try await left(polite, .idleTimeout)
            try await scene.works()
        }
    }

    @Test("A record that has not its turn ends the connection")
    func order() async throws {
        try await Scene.with { scene in
            let key = P256.Signing.PrivateKey()
            let hello = AgentRecord.hello(key: Array(key.publicKey.x963Representation))
            for record in [
                AgentRecord.ping, .ack(number: 1), .register(topic: "a"),
                .prove(signature: [UInt8](repeating: 1, count: 64)),
            ] {
                let client = try await LinkClient.connect(scene.gateway)
                client.send(record)
                try await left(client, .badRecord)
            }
            let proven = try await LinkClient.connect(scene.gateway)
            try await proven.prove(key)
            proven.send(hello)
            try await left(proven, .badRecord)
            try await scene.works()
        }
    }

    @Test("A device that does not have the key it names gets nothing, and the one that has it goes on")
    func lies() async throws {
        try await TestGateway.with { gateway in
            let device = LinkDevice()
            let client = try await device.connect(gateway)
            let token = try await client.register()
            // Signed by another key; for another gateway; for another connection.
            let thief = P256.Signing.PrivateKey()
            var old: [UInt8] = []
            for attempt in 0..<4 {
                let liar = try await LinkClient.connect(gateway)
                let nonce = try await liar.hello(device.key)
                let signature =
                    switch attempt {
                    case 0: try liar.signature(thief, nonce)
                    case 1: try liar.signature(device.key, nonce, at: "other.example.com")
                    case 2: [UInt8](repeating: 0, count: 64)
                    default: old
                    }
                if attempt == 0 { old = try liar.signature(device.key, nonce) }
                liar.send(.prove(signature: signature))
                try await left(liar, .badProof)
            }
            // A point that is on no curve is no key.
            let invalid = try await LinkClient.connect(gateway)
            invalid.send(.hello(key: [4] + [UInt8](repeating: 1, count: 64)))
            _ = try await invalid.record()
            invalid.send(.prove(signature: [UInt8](repeating: 1, count: 64)))
            try await left(invalid, .badProof)
            let provider = try await ProviderClient.connect(to: gateway)
            #expect(try await provider.push(token, gateway.key.bearer()).status == 200)
            #expect(try await client.push().payload == ProviderClient.alert)
        }
    }

    @Test("A device acknowledges and ends only what is its own")
    func others() async throws {
        try await TestGateway.with { gateway in
            let device = LinkDevice()
            let client = try await device.connect(gateway)
            let token = try await client.register()
            let provider = try await ProviderClient.connect(to: gateway)
            #expect(try await provider.push(token, gateway.key.bearer()).status == 200)
            let push = try await client.push()
            let thief = try await LinkDevice().connect(gateway)
            thief.send(.ack(number: push.number))
            try await thief.unregister()
            try await thief.ping()
            #expect(thief.records.count == 0)
            try await client.close()
            // Neither the message nor the registration is gone.
            let again = try await device.connect(gateway)
            #expect(try await again.push() == push)
            #expect(try await again.register() == token)
        }
    }

    @Test("A device that says more than 4,000 things a minute is sent away; another one is not held up")
    func flood() async throws {
        try await Scene.with { scene in
            let client = try await LinkDevice().connect(scene.gateway)
            client.send((0..<5000).flatMap { _ in AgentRecord.ping.line })
            try await left(client, .badRecord)
            try await scene.works()
        }
    }

    @Test("Devices that invent topics are refused after some, and those that are known go on")
    func topics() async throws {
        try await Scene.with({ $0.rules.newTopicBurst = 3 }) { scene in
            // The scene has registered one.
            for number in 0..<2 { _ = try await scene.device.register("com.example.new\(number)") }
            let strangers = [
                try await LinkDevice().connect(scene.gateway), try await LinkDevice().connect(scene.gateway),
            ]
            for (number, stranger) in strangers.enumerated() {
                await #expect(throws: LinkClient.Left.self) {
                    try await stranger.register("com.example.other\(number)")
                }
                _ = try await stranger.register(TestGateway.topic)
            }
            try await scene.works()
        }
    }

    @Test("Devices that end registrations without end are refused after some")
    func endings() async throws {
        try await Scene.with({
            $0.rules.endingBurst = 3
            $0.rules.endingsPerSecond = 0.001
        }) { scene in
            var refused = 0
            for number in 0..<6 {
                let stranger = try await LinkDevice().connect(scene.gateway)
                do { try await stranger.unregister("com.example.\(number)") } catch is LinkClient.Left { refused += 1 }
            }
            #expect(refused == 3)
            try await scene.works()
        }
    }

    @Test("A device that ends more registrations than are remembered is refused, and goes on with those it has")
    func registrations() async throws {
        try await Scene.with({ $0.rules.endedTopics = 3 }) { scene in
            for number in 0..<3 { try await scene.device.unregister("com.example.t\(number)") }
            await #expect(throws: LinkClient.Left.self) { try await scene.device.unregister("com.example.t3") }
            try await scene.works()
        }
    }

    @Test("A device that never reads is sent away when its time is over, with what waits for it in bounds")
    func neverReads() async throws {
        try await Scene.with({ settings in
            settings.rules.deviceStall = .milliseconds(500)
            settings.rules.requestBurst = 1_000_000
            // The sockets alone hold some megabytes.
            settings.rules.unacknowledged = 100_000
        }) { scene in
            let device = try await LinkDevice().connect(scene.gateway)
            let token = try await device.register()
            try await device.stopReading()
            let payload = #"{"aps":{},"x":"\#(String(repeating: "a", count: 4000))"}"#
            var sent = 0
            var isStalled = false
            while !isStalled {
                try #require(sent < 20_000, "the gateway never stops")
                try await Self.push(100, from: sent, payload, to: token, scene)
                sent += 100
                // Each asks for an answer that it does not read either.
                if sent <= 1000 { device.send((0..<100).flatMap { _ in AgentRecord.ping.line }) }
                device.send((0..<100).flatMap { _ in AgentRecord.ack(number: 1).line })
                // What was accepted is on its way a little later.
                isStalled = try await scene.gateway.metric("greenroom_push_sent_total") + 200 <= Double(sent)
            }
            device.send((0..<2000).flatMap { _ in AgentRecord.register(topic: TestGateway.topic).line })
            try await scene.gateway.until(
                #"greenroom_push_device_connections_ended_total{reason="TooSlow"}"#, is: 1)
            // More than the mark at which a gateway stops, by a message and what was read before it.
            let unread = try await scene.gateway.metric("greenroom_push_unread_bytes_sum")
            #expect(unread > 65_536 && unread < 196_608, "\(unread) bytes wait for it")
            try await scene.works()
        }
    }

    private static func push(
        _ count: Int, from first: Int, _ payload: String, to token: String, _ scene: Scene
    ) async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in first..<first + count {
                group.addTask {
                    try await scene.provider.push(
                        token, scene.bearer, [("apns-collapse-id", "\(number)")], payload
                    ).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
    }
}
