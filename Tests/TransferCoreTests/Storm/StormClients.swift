import Model
import Simulation
import TransferCore
import TransferSimulation

/// An app's side of one session, and what its delegate has been told.
struct StormClient {
    let app: AppIdentifier
    let session: String
    var presence = AppPresence.none
    var connection: ConnectionID?
    var isOpen = false
    /// The next number that it gives.
    var nextTask: Int64 = 1
    /// What it wants, and has not been answered: asked again after every reconnection.
    var unanswered: [(id: RequestID, asked: ClientRequest)] = []
    /// Created and resumed as far as the service has said.
    var resumed: Set<Int64> = []
    var created: Set<Int64> = []
    /// Delegates that were called and have returned, in this process or an earlier one.
    var told: [Int64: [Int]] = [:]
    /// The delivery that its delegate has just dealt with.
    var returned: EventDelivery?
    /// What cancelled downloads left, and of which address.
    var resumables: [(url: String, data: ResumeData)] = []
    /// The delivery that its delegate works on.
    var working: EventDelivery?
    /// The highest number of which the service knows that it was told.
    var acknowledged: EventNumber = 0
    var temporary: [TransferID: StormPart] = [:]
    var urls: [Int64: String] = [:]

    mutating func loseService() {
        connection = nil
        isOpen = false
        working = nil
    }
}

extension StormWorld {
    mutating func connect(_ place: Int) {
        let connection = ConnectionID(nextConnection)
        nextConnection += 1
        clients[place].connection = connection
        clients[place].isOpen = false
        clients[place].working = nil
        post(.attached(connection, clients[place].app))
        guard clients[place].connection == connection else { return }
        var configuration = TransferConfiguration()
        configuration.connectionsPerHost = 2
        configuration.resourceTimeout = .seconds(30 * 86_400)
        configuration.asksBeforeDelayedRequests = place % 2 == 0
        ask(place, .open(session: clients[place].session, configuration))
        guard clients[place].connection == connection else { return }
        clients[place].isOpen = true
        for request in clients[place].unanswered where clients[place].connection == connection {
            send(place, request.id, request.asked)
        }
    }

    private mutating func send(_ place: Int, _ id: RequestID, _ asked: ClientRequest) {
        guard let connection = clients[place].connection else { return }
        var asked = asked
        // A repetition brings its file again.
        if case .create(let session, var creation) = asked, let body = creation.body {
            creation.body = UploadBody(file: .body(nextBody), length: body.length)
            bodies.insert(.body(nextBody))
            nextBody += 1
            asked = .create(session: session, creation)
        }
        post(.client(connection, id, asked))
    }

    mutating func ask(_ place: Int, _ asked: ClientRequest) {
        let id = RequestID(nextRequest)
        nextRequest += 1
        if case .open = asked {} else { clients[place].unanswered.append((id, asked)) }
        send(place, id, asked)
    }

    mutating func clientStep() {
        let place = dice.below(clients.count)
        guard clients[place].connection != nil, clients[place].isOpen else {
            if clients[place].presence == .foreground || clients[place].presence == .background || !hasSystem {
                connect(place)
            }
            return
        }
        guard clients[place].presence != .suspended else { return }
        let session = clients[place].session
        let known = clients[place].created.sorted()
        switch dice.below(8) {
        case 0...2 where clients[place].nextTask <= 12 && !isCalm: create(place)
        case 3:
            if let task = dice.pick(known) { ask(place, .resume(session: session, task: task)) }
        case 4 where !isCalm:
            if let task = dice.pick(known) { ask(place, .suspend(session: session, task: task)) }
        case 5 where !isCalm && dice.oneIn(4):
            if let task = dice.pick(known) {
                ask(place, .cancel(session: session, task: task, producesResumeData: dice.oneIn(2)))
            }
        case 6:
            if let task = dice.pick(known) {
                ask(place, .change(session: session, task: task, TransferChange(priority: Int32(dice.below(1001)))))
            }
        default: return
        }
    }

    private mutating func create(_ place: Int) {
        let number = clients[place].nextTask
        clients[place].nextTask += 1
        let left = clients[place].resumables.popLast()
        let isUpload = left == nil && dice.oneIn(4)
        let host = dice.pick(["one", "two"]) ?? "one"
        let url = left?.url ?? "https://\(host).example.org/\(clients[place].app)/\(clients[place].session)/\(number)"
        clients[place].urls[number] = url
        if servers[url] == nil { servers[url] = StormServer(&dice) }
        let earliest = WallTime(
            nanoseconds: now.nanoseconds + offset.nanoseconds + Int64(dice.below(100)) * 1_000_000_000)
        ask(
            place,
            .create(
                session: clients[place].session,
                TransferCreation(
                    number: number, kind: isUpload ? .upload : .download,
                    request: TransferRequest(url: url, method: isUpload ? "PUT" : "GET"),
                    priority: Int32(dice.below(1001)), earliestBegin: dice.oneIn(4) ? earliest : nil,
                    body: isUpload ? UploadBody(file: .body(0), length: servers[url]?.length ?? 0) : nil,
                    resumes: left?.data)))
        if !dice.oneIn(4) { ask(place, .resume(session: clients[place].session, task: number)) }
    }

    mutating func answered(_ id: RequestID, _ reply: TransferReply?, _ refusal: TransferRefusal?) {
        for place in clients.indices {
            guard let index = clients[place].unanswered.firstIndex(where: { $0.id == id }) else { continue }
            let asked = clients[place].unanswered.remove(at: index).asked
            if let refusal { return fail("\(asked) was refused: \(refusal)") }
            switch asked {
            case .create(_, let creation): clients[place].created.insert(creation.number)
            case .resume(_, let task): clients[place].resumed.insert(task)
            case .suspend(_, let task): clients[place].resumed.remove(task)
            case .cancel(_, let task, _):
                clients[place].resumed.insert(task)
                if case .cancelled(let data?) = reply, let url = clients[place].urls[task] {
                    clients[place].resumables.append((url, data))
                }
            default: break
            }
            return
        }
    }

