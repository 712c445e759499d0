internal import AudioControls
internal import AudioCore
internal import AudioModel
internal import Dispatch
internal import LinuxSystem
internal import Model
internal import PipeWire
internal import ServiceKit
internal import Wire

/// The shell around the Core: feeds it events, and performs its effects.
///
/// Everything happens on one queue. Records are written before any effect that follows them.
///
/// Unchecked: closures of the queue carry it along; every method runs on the queue, which `post` asserts.
final class Service: @unchecked Sendable {
    let queue: DispatchQueue
    let broker: BrokerConnection
    let graph: AudioGraph
    let players: OtherPlayers
    private(set) var system: AudioSystem
    private let process: ServiceProcess
    private let store: AudioStore
    private let calm: ServiceCalm
    private let silence: Double?

    private var events: [AudioEvent] = []
    private var isPosting = false
    private var unstored = UnstoredRecords<AudioRecordKey, AudioRecord>()
    private var isRetryDue = false
    /// Permissions must survive the service. Sound needs no disk.
    private var unstoredPermissions: Set<AudioRecordKey> = []
    /// Whether a permission that the event at hand changed could not be stored.
    private var hasFailedToStore = false
    private var timer: TimerFD?
    private var sources: [any DispatchSourceRead] = []
    private var armed: Int64?
    private var log = ServiceLog("audio")

    var peers: [UInt64: Peer] = [:]
    var nextPeer: UInt64 = 1
    private var nextRequest: UInt64 = 1
    var requests: [RequestID: PendingRequest] = [:]
    /// Apps that have connected, for what the daemon says only then.
    var apps: [AppIdentifier: ServiceAttach] = [:]
    /// Streams and players whose process the daemon is asked about.
    var owners = Owners()
    var stops = StopOrders()
    var hearings = Hearings()
    var streams: [NodeID: GraphStream] = [:]
    var playerIDs: [OtherPlayer.ID: PlayerID] = [:]
    var nextPlayer: UInt64 = 1
    var published: [AppIdentifier: AudioControls.PublishedPlayer] = [:]

    private(set) var isEnding = false

    init(_ process: ServiceProcess, _ store: AudioStore, _ options: AudioProgram.Options) {
        self.process = process
        self.store = store
        (queue, broker, silence) = (process.queue, process.broker, options.silence)
        calm = ServiceCalm(process.queue, idleExit: options.idleExit)
        graph = AudioGraph(queue: process.queue)
        players = OtherPlayers(queue: process.queue)
        system = AudioSystem(store.load(), rules: Self.rules(silence, profile: ""), firstNews: Self.firstNews)
        calm.isIdle = { [unowned self] in isIdle }
        calm.onIdle = { [unowned self] in finish(isDone: true) }
    }

    /// No process of the service before this one, since the machine was started, has come so far.
    private static var firstNews: Int64 { Clock.boot() / 1000 }

    private static func rules(_ silence: Double?, profile: String) -> AudioRules {
        var rules = AudioRules(profile: profile)
        if let silence { rules.silence = .seconds(silence) }
        return rules
    }

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
        graph.client = self
        broker.begin(self)
        armIdle()
    }

    /// The first time that the daemon is there: now it can be asked whose what is.
    func beginToLook(profile: String) {
        system.rules = Self.rules(silence, profile: profile)
        graph.begin()
        players.begin(self)
    }

    // MARK: Events

    func post(_ event: AudioEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isEnding else { return }
        calm.stir()
        events.append(event)
        guard !isPosting else { return }
        isPosting = true
        while !events.isEmpty {
            let effects = system.handle(events.removeFirst(), at: Instant(nanoseconds: Clock.boot()))
            hasFailedToStore = false
            for effect in effects { perform(effect) }
        }
        isPosting = false
        armTimer()
        armIdle()
    }

    func write(_ record: AudioRecord) {
        do {
            do {
                try store.storePermission(of: record)
                unstoredPermissions.remove(record.key)
            } catch {
                hasFailedToStore = true
                unstoredPermissions.insert(record.key)
                throw error
            }
            try store.store(record)
            unstored.remove(record.key)
        } catch {
            if unstored.insert(record, for: record.key, "\(error)") { note("a record cannot be stored: \(error)") }
            storeLater()
        }
    }

    func erase(_ key: AudioRecordKey) {
        unstored.remove(key)
        unstoredPermissions.remove(key)
        store.erase(key)
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
        armIdle()
    }

    func note(_ sentence: String) { log.write(sentence) }

    /// Why a request is not answered with success: a restart of the service would undo what it changed.
    ///
    /// - Parameter isPermission: a repeated request changes no record, so earlier failures count as well.
    func storageRefusal(isPermission: Bool) -> RPCError? {
        if isPermission { storeAgain() }
        let isRefused = isPermission ? !unstoredPermissions.isEmpty : hasFailedToStore
        return isRefused ? RPCError(.refused, unstored.refusal) : nil
    }

    private func armTimer() {
        let next = system.nextDeadline?.nanoseconds
        guard next != armed else { return }
        armed = next
        try? timer?.arm(at: next)
    }

    func request(
        _ peer: Peer?, _ id: RPCID, isPermission: Bool = false,
        answer: ((Result<AudioReply, AudioRefusal>) -> Void)? = nil
    ) -> RequestID {
        let number = RequestID(nextRequest)
        nextRequest += 1
        requests[number] = PendingRequest(peer: peer, id: id, isPermission: isPermission, answer: answer)
        return number
    }

    // MARK: The end

    /// The daemon starts the process again when somebody needs it.
    var isIdle: Bool { peers.isEmpty && requests.isEmpty && system.isIdle && unstored.isEmpty }

    func armIdle() { if !isEnding { calm.armIdle() } }

    /// - Parameter isDone: nothing is left to do.
    private func finish(isDone: Bool) {
        guard !isEnding else { return }
        isEnding = true
        storeAgain()
        broker.end()
        for player in published.values { player.end() }
        players.end()
        graph.close()
        for peer in peers.values { peer.close() }
        for source in sources { source.cancel() }
        process.finish(isDone: isDone)
    }
}

extension Service: ServedService {
    func end() { finish(isDone: isIdle) }
}

/// Who waits for the Core's answer.
struct PendingRequest {
    weak var peer: Peer?
    let id: RPCID
    /// Whether the user allows or denies something by it.
    let isPermission: Bool
    let answer: ((Result<AudioReply, AudioRefusal>) -> Void)?
}
