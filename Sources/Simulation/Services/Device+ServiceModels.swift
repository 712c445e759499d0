internal import Model
internal import PolicyCore

// Services that run by the logic of real ones: their shell in virtual time.
extension Device {
    /// What a service decides by, as it is at this moment; `nil`: it is none of this kind.
    package func logic<Model: ServiceModel>(_ name: String, as type: Model.Type) -> Model? {
        service(named: name).flatMap { services[$0].shell?.logic as? Model }
    }

    /// Changes what a service decides by; it notices with what happens next.
    package func change<Model: ServiceModel>(_ name: String, as type: Model.Type, _ body: (inout Model) -> Void) {
        guard let s = service(named: name), var logic = services[s].shell?.logic as? Model else { return }
        body(&logic)
        services[s].shell?.logic = logic
    }

    // MARK: What apps say

    /// An app says something to a service, on a connection that is made when there is none.
    ///
    /// - Returns: the number of what it says; `nil`: it says nothing.
    @discardableResult
    package func ask(_ name: String, _ words: String, _ place: Int) -> UInt64? {
        guard let s = service(named: name), let (client, number) = say(words, place, to: s) else { return nil }
        let at = now + random.draw(costs.message)
        let before = services[s].shell?.saidUntil[place] ?? at
        services[s].shell?.saidUntil[place] = max(at, before)
        queue.insert(.service(s, life: nil, .says(client)), at: at)
        return number
    }

    /// It is what the app says next.
    func say(_ words: String, _ place: Int, to s: Int) -> (client: ModelShell.Client, number: UInt64)? {
        guard let shell = services[s].shell, let process = apps[place].process, !process.isPlain,
            process.status == nil
        else { return nil }
        if let wrong = type(of: shell.logic).misunderstanding(of: words) {
            violate("\(services[s].script.declaration.name) does not know what “\(words)” means: \(wrong)")
            return nil
        }
        let saying = ModelShell.Saying(number: nextRequest, words: words)
        nextRequest += 1
        let client = ModelShell.Client(place: place, generation: process.generation)
        services[s].shell?.sayings[client, default: []].append(saying)
        return (client, saying.number)
    }

    /// An app connects to a service, to hear what that has for it.
    package func connect(_ name: String, _ place: Int) {
        guard let s = service(named: name), services[s].shell != nil, let process = apps[place].process,
            !process.isPlain, process.status == nil
        else { return }
        let client = ModelShell.Client(place: place, generation: process.generation)
        services[s].shell?.wanting.insert(client)
        if services[s].shell?.sayings[client] == nil { services[s].shell?.sayings[client] = [] }
        queue.insert(.service(s, life: nil, .says(client)), at: now + random.draw(costs.message))
    }

    /// Whether an app that runs and a service that decides as a real one have something for each other that is on its
    /// way.
    package func isServiceBusy(_ place: Int) -> Bool {
        guard daemon == .running, let process = apps[place].process, process.status == nil, !process.isFrozen else {
            return services.contains { $0.shell?.wakes.isEmpty == false }
        }
        let client = ModelShell.Client(place: place, generation: process.generation)
        return services.contains { service in
            guard let shell = service.shell else { return false }
            if !shell.wakes.isEmpty || !shell.orders.isEmpty || shell.onItsWay[place, default: 0] > 0 { return true }
            let isConnected = shell.connections.contains {
                $0.place == place && $0.generation == process.generation
            }
            return shell.sayings[client]?.contains { !$0.isSaid } == true
                || shell.wanting.contains(client) && !isConnected
        }
    }

    /// All that a client has to say and that has not been answered; over a new connection, also what is kept.
    func speak(_ client: ModelShell.Client, _ s: Int) {
        guard let shell = services[s].shell, let sayings = shell.sayings[client] else { return }
        guard let process = apps[client.place].process, process.generation == client.generation,
            process.status == nil
        else {
            services[s].shell?.sayings[client] = nil
            services[s].shell?.wanting.remove(client)
            return
        }
        // It says it when it runs again.
        guard !process.isFrozen else { return }
        let known = shell.connections.first { $0.place == client.place && $0.generation == client.generation }
        guard let connection = known?.number ?? connect(client, s) else {
            guard !sayings.isEmpty || shell.wanting.contains(client) else { return }
            // There is no daemon that could bring it, or the service is being started.
            return queue.insert(.service(s, life: nil, .says(client)), at: now + costs.reconnect.longest)
        }
        for saying in sayings where !saying.isAnswered || known == nil {
            if let number = services[s].shell?.sayings[client]?.firstIndex(where: { $0.number == saying.number }) {
                services[s].shell?.sayings[client]?[number].isSaid = true
            }
            tellLogic(s, .said(connection: connection, number: saying.number, saying.words))
        }
    }

