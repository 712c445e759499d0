internal import Curl
internal import LinuxSystem
internal import Synchronization
internal import TransferCore

/// What all attempts share.
struct ExchangeTools: Sendable {
    let network: NetworkLoop
    let workers: FileSink.Workers
    let memory: SessionMemory
    let files: TransferFiles
    let gate: Gate
    let report: @Sendable (TransferEvent) -> Void
    let onTraffic: @Sendable (SessionKey, _ received: Int, _ sent: Int) -> Void
}

/// One attempt on its way: as many requests as redirects and challenges take, one after another.
///
/// It is called on the thread of the network, on workers and by the service; what they share is behind one lock, under
/// which nothing is called.
final class Exchange: Sendable {
    enum Phase {
        case preparing
        /// Nothing has come yet.
        case asking
        /// The head is reported; the body waits. It is complete already where there is none.
        case deciding(isComplete: Bool)
        case receiving(FileSink)
        case ended
    }

    struct State {
        var phase = Phase.preparing
        var address: Address
        var method: String
        var headers: [HeaderField]
        var sendsBody: Bool
        /// Whether what a server has coded is decoded.
        var decodes: Bool
        var redirects = 0
        /// The request that is on its way.
        var request: NetworkLoop.RequestID?
        var body: BodySource?
        var lastActivity = Clock.monotonic()
        /// So often the disk holds up the flow, or an app on screen: no fault of the server's.
        var holds = 0
        var answered: Challenge?
        var failure: NetworkFailure?
        var isStopped = false
        /// A worker opens the file: until it is done, nobody else may have it.
        var isOpening = false
        var owesClose = false
        var head: CurlHead?
        var received: Int64 = 0
        var sent: Int64 = 0
        var nextReport: Int64 = 0
    }

