internal import Dispatch
internal import LinuxSystem
internal import LocationCore
internal import LocationModel
internal import Model
internal import ServiceKit
internal import Wire

/// The shell around the Core: feeds it events, and performs its effects.
///
/// Everything happens on one queue. Records are written before any effect that follows them.
///
/// Unchecked: closures of the queue carry it along; every method runs on the queue, which `post` asserts.
final class Service: @unchecked Sendable {
    let queue: DispatchQueue
    let process: ServiceProcess
    let broker: BrokerConnection
    let receivers: Receivers
    private(set) var system: LocationSystem
    private let store: LocationStore
    private let calm: ServiceCalm

    private var events: [LocationEvent] = []
    private var isPosting = false
    private var unstored = UnstoredRecords<AppIdentifier?, LocationRecord>()
    private var isRetryDue = false
    /// Whether a record of the event at hand could not be stored.
    private var hasFailedToStore = false
    private var timer: TimerFD?
    private var sources: [any DispatchSourceRead] = []
    private var armed: Int64?
    private var log = ServiceLog("location")

    var peers: [UInt64: Peer] = [:]
    private var nextPeer: UInt64 = 1
    private var nextRequest: UInt64 = 1
    var requests: [LocationCore.RequestID: PendingRequest] = [:]
    var stops = StopOrders()
    private var hasBegun = false
    private(set) var isEnding = false

    init(_ process: ServiceProcess, _ store: LocationStore, receivers: Receivers, idleExit: Double) {
        self.process = process
        (queue, broker, self.store, self.receivers) = (process.queue, process.broker, store, receivers)
        calm = ServiceCalm(process.queue, idleExit: idleExit)
        var unread: [String] = []
        system = LocationSystem(store.load { unread.append($0) })
        for sentence in unread { log.write(sentence) }
        calm.isIdle = { [unowned self] in isIdle }
        calm.onIdle = { [unowned self] in finish(isDone: true) }
    }

    /// The daemon has said what kind of device this is.
    func use(profile: String) { system.use(LocationRules(profile: profile)) }

    /// The first time that the daemon is there.
    func beginToLook() {
        guard !hasBegun else { return }
        hasBegun = true
        receivers.begin(self)
    }

    // MARK: Events

    func post(_ event: LocationEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isEnding else { return }
        calm.stir()
        events.append(event)
        guard !isPosting else { return }
        isPosting = true
        while !events.isEmpty {
            let effects = system.handle(events.removeFirst(), at: Self.now)
            hasFailedToStore = false
            for effect in effects { perform(effect) }
        }
        isPosting = false
        armTimer()
        calm.armIdle()
    }

    func write(_ record: LocationRecord) {
        do {
            try store.store(record)
            unstored.remove(record.app)
        } catch {
            // The last position is no reason to refuse a request.
            if record.app != nil { hasFailedToStore = true }
            if unstored.insert(record, for: record.app, "\(error)") { note("a record cannot be stored: \(error)") }
            storeLater()
        }
    }

    func erase(_ app: AppIdentifier) {
        unstored.remove(app)
        store.erase(app)
    }

    private func storeLater() {
        guard !isRetryDue else { return }
        isRetryDue = true
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.isRetryDue = false
            self?.storeAgain()
        }
    }

    private func storeAgain() {
        guard !unstored.isEmpty else { return }
        for record in unstored.takeAll() { write(record) }
        calm.armIdle()
    }

    /// Why a request is not answered with success: a restart of the service would undo what it changed.
    ///
    /// - Parameter isOfTool: a tool's repeated request changes no record, so earlier failures count as well.
    func storageRefusal(isOfTool: Bool) -> RPCError? {
        if isOfTool { storeAgain() }
        let isRefused = isOfTool ? unstored.keys.contains { $0 != nil } : hasFailedToStore
        return isRefused ? RPCError(.refused, unstored.refusal) : nil
    }

    func note(_ sentence: String) { log.write(sentence) }

    /// What the clock on the wall says, in seconds since 1970.
    static var now: Instant { Instant(nanoseconds: Clock.boot()) }
    static var wall: Double { Double(Clock.wall()) / 1e9 }

    private func armTimer() {
        let next = system.nextDeadline?.nanoseconds
        guard next != armed else { return }
        armed = next
        try? timer?.arm(at: next)
    }

    func request(_ peer: Peer, _ id: RPCID) -> LocationCore.RequestID {
        request(of: peer) { [weak peer] result in
            switch result {
            case .success(let value): peer?.send(.response(id: id, result: value))
            case .failure(let error): peer?.send(.failure(id: id, error))
            }
        }
    }

    /// - Parameter peer: `nil`: the daemon, for another service.
    func request(
        of peer: Peer? = nil, _ answer: @escaping (Result<JSONValue, RPCError>) -> Void
    ) -> LocationCore.RequestID {
        let number = LocationCore.RequestID(nextRequest)
        nextRequest += 1
        requests[number] = PendingRequest(peer: peer, answer: answer)
        return number
    }

    // MARK: Peers

    private static let mostPeers = 1024
    /// Places that tools may take, so that apps have theirs.
    private static let mostTools = 64
    /// An app needs one. More than so many would be places that others lack.
    private static let mostPeersOfApp = 8

    func add(_ socket: Descriptor) -> Peer? {
        // A peer's number is never given again.
        let number = nextPeer
        nextPeer += 1
        guard !isEnding, peers.count < Self.mostPeers,
            let peer = try? Peer(socket, number: number, queue: queue, takesDescriptor: { _, _ in false })
        else { return nil }
        peers[number] = peer
        calm.armIdle()
        return peer
    }

    func mayConnect(_ app: String) -> Bool { peers.values.count { $0.app == app } < Self.mostPeersOfApp }

    func remove(_ peer: Peer) {
        peers[peer.number] = nil
        requests = requests.filter { $0.value.peer !== peer }
        calm.armIdle()
    }

    // MARK: The end

    /// The daemon starts the process again when somebody needs it.
    private var isIdle: Bool { peers.isEmpty && requests.isEmpty && system.isIdle && unstored.isEmpty }

    /// - Parameter isDone: nothing is left to do.
    private func finish(isDone: Bool) {
        guard !isEnding else { return }
        isEnding = true
        storeAgain()
        broker.end()
        receivers.end()
        for peer in peers.values { peer.close() }
        for source in sources { source.cancel() }
        process.finish(isDone: isDone)
    }
}

extension Service: ServedService {
    func start() {
        if let timer = try? TimerFD() {
            self.timer = timer
            let source = DispatchSource.makeReadSource(fileDescriptor: timer.descriptor.rawValue, queue: queue)
            source.setEventHandler { [unowned self] in
                timer.drain()
                armed = nil
                post(.timer)
            }
            source.setCancelHandler { withExtendedLifetime(timer) {} }
            source.resume()
            sources.append(source)
        }
        post(.clock(Self.wall))
        broker.begin(self)
        calm.armIdle()
    }

    func accept(_ socket: Descriptor) {
        guard PeerProcess.isTool(socket), peers.values.count(where: { $0.app == nil }) < Self.mostTools,
            let peer = add(socket)
        else { return }
        let session = ToolSession(self, peer)
        peer.onMessage = { message, _ in session.handle(message) }
        peer.onClose = { [weak self] in self?.remove(peer) }
    }

    func end() { finish(isDone: isIdle) }
}

/// Who waits for the Core's answer.
struct PendingRequest {
    weak var peer: Peer?
    let answer: (Result<JSONValue, RPCError>) -> Void
}
