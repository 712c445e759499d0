import Foundation
import LinuxSystem
import Logging
import Model
import NIOCore
import NIOPosix
import PushCore
import PushGateway
import PushLink
import Synchronization
import Testing

/// The stores that there are.
enum StoreKind: String, Sendable, CaseIterable {
    case embedded, shared
}

/// A store as a gateway has it, with what a test asks of it.
final class TestStore: Sendable {
    let store: any MessageStore
    private let loop: any EventLoop

    init(_ store: any MessageStore) {
        self.store = store
        loop = MultiThreadedEventLoopGroup.singleton.next()
    }

    func accept(_ message: PushMessage) async -> StoreOutcome {
        await ask { store.accept(message, $0) }
    }

    func load(_ device: DeviceID, limit: Int = 100) async -> StoredPage? {
        await ask { store.load(device, limit: limit, $0) }
    }

    func register(_ device: DeviceID, _ topic: String) async -> RegistrationOutcome {
        await ask { store.register(device, topic: topic, $0) }
    }

    func unregister(_ device: DeviceID, _ topic: String) async -> RegistrationOutcome {
        await ask { store.unregister(device, topic: topic, $0) }
    }

    private func ask<Answer: Sendable>(_ body: (StoreWaiter<Answer>) -> Void) async -> Answer {
        await withCheckedContinuation { continuation in
            body(StoreWaiter(eventLoop: loop) { continuation.resume(returning: $0) })
        }
    }

    /// A message for a device, with a number of this store.
    func message(
        _ text: String, for device: DeviceID, topic: String = "org.example.app", priority: Int = 10,
        collapse: String? = nil, lasts seconds: Int64 = 3600
    ) -> PushMessage {
        let now = WallTime(nanoseconds: Clock.wall())
        return PushMessage(
            number: store.number(), device: device, topic: topic, id: UUID().uuidString.lowercased(), type: .alert,
            priority: priority, expires: seconds == 0 ? 0 : now.nanoseconds / 1_000_000_000 + seconds,
            collapse: collapse, at: now, payload: Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8))
    }

    /// A device connects, and is given what is kept for it.
    func connect(_ device: DeviceID, isReading: Bool = true) async -> (link: TestLink, page: StoredPage?) {
        let link = TestLink(isReading: isReading)
        store.attach(device, link)
        return (link, await load(device))
    }
}

extension PushMessage {
    /// What its alert says.
    var text: String {
        String(decoding: payload, as: UTF8.self).components(separatedBy: "\"").dropLast().last ?? ""
    }
}

/// A device's connection.
final class TestLink: DeviceLink {
    enum News: Sendable, Equatable {
        case message(PushMessage)
        case missed
        case replaced
    }

    let news = Arrivals<News>()
    private let reading: Mutex<Bool>

    init(isReading: Bool) { reading = Mutex(isReading) }

    var isReading: Bool {
        get { reading.withLock { $0 } }
        set { reading.withLock { $0 = newValue } }
    }

    func deliver(_ message: PushMessage) { news.put(.message(message)) }
    func missed() { news.put(.missed) }
    func replaced() { news.put(.replaced) }

    /// The next message.
    func next(within seconds: Double = 30) async throws -> PushMessage {
        while true {
            if case .message(let message) = try await news.next(within: seconds) { return message }
        }
    }

    func untilReplaced() async throws { while try await news.next() != .replaced {} }
}

/// A device that acknowledges whatever it is given, and loads what it was not given.
final class Taker: Sendable {
    private let received = Mutex<Set<String>>([])
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let finish: @Sendable () -> Void

    var texts: Set<String> { received.withLock { $0 } }

    init(_ store: TestStore, _ device: DeviceID, _ link: TestLink) {
        finish = { store.store.detach(device, link) }
        let task = Task { [self] in
            while let news = try? await link.news.next(within: 120) {
                switch news {
                case .message(let message): take(message, store)
                case .missed: for message in await store.load(device)?.messages ?? [] { take(message, store) }
                case .replaced: break
                }
            }
        }
        self.task.withLock { $0 = task }
    }

    private func take(_ message: PushMessage, _ store: TestStore) {
        received.withLock { _ = $0.insert(message.text) }
        store.store.acknowledge(message.device, message.number)
    }

    func end() {
        task.withLock { $0 }?.cancel()
        finish()
    }
}

/// Where stores of a test are: a folder, and a prefix of its own in the server that tests share.
final class StorePlace: Sendable {
    static let secret: [UInt8] = Array(0..<32)

    let kind: StoreKind
    let servers: [String]
    let prefix = "t" + UUID().uuidString.prefix(8).lowercased()
    let rules: PushRules
    private let folder: String
    private let group = MultiThreadedEventLoopGroup.singleton

    init(_ kind: StoreKind, servers: [String]? = nil, rules: PushRules = PushRules()) async throws {
        self.kind = kind
        self.rules = rules
        folder = "/tmp/greenroom-store-\(prefix)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        switch kind {
        case .embedded: self.servers = []
        case .shared:
            if let servers { self.servers = servers } else { self.servers = [try await SharedServer.shared.url()] }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Another store of the fleet, or the same one again.
    func open(
        servers some: [String]? = nil, replicas: Int? = nil, secret: [UInt8] = StorePlace.secret,
        patience: Span = .seconds(30)
    ) async throws -> TestStore {
        var settings = GatewaySettings(names: ["localhost"])
        settings.rules = rules
        if kind == .shared {
            var fleet = FleetSettings(servers: some ?? servers)
            fleet.prefix = prefix
            fleet.parts = 3
            fleet.replicas = replicas
            fleet.patience = patience
            settings.fleet = fleet
        }
        var logger = Logger(label: "store")
        logger.logLevel = .error
        return TestStore(
            try await MessageStores.open(
                home: GatewayHome(folder), secret: secret, settings: settings, registry: PrometheusRegistry(),
                logger: logger, group: group))
    }
}

extension DeviceID {
    static func random() throws -> DeviceID {
        try #require(DeviceID((0..<12).map { _ in UInt8.random(in: .min ... .max) }))
    }
}
