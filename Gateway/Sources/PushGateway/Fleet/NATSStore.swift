internal import CoreMetrics
internal import Logging
internal import Model
internal import NATSClient
internal import NIOCore
internal import PushCore
internal import Synchronization

/// The store of a gateway that is one of several: a cluster of NATS with JetStream.
///
/// Nothing is kept here but what the store has as well, so a gateway may be added or killed at any time.
final class NATSStore: MessageStore {
    private let client: NATSClient
    private let fleet: Fleet
    private let log: FleetLog
    private let book: TokenBook
    private let desks: [MailboxDesk]
    private let streams: FleetStreams
    private let parts: Int
    private let storeLimit: Int
    private let numbers = Mutex(MessageNumbers(after: 0))
    /// Messages that are not answered.
    private let pending = Atomic(0)
    private let isFull = Atomic(false)
    private let health: FleetHealth
    private let upkeep = Mutex<Task<Void, Never>?>(nil)

    private static let mostPending = 50_000

    init(
        _ fleet: Fleet, _ log: FleetLog, _ book: TokenBook, _ streams: FleetStreams, parts: Int, storeLimit: Int,
        health: FleetHealth, group: any EventLoopGroup
    ) {
        client = fleet.client
        self.fleet = fleet
        self.log = log
        self.book = book
        self.streams = streams
        self.parts = parts
        self.storeLimit = storeLimit
        self.health = health
        desks = Array(group.makeIterator()).map { MailboxDesk($0, fleet) }
    }

    private func desk(_ device: DeviceID) -> MailboxDesk { desks[device.spread % desks.count] }

    func number() -> Int64 {
        let now = WallTime.now
        return numbers.withLock { $0.next(at: now) }
    }

    // MARK: Messages

    func accept(_ message: PushMessage, _ waiter: StoreWaiter<StoreOutcome>) {
        guard trouble == nil else { return waiter(.unavailable) }
        guard !isFull.load(ordering: .relaxed), pending.load(ordering: .relaxed) < Self.mostPending else {
            return waiter(.full)
        }
        pending.wrappingAdd(1, ordering: .relaxed)
        let desk = desk(message.device)
        desk.loop.execute {
            desk.accept(message) { outcome in
                self.pending.wrappingSubtract(1, ordering: .relaxed)
                waiter(self.outcome(outcome))
            }
        }
    }

    private func outcome(_ outcome: MailboxOutcome) -> StoreOutcome {
        switch outcome {
        case .accepted: return .accepted
        case .dropped:
            fleet.metrics.dropped.increment()
            return .accepted
        case .gone(let since): return .deviceGone(since: since)
        case .full: return .full
        case .unavailable, .moved: return .unavailable
        }
    }

    func attach(_ device: DeviceID, _ link: any DeviceLink) {
        let desk = desk(device)
        desk.loop.execute { desk.attach(device, link) }
    }

    func detach(_ device: DeviceID, _ link: any DeviceLink) {
        let desk = desk(device)
        desk.loop.execute { desk.detach(device, link) }
    }

    func load(_ device: DeviceID, limit: Int, _ waiter: StoreWaiter<StoredPage?>) {
        let desk = desk(device)
        desk.loop.execute { desk.load(device, limit: limit, waiter) }
    }

    func acknowledge(_ device: DeviceID, _ number: Int64) {
        fleet.metrics.acknowledged.increment()
        let desk = desk(device)
        desk.loop.execute { desk.acknowledge(device, number) }
    }

    // MARK: Registrations

    func register(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>) {
        register(device, topic: topic, tries: 5, waiter)
    }

    /// - Parameter tries: how often another gateway may change the same registration first.
    private func register(
        _ device: DeviceID, topic: String, tries: Int, _ waiter: StoreWaiter<RegistrationOutcome>
    ) {
        let hash = book.authority.hash(topic)
        let sequence = log.sequence(of: Registrations.Key(device: device, topic: hash))
        switch book.register(device, topic: topic) {
        case .known(let token): waiter(.token(token))
        case .refused(let reason): waiter(.refused(reason))
        case .changes(let token, let change, let newTopic?):
            log.write(topic: newTopic, hash) { storing in
                if case .failed = storing {
                    self.book.failed(change, newTopic: newTopic)
                    return waiter(.refused(PushReason.serviceUnavailable.rawValue))
                }
                self.write(change, after: sequence, tries, .token(token), waiter) {
                    self.register(device, topic: topic, tries: tries - 1, waiter)
                }
            }
        case .changes(let token, let change, nil):
            write(change, after: sequence, tries, .token(token), waiter) {
                self.register(device, topic: topic, tries: tries - 1, waiter)
            }
        }
    }

