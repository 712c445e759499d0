import Foundation
import LinuxSystem
import Logging
import PushGateway
import ServiceLifecycle
import ServiceTesting
import Synchronization
import Testing
import Wire

/// A gateway in this process, with a folder and ports of its own.
final class TestGateway: Sendable {
    static let topic = "com.example.app"
    static var silentLogger: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }

    let folder: GatewayHome
    let addresses: PushGatewayService.Addresses
    let key: SigningKey
    private let group: ServiceGroup
    private let run: Task<Void, any Error>

    private static let count = Mutex(0)

    /// A folder that no other test has.
    static func makeFolder() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "/tmp/greenroom-gateway-\(CurrentProcess.pid)-\(number)"
    }

    static func remove(_ path: String) { try? FileSystem.removeTree(path) }

    /// Runs a gateway for as long as a test needs it.
    static func with(
        _ configure: (inout GatewaySettings) -> Void = { _ in }, _ body: (TestGateway) async throws -> Void
    ) async throws {
        let path = makeFolder()
        defer { remove(path) }
        try await with(path, configure, body)
    }

    /// The same in a folder that stays.
    static func with(
        _ path: String, _ configure: (inout GatewaySettings) -> Void = { _ in },
        _ body: (TestGateway) async throws -> Void
    ) async throws {
        try await Turn.shared.take { try await takeTurn(path, configure, body) }
    }

    private static func takeTurn(
        _ path: String, _ configure: (inout GatewaySettings) -> Void, _ body: (TestGateway) async throws -> Void
    ) async throws {
        let gateway = try await TestGateway(path, configure)
        do {
            try await body(gateway)
        } catch {
            try? await gateway.end()
            throw error
        }
        try await gateway.end()
    }

    init(_ path: String, _ configure: (inout GatewaySettings) -> Void = { _ in }) async throws {
        let instructions = try GatewayInitialization(GatewayHome(path)).run(
            names: ["localhost", "127.0.0.1"], listen: nil, link: nil, team: nil)
        folder = GatewayHome(path)
        key = try SigningKey(instructions.json)
        var settings = GatewaySettings(names: ["localhost", "127.0.0.1"])
        settings.listen = ListenAddress(host: "127.0.0.1", port: 0)
        settings.link = settings.listen
        settings.metrics = settings.listen
        configure(&settings)
        let started = Inbox<PushGatewayService.Addresses>("the gateway's start")
        let logger = Self.silentLogger
        let service = PushGatewayService(home: folder, settings: settings, logger: logger, threads: 2) {
            started.put($0)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        self.group = group
        run = Task {
            defer { started.end() }
            try await group.run()
        }
        do {
            addresses = try await started.next()
        } catch {
            // It may have begun later than it was waited for: then it would never end by itself.
            await group.triggerGracefulShutdown()
            try await run.value
            throw error
        }
    }

    /// Tells the gateway to end, without waiting for it.
    func shutDown() async { await group.triggerGracefulShutdown() }

    func ended() async throws { try await run.value }

    func end() async throws {
        await shutDown()
        try await ended()
    }

    var providerPort: Int { addresses.providers.port }
    var devicePort: Int { addresses.devices.port }
    /// The file of the certificate that clients have to trust.
    var authority: String { folder.authority }

    // MARK: What is in the folder

    func anotherKey(team: String? = nil, apps: [String] = []) throws -> SigningKey {
        let initialization = GatewayInitialization(folder)
        return try SigningKey(initialization.keyInstructions(initialization.addKey(team: team, apps: apps)).json)
    }

    /// The file of a certificate with which a provider authenticates itself.
    func certificate(
        app: String = TestGateway.topic, topics: [String] = [], isDevelopment: Bool = false
    ) throws -> String {
        try GatewayInitialization(folder).addCertificate(app: app, topics: topics, isDevelopment: isDevelopment)
    }

    // MARK: Its metrics

    func get(_ path: String) async throws -> (status: Int, text: String) {
        let client = try await RawClient.connect(addresses.metrics.port, tls: nil)
        client.send("GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n")
        let text = String(decoding: try await client.allBytes(), as: UTF8.self)
        let words = text.split(separator: " ", maxSplits: 2)
        let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
        return (Int(words.count > 1 ? String(words[1]) : "") ?? 0, body)
    }

    /// Waits for a series to have a value. It is asked for again and again: a scrape is the only way to hear of it.
    func until(_ series: String, is value: Double) async throws {
        let end = Clock.monotonic() + 30_000_000_000
        while try await metric(series) != value {
            try #require(Clock.monotonic() < end, "\(series) is not \(value)")
        }
    }

    /// The value of a series; zero if there is none.
    func metric(_ series: String) async throws -> Double {
        let text = try await get("/metrics").text
        for line in text.split(separator: "\n") where line.hasPrefix(series + " ") {
            return Double(line.dropFirst(series.count + 1)) ?? .nan
        }
        return 0
    }
}