    static let mostRedirects = 20
    /// Of an answer that leads elsewhere; more of it is not worth a connection.
    static let mostWaste = 256 << 10
    /// In nanoseconds.
    private static let reportInterval: Int64 = 50_000_000

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
            State(
                address: address, method: attempt.method, headers: attempt.headers, sendsBody: sendsBody,
                // What is said to an upload is kept as it comes: to ask again would be to send again.
                decodes: !sendsBody))
    }

    // MARK: Orders

    /// Makes the file ready, then asks.
    func start() {
        tools.workers.writers.run { [self] in
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
        tools.workers.writers.run { [self] in
            defer { opened() }
            let sink: FileSink
            do throws(SystemError) {
                let file = try tools.files.open(attempt.target, cutAt: offset, mark: attempt.id.number)
                sink = FileSink(
                    file, from: offset, hash: hash(from: offset), workers: tools.workers,
                    onRoom: { [weak self] in self?.release() }
                ) { [self] length in
                    report(.durable(attempt.id, offset: length))
                }
            } catch {
                fileFailed(error)
                return
            }
            let (isComplete, request) = state.withLock { state -> (Bool, NetworkLoop.RequestID?) in
                guard case .deciding(let isComplete) = state.phase, !state.isStopped else { return (false, nil) }
                state.phase = .receiving(sink)
                state.received = offset
                state.lastActivity = Clock.monotonic()
                return (isComplete, state.request)
            }
            if isComplete {
                hopEnded(isFollowed: false, nil)
            } else if let request {
                tools.network.post(.resume(request))
            }
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
        let (phase, request) = state.withLock { state -> (Phase, NetworkLoop.RequestID?) in
            guard !state.isStopped else { return (.ended, nil) }
            state.isStopped = true
            return (state.phase, state.request)
        }
        if let request {
            // Its end is the end of the exchange.
            tools.network.post(.cancel(request))
            return
        }
        switch phase {
        // Whoever prepares it looks before it asks, and whoever writes the rest closes it then.
        case .ended, .preparing, .receiving: return
        case .asking, .deciding: close()
        }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    // MARK: Asking

    private func ask() {
        let id = tools.network.makeRequest()
        let snapshot = state.withLock { state -> State? in
            if case .ended = state.phase { return nil }
            state.head = nil
            state.phase = .asking
            state.lastActivity = Clock.monotonic()
            if !state.isStopped { state.request = id }
            return state
        }
        guard let snapshot else { return }
        if snapshot.isStopped {
            close()
            return
        }
        let (request, body) = request(snapshot)
        state.withLock { $0.body = body }
        tools.network.post(.begin(id, request, self))
    }

    func informational(_ head: CurlHead) {
        touch()
        let address = state.withLock { $0.address }
        // Fields of earlier ones come along.
        guard head.status == 104, let location = head.values("location").last,
            let resource = Address(location, relativeTo: address)
        else { return }
        report(.uploadResumable(attempt.id, resource: resource.text))
    }

    /// The next bytes of the body.
    func supply(into space: UnsafeMutableRawBufferPointer) -> CurlSupply {
        guard let body = state.withLock({ $0.body }) else { return .abort }
        let supply = unsafe body.supply(into: space)
        switch supply {
        case .bytes(let count): moved(sent: count, over: count)
        case .wait: break
        case .abort: state.withLock { $0.failure = $0.failure ?? .bodyUnreadable }
        }
        return supply
    }

    // MARK: Time

    private func beginWatching() {
        let milliseconds = max(50, min(1000, attempt.requestTimeout * 125))
        tools.network.post(.watch(self, every: Int64(milliseconds) * 1_000_000))
    }

    func look() {
        let limit = Int64(attempt.requestTimeout * 1e9)
        let (sink, request) = state.withLock { state -> (FileSink?, NetworkLoop.RequestID?) in
            var sink: FileSink?
            switch state.phase {
            case .deciding, .ended: return (nil, nil)
            case .preparing, .asking: break
            case .receiving(let receiving): sink = receiving
            }
            guard let request = state.request, state.holds <= 0, !state.isStopped, state.failure == nil,
                Clock.monotonic() - state.lastActivity > limit
            else { return (sink, nil) }
            state.failure = .timedOut
            return (sink, request)
        }
        // A slow flow, too, becomes durable.
        sink?.settle()
        if let request { tools.network.post(.cancel(request)) }
    }

    func touch() { state.withLock { $0.lastActivity = Clock.monotonic() } }

    /// Waits for another's sake, which is no fault of the server's.
    func hold() { state.withLock { $0.holds += 1 } }

    func release() {
        let request = state.withLock { state -> NetworkLoop.RequestID? in
            state.holds -= 1
            state.lastActivity = Clock.monotonic()
            return state.holds <= 0 ? state.request : nil
        }
        if let request { tools.network.post(.resume(request)) }
    }

    // MARK: Telling

    func report(_ event: TransferEvent) {
        if state.withLock({ !$0.isStopped }) { tools.report(event) }
    }

    /// Counts of bytes are told now and then. What gives way to others waits after them.
    ///
    /// - Parameter over: the bytes that the network carried; those of a coded body are fewer than the file gets.
    func moved(received: Int = 0, sent: Int = 0, over carried: Int) {
        let (event, isLocal) = state.withLock { state -> (TransferEvent?, Bool) in
            let isLocal = state.address.isLoopback && attempt.settings.proxy == nil
            let now = Clock.monotonic()
            state.lastActivity = now
            state.received += Int64(received)
            state.sent += Int64(sent)
            let isLast = sent > 0 && state.sent == attempt.bodyLength
            guard !state.isStopped, isLast || now >= state.nextReport else { return (nil, isLocal) }
            state.nextReport = now + Self.reportInterval
            let event: TransferEvent =
                sent > 0 ? .sent(attempt.id, total: state.sent) : .received(attempt.id, total: state.received)
            return (event, isLocal)
        }
        if let event { tools.report(event) }
        // What stays on this machine costs no radio anything.
        guard !isLocal else { return }
        tools.onTraffic(attempt.session, sent > 0 ? 0 : carried, sent)
        let waits = tools.gate.pass(attempt.id.transfer, carried) { [weak self] in self?.release() }
        if waits { hold() }
    }

    // MARK: The end

    /// What a request came to, once nothing of it comes any more.
    func hopEnded(isFollowed: Bool, _ end: CurlFailure?) {
        let (phase, failure, isStopped) = state.withLock { state -> (Phase, NetworkFailure?, Bool) in
            state.request = nil
            let phase = state.phase
            if case .deciding = phase, end == nil, state.failure == nil, !state.isStopped {
                state.phase = .deciding(isComplete: true)
            }
            return (phase, state.failure, state.isStopped)
        }
        let sink: FileSink? = if case .receiving(let sink) = phase { sink } else { nil }
        switch phase {
        case .ended: return
        case _ where isStopped || failure != nil: break
        case _ where isFollowed:
            ask()
            return
        case .deciding where end == nil: return
        default: break
        }
        guard let sink else {
            if isStopped {
                close()
            } else {
                ended(failure ?? end.map(NetworkFailure.init), length: nil, digest: .unknown)
            }
            return
        }
        sink.finish { [self] outcome in
            switch outcome {
            case .failure(let error): fileFailed(error)
            case .success(let length):
                if let failure = failure ?? end.map(NetworkFailure.init) {
                    fail(failure)
                } else {
                    compare(sink, length)
                }
            }
        }
    }

    /// The whole file may have to be read for that.
    private func compare(_ sink: FileSink, _ length: Int64) {
        tools.workers.writers.run { [self] in
            let digest = DigestCheck.verdict(sink, length: length, attempt: attempt, head: state.withLock { $0.head })
            ended(nil, length: length, digest: digest)
        }
    }

    private func ended(_ failure: NetworkFailure?, length: Int64?, digest: DigestVerdict) {
        if let failure {
            fail(failure)
        } else {
            finish { $0(.responseEnded(self.attempt.id, offset: length ?? 0, digest: digest)) }
        }
    }

    func fail(_ failure: NetworkFailure) { finish { $0(.failed(self.attempt.id, failure)) } }

    func fileFailed(_ error: SystemError) {
        let request = state.withLock { $0.request }
        finish { $0(.fileFailed(self.attempt.id, FileFailure(error))) }
        if let request { tools.network.post(.cancel(request)) }
    }

    /// The last word of it, once.
    private func finish(_ tell: (_ report: (TransferEvent) -> Void) -> Void) {
        var last: TransferEvent?
        tell { last = $0 }
        let (isFirst, isStopped) = state.withLock { state -> (Bool, Bool) in
            if case .ended = state.phase { return (false, true) }
            state.phase = .ended
            return (true, state.isStopped)
        }
        guard isFirst else { return }
        if !isStopped, let last { tools.report(last) }
        tidy()
    }

    private func close() { finish { _ in } }

    private func tidy() {
        tools.network.post(.unwatch(self))
        let mayClose = state.withLock { state in
            state.owesClose = state.isOpening
            return !state.isOpening
        }
        if mayClose { onClosed() }
    }

    private func hash(from offset: Int64) -> RunningHash? {
        DigestCheck.expected(checksum: attempt.checksum, state.withLock { $0.head }).flatMap {
            RunningHash($0.algorithm)
        }
    }

    func wallSeconds() -> Double { Double(Clock.wall()) / 1e9 }
}
