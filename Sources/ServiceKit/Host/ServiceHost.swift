package import Dispatch
package import LinuxSystem
package import Model
package import ServiceCore
package import Wire

/// The host of a service on a device: it feeds the policy with events and performs its effects. It commits records
/// before the effects behind them, keeps the peers within limits, and ends the process when nobody needs it.
///
/// It runs on the queue of its process. What that queue calls (sources, timers, the connections) enters it by
/// `assumeIsolated`.
package actor ServiceHost<World: ServiceWorld> {
    package typealias Policy = World.Policy
    package typealias Words = World.Policy.Words
    package typealias Translation = World.Translation
    package typealias Event = ServiceEvent<Words>

    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    package nonisolated var queue: DispatchQueue { executor.queue }

    /// What apps call the service: `location`.
    let name: String
    /// The way to the daemon; `nil`: the service stands alone.
    package let broker: BrokerConnection?
    private let onEnd: @Sendable (_ isDone: Bool) -> Void
    let limits: PeerLimits
    package let world: World
    package private(set) var policy: Policy
    private let store: any RecordStore<Words>
    private let calm: ServiceCalm
    private let timer: TimerFD
    private let clockChanges: TimerFD
    private var sources: [any DispatchSourceRead] = []
    private var armed: Int64?
    private var log: ServiceLog
    /// The daemon's adapter: a connection calls a class.
    private var listener: BrokerListener<World>?

    private var events: [Event] = []
    private var isPosting = false
    private var unstored = Unstored<Words>()
    private var isRetryDue = false
    /// Why a request of the event at hand is not answered with success.
    private var storageProblem: RPCError?

    var peers: [UInt64: Peer] = [:]
    var nextPeer: UInt64 = 1
    private var nextNumber: UInt64 = 1
    var requests: [RequestID: PendingRequest] = [:]
    var worldRequests: Set<RequestID> = []
    /// What waits until all is heard that the daemon has said so far.
    var hearings: [@Sendable (isolated ServiceHost) -> Void] = []
    var stops: [OrderID: Answer] = [:]
    /// What the daemon has yet to answer.
    var asked = AskedOfDaemon<Words>()
    private var hasBegun = false
    private(set) var isEnding = false

    /// Called once.
    package typealias Answer = @Sendable (Result<JSONValue, RPCError>) -> Void

    /// - Parameters:
    ///   - queue: everything happens on it.
    ///   - idleExit: seconds after which a service that nobody needs ends.
    ///   - onEnd: called once, when the service has ended. `isDone`: nothing is left to do, so that it is not started
    ///     again before it is needed.
    package init(
        _ name: String, on queue: DispatchQueue, broker: BrokerConnection?, _ store: any RecordStore<Words>,
        world: sending World, limits: PeerLimits = PeerLimits(), idleExit: Double,
        onEnd: @escaping @Sendable (_ isDone: Bool) -> Void
    ) throws(SystemError) {
        executor = QueueExecutor(queue)
        (self.name, self.broker, self.limits, self.store, self.onEnd) = (name, broker, limits, store, onEnd)
        self.world = world
        calm = ServiceCalm(queue, idleExit: idleExit)
        timer = try TimerFD()
        clockChanges = try TimerFD(detectingClockChanges: ())
        log = ServiceLog(name)
        var unread: [String] = []
        let records = store.load { unread.append($0) }
        policy = Policy(
            restoring: records,
            ServiceStart(seed: .random(in: 0 ... .max), now: Instant(nanoseconds: Clock.boot())))
        for sentence in unread { log.write(sentence) }
    }

    /// The boot clock.
    package static var now: Instant { Instant(nanoseconds: Clock.boot()) }

    private static var clockOffset: Span { Span(nanoseconds: Clock.wall() - Clock.boot()) }

    // MARK: Events

    package func post(_ event: Event) {
        guard !isEnding else { return }
        calm.stir()
        events.append(event)
        guard !isPosting else { return }
        isPosting = true
        var next = 0
        while next < events.count {
            handle(events[next])
            next += 1
        }
        events.removeAll(keepingCapacity: true)
        isPosting = false
        armTimer()
        calm.armIdle()
    }

    private func handle(_ event: Event) {
        let effects = policy.handle(event, at: Self.now)
        storageProblem = nil
        let changes = effects.compactMap { RecordChange($0) }
        if !changes.isEmpty { commit(changes) }
        for effect in effects { perform(effect) }
    }

    private func armTimer() {
        let next = policy.nextDeadline?.nanoseconds
        guard next != armed else { return }
        do throws(SystemError) {
            try timer.arm(at: next)
            armed = next
        } catch {
            note("the timer cannot be set: \(error)")
        }
    }

    // MARK: Records

    private func commit(_ changes: [RecordChange<Words>]) {
        do {
            try store.commit(changes)
            // Changes of the same records that waited are out of date.
            unstored.remove(changes)
        } catch {
            if unstored.insert(changes, "\(error)") { note("a record cannot be stored: \(error)") }
            if changes.contains(where: { Words.durability(of: $0.key) == .power }) {
                storageProblem = RPCError(.refused, unstored.refusal)
            }
            storeLater()
        }
    }

    private func storeLater() {
        guard !isRetryDue else { return }
        isRetryDue = true
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.assumeIsolated { host in
                host.isRetryDue = false
                host.storeAgain()
            }
        }
    }

    private func storeAgain() {
        guard !unstored.isEmpty else { return }
        commit(unstored.takeAll())
        calm.armIdle()
    }

    /// Why a request is not answered with success: a loss of power would undo what it changed.
    ///
    /// - Parameter isPromise: a tool's repeated request changes no record, so earlier failures count as well.
    func storageRefusal(ofPromise isPromise: Bool) -> RPCError? {
        guard isPromise else { return storageProblem }
        storeAgain()
        return unstored.hasPromised ? RPCError(.refused, unstored.refusal) : nil
    }

    // MARK: What everything needs

    /// Writes a line for people, unless there were many.
    package func note(_ sentence: String) { log.write(sentence) }

    func number() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    func armIdle() { calm.armIdle() }

    private func watch(_ descriptor: Descriptor, _ body: @escaping @Sendable (isolated ServiceHost) -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler { [weak self] in self?.assumeIsolated(body) }
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
        sources.append(source)
    }

    /// The daemon has greeted the service: the world may begin.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        world.begin(self)
    }

    // MARK: The process

    private func run() {
        calm.isIdle = { [weak self] in self?.assumeIsolated { $0.isIdle } ?? false }
        calm.onIdle = { [weak self] in self?.assumeIsolated { $0.finish(isDone: true) } }
        watch(timer.descriptor) { host in
            host.timer.drain()
            host.armed = nil
            host.post(.timer)
        }
        watch(clockChanges.descriptor) { host in
            host.clockChanges.drain()
            do throws(SystemError) {
                try host.clockChanges.rearmClockChange()
            } catch {
                host.note("changes of the clock are not seen any more: \(error)")
            }
            host.post(.clock(Self.clockOffset))
        }
        post(.clock(Self.clockOffset))
        if let broker {
            let listener = BrokerListener(self)
            self.listener = listener
            broker.begin(listener)
        } else {
            begin()
        }
        calm.armIdle()
    }

    /// The daemon starts the process again when somebody needs it.
    private var isIdle: Bool { peers.isEmpty && requests.isEmpty && policy.isIdle && unstored.isEmpty }

    /// - Parameter isDone: nothing is left to do.
    private func finish(isDone: Bool) {
        guard !isEnding else { return }
        isEnding = true
        storeAgain()
        broker?.end()
        world.end()
        for peer in peers.values { peer.close() }
        for source in sources { source.cancel() }
        onEnd(isDone)
    }
}

extension ServiceHost: ServedService {
    package nonisolated func start() { assumeIsolated { $0.run() } }
    package nonisolated func accept(_ socket: Descriptor) { assumeIsolated { $0.acceptTool(socket) } }
    package nonisolated func end() { assumeIsolated { $0.finish(isDone: $0.isIdle) } }
}

extension RecordChange {
    init?(_ effect: ServiceEffect<Words>) {
        switch effect {
        case .store(let record): self = .store(record)
        case .erase(let key): self = .erase(key)
        default: return nil
        }
    }
}