    /// What a thawed app could not say while it was frozen, and the connections that ended meanwhile.
    func speakAfterThaw(_ place: Int) {
        for s in services.indices {
            guard let shell = services[s].shell, let process = apps[place].process else { continue }
            let client = ModelShell.Client(place: place, generation: process.generation)
            guard shell.sayings[client] != nil else { continue }
            queue.insert(.service(s, life: nil, .says(client)), at: now + random.draw(costs.message))
        }
    }

    private func connect(_ client: ModelShell.Client, _ s: Int) -> UInt64? {
        guard daemon == .running, let index = services[s].index, let app = apps[client.place].index else { return nil }
        guard services[s].presence == .here else {
            services[s].isWanted = true
            startIfNeeded(s)
            return nil
        }
        let number = nextRequest
        nextRequest += 1
        meet(client.place, s)
        send(.service(.attached(index, Incarnation(app, client.generation))))
        // Telling the Core may have ended the daemon.
        guard daemon == .running, services[s].presence == .here else { return nil }
        services[s].shell?.connections.append(
            ModelShell.Connection(number: number, place: client.place, generation: client.generation))
        tellApp(s, client.place)
        let manifest = apps[client.place].script.manifest
        let end = ServiceModelClient(
            heard: apps[client.place].process?.heard[s] ?? [], isProgram: apps[client.place].program != nil,
            modes: manifest.backgroundModes, process: Int64(client.generation.rawValue))
        tellLogic(s, .attached(connection: number, manifest.identifier, end))
        return number
    }

    /// An app's process is gone, and its connections with it.
    func clientEnded(_ place: Int) {
        for s in services.indices {
            guard let shell = services[s].shell else { continue }
            for client in shell.clients where client.place == place {
                services[s].shell?.sayings[client] = nil
                services[s].shell?.wanting.remove(client)
            }
            for connection in shell.connections where connection.place == place {
                services[s].shell?.unheard.removeAll { $0.connection == connection.number }
                services[s].shell?.connections.removeAll { $0.number == connection.number }
                tellLogic(s, .detached(connection: connection.number))
            }
        }
    }

    // MARK: The process

    /// It begins, with what it had stored.
    func beginLogic(_ s: Int) {
        guard services[s].shell != nil else { return }
        services[s].life += 1
        services[s].shell?.logic.start(
            ServiceModelLife(seed: random.next(), booted: bootedAt, profile: profile.name))
        services[s].shell?.network = network
        services[s].shell?.zone = nil
        noteZone(s)
        tellLogic(s, .network(network))
        services[s].shell?.hasBegun = true
        tellLogic(s, .clock(offset: Span(nanoseconds: wallOffset)))
        scheduleLogic(s)
    }

    /// It has a daemon, which says how everything is.
    func logicArrived(_ s: Int) {
        guard services[s].shell != nil else { return }
        services[s].isWanted = false
        tellLogic(s, .arrived)
        modelNews.forget(s)
        noteForLogic(s)
        tellOfPrograms(s)
        tellLogic(s, .greeted)
        for place in services[s].known where known(place)?.wake.isClosedByUser == true { tellClosed(s, place) }
        tellRemovals(s)
        for client in services[s].shell?.clients ?? [] { speak(client, s) }
        hearAskers(s)
    }

    func logicDied(_ s: Int) {
        guard let shell = services[s].shell else { return }
        if !shell.receivesFor.isEmpty { receiveSatellites(for: [], s) }
        changeWorld { world in for (_, move) in shell.moves.sorted(by: { $0.key < $1.key }) { world.cancel(move.id) } }
        services[s].shell?.moves = [:]
        services[s].shell?.wakes = []
        services[s].shell?.open = [:]
        services[s].shell?.hasBegun = false
        services[s].shell?.toldUntil = [:]
        services[s].shell?.onItsWay = [:]
        services[s].shell?.orders = []
        services[s].shell?.unheard = []
        services[s].shell?.lookAt = nil
        services[s].shell?.timerAt = nil
        services[s].shell?.coolsAt = nil
        modelNews.forget(s)
        disappointAskers(s)
        services[s].shell?.stops = [:]
        // Their ends are noticed by who runs, now or later.
        services[s].shell?.connections = []
        for client in shell.clients {
            queue.insert(.service(s, life: nil, .says(client)), at: now + random.draw(costs.reconnect))
        }
        if shell.logic.isUnfinished { services[s].isWanted = true }
    }

