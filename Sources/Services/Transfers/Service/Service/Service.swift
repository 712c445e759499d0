internal import Dispatch
internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import Synchronization
internal import TransferCore
internal import TransferWire
internal import Wire

/// The shell around the Core: feeds it events, and performs its effects.
///
/// Everything happens on one queue. What waits for a disk or a network is a worker's, and comes back to the queue as an
/// event. Records are committed before any effect that follows them, several events in one transaction when they come
/// faster than the disk.
///
/// Unchecked: closures of the queue carry it along; every method but `report` and `account` runs on the queue, which
/// `post` asserts.
final class Service: @unchecked Sendable {
    struct Batch {
        var changes: [TransferStore.Change]
        var effects: [TransferEffect]
        /// What the shell itself does once the changes are durable.
        var then: (() -> Void)?
    }

    let queue: DispatchQueue
    let files: TransferFiles
    var system: TransferSystem
    var transfers: HTTPTransfers?
    var memory: SessionMemory?
    private let store: TransferStore
    private let storeQueue = DispatchQueue(label: "greenroom.transfers.store")
    /// Files that come and go; a large copy holds up nobody else.
    let fileQueue = DispatchQueue(label: "greenroom.transfers.files", attributes: .concurrent)
    private var handOvers: [AppIdentifier?: DispatchQueue] = [:]
    private let onEnd: @Sendable (_ isDone: Bool) -> Void

    private var batches: [Batch] = []
    private var isCommitting = false
    private var isPerforming = false
    private var lazyOffsets: [TransferID: Int64] = [:]
    private var isFlushDue = false
    private var timer: TimerFD?
    private var sources: [any DispatchSourceRead] = []
    private var armed: Int64?

    var peers: [UInt64: Peer] = [:]
    var nextPeer: UInt64 = 1
    var nextRequest: UInt64 = 1
    var requests: [RequestID: PendingRequest] = [:]
    /// The way to the daemon; none stands alone.
    let broker: BrokerConnection?
    var watchers: [UInt64: Peer] = [:]
    var changed: Set<TransferID> = []
    var containers: [String: TransferStore.Container] = [:]
    var folders: [TransferID: TransferStore.TargetFolder] = [:]
    /// Files that are brought, or were, to whoever asked for them.
    var leaving: [TransferID: TransferFile] = [:]
    var rates: [TransferID: Rate] = [:]
    var surroundings: Surroundings?
    var isSimulated = false
    var isEnding = false
    private let calm: ServiceCalm
    let gate: Gate
    /// Only while something gives way.
    var meter: LinkMeter?
    var isLookingAtLink = false
    var isLinkLimited = false
    let traffic = Mutex<[SessionKey: Traffic]>([:])

    init(
        queue: DispatchQueue, store: TransferStore, contents: TransferStore.Contents, files: TransferFiles,
        broker: BrokerConnection?, gate: Gate, idleExit: Double, onEnd: @escaping @Sendable (_ isDone: Bool) -> Void
    ) {
        self.queue = queue
        self.store = store
        self.files = files
        self.broker = broker
        self.gate = gate
        calm = ServiceCalm(queue, idleExit: idleExit)
        self.onEnd = onEnd
        system = TransferSystem(restoring: StoredTransfers(contents.records), seed: .random(in: 0 ... .max))
        containers = Dictionary(contents.containers.map { ($0.app, $0) }, uniquingKeysWith: { $1 })
        folders = contents.folders
        files.removeAll(except: system.filesInUse)
        calm.isIdle = { [unowned self] in isIdle }
        calm.onIdle = { [unowned self] in end(isDone: true) }
    }

    /// Begins: clocks and conditions first, then what can go on.
    ///
    /// - Parameter fault: how the process before this one ended, and during what.
    func start(after fault: FaultMarks.Fault?) {
        watchClocks()
        post(.clockChanged(Self.clockOffset))
        if let fault {
            let ids = fault.marks.sorted().map(TransferID.init)
            Diagnostics.write(
                "ended by signal \(fault.signal), during "
                    + (ids.isEmpty ? "no transfer" : ids.map { "t\($0.rawValue)" }.joined(separator: ", ")))
            post(.died(ids))
        }
        if let broker {
            broker.begin(self)
        } else {
            surroundings = Surroundings(on: queue) { [unowned self] conditions in
                if !isSimulated { post(.conditions(conditions)) }
            }
        }
        armIdle()
    }

    /// Where files are taken over, of each app one after another: a file that is never read to its end, because its
    /// file system does not answer, holds up that app alone.
    func handOver(_ app: AppIdentifier?) -> DispatchQueue {
        if let known = handOvers[app] { return known }
        let made = DispatchQueue(label: "greenroom.transfers.uploads")
        handOvers[app] = made
        return made
    }

    // MARK: Events

    /// From any thread.
    nonisolated func report(_ event: TransferEvent) {
        queue.async { [self] in post(event) }
    }

