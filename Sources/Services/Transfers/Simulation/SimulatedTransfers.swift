package import Model
package import Simulation
internal import TransferCore

/// Transfers in virtual time: `TransferCore` decides, as in the real service, behind a shell whose server always
/// answers. A thing of so many bytes is downloaded or uploaded as fast as the simulated network is.
package struct SimulatedTransfers: ServiceModel {
    private struct Attempt {
        let id: AttemptID
        var offset: Int64
        let whole: Int64
        let isUpload: Bool
        let isUntold: Bool
    }

    private var facts = Facts()
    var system = TransferSystem(seed: 0)
    private var attempts: [UInt64: Attempt] = [:]
    private var nextMove: UInt64 = 1
    private var nextRequest: UInt64 = 1
    private var nextWake: UInt64 = 1
    private var nextMessage: UInt64 = 1
    private var announced: [UInt64: (session: SessionID, number: UInt64)] = [:]
    private var delivered: [UInt64: (session: SessionID, number: EventNumber)] = [:]
    /// What of what an app said each request is, and what is to be said next.
    private var asked: [RequestID: (connection: UInt64, number: UInt64, keeps: ServiceModelKeepsake?)] = [:]
    private var acts: [ServiceModelAct] = []
    private var now = Instant.zero
    /// Wall clock minus boot clock.
    private var wallOffset = Span.zero
    private var ledger = Ledger()

    package init() {}

    package static var declaration: ServiceDeclaration {
        var declaration = ServiceDeclaration(name: "transfers")
        declaration.windows = [
            ServiceDeclaration.Window(
                name: "session", sentence: "the end of a session's transfers", time: .seconds(10),
                callback: .sessionEvents),
            ServiceDeclaration.Window(
                name: "authentication", sentence: "a server that wants to know who asks", time: .seconds(10),
                callback: .sessionChallenge),
        ]
        return declaration
    }

    package static func misunderstanding(of words: String) -> String? {
        SpokenRequest(words) == nil ? SpokenRequest.forms : nil
    }

    package static func words(_ random: inout SplitMix64, canBegin: Bool) -> String {
        let session = random.oneIn(3) ? "podcasts" : "photos"
        let size = random.oneIn(8) ? "\(1 + random.below(300))MB" : "\(1 + random.below(4_000))kB"
        let rest = random.oneIn(4) ? " discretionary" : ""
        return switch canBegin ? random.below(10) : 8 + random.below(2) {
        case 0...5: "download \(size) in \(session)\(rest)"
        case 6, 7: "upload \(size) in \(session)\(rest)"
        case 8: "open \(session)\(rest)"
        default: "cancel \(session)"
        }
    }

    // MARK: Events

    package mutating func start(_ life: ServiceModelLife) {
        attempts = [:]
        announced = [:]
        delivered = [:]
        asked = [:]
        acts = []
        system = TransferSystem(restoring: facts.stored, seed: life.seed)
    }

    package mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        switch news {
        case .timer: post(.timer)
        // It has its connections, and no zones; and the next thing that is known of an app says enough of its window.
        case .greeted, .zone, .network, .windowEnded: break
        case .clock(let offset):
            wallOffset = offset
            post(.clockChanged(offset))
        case .conditions(let conditions): post(.conditions(TransferConditions(conditions)))
        case .arrived: post(.systemAttached)
        case .lost: post(.systemDetached)
        case .app(let app, let state, let awaitsCall, _, _):
            post(.appState(app, AppPresence(state, awaitsCall: awaitsCall)))
        case .closed(let app, let ends): if ends { post(.userEnded(app)) }
        case .removed(let app): post(.forgotten(app, request()))
        case .attached(let connection, let app, _): post(.attached(ConnectionID(connection), app))
        case .detached(let connection): post(.detached(ConnectionID(connection)))
        case .said(let connection, let number, let words): said(connection, number, words)
        case .heard(let connection, let number):
            guard let event = delivered.removeValue(forKey: number) else { break }
            post(.delivered(ConnectionID(connection), event.session, event.number))
        case .woken(let number, let answer):
            // Without an answer it is announced anew.
            guard let entry = announced.removeValue(forKey: number), answer != .lost else { break }
            post(.announced(entry.session, entry.number))
        case .moved(let move, let bytes, let isDone): moved(move, bytes, isDone)
        // It holds nothing, and nobody asks it.
        case .held, .stop, .holdEnded, .program, .asked, .replied: break
        case .broken(let move):
            guard let attempt = attempts.removeValue(forKey: move) else { break }
            post(.failed(attempt.id, .connectionLost))
        case .noRoom(let move):
            guard let attempt = attempts.removeValue(forKey: move) else { break }
            post(.fileFailed(attempt.id, .diskFull))
        }
        defer { acts = [] }
        return acts
    }

    package mutating func nextDeadline() -> Instant? { system.nextDeadline() }

    package var isUnfinished: Bool { !system.isIdle }

    package func brokenPromises() -> [String] { system.brokenInvariants() + ledger.broken }

    private mutating func post(_ event: TransferEvent) {
        let effects = system.handle(event, at: now)
        facts.commit(effects)
        for effect in effects { perform(effect) }
    }

    private mutating func request() -> RequestID {
        defer { nextRequest += 1 }
        return RequestID(nextRequest)
    }

    // MARK: Apps

    /// The number is the task's as well: it grows, and comes again with the same words.
    private mutating func said(_ connection: UInt64, _ number: UInt64, _ words: String) {
        guard let spoken = SpokenRequest(words) else {
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            return
        }
        var configuration = TransferConfiguration()
        configuration.isDiscretionary = spoken.isDiscretionary
        let open = ClientRequest.open(session: spoken.session, configuration)
        switch spoken.action {
        case .open: ask(connection, open, answers: number, keeps: spoken.keepsake)
        case .cancel:
            ask(connection, open)
            ask(
                connection, .invalidate(session: spoken.session, cancels: true), answers: number, keeps: spoken.keepsake
            )
        case .download(let size): create(connection, spoken, open, size, number)
        case .upload(let size): create(connection, spoken, open, size, number)
        }
    }

    private mutating func create(
        _ connection: UInt64, _ spoken: SpokenRequest, _ open: ClientRequest, _ size: Int64, _ number: UInt64
    ) {
        let task = Int64(clamping: number)
        var creation = TransferCreation(
            number: task, kind: .download, request: TransferRequest(url: "https://server.example/\(size)"))
        if spoken.isLow { creation.priority = system.rules.lowPriority }
        if spoken.isBackground { creation.request.serviceType = .background }
        creation.earliestBegin = spoken.delay.map {
            WallTime(nanoseconds: (now + wallOffset + $0 - .zero).nanoseconds)
        }
        if case .upload = spoken.action {
            creation.kind = .upload
            creation.request.method = "PUT"
            creation.body = UploadBody(file: .body(number), length: size)
        }
        ask(connection, open)
        ask(connection, .create(session: spoken.session, creation))
        ask(connection, .resume(session: spoken.session, task: task), answers: number, keeps: spoken.keepsake)
    }

    private mutating func ask(
        _ connection: UInt64, _ asked: ClientRequest, answers number: UInt64? = nil,
        keeps: ServiceModelKeepsake? = nil
    ) {
        let id = request()
        if let number { self.asked[id] = (connection, number, keeps) }
        post(.client(ConnectionID(connection), id, asked))
    }

    // MARK: Effects

    private mutating func perform(_ effect: TransferEffect) {
        switch effect {
        case .store, .erase: ledger.note(effect, facts)
        case .startDownload(let id, let order): download(id, order)
        case .startUpload(let id, let order):
            begin(Attempt(id: id, offset: 0, whole: order.body.length, isUpload: true, isUntold: false), order.app)
        case .receiveBody: break
        case .stop(let id):
            for (move, attempt) in attempts where attempt.id == id {
                attempts[move] = nil
                acts.append(.stop(traffic: move))
            }
        case .remove, .removeFromClient: break
        case .moveToClient(let id, _, _): post(.fileMoved(id, path: "/tmp/\(id.rawValue)"))
        case .moveToTarget(let id, _, let path): post(.fileMoved(id, path: path))
        case .reply(let request, _), .refuse(let request, _):
            guard let entry = asked.removeValue(forKey: request) else { return }
            acts.append(.answer(connection: entry.connection, number: entry.number, keeps: entry.keeps))
        case .deliver(let connection, let delivery):
            let number = nextMessage
            nextMessage += 1
            delivered[number] = (delivery.sessionID, delivery.number)
            acts.append(.tell(connection: connection.rawValue, number: number, delivery.words))
        case .announce(let session, let app, let name, let reason, let number):
            let wake = nextWake
            nextWake += 1
            announced[wake] = (session, number)
            let window = reason == .finished ? "session" : "authentication"
            acts.append(.wake(app, window: window, payload: name, number: wake))
        // Every app's transfers share the simulated line alike, and none is told that an app is on screen.
        case .progress, .waiting, .changed, .yields: break
        }
    }

    // MARK: The network

    private mutating func download(_ id: AttemptID, _ order: DownloadOrder) {
        let whole = order.request.url.split(separator: "/").last.flatMap { Int64($0) } ?? 0
        begin(Attempt(id: id, offset: order.offset, whole: whole, isUpload: false, isUntold: true), order.app)
    }

    private mutating func begin(_ attempt: Attempt, _ app: AppIdentifier?) {
        let move = nextMove
        nextMove += 1
        attempts[move] = attempt
        guard let app else { return }
        acts.append(.move(traffic: move, bytes: attempt.whole - attempt.offset, attempt.isUpload ? .up : .down, app))
    }

    private mutating func moved(_ move: UInt64, _ bytes: Int64, _ isDone: Bool) {
        guard let attempt = attempts[move] else { return }
        if attempt.isUpload { return sent(move, attempt, bytes, isDone) }
        if attempt.isUntold {
            attempts[move] = Attempt(
                id: attempt.id, offset: attempt.offset, whole: attempt.whole, isUpload: false, isUntold: false)
            post(.responseHead(attempt.id, .of(attempt.offset, attempt.whole), challenge: nil))
        }
        let total = attempt.offset + bytes
        if attempts[move] != nil { post(.received(attempt.id, total: total)) }
        if attempts[move] != nil { post(.durable(attempt.id, offset: total)) }
        guard isDone, attempts.removeValue(forKey: move) != nil else { return }
        post(.responseEnded(attempt.id, offset: total, digest: .unknown))
    }

    private mutating func sent(_ move: UInt64, _ attempt: Attempt, _ bytes: Int64, _ isDone: Bool) {
        post(.sent(attempt.id, total: bytes))
        guard isDone, attempts[move] != nil else { return }
        post(.responseHead(attempt.id, ResponseHead(status: 200, headers: []), challenge: nil))
        guard attempts.removeValue(forKey: move) != nil else { return }
        post(.responseEnded(attempt.id, offset: 0, digest: .unknown))
    }
}