    func logicLosesDaemon(_ s: Int) {
        guard let shell = services[s].shell else { return }
        // First of all: otherwise it would ask again at once, and nobody would answer.
        if services[s].isAlive { tellLogic(s, .lost) }
        for number in shell.wakes.sorted() { tellLogic(s, .woken(number: number, .lost)) }
        services[s].shell?.wakes = []
        services[s].shell?.open = [:]
        services[s].shell?.askers = [:]
        services[s].shell?.waitingAskers = []
    }

    // MARK: Its logic

    func tellLogic(_ s: Int, _ news: ServiceModelNews) {
        guard services[s].isAlive, let acts = services[s].shell?.logic.handle(news, at: now) else { return }
        afterNews(acts, s)
    }

    func afterNews(_ acts: [ServiceModelAct], _ s: Int) {
        if checksInvariants, services[s].shell?.hasBegun == true,
            let broken = services[s].shell?.logic.brokenPromises().first
        {
            violate("\(services[s].script.declaration.name): \(broken)")
        }
        perform(acts, s)
        scheduleLogic(s)
    }

    private func perform(_ acts: [ServiceModelAct], _ s: Int) {
        for act in acts {
            switch act {
            case .answer(let connection, let number, let keeps): answered(connection, number, keeps, s)
            case .tell(let connection, let number, let words, let sequence):
                let message = ServiceWords(
                    service: s, connection: connection, number: number, sequence: sequence, words: words)
                tell(message)
            case .wake(let app, let window, let because, let payload, let number):
                wake(app, window, because, payload, number, s)
            case .hold(let hold, let because, let number): self.hold(hold, because, number, s)
            case .drop(let hold): dropForLogic(hold, s)
            case .stopped(let order): stopped(order, s)
            case .note(let app, let sentence): note(app, sentence, s)
            case .move(let id, let bytes, let direction, let app, let purpose):
                move(id, bytes, direction, app, purpose, s)
            case .stop(let id):
                guard let move = services[s].shell?.moves.removeValue(forKey: id) else { continue }
                changeWorld { $0.cancel(move.id) }
            case .satellites(let apps): receiveSatellites(for: apps, s)
            case .ask(let name, let words, let number): ask(name, words, number, by: s)
            case .reply(let number, let reply): self.reply(number, reply, s)
            }
        }
    }

    func scheduleLogic(_ s: Int) {
        guard services[s].isAlive, let next = services[s].shell?.logic.nextDeadline() else { return }
        guard services[s].shell?.timerAt.map({ next < $0 }) ?? true else { return }
        services[s].shell?.timerAt = next
        queue.insert(.service(s, life: services[s].life, .timer), at: max(next, now))
    }

    private func answered(_ connection: UInt64, _ number: UInt64, _ keeps: ServiceModelKeepsake?, _ s: Int) {
        guard let shell = services[s].shell, let known = shell.connections.first(where: { $0.number == connection })
        else { return }
        let client = ModelShell.Client(place: known.place, generation: known.generation)
        guard var sayings = shell.sayings[client], let place = sayings.firstIndex(where: { $0.number == number }) else {
            return
        }
        sayings.remove(at: place)
        if let keeps {
            sayings.removeAll { $0.subject == keeps.subject }
            if let words = keeps.words {
                sayings.append(
                    ModelShell.Saying(number: number, words: words, isAnswered: true, subject: keeps.subject))
            }
        }
        services[s].shell?.sayings[client] = sayings
    }

    private func tell(_ message: ServiceWords) {
        let s = message.service
        guard let shell = services[s].shell,
            let known = shell.connections.first(where: { $0.number == message.connection })
        else { return }
        // A stream hands over in order what goes through it.
        let at = max(now + random.draw(costs.message), shell.toldUntil[message.connection] ?? now)
        services[s].shell?.toldUntil[message.connection] = at
        if message.sequence == nil, apps[known.place].program != nil { services[s].shell?.unheard.append(message) }
        services[s].shell?.onItsWay[known.place, default: 0] += 1
        queue.insert(.service(s, life: services[s].life, .tells(message, known.place, known.generation)), at: at)
    }

