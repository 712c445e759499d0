internal import CoreMetrics
internal import LinuxSystem
internal import Logging
internal import Model
internal import NIOCore
internal import PushCore
internal import Synchronization

/// The store of a gateway that is alone: SQLite in its own process.
final class EmbeddedStore: MessageStore {
    /// Held until the store is closed.
    private let lock: Mutex<Descriptor?>
    private let book: TokenBook
    private let live = LiveDevices()
    private let database: MessageDatabase
    private let writer: GroupWriter
    private let numbers: Mutex<MessageNumbers>
    private let metrics: GatewayMetrics

    init(
        home: GatewayHome, secret: [UInt8], settings: GatewaySettings, metrics: GatewayMetrics, logger: Logger
    ) throws {
        lock = Mutex(try home.lock())
        database = try MessageDatabase(
            path: home.database, rules: settings.rules, limit: settings.storeLimit, metrics: metrics, logger: logger)
        let kept = try database.kept()
        book = TokenBook(
            secret: secret, rules: settings.rules, registrations: kept.endings, topics: kept.topics)
        writer = GroupWriter(database)
        numbers = Mutex(MessageNumbers(after: kept.greatestNumber))
        self.metrics = metrics
    }

    func number() -> Int64 {
        let now = WallTime.now
        return numbers.withLock { $0.next(at: now) }
    }

    func accept(_ message: PushMessage, _ waiter: StoreWaiter<StoreOutcome>) {
        let link = live[message.device]
        guard message.isStored else {
            if let link { link.deliver(message) } else { metrics.dropped.increment() }
            return waiter(.accepted)
        }
        // Before it is sent: it may be acknowledged before this returns.
        let superseding = Superseding.of(message, isReading: link?.isReading ?? false)
        guard writer.insert(message, superseding, waiter) else { return waiter(.full) }
        link?.deliver(message)
    }

    func attach(_ device: DeviceID, _ link: any DeviceLink) {
        live.attach(device, link)
        writer.append(.seen(device))
    }

    func detach(_ device: DeviceID, _ link: any DeviceLink) { live.detach(device, link) }

    func load(_ device: DeviceID, limit: Int, _ waiter: StoreWaiter<StoredPage?>) {
        writer.append(.load(device, limit: limit, waiter))
    }

    func acknowledge(_ device: DeviceID, _ number: Int64) {
        metrics.acknowledged.increment()
        writer.delete(number)
    }

    func register(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>) {
        switch book.register(device, topic: topic) {
        case .known(let token): waiter(.token(token))
        case .changes(let token, let change, let topic):
            let waiter = waiter.ifRefused { self.book.failed(change, newTopic: topic) }
            writer.append(.register(change, topic: topic, book.authority, .token(token), waiter))
        case .refused(let reason): waiter(.refused(reason))
        }
    }

    func unregister(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>) {
        do {
            guard let change = try book.unregister(device, topic: topic, now: .now) else { return waiter(.ended) }
            let waiter = waiter.ifRefused { self.book.failed(change, newTopic: nil) }
            writer.append(.unregister(change, device, topic: topic, waiter))
        } catch {
            waiter(.refused(error.rawValue))
        }
    }

    func read(token: Substring, topic: String) throws(PushRejection) -> DeviceToken {
        try book.read(token, topic: topic)
    }

    var trouble: String? { database.isHealthy ? nil : "the store cannot be written" }

    func close() async {
        await writer.close()
        lock.withLock { $0 = nil }
    }
}

extension StoreWaiter<RegistrationOutcome> {
    /// Does something more before its owner hears that there is no registration.
    fileprivate func ifRefused(_ more: @escaping @Sendable () -> Void) -> Self {
        let body = body
        return StoreWaiter(eventLoop: eventLoop) { outcome in
            if case .refused = outcome { more() }
            body(outcome)
        }
    }
}

extension WallTime {
    static var now: WallTime { WallTime(nanoseconds: Clock.wall()) }
}

extension Instant {
    static var now: Instant { Instant(nanoseconds: Clock.boot()) }
}