    // Events.

    mutating func deliver(_ connection: ConnectionID, _ event: EventDelivery) {
        guard let place = clients.firstIndex(where: { $0.connection == connection }) else {
            return fail("a delivery to a connection that is gone")
        }
        let client = clients[place]
        if client.session != event.session { fail("an event of another session") }
        if client.working != nil { fail("two events at a time") }
        if hasSystem, client.presence == .suspended { fail("an event for a suspended app") }
        if event.number <= client.acknowledged { fail("event \(event.number) again, after it was acknowledged") }
        clients[place].working = event
        if case .finished = event.kind { checkFile(place, event) }
        guard let task = event.task, let told = client.told[task] else { return }
        if told.contains(3) { fail("task \(task) is told of after its end") }
    }

    /// What a delegate gets is the whole thing, and nothing else.
    private mutating func checkFile(_ place: Int, _ event: EventDelivery) {
        guard case .finished(let path, let response) = event.kind, let task = event.task,
            let url = clients[place].urls[task], let server = servers[url],
            let id = UInt64(path.dropFirst(4)).map(TransferID.init), server.isHonest
        else { return }
        let holder = clients.first { $0.temporary[id] != nil }
        guard let part = holder?.temporary[id] else { return fail("the file of \(url) is not where it is said to be") }
        guard store.tasks[id]?.kind == .download, let status = response?.status, status == 200 || status == 206 else {
            return
        }
        if part.isMixed { fail("\(url) is made of two versions") }
        if part.length != server.length { fail("\(url) has \(part.length) of \(server.length) bytes") }
    }

    /// A delegate returns.
    mutating func delegateStep() {
        let working = clients.indices.filter { clients[$0].working != nil && clients[$0].presence != .suspended }
        guard let place = dice.pick(Array(working)), let event = clients[place].working,
            let connection = clients[place].connection
        else { return }
        clients[place].working = nil
        clients[place].returned = event
        if case .challenge(let challenge) = event.kind, let task = event.task {
            let answer: ChallengeAnswer =
                switch dice.below(isCalm ? 2 : 4) {
                case 0, 1: .useCredential(TransferCredential(user: "u", password: "p"))
                case 2: .performDefaultHandling
                default: .cancelAuthenticationChallenge
                }
            ask(
                place,
                .credential(session: event.session, task: task, challenge: challenge.number, answer))
            guard clients[place].connection == connection else { return }
        }
        guard case .delayedRequest(let request) = event.kind else {
            return post(.delivered(connection, event.sessionID, event.number))
        }
        let decisions: [DelayedDecision] = [.continueLoading, .useNewRequest(request), .cancel]
        let decision = isCalm ? nil : dice.pick(decisions)
        post(.decided(connection, event.sessionID, event.number, decision ?? .continueLoading))
    }

    /// The answer of a delegate is durable: from now on nobody may be told again.
    mutating func noteAcknowledgement(_ event: TransferEvent) {
        let (connection, number): (ConnectionID, EventNumber)
        switch event {
        case .delivered(let from, _, let answered), .decided(let from, _, let answered, _):
            (connection, number) = (from, answered)
        default: return
        }
        guard let place = clients.firstIndex(where: { $0.connection == connection }),
            let returned = clients[place].returned, returned.number == number
        else { return }
        clients[place].returned = nil
        clients[place].acknowledged = number
        guard let task = returned.task else { return }
        var told = clients[place].told[task] ?? []
        if let last = told.last, last >= returned.kind.rank, returned.kind.rank > 0 || last > 1 {
            fail("task \(task) was told \(told), then \(returned.kind.rank)")
        }
        told.append(returned.kind.rank)
        clients[place].told[task] = told
    }

    // The app and its system.

    mutating func appStep() {
        let app = dice.pick(Self.apps) ?? journal
        let present = clients.first { $0.app == app }?.presence ?? .none
        switch (present, dice.below(4)) {
        case (_, 0): crash(app)
        case (.foreground, _): become(app, .background)
        case (.background, 1): become(app, .suspended)
        case (.background, _), (.suspended, 1), (.none, _): become(app, dice.oneIn(2) ? .foreground : .background)
        case (.suspended, _): become(app, .background)
        }
    }

    mutating func become(_ app: AppIdentifier, _ presence: AppPresence) {
        for place in clients.indices where clients[place].app == app { clients[place].presence = presence }
        if hasSystem { post(.appState(app, presence)) }
    }

    private mutating func crash(_ app: AppIdentifier) {
        for place in clients.indices where clients[place].app == app {
            let connection = clients[place].connection
            clients[place].loseService()
            if let connection { post(.detached(connection)) }
        }
        become(app, .none)
    }

    mutating func wake(_ app: AppIdentifier) {
        guard clients.contains(where: { $0.app == app && $0.presence != .foreground }) else { return }
        become(app, .background)
        for place in clients.indices where clients[place].app == app && clients[place].connection == nil {
            connect(place)
        }
    }
}

extension EventDelivery.Kind {
    /// The order in which a task's events are told; questions come as often as servers ask.
    var rank: Int {
        switch self {
        case .challenge, .delayedRequest: 0
        case .resumedAt: 1
        case .finished: 2
        case .completed: 3
        case .finishedEvents, .invalidated: 4
        }
    }
}
