import Crypto
import Model
import PushCore
import PushGateway
import PushLink
import TestPace
import Testing

@Suite("Devices that connect all at once")
struct AdmissionTests {
    private static let unproven = "greenroom_push_unproven_connections"

    @Test("Twenty times as many as may be unproven all get in, and never more of them are unproven at once")
    func burst() async throws {
        try await TestGateway.with({ $0.rules.unproven = 8 }) { gateway in
            try await withThrowingTaskGroup(of: LinkClient.self) { group in
                for _ in 0..<160 { group.addTask { try await LinkDevice().connect(gateway) } }
                var clients: [LinkClient] = []
                for try await client in group {
                    clients.append(client)
                    if clients.count % 16 == 0 { #expect(try await gateway.metric(Self.unproven) <= 8) }
                }
                try await gateway.until(Self.unproven, is: 0)
                #expect(try await gateway.metric("greenroom_push_device_connections") == 160)
                for client in clients { try await client.close() }
            }
        }
    }

    @Test("Connections for which there is no place wait, and devices leave some places to providers")
    func places() async throws {
        try await TestGateway.with({ $0.mostConnections = 16 }) { gateway in
            let connected = "greenroom_push_device_connections"
            var devices: [LinkClient] = []
            for _ in 0..<12 { devices.append(try await LinkDevice().connect(gateway)) }
            let late = Task { try await LinkDevice().connect(gateway) }
            for _ in 0..<4 { try await ProviderClient.connect(to: gateway).close() }
            #expect(try await gateway.metric(connected) == 12)
            try await devices.removeLast().close()
            devices.append(try await late.value)
            for device in devices {
                try await device.ping()
                try await device.close()
            }
        }
    }

    @Test("Silent ones that take every place are ended, and honest ones get in", .timeLimit(.minutes(10)))
    func silence() async throws {
        try await TestGateway.with({ settings in
            settings.rules.unproven = 8
            // None of them would end of itself within this test.
            settings.rules.greeting = .seconds(600)
            settings.rules.crowdedGreeting = .seconds(Pace.seconds(3))
        }) { gateway in
            var silent: [RawClient] = []
            var polite: [LinkClient] = []
            for _ in 0..<8 {
                silent.append(try await RawClient.connect(gateway.devicePort, tls: nil))
                polite.append(try await LinkClient.connect(gateway))
            }
            // On a slow machine the first ones had their second before the last ones came: others take their places.
            while try await gateway.metric(Self.unproven) < 8 {
                silent.append(try await RawClient.connect(gateway.devicePort, tls: nil))
            }
            let honest = try await withThrowingTaskGroup(of: LinkClient.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.persist(gateway) } }
                return try await group.reduce(into: [LinkClient]()) { $0.append($1) }
            }
            for client in honest { try await client.ping() }
            // The last of them may stay: no one waits for their places.
            let ended = #"greenroom_push_device_connections_ended_total{reason="IdleTimeout"}"#
            #expect(try await gateway.metric(ended) >= 8)
            #expect(try await gateway.metric(Self.unproven) <= 8)
            for client in silent { client.close() }
            for client in polite + honest { try? await client.close() }
            try await gateway.until(Self.unproven, is: 0)
        }
    }

    /// As a device does: where the machine is so slow that an honest one has no time for its greeting, it comes again.
    private static func persist(_ gateway: TestGateway) async throws -> LinkClient {
        while true {
            do {
                return try await LinkDevice().connect(gateway)
            } catch let left as LinkClient.Left where left.reason == "IdleTimeout" {
                continue
            }
        }
    }

    @Test("One that breaks off in the middle gives its place up at once")
    func breaks() async throws {
        try await TestGateway.with({ settings in
            settings.rules.unproven = 2
            settings.rules.crowdedGreeting = .seconds(600)
            settings.rules.greeting = .seconds(600)
        }) { gateway in
            for _ in 0..<8 {
                let client = try await RawClient.connect(gateway.devicePort, tls: nil)
                // The head of a TLS record whose rest does not come.
                client.send([22, 3, 1, 1, 0, 1])
                client.close()
            }
            let garbage = try await RawClient.connect(gateway.devicePort, tls: nil)
            garbage.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await garbage.allBytes()
            try await LinkDevice().connect(gateway).ping()
            try await gateway.until(Self.unproven, is: 0)
        }
    }
}