    /// What it says is on the app's main thread.
    func arrive(_ message: ServiceWords, _ place: Int, _ generation: Generation) {
        services[message.service].shell?.onItsWay[place, default: 1] -= 1
        guard let process = apps[place].process, process.generation == generation, process.status == nil else { return }
        enqueue(.service(message), place)
    }

    /// The app deals with it.
    func hear(_ message: ServiceWords, _ place: Int) {
        guard services[message.service].shell?.heardBefore.remove(message) == nil else { return }
        services[message.service].shell?.unheard.removeAll { $0 == message }
        let known = message.sequence.map { apps[place].process?.heard[message.service]?.contains($0) ?? false }
        if let sequence = message.sequence, known == false {
            apps[place].process?.heard[message.service, default: []].insert(sequence)
        }
        // What comes again after a death is answered, and not heard again.
        if known != true {
            apps[place].heard.append(message.words)
            apps[place].program?.told(services[message.service].script.declaration.name, message.words)
            for action in apps[place].script.hears[message.words] ?? [] { act(action, place) }
        }
        guard apps[place].process?.status == nil else { return }
        // What it has just said comes before: both go by the same connection.
        let said = services[message.service].shell?.saidUntil[place] ?? now
        queue.insert(
            .service(message.service, life: services[message.service].life, .heard(message)),
            at: max(now + random.draw(costs.message), said))
    }

    private func wake(
        _ app: AppIdentifier, _ window: String, _ because: String, _ payload: String, _ number: UInt64, _ s: Int
    ) {
        guard services[s].presence == .here,
            let place = apps.firstIndex(where: { $0.script.manifest.identifier == app }),
            let kind = services[s].script.declaration.windows.firstIndex(where: { $0.name == window })
        else { return }
        services[s].shell?.wakes.insert(number)
        let wish = SimulatedService.Wish.wake(
            place: place, window: UInt8(clamping: kind), because: because, payload: payload, number: number)
        queue.insert(
            .service(s, life: services[s].life, .asked(wish)), at: now + random.draw(costs.message))
    }

    func wakeAnswered(_ s: Int, _ number: UInt64, _ answer: ServiceModelAnswer) {
        guard services[s].shell?.wakes.remove(number) != nil else { return }
        tellLogic(s, .woken(number: number, answer))
    }

    // MARK: Windows

    /// As the real broker: what an app was woken for ends, and the service is told. What opens it does not end.
    func noteOpen(_ s: Int, _ place: Int, _ window: UInt8, _ refusal: ServiceRefusal?) {
        let windows = services[s].script.declaration.windows
        guard refusal == nil, services[s].shell != nil, Int(window) < windows.count,
            !windows[Int(window)].callback.opensApp
        else { return }
        services[s].shell?.open[place, default: []].insert(windows[Int(window)].name)
    }

    func noteWindowEnd(_ s: Int, _ entry: LogEntry, _ place: Int) {
        switch entry.reason {
        case .windowCompleted(let kind, _): windowEnded(s, kind, place, .done)
        case .windowOverrun(let kind, _): windowEnded(s, kind, place, .late)
        // It has had its time, and is ended for that.
        case .end(.windowNotCompleted(let end), _, _): windowEnded(s, end.kind, place, .late)
        default: break
        }
        guard entry.event == .terminated else { return }
        // Perhaps it ended before it heard of it.
        for window in (services[s].shell?.open[place] ?? []).sorted() { windowEnded(s, window, place, .gone) }
    }

    private func windowEnded(_ s: Int, _ kind: WindowKind, _ place: Int, _ end: ServiceModelEnd) {
        guard let window = services[s].script.declaration.window(of: kind) else { return }
        windowEnded(s, window.name, place, end)
    }

    private func windowEnded(_ s: Int, _ window: String, _ place: Int, _ end: ServiceModelEnd) {
        services[s].shell?.open[place]?.remove(window)
        guard services[s].presence == .here else { return }
        // The real broker says first how the app is.
        tellApp(s, place)
        tellLogic(s, .windowEnded(apps[place].script.manifest.identifier, window: window, end))
    }
}

/// What a service says to an app.
struct ServiceWords: Hashable {
    let service: Int
    let connection: UInt64
    let number: UInt64
    /// Its place among all that the app is told, where that must not be heard twice.
    let sequence: UInt64?
    let words: String
}
