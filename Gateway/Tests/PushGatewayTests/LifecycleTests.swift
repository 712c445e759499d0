import LinuxSystem
import Model
import NIOCore
import NIOHTTP2
import PushCore
import PushGateway
import PushLink
import Testing

@Suite("A gateway from start to end")
struct LifecycleTests {
    @Test("A provider's connection begins with the settings that Apple's servers have")
    func settings() async throws {
        try await Scene.with { scene in
            let client = try await FrameClient.connect(to: scene.gateway)
            let payload = client.settings
            var settings: [Int: Int] = [:]
            for start in stride(from: 0, to: payload.count, by: 6) {
                let words = payload[start..<start + 6].map(Int.init)
                settings[words[0] << 8 | words[1]] = words[2] << 24 | words[3] << 16 | words[4] << 8 | words[5]
            }
            // The table of headers, streams at once, a stream's window, and a list of headers.
            #expect(settings == [1: 4096, 3: 1000, 4: 65_535, 6: 8000])
        }
    }

    @Test("A gateway that ends tells its providers and devices so, closes everything, and is done")
    func shutdown() async throws {
        try await Scene.with { scene in
            let idle = try await ProviderClient.connect(to: scene.gateway)
            let stranger = try await LinkClient.connect(scene.gateway)
            #expect(try await scene.push().status == 200)
            await scene.gateway.shutDown()
            for provider in [scene.provider, idle] {
                let away = try await provider.goAways.next()
                #expect(away.reason == "Shutdown" && away.code == .noError)
                #expect(away.last == (provider === idle ? 0 : 1))
                try await provider.closed()
            }
            for device in [scene.device, stranger] {
                let goodbye = try await device.goodbye()
                #expect(goodbye.reason == LinkGoodbye.shutdown.rawValue && goodbye.after >= 1)
                try await device.closed()
            }
            try await scene.gateway.ended()
            for port in [scene.gateway.providerPort, scene.gateway.devicePort, scene.gateway.addresses.metrics.port] {
                await #expect(throws: (any Error).self) { try await RawClient.connect(port, tls: nil) }
            }
        }
    }

    @Test("Two gateways do not share a folder: each would hide from its devices what the other one has")
    func twice() async throws {
        try await TestGateway.with { gateway in
            let error = await #expect(throws: GatewayError.self) { try await TestGateway(gateway.folder.path) }
            #expect(error?.description.contains("another gateway serves") == true)
            let health = try await gateway.get("/healthz")
            #expect(health.status == 200)
        }
    }

    @Test("A client that neither finishes its request nor leaves holds the end up for the grace, and no longer")
    func grace() async throws {
        try await Scene.with({ $0.connection.grace = .milliseconds(500) }) { scene in
            let stream = try await scene.provider.open(scene.provider.fields(scene.token, scene.bearer))
            #expect(try await scene.push().status == 200)
            await scene.gateway.shutDown()
            let away = try await scene.provider.goAways.next()
            #expect(away.reason == "Shutdown" && away.last == stream + 2)
            try await scene.provider.closed()
            try await scene.gateway.ended()
        }
    }

    @Test("A connection without requests ends after its time, with the reason; one with requests goes on")
    func idle() async throws {
        try await Scene.with({ settings in
            // The pushes below must not be late on a slow machine.
            settings.connection.idle = .seconds(4)
            settings.connection.slowRequest = .milliseconds(500)
            settings.rules.requestBurst = 1_000_000
        }) { scene in
            let start = Clock.monotonic()
            let idle = try await ProviderClient.connect(to: scene.gateway)
            // Longer than a request may take: what came last was a whole frame.
            idle.write(.ping(HTTP2PingData(withInteger: 7), ack: false))
            #expect(try await idle.pings.next() == HTTP2PingData(withInteger: 7))
            let provider = scene.provider
            let pushes = provider.keepPushing(
                provider.fields(scene.token, scene.bearer, [("apns-expiration", "0")]), every: .milliseconds(100))
            #expect(try await idle.goAways.next().reason == "IdleTimeout")
            #expect(Clock.monotonic() - start > 3_900_000_000)
            #expect(try await scene.push().status == 200)
            pushes.cancel()
            // The first of them is older than the idle one's end.
            let first = try await provider.ends.next().end
            guard case .answered(let answer) = first else {
                Issue.record("the connection with requests: \(first)")
                return
            }
            #expect(answer.status == 200)
        }
    }

