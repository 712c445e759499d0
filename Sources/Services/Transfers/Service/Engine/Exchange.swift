internal import AsyncHTTPClient
internal import LinuxSystem
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization
internal import TransferCore

/// What all attempts share.
struct ExchangeTools: Sendable {
    let clients: HTTPClients
    let workers: FileSink.Workers
    let memory: SessionMemory
    let files: TransferFiles
    let gate: Gate
    let report: @Sendable (TransferEvent) -> Void
    let onTraffic: @Sendable (SessionKey, _ received: Int, _ sent: Int) -> Void
}

/// One attempt on its way: as many requests as redirects and challenges take, one after another.
///
/// It is called on event loops, workers and by the service; what they share is behind one lock, under which nothing is
/// called.
final class Exchange: Sendable {
    enum Phase {
        case preparing
        /// Nothing has come yet.
        case asking
        /// The head is reported; the body waits.
        case deciding(EventLoopPromise<Void>)
        case receiving(FileSink)
        case ended
    }

    struct State {
        var phase = Phase.preparing
        var address: Address
        var method: String
        var headers: [HeaderField]
        var sendsBody: Bool
        var redirects = 0
        var hop = 0
        var task: HTTPClient.Task<Void>?
        var cancels: (@Sendable () -> Void)?
        var watch: RepeatedTask?
        var lastActivity = NIODeadline.now()
        /// The disk holds up the flow, or an app on screen: no fault of the server's.
        var isHeldUp = false
        var answered: Challenge?
        var failure: NetworkFailure?
        var isStopped = false
        /// A worker opens the file: until it is done, nobody else may have it.
        var isOpening = false
        var owesClose = false
        var head: HTTPResponseHead?
        var received: Int64 = 0
        var sent: Int64 = 0
        var nextReport = NIODeadline.now()
    }

    static let mostRedirects = 20
    /// Of an answer that leads elsewhere; more of it is not worth a connection.
    static let mostWaste = 256 << 10
    private static let reportInterval = TimeAmount.milliseconds(50)

    let attempt: Attempt
    let tools: ExchangeTools
    let state: Mutex<State>
    /// The files are no longer touched.
    private let onClosed: @Sendable () -> Void

    init?(_ attempt: Attempt, _ tools: ExchangeTools, onClosed: @escaping @Sendable () -> Void) {
        guard let address = Address(attempt.url) else { return nil }
        self.attempt = attempt
        self.tools = tools
        self.onClosed = onClosed
        let sendsBody = if case .none = attempt.body { false } else { true }
        state = Mutex(
            State(address: address, method: attempt.method, headers: attempt.headers, sendsBody: sendsBody))
    }

    // MARK: Orders

    /// Makes the file ready, then asks.
    func start() {
        tools.workers.writers.submit { [self] _ in
            do throws(SystemError) {
                let length = try tools.files.prepare(attempt.target, keeping: attempt.offset)
                guard length >= attempt.offset else {
                    finish { $0(.fileIsShort(self.attempt.id, length: length)) }
                    return
                }
            } catch {
                finish { $0(.fileFailed(self.attempt.id, FileFailure(error))) }
                return
            }
            beginWatching()
            ask()
        }
    }

    /// The body goes to the file from there on.
    func receive(at offset: Int64) {
        let mayOpen = state.withLock { state -> Bool in
            guard case .deciding = state.phase, !state.isStopped, !state.isOpening else { return false }
            state.isOpening = true
            return true
        }
        guard mayOpen else { return }
        tools.workers.writers.submit { [self] _ in
            defer { opened() }
            let sink: FileSink
            do throws(SystemError) {
                let file = try tools.files.open(attempt.target, cutAt: offset, mark: attempt.id.number)
                sink = FileSink(
                    file, from: offset, hash: hash(from: offset), workers: tools.workers
                ) { [self] length in
                    report(.durable(attempt.id, offset: length))
                }
            } catch {
                fileFailed(error)
                return
            }
            let promise = state.withLock { state -> EventLoopPromise<Void>? in
                guard case .deciding(let promise) = state.phase, !state.isStopped else { return nil }
                state.phase = .receiving(sink)
                state.received = offset
                state.lastActivity = .now()
                return promise
            }
            promise?.succeed()
        }
    }

