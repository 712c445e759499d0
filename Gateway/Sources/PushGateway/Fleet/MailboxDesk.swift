internal import CoreMetrics
internal import LinuxSystem
internal import Logging
internal import Model
internal import NATSClient
internal import NIOCore
internal import PushCore

/// What a node does for its part of the devices: it keeps the mailboxes of those that are connected here, and brings
/// messages to the others.
///
/// Unchecked: touched on its event loop only.
final class MailboxDesk: @unchecked Sendable {
    typealias Waiter = @Sendable (MailboxOutcome) -> Void

    /// A device that is connected here, or was until its mailbox is released. What comes for one that has ended must
    /// not reach the next one of its device.
    ///
    /// Unchecked: touched on the event loop only.
    private final class Stay: @unchecked Sendable {
        var keeper: MailboxKeeper<Waiter>
        var link: (any DeviceLink)?
        var loads: [(limit: Int, waiter: StoreWaiter<StoredPage?>)] = []
        /// The device has come again, and waits for the end of this.
        var next: Stay?

        init(_ keeper: MailboxKeeper<Waiter>, _ link: any DeviceLink) {
            self.keeper = keeper
            self.link = link
        }
    }

    /// Unchecked: touched on the event loop only.
    private final class Errand: @unchecked Sendable {
        var courier: MailboxCourier<Waiter>

        init(_ courier: MailboxCourier<Waiter>) { self.courier = courier }
    }

    let loop: any EventLoop
    private let fleet: Fleet
    private var stays: [DeviceID: Stay] = [:]
    /// Those, and those whose device has come again before their end.
    private var unclosed = 0
    private var errands: [DeviceID: Errand] = [:]
    /// Where devices were when a message last went to them.
    private var holders: [DeviceID: UInt64] = [:]
    private var lastVisit: UInt64 = 0
    private var ticking: RepeatedTask?
    /// Devices whose mailboxes are compared with the store now and then, a few at a time.
    private var unchecked: [DeviceID] = []
    private var whenEmpty: EventLoopPromise<Void>?

    /// A device acknowledges within this time, or the message is written.
    private static let patience = TimeAmount.milliseconds(25)
    private static let pause = TimeAmount.milliseconds(100)
    private static let tick = TimeAmount.seconds(1)
    /// Seconds in which every mailbox is compared once.
    private static let round = 300
    private static let mostHolders = 50_000
    private static let longestWait = Span.seconds(10)

    init(_ loop: any EventLoop, _ fleet: Fleet) {
        self.loop = loop
        self.fleet = fleet
    }

    // MARK: Devices

    func attach(_ device: DeviceID, _ link: any DeviceLink) {
        startTicking()
        if let stay = stays[device] {
            if let old = stay.link, old !== link { old.replaced() }
            if !stay.keeper.isEnding {
                stay.link = link
                return
            }
        }
        lastVisit += 1
        let visit = Mailbox.Visit(node: fleet.node, number: lastVisit)
        let stay = Stay(MailboxKeeper(visit: visit, limit: fleet.limit, now: .now), link)
        unclosed += 1
        // What the device acknowledged on its last visit is to be written first.
        let last = stays.updateValue(stay, forKey: device)
        last?.next = stay
        if last == nil { perform(stay.keeper.open(now: .now), device, stay) }
    }

    func detach(_ device: DeviceID, _ link: any DeviceLink) {
        guard let stay = stays[device], stay.link === link else { return }
        stay.link = nil
        stay.loads = []
        perform(stay.keeper.release(now: .now), device, stay)
    }

    func load(_ device: DeviceID, limit: Int, _ waiter: StoreWaiter<StoredPage?>) {
        guard let stay = stays[device] else { return }
        stay.loads.append((limit, waiter))
        answerLoads(stay)
    }

    private func answerLoads(_ stay: Stay) {
        guard stay.keeper.isOpen, !stay.loads.isEmpty else { return }
        let loads = stay.loads
        stay.loads = []
        for load in loads {
            let (messages, isAll) = stay.keeper.page(limit: load.limit, now: .now)
            load.waiter(StoredPage(messages: messages, isAll: isAll))
        }
    }

    func acknowledge(_ device: DeviceID, _ number: Int64) {
        guard let stay = stays[device] else { return }
        perform(stay.keeper.acknowledge(number, now: .now), device, stay)
    }

    /// Removes what is kept of a topic. The device is connected here, or it could not ask for it.
    func remove(_ device: DeviceID, topic: String, _ waiter: @escaping Waiter) {
        guard let stay = stays[device] else { return waiter(.moved) }
        perform(stay.keeper.remove(topic: topic, waiter, now: .now), device, stay)
    }

    // MARK: Messages

    func accept(_ message: PushMessage, _ waiter: @escaping Waiter) {
        // What other messages of the device wait for, this one waits for as well.
        guard errands[message.device] == nil, let stay = stays[message.device], stay.keeper.isOpen else {
            return send(message, waiter)
        }
        deliver(message) { outcome in
            if outcome == .moved { self.send(message, waiter) } else { waiter(outcome) }
        }
    }

    /// A message for a device that is here, as far as its sender knows.
    func deliver(_ message: PushMessage, _ waiter: @escaping Waiter) {
        guard let stay = stays[message.device] else { return waiter(.moved) }
        let isReading = stay.link?.isReading ?? false
        perform(
            stay.keeper.accept(message, isReading: isReading, waiter, now: .now), message.device, stay)
    }