    @Test("A client that says that it leaves is answered what is under way, and its connection closes")
    func clientLeaves() async throws {
        try await Scene.with { scene in
            let client = try await FrameClient.connect(to: scene.gateway)
            try client.headers(scene.provider.fields(scene.token, scene.bearer), on: 1)
            client.send(RawFrame(kind: .goAway, payload: RawFrame.word(0) + RawFrame.word(0)))
            client.data(Array(ProviderClient.alert.utf8), on: 1)
            #expect(try await client.answer(to: 1).status == 200)
            try await client.closed()
        }
    }

    @Test("Metrics count what happened, in the text that Prometheus reads")
    func metrics() async throws {
        try await Scene.with { scene in
            for number in 0..<3 { _ = try await scene.push([("apns-priority", number == 0 ? "7" : "10")]) }
            let call = try await scene.device.register(TestGateway.topic + ".voip")
            _ = try await scene.provider.push(call, scene.bearer, topic: TestGateway.topic + ".voip")
            for _ in 0..<3 { scene.device.send(.ack(number: try await scene.device.push().number)) }
            try await scene.device.ping()
            let expected: [(String, Double)] = [
                (#"accepted_total{type="alert"}"#, 2), (#"accepted_total{type="voip"}"#, 1),
                (#"rejected_total{reason="BadPriority"}"#, 1), (#"rejected_total{reason="BadTopic"}"#, 0),
                ("sent_total", 3), ("acknowledged_total", 3), ("answer_seconds_count", 3),
                (#"answer_seconds_bucket{le="+Inf"}"#, 3), ("provider_connections", 1), ("device_connections", 1),
            ]
            for (series, value) in expected {
                #expect(try await scene.gateway.metric("greenroom_push_" + series) == value, "\(series)")
            }
            let text = try await scene.gateway.get("/metrics").text
            for line in text.split(separator: "\n") where !line.hasPrefix("# TYPE greenroom_push_") {
                let words = line.split(separator: " ")
                #expect(words.count == 2 && words[0].hasPrefix("greenroom_push_") && Double(words[1]) != nil, "\(line)")
            }
            scene.provider.close()
            try await scene.device.close()
            try await scene.gateway.until("greenroom_push_provider_connections", is: 0)
            try await scene.gateway.until("greenroom_push_device_connections", is: 0)
        }
    }

    @Test("The port of the metrics has its health, and nothing else")
    func metricsPort() async throws {
        try await TestGateway.with { gateway in
            let health = try await gateway.get("/healthz")
            #expect(health.status == 200 && health.text == "{\"status\":\"ok\"}\n")
            #expect(try await gateway.get("/").status == 404)
            for (request, status) in [("POST /metrics", "405"), ("HEAD /healthz", "200"), ("nonsense", "400")] {
                let client = try await RawClient.connect(gateway.addresses.metrics.port, tls: nil)
                client.send("\(request) HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
                let text = String(decoding: try await client.allBytes(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(request): \(text)")
            }
        }
    }

    @Test("A gateway whose files are missing or damaged does not begin, and says which file it is")
    func damaged() async throws {
        let path = TestGateway.makeFolder()
        defer { TestGateway.remove(path) }
        try await TestGateway.with(path) { _ in }
        let broken: [(String, String?)] = [
            ("token-secret", "abc"), ("token-secret", nil), ("providers.json", "{"), ("server.pem", "no certificate"),
            ("server-key.pem", "x"), ("server.pem", nil), ("ca.pem", ""), ("provider-ca.pem", "x"),
        ]
        for (name, text) in broken {
            let file = "\(path)/\(name)"
            let old = FileSystem.read(file)
            FileSystem.remove(file)
            if let text { try FileSystem.replace(file, with: Array(text.utf8)) }
            var settings = GatewaySettings(names: ["localhost"])
            settings.listen = ListenAddress(host: "127.0.0.1", port: 0)
            settings.link = settings.listen
            settings.metrics = settings.listen
            let service = PushGatewayService(
                home: GatewayHome(path), settings: settings, logger: TestGateway.silentLogger)
            do {
                try await service.run()
                Issue.record("a gateway began with \(name) damaged, and ended")
            } catch {
                #expect("\(error)".contains(file), "\(error)")
            }
            FileSystem.remove(file)
            if let old { try FileSystem.replace(file, with: old) }
        }
        try await TestGateway.with(path) { _ in }
    }
}