    func post(_ event: TransferEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isEnding else { return }
        note(event)
        let effects = system.handle(event, at: Instant(nanoseconds: Clock.boot()))
        var changes: [TransferStore.Change] = []
        var others: [TransferEffect] = []
        var isLazy = true
        for effect in effects {
            switch effect {
            case .store(.offset(let id, let offset)):
                lazyOffsets[id] = offset
            case .store(let record):
                isLazy = false
                changes.append(.store(record))
            case .erase(let key):
                isLazy = false
                if case .task(let id) = key { forget(id) }
                changes.append(.erase(key))
            default: others.append(effect)
            }
        }
        if !isLazy {
            // What is counted never overtakes what it counts: a record that resets the count comes after it.
            changes = takeOffsets() + changes
        }
        enqueue(Batch(changes: changes, effects: others))
        armTimer()
        armIdle()
    }

    private func takeOffsets() -> [TransferStore.Change] {
        defer { lazyOffsets = [:] }
        return lazyOffsets.map { .store(.offset($0.key, $0.value)) }
    }

    /// Commits, then performs; in the order of the calls.
    func enqueue(_ batch: Batch) {
        // What an effect leads to comes after the effects beside it.
        if batches.isEmpty, !isCommitting, !isPerforming, batch.changes.isEmpty {
            perform([batch])
        } else {
            batches.append(batch)
            commit()
        }
        flushSoon()
    }

    private func commit() {
        guard !isCommitting, !isPerforming, !batches.isEmpty else { return }
        isCommitting = true
        let together = batches
        batches = []
        let changes = together.flatMap(\.changes)
        commit(
            changes,
            Continuation { [self] in
                isCommitting = false
                perform(together)
                armIdle()
            })
    }

    /// Unchecked: runs on the service's queue, where it was made.
    private struct Continuation: @unchecked Sendable {
        let run: () -> Void
    }

    private func commit(_ changes: [TransferStore.Change], _ completion: Continuation) {
        guard !changes.isEmpty else {
            completion.run()
            return
        }
        storeQueue.async { [self] in
            do {
                try store.commit(changes)
                queue.async { completion.run() }
            } catch {
                // Nothing is acknowledged until it is stored: mostly the disk is full for a while.
                Diagnostics.write("the records cannot be stored: \(error)")
                queue.asyncAfter(deadline: .now() + 1) { [self] in commit(changes, completion) }
            }
        }
    }

    /// Offsets that wait for nothing else become durable within a second.
    private func flushSoon() {
        guard !lazyOffsets.isEmpty, !isFlushDue else { return }
        isFlushDue = true
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self else { return }
            isFlushDue = false
            let changes = takeOffsets()
            if !changes.isEmpty { enqueue(Batch(changes: changes, effects: [])) }
        }
    }

    private func perform(_ together: [Batch]) {
        isPerforming = true
        for batch in together {
            for effect in batch.effects { perform(effect) }
            batch.then?()
        }
        isPerforming = false
        commit()
    }

    // MARK: Time

    private static var clockOffset: Model.Span { Model.Span(nanoseconds: Clock.wall() - Clock.boot()) }

    private func watchClocks() {
        if let timer = try? TimerFD() {
            self.timer = timer
            watch(timer.descriptor) { [unowned self] in
                timer.drain()
                armed = nil
                post(.timer)
            }
        }
        if let changes = try? TimerFD(detectingClockChanges: ()) {
            watch(changes.descriptor) { [unowned self] in
                changes.drain()
                try? changes.rearmClockChange()
                post(.clockChanged(Self.clockOffset))
            }
        }
    }

    private func watch(_ descriptor: Descriptor, _ body: @escaping () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler(handler: body)
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
        sources.append(source)
    }

    private func armTimer() {
        let next = system.nextDeadline()?.nanoseconds
        guard next != armed else { return }
        armed = next
        try? timer?.arm(at: next)
    }

    // MARK: The end

    var isIdle: Bool {
        // The daemon starts the process again when somebody needs it.
        peers.isEmpty && system.isIdle && batches.isEmpty && !isCommitting && requests.isEmpty
    }

    /// Nobody is there and nothing can move: after a while the process has no reason to be.
    func armIdle() { if !isEnding { calm.armIdle() } }

    /// In order: what came is on disk, what is counted is stored, nobody is left waiting for an answer to nothing.
    ///
    /// - Parameter isDone: nothing is left to do.
    func end(isDone: Bool = false) {
        guard !isEnding else { return }
        isEnding = true
        broker?.end()
        for peer in peers.values { peer.close() }
        for source in sources { source.cancel() }
        surroundings = nil
        meter = nil
        gate.set([], limit: nil)
        let (transfers, store, onEnd) = (transfers, store, onEnd)
        let changes = batches.flatMap(\.changes) + takeOffsets()
        storeQueue.async {
            transfers?.shutDown()
            try? store.commit(changes)
            store.close()
            onEnd(isDone)
        }
    }
}

/// What a process without a terminal has to say.
enum Diagnostics {
    static func write(_ text: String) {
        StandardError.write("\(WallTime(nanoseconds: Clock.wall()).iso8601) greenroom-transferd: \(text)\n")
    }
}