    private func send(_ message: PushMessage, _ waiter: @escaping Waiter) {
        startTicking()
        let device = message.device
        let errand =
            errands[device]
            ?? Errand(MailboxCourier(holder: holders[device], rules: fleet.rules, limit: fleet.limit))
        errands[device] = errand
        perform(errand.courier.accept(message, waiter, until: .now + Self.longestWait), device, errand)
    }

    // MARK: From other gateways

    func replaced(_ device: DeviceID, visit: UInt64, by sequence: UInt64) {
        guard let stay = stays[device] else { return }
        perform(stay.keeper.replaced(visit, by: sequence, now: .now), device, stay)
    }

    func written(_ device: DeviceID) { check(device, fromLeader: true) }

    private func check(_ device: DeviceID, fromLeader: Bool) {
        guard let stay = stays[device] else { return }
        perform(stay.keeper.check(fromLeader: fromLeader, now: .now), device, stay)
    }

    // MARK: What the machines want

    private func perform(_ actions: [MailboxKeeper<Waiter>.Action], _ device: DeviceID, _ stay: Stay) {
        for action in actions {
            switch action {
            case .read(let fromLeader):
                fleet.read(device, fromLeader: fromLeader, on: loop) { reading in
                    self.perform(stay.keeper.read(reading, now: .now), device, stay)
                }
            case .write(let mailbox, let sequence):
                fleet.write(mailbox, device, after: sequence, on: loop) { writing in
                    self.perform(stay.keeper.wrote(writing, now: .now), device, stay)
                }
            case .pause: after(Self.pause) { self.perform(stay.keeper.resume(now: .now), device, stay) }
            case .flushSoon: after(Self.patience) { self.perform(stay.keeper.flush(now: .now), device, stay) }
            case .answer(let waiter, let outcome): waiter(outcome)
            case .deliver(let message):
                if let link = stay.link {
                    link.deliver(message)
                } else if !message.isStored {
                    fleet.metrics.dropped.increment()
                }
            case .missed: stay.link?.missed()
            case .opened: answerLoads(stay)
            case .replaces(let visit, let sequence):
                fleet.tell(visit.node, .replaced(device, visit: visit.number, sequence: sequence))
            case .replaced: stay.link?.replaced()
            case .closed: closed(device, stay)
            case .superseded(let count): fleet.metrics.superseded.increment(by: count)
            case .expired(let count): fleet.metrics.expired.increment(by: count)
            }
        }
    }

    private func closed(_ device: DeviceID, _ stay: Stay) {
        unclosed -= 1
        if stays[device] === stay { stays[device] = nil }
        if let next = stay.next { perform(next.keeper.open(now: .now), device, next) }
        if unclosed == 0 { whenEmpty?.succeed() }
    }

    private func perform(_ actions: [MailboxCourier<Waiter>.Action], _ device: DeviceID, _ errand: Errand) {
        for action in actions {
            switch action {
            case .read(let fromLeader):
                fleet.read(device, fromLeader: fromLeader, on: loop) { reading in
                    self.perform(errand.courier.read(reading, now: .now), device, errand)
                }
            case .write(let mailbox, let sequence):
                fleet.write(mailbox, device, after: sequence, on: loop) { writing in
                    self.perform(errand.courier.wrote(writing, now: .now), device, errand)
                }
            case .tell(let node, let message, let ticket):
                tell(node, message) { outcome in
                    self.perform(errand.courier.told(ticket, outcome), device, errand)
                }
            case .warn(let node): fleet.tell(node, .written(device))
            case .pause: after(Self.pause) { self.perform(errand.courier.resume(), device, errand) }
            case .answer(let waiter, let outcome): waiter(outcome)
            case .superseded(let count): fleet.metrics.superseded.increment(by: count)
            }
        }
        guard errand.courier.isIdle, errands[device] === errand else { return }
        errands[device] = nil
        if holders.count >= Self.mostHolders { holders = [:] }
        holders[device] = errand.courier.holder
    }

    private func tell(_ node: UInt64, _ message: PushMessage, _ answer: @escaping @Sendable (MailboxOutcome?) -> Void) {
        if node == fleet.node { return deliver(message) { answer($0) } }
        fleet.deliver(message, to: node, on: loop, answer)
    }

    private func after(_ time: TimeAmount, _ body: @escaping @Sendable () -> Void) {
        _ = loop.scheduleTask(in: time) { body() }
    }

    // MARK: Time

    private func startTicking() {
        guard ticking == nil else { return }
        ticking = loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { _ in self.tick() }
    }

    private func tick() {
        let now = Instant.now
        for (device, errand) in errands { perform(errand.courier.tick(at: now), device, errand) }
        if unchecked.isEmpty { unchecked = Array(stays.keys) }
        checkSome(max(1, stays.count / Self.round))
        if stays.isEmpty, errands.isEmpty {
            ticking?.cancel()
            ticking = nil
        }
    }

    private func checkSome(_ count: Int) {
        for device in unchecked.suffix(count) { check(device, fromLeader: false) }
        unchecked.removeLast(min(count, unchecked.count))
    }

    /// The connection to the store was interrupted: other gateways may have written what is kept here.
    func checkAll() {
        unchecked = Array(stays.keys)
        checkOn()
    }

    /// Some, and after a moment some more: the store has others to serve.
    private func checkOn() {
        checkSome(500)
        if !unchecked.isEmpty { after(.milliseconds(50)) { self.checkOn() } }
    }

    /// Ends what is kept here, and succeeds when it is stored.
    func release() -> EventLoopFuture<Void> {
        let promise = whenEmpty ?? loop.makePromise()
        whenEmpty = promise
        for (device, stay) in stays { perform(stay.keeper.release(now: .now), device, stay) }
        if unclosed == 0 { promise.succeed() }
        return promise.futureResult
    }
}
