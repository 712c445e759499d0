internal import Dispatch
internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import ServiceKit
internal import Wire

/// The shell around the Core: feeds it events, and performs its effects.
///
/// Everything happens on one queue. What waits for the disk is a worker's, and comes back to the queue. Records are
/// committed before any effect that follows them, several events in one transaction when they come faster than the
/// disk.
///
/// Unchecked: closures of the queue carry it along; every method runs on the queue, which `post` asserts.
final class Service: @unchecked Sendable {
    struct Batch {
        var changes: [NotificationStore.Change]
        var effects: [NotificationEffect]
        /// What the shell itself does once the changes are durable.
        var then: (() -> Void)?
    }

    let queue: DispatchQueue
    let zones: ZoneSource
    let broker: BrokerConnection
    let link: LinkAgent
    let presenter: Presenter
    let helpers: Helpers
    let sounds: Sounds
    var system: NotificationSystem
    private let store: NotificationStore
    private let storeQueue = DispatchQueue(label: "greenroom.notifications.store")
    private let onEnd: @Sendable (_ isDone: Bool) -> Void

    private var batches: [Batch] = []
    private var isCommitting = false
    private var isPerforming = false
    private var timer: TimerFD?
    private var sources: [any DispatchSourceRead] = []
    private var armed: Int64?
    private var zoneWatch: ZoneWatch?

    var peers: [UInt64: Peer] = [:]
    var nextPeer: UInt64 = 1
    var nextRequest: UInt64 = 1
    var requests: [RequestID: PendingRequest] = [:]
    /// What other services asked, and wait for.
    var askedByServices: [RequestID: (Result<JSONValue, RPCError>) -> Void] = [:]
    /// How many requests of a peer wait for their answer.
    var unanswered: [UInt64: Int] = [:]
    /// What the daemon was asked to wake or open an app for, and has not answered.
    var asked: Set<TellingID> = []
    /// Where pushes come from.
    var gateway: GatewaySetting?
    var apps: [AppIdentifier: AppInfo] = [:]
    /// What is on the screen, or waits for one.
    var displayed: [NotificationID: ScreenRecord] = [:]
    /// What waits for its sound, by a number that a later one for the same place does not have.
    var preparing: [NotificationID: UInt64] = [:]
    var nextPreparation: UInt64 = 0
    var reportLog = ReportLog()
    private let calm: ServiceCalm
    private(set) var isEnding = false

    init(
        queue: DispatchQueue, store: NotificationStore, contents: NotificationStore.Contents,
        broker: BrokerConnection, link: LinkAgent, zones: ZoneSource, rules: NotificationRules, idleExit: Double,
        onEnd: @escaping @Sendable (_ isDone: Bool) -> Void
    ) {
        self.queue = queue
        self.store = store
        self.broker = broker
        self.link = link
        self.zones = zones
        calm = ServiceCalm(queue, idleExit: idleExit)
        self.onEnd = onEnd
        presenter = Presenter(queue: queue)
        helpers = Helpers(queue, folder: broker.folder, time: rules.mutationTime)
        sounds = Sounds(queue, folder: broker.folder)
        gateway = contents.gateway
        displayed = contents.displayed
        for info in contents.apps { if let app = AppIdentifier(info.app) { apps[app] = info } }
        system = NotificationSystem(
            restoring: StoredNotifications(contents.records), rules: rules, boot: CurrentProcess.bootID)
        calm.isIdle = { [unowned self] in isIdle }
        calm.onIdle = { [unowned self] in end(isDone: true) }
        helpers.onTrouble = { [unowned self] in note($0) }
        sounds.onTrouble = { [unowned self] in note($0) }
        sounds.onIdle = { [unowned self] in armIdle() }
    }

    /// Begins: zone and clock first, then what can go on.
    func start() {
        if !system.damaged.isEmpty {
            for record in system.damaged {
                Diagnostics.write("a record (\(record.key)) is left out, and removed: \(record.reason)")
            }
            enqueue(Batch(changes: system.damaged.map { .erase($0.key) }, effects: []))
        }
        watchClocks()
        link.begin(self)
        let watch = ZoneWatch(zones, on: queue) { [unowned self] rules in post(.zoneChanged(rules)) }
        zoneWatch = watch
        post(.zoneChanged(watch.present))
        post(.clockChanged(Self.clockOffset))
        applyGateway()
        recoverDisplayed()
        presenter.begin(self)
        broker.begin(self)
        armIdle()
    }

    // MARK: Events

    func post(_ event: NotificationEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isEnding else { return }
        calm.stir()
        let effects = system.handle(event, at: Instant(nanoseconds: Clock.boot()))
        var changes: [NotificationStore.Change] = []
        var others: [NotificationEffect] = []
        for effect in effects {
            switch effect {
            case .store(let record): changes.append(.store(record))
            case .erase(let key): changes.append(.erase(key))
            case .present(let presentation):
                // With what led to it: it is still to be shown when this process has died of it.
                if let record = willPresent(presentation) { changes.append(.displayed(presentation.id, record)) }
                others.append(effect)
            default: others.append(effect)
            }
        }
        enqueue(Batch(changes: changes, effects: others))
        armTimer()
        armIdle()
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
    }

    private func commit() {
        guard !isCommitting, !isPerforming, !batches.isEmpty else { return }
        isCommitting = true
        let together = batches
        batches = []
        commit(
            together.flatMap(\.changes),
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

    private func commit(_ changes: [NotificationStore.Change], _ completion: Continuation) {
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

    private func perform(_ together: [Batch]) {
        isPerforming = true
        for batch in together {
            for effect in batch.effects { perform(effect) }
            batch.then?()
        }
        isPerforming = false
        // Only now: the end of the last topic has been said.
        if batches.isEmpty { link.want(system.linkStatus(at: Instant(nanoseconds: Clock.boot())).registered > 0) }
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
                link.timePassed(Instant(nanoseconds: Clock.boot()))
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

    /// One timer for the Core and the link.
    func armTimer() {
        let next = [system.nextDeadline(), link.deadline].compactMap { $0 }.min()?.nanoseconds
        guard next != armed else { return }
        armed = next
        try? timer?.arm(at: next)
    }

    // MARK: The end

    /// The daemon starts the process again when somebody needs it.
    var isIdle: Bool {
        peers.isEmpty && requests.isEmpty && asked.isEmpty && askedByServices.isEmpty && system.isIdle
            && link.state == .off
            && !presenter.isNeeded && sounds.isIdle && batches.isEmpty && !isCommitting
    }

    /// Nobody is there and nothing can come: after a while the process has no reason to be.
    func armIdle() { if !isEnding { calm.armIdle() } }

    /// In order: what was decided is stored, nobody is left waiting for an answer to nothing.
    ///
    /// - Parameter isDone: nothing is left to do.
    func end(isDone: Bool) {
        guard !isEnding else { return }
        isEnding = true
        broker.end()
        link.end()
        helpers.end()
        sounds.end()
        for peer in peers.values { peer.close() }
        for source in sources { source.cancel() }
        zoneWatch = nil
        presenter.end()
        let (store, onEnd) = (store, onEnd)
        let changes = batches.flatMap(\.changes)
        storeQueue.async {
            try? store.commit(changes)
            store.close()
            onEnd(isDone)
        }
    }
}