extension ResponseHead {
    fileprivate static func of(_ offset: Int64, _ whole: Int64) -> ResponseHead {
        let tag = HeaderField("ETag", "\"\(whole)\"")
        guard offset > 0 else {
            return ResponseHead(status: 200, headers: [HeaderField("Content-Length", "\(whole)"), tag])
        }
        return ResponseHead(
            status: 206, headers: [HeaderField("Content-Range", "bytes \(offset)-\(whole - 1)/\(whole)"), tag])
    }
}

extension AppPresence {
    /// Before `handleEventsForBackgroundURLSession` its delegates hear nothing.
    fileprivate init(_ state: LifecycleState, awaitsCall: Bool) {
        self =
            switch state {
            case _ where awaitsCall: .suspended
            case .active, .inactive: .foreground
            case .background: .background
            case .suspended: .suspended
            case .notRunning: .none
            }
    }
}

extension TransferConditions {
    fileprivate init(_ conditions: ServiceModelConditions) {
        self.init(
            network: conditions.network, isMetered: conditions.network == .cellular,
            hasExternalPower: conditions.isCharging, battery: conditions.battery * 10,
            isRadioWarm: conditions.isRadioWarm, isLowPower: conditions.isLowPower)
    }
}

extension EventDelivery {
    /// As a scenario expects them.
    fileprivate var words: String {
        switch kind {
        case .resumedAt: "resumed \(session)"
        case .finished: "finished \(session)"
        case .completed(let task): task.error == nil ? "completed \(session)" : "failed \(session)"
        case .challenge: "asked who it is \(session)"
        case .delayedRequest: "asked whether to begin \(session)"
        case .finishedEvents: "events done \(session)"
        case .invalidated: "invalidated \(session)"
        }
    }
}