    private func opened() {
        let owesClose = state.withLock { state in
            defer { state.owesClose = false }
            state.isOpening = false
            return state.owesClose
        }
        if owesClose { onClosed() }
    }

    /// Nothing more is told of it.
    func stop() {
        let (phase, task) = state.withLock { state -> (Phase, HTTPClient.Task<Void>?) in
            guard !state.isStopped else { return (.ended, nil) }
            state.isStopped = true
            return (state.phase, state.task)
        }
        if case .deciding(let promise) = phase { promise.fail(CancellationError()) }
        task?.cancel()
        switch phase {
        // Whoever prepares it looks before it asks.
        case .ended, .preparing: return
        // Without a request there is nobody else who would end it.
        case .asking, .deciding, .receiving: if task == nil { close() }
        }
    }

    // MARK: Asking

    private func ask() {
        let (snapshot, hop) = state.withLock { state -> (State?, Int) in
            if case .ended = state.phase { return (nil, 0) }
            state.hop += 1
            state.head = nil
            state.phase = .asking
            return (state, state.hop)
        }
        guard let snapshot else { return }
        if snapshot.isStopped {
            close()
            return
        }
        do {
            let request = try request(snapshot)
            let listener: @Sendable (HTTPResponseHead) -> Void = { [weak self] head in self?.informational(head) }
            let settings = attempt.settings.reaching(snapshot.address)
            let client = try tools.clients.client(
                settings, onInformational: settings.owner == nil ? nil : listener)
            let hopDelegate = HopDelegate(self, hop)
            let task = client.execute(request: request, delegate: hopDelegate)
            let isStopped = state.withLock { state in
                state.task = task
                return state.isStopped
            }
            if isStopped { task.cancel() }
            task.futureResult.whenComplete { [self] in hopEnded(hopDelegate, $0) }
        } catch {
            fail(NetworkFailure(error))
        }
    }

    private func informational(_ head: HTTPResponseHead) {
        touch()
        let address = state.withLock { $0.address }
        guard head.status.code == 104, let location = head.headers.first(name: "location"),
            let resource = Address(location, relativeTo: address)
        else { return }
        report(.uploadResumable(attempt.id, resource: resource.text))
    }

    // MARK: Time