    func unregister(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>) {
        unregister(device, topic: topic, tries: 5, waiter)
    }

    private func unregister(
        _ device: DeviceID, topic: String, tries: Int, _ waiter: StoreWaiter<RegistrationOutcome>
    ) {
        let sequence = log.sequence(of: Registrations.Key(device: device, topic: book.authority.hash(topic)))
        let change: Registrations.Change?
        do {
            change = try book.unregister(device, topic: topic, now: .now)
        } catch {
            return waiter(.refused(error.rawValue))
        }
        let removing = StoreWaiter<RegistrationOutcome>(eventLoop: waiter.eventLoop) { outcome in
            guard case .ended = outcome else { return waiter.body(outcome) }
            self.removeMessages(device, topic: topic, waiter)
        }
        write(change, after: sequence, tries, .ended, removing) {
            self.unregister(device, topic: topic, tries: tries - 1, waiter)
        }
    }

    private func removeMessages(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>) {
        let desk = desk(device)
        desk.loop.execute {
            desk.remove(device, topic: topic) { outcome in
                // A device that has gone elsewhere asks there: what is kept for it can be removed by that gateway only.
                waiter(outcome == .accepted ? .ended : .refused(PushReason.serviceUnavailable.rawValue))
            }
        }
    }

    private func write(
        _ change: Registrations.Change?, after sequence: UInt64, _ tries: Int, _ outcome: RegistrationOutcome,
        _ waiter: StoreWaiter<RegistrationOutcome>, again: @escaping @Sendable () -> Void
    ) {
        guard let change else { return waiter(outcome) }
        log.write(change, after: sequence) { storing in
            switch storing {
            case .done: waiter(outcome)
            case .conflict where tries > 0:
                self.book.failed(change, newTopic: nil)
                self.log.catchUp(then: again)
            case .conflict, .failed:
                self.book.failed(change, newTopic: nil)
                waiter(.refused(PushReason.serviceUnavailable.rawValue))
            }
        }
    }

    func read(token: Substring, topic: String) throws(PushRejection) -> DeviceToken {
        try book.read(token, topic: topic)
    }

    // MARK: Upkeep

    var trouble: String? { health.trouble }

    func start() throws(NATSError) {
        try log.follow { [book] change in
            switch change {
            case .topic(let topic): book.add(topic: topic)
            case .registration(let change): book.apply(change)
            }
        }
        try client.subscribe(fleet.names.node(fleet.node)) { [weak self] in self?.heard($0) }
        let task = Task { [weak self] in
            while !Task.isCancelled {
                await self?.look()
                // A moment, whatever it is: nothing is awaited.
                try? await Task.sleep(for: .seconds(5))
            }
        }
        upkeep.withLock { $0 = task }
    }

    private func heard(_ message: NATSMessage) {
        switch NodeMessage(message.payload) {
        case .deliver(let push):
            let desk = desk(push.device)
            let (client, reply) = (client, message.reply)
            desk.loop.execute {
                desk.deliver(push) { outcome in
                    if let reply { client.publish(outcome.encoded, to: reply) }
                }
            }
        case .replaced(let device, let visit, let sequence):
            let desk = desk(device)
            desk.loop.execute { desk.replaced(device, visit: visit, by: sequence) }
        case .written(let device):
            let desk = desk(device)
            desk.loop.execute { desk.written(device) }
        case nil: fleet.logger.warning("another gateway said what this version does not know")
        }
    }

    /// Whether the store answers, and how full it is.
    private func look() async {
        guard client.isConnected else { return }
        do throws(NATSError) {
            try await streams.makeFleet()
            let bytes = try await streams.makeMailboxes(parts)
            fleet.metrics.storedBytes.set(bytes)
            isFull.store(bytes > storeLimit, ordering: .relaxed)
            health.answers(true)
            log.catchUp()
        } catch {
            fleet.logger.warning("the store does not answer", metadata: ["error": "\(error)"])
            health.answers(false)
        }
    }

    func connectionCame() {
        log.catchUp()
        for desk in desks { desk.loop.execute { desk.checkAll() } }
    }

    func close() async {
        upkeep.withLock { $0 }?.cancel()
        let released = desks.map { desk in desk.loop.flatSubmit { desk.release() } }
        if let loop = desks.first?.loop {
            // If the store does not answer, the next gateway of each device sees that this one is not there.
            let limit = loop.makePromise(of: Void.self)
            let timeout = loop.scheduleTask(in: .seconds(3)) { limit.succeed() }
            EventLoopFuture.andAllComplete(released, on: loop).cascade(to: limit)
            try? await limit.futureResult.get()
            timeout.cancel()
        }
        await client.close()
    }
}