    private func beginWatching() {
        let interval = TimeAmount.milliseconds(Int64(max(50, min(1000, attempt.requestTimeout * 125))))
        let watch = tools.clients.group.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) {
            [weak self] _ in self?.look()
        }
        state.withLock { $0.watch = watch }
    }

    private func look() {
        let limit = TimeAmount.nanoseconds(Int64(attempt.requestTimeout * 1e9))
        let (sink, task) = state.withLock { state -> (FileSink?, HTTPClient.Task<Void>?) in
            var sink: FileSink?
            switch state.phase {
            case .deciding, .ended: return (nil, nil)
            case .preparing, .asking: break
            case .receiving(let receiving): sink = receiving
            }
            guard !state.isHeldUp, !state.isStopped, NIODeadline.now() - state.lastActivity > limit,
                state.failure == nil
            else { return (sink, nil) }
            state.failure = .timedOut
            return (sink, state.task)
        }
        // A slow flow, too, becomes durable.
        sink?.settle()
        task?.cancel()
    }

    func touch() { state.withLock { $0.lastActivity = .now() } }

    // MARK: Telling

    func report(_ event: TransferEvent) {
        if state.withLock({ !$0.isStopped }) { tools.report(event) }
    }

    /// Counts of bytes are told now and then. The future, if there is one, is done when more may move.
    @discardableResult
    func moved(
        received: Int = 0, sent: Int = 0, isLast: Bool = false, on loop: any EventLoop
    ) -> EventLoopFuture<Void>? {
        let (event, isLocal) = state.withLock { state -> (TransferEvent?, Bool) in
            let isLocal = state.address.isLoopback && attempt.settings.proxy == nil
            let now = NIODeadline.now()
            state.lastActivity = now
            state.received += Int64(received)
            state.sent += Int64(sent)
            guard !state.isStopped, isLast || now >= state.nextReport else { return (nil, isLocal) }
            state.nextReport = now + Self.reportInterval
            let event: TransferEvent =
                sent > 0 ? .sent(attempt.id, total: state.sent) : .received(attempt.id, total: state.received)
            return (event, isLocal)
        }
        // What stays on this machine costs no radio anything.
        if !isLocal { tools.onTraffic(attempt.session, received, sent) }
        if let event { tools.report(event) }
        return isLocal ? nil : tools.gate.pass(attempt.id.transfer, received + sent, on: loop)
    }

    // MARK: The end

    /// What a request came to, once nothing of it comes any more.
    private func hopEnded(_ hop: HopDelegate, _ result: Result<Void, any Error>) {
        let (phase, failure, isStopped) = state.withLock { state -> (Phase, NetworkFailure?, Bool) in
            state.task = nil
            return (state.phase, state.failure, state.isStopped)
        }
        if case .ended = phase { return }
        switch hop.fate.withLock({ $0 }) {
        case _ where isStopped || failure != nil: break
        case .again:
            ask()
            return
        case .deliver: break
        }
        let sink: FileSink? = if case .receiving(let sink) = phase { sink } else { nil }
        guard let sink else {
            if isStopped { close() } else { ended(result, failure, length: nil, digest: .unknown) }
            return
        }
        sink.finish { [self] outcome in
            switch outcome {
            case .failure(let error): fileFailed(error)
            case .success(let length):
                let digest = DigestCheck.verdict(
                    sink, length: length, attempt: attempt, head: state.withLock { $0.head })
                ended(result, failure, length: length, digest: digest)
            }
        }
    }

    private func ended(
        _ result: Result<Void, any Error>, _ failure: NetworkFailure?, length: Int64?, digest: DigestVerdict
    ) {
        if let failure {
            fail(failure)
            return
        }
        switch result {
        case .success:
            let total = length ?? 0
            finish { $0(.responseEnded(self.attempt.id, offset: total, digest: digest)) }
        case .failure(let error):
            let failure = NetworkFailure(error)
            guard failure == .secureConnectionFailed else {
                fail(failure)
                return
            }
            // Why is found out by another connection.
            let (address, settings) = (state.withLock { $0.address }, attempt.settings)
            CertificateProbe.find(address, settings, on: tools.clients.group) { [self] in fail($0) }
        }
    }

    func fail(_ failure: NetworkFailure) { finish { $0(.failed(self.attempt.id, failure)) } }

    func fileFailed(_ error: SystemError) {
        let task = state.withLock { $0.task }
        finish { $0(.fileFailed(self.attempt.id, FileFailure(error))) }
        task?.cancel()
    }

    /// The last word of it, once.
    private func finish(_ tell: (_ report: (TransferEvent) -> Void) -> Void) {
        var last: TransferEvent?
        tell { last = $0 }
        let (isFirst, isStopped, promise) = state.withLock { state -> (Bool, Bool, EventLoopPromise<Void>?) in
            if case .ended = state.phase { return (false, true, nil) }
            let promise: EventLoopPromise<Void>? = if case .deciding(let waiting) = state.phase { waiting } else { nil }
            state.phase = .ended
            return (true, state.isStopped, promise)
        }
        guard isFirst else { return }
        promise?.fail(CancellationError())
        if !isStopped, let last { tools.report(last) }
        tidy()
    }

    private func close() { finish { _ in } }

    private func tidy() {
        let watch = state.withLock { state -> RepeatedTask? in
            let watch = state.watch
            state.watch = nil
            return watch
        }
        watch?.cancel()
        tools.clients.release(attempt.settings)
        let mayClose = state.withLock { state in
            state.owesClose = state.isOpening
            return !state.isOpening
        }
        if mayClose { onClosed() }
    }

    private func hash(from offset: Int64) -> RunningHash? {
        DigestCheck.expected(checksum: attempt.checksum, state.withLock { $0.head }).map { RunningHash($0.algorithm) }
    }

    func wallSeconds() -> Double { Double(Clock.wall()) / 1e9 }
}
