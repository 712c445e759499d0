internal import Model
internal import PolicyCore

// Services that are programs of their own, as the broker of the real daemon has them: docs/SERVICES.md.
extension Device {
    /// Before it boots.
    package func declare(_ scripts: [ServiceScript], _ models: ServiceModels = ServiceModels()) {
        services = scripts.map { script in
            guard let name = script.model else { return SimulatedService(script) }
            guard let type = models.types[name] else {
                violate("nobody here knows how the service \(name) decides")
                return SimulatedService(script)
            }
            var known = script
            known.declaration = type.declaration
            known.declaration.name = script.declaration.name
            var service = SimulatedService(known)
            service.shell = ModelShell(type.init())
            return service
        }
    }

    /// What a daemon says first of all; `isFresh`: of a system that is new.
    func declareServices(isFresh: Bool) {
        guard !services.isEmpty else { return }
        send(.service(.declared(services.map(\.script.declaration))))
        for s in services.indices {
            services[s].index = system.broker?.index(of: services[s].script.declaration.name)
            guard let index = services[s].index else { continue }
            let known = services[s].known.compactMap { apps[$0].index }.sorted()
            // What the real daemon finds in its database.
            if isFresh, !known.isEmpty { send(.service(.remembered(index, known))) }
            if services[s].presence == .alone { schedule(s, .connects, after: random.draw(costs.reconnect)) }
            startIfNeeded(s)
        }
    }

    private func schedule(_ s: Int, _ step: ServiceStep, after span: Span) {
        queue.insert(.service(s, life: services[s].life, step), at: now + span)
    }

    func service(named name: String) -> Int? {
        services.firstIndex { $0.script.declaration.name == name }
    }

    private func touch(_ s: Int, _ place: Int) { services[s].touched[place] = now }

    // MARK: What apps do

    /// An app asks a service to do something for it, on a connection of its own.
    func use(_ part: ServicePart, _ place: Int) {
        guard let s = service(named: part.service), let held = held(part, s, place), let process = apps[place].process,
            !process.isPlain
        else { return }
        queue.insert(.service(s, life: nil, .asked(.hold(held))), at: now + random.draw(costs.message))
    }

    func leave(_ part: ServicePart, _ place: Int) {
        guard let s = service(named: part.service), let held = held(part, s, place) else { return }
        queue.insert(.service(s, life: nil, .left(held)), at: now + random.draw(costs.message))
    }

    private func held(_ part: ServicePart, _ s: Int, _ place: Int) -> SimulatedService.Held? {
        guard let generation = apps[place].process?.generation,
            let kind = services[s].script.declaration.holds.firstIndex(where: { $0.name == part.part })
        else { return nil }
        return SimulatedService.Held(place: place, generation: generation, kind: UInt8(clamping: kind))
    }

    /// A service has something to say to an app.
    func wake(_ name: String, by part: ServicePart) {
        guard let s = service(named: part.service), let place = place(named: name) else { return }
        // Also what it never declared: then it has to be refused.
        let window = services[s].script.declaration.windows.firstIndex { $0.name == part.part } ?? 31
        ask(s, .wake(place: place, window: UInt8(clamping: window)))
    }

    // MARK: The service

    /// - Parameter life: of the process that it concerns; `nil`: of any.
    func take(_ step: ServiceStep, _ s: Int, life: UInt32?) {
        guard life == nil || life == services[s].life else { return }
        switch step {
        case .asked(let wish): ask(s, wish)
        case .left(let held): drop(s, held)
        case .starts: startService(s)
        case .connects: arrive(s)
        case .stopped(let held):
            services[s].stopping[held] = nil
            services[s].held.removeAll { $0 == held }
            guard let index = services[s].index, let app = apps[held.place].index else { return }
            touch(s, held.place)
            send(.service(.stopped(index, Incarnation(app, held.generation), hold: held.kind)))
        case .says(let client): speak(client, s)
        case .tells(let message, let place, let generation): arrive(message, place, generation)
        case .heard(let message): tellLogic(s, .heard(connection: message.connection, number: message.number))
        case .orders: takeOrder(s)
        case .asks(let asking): relay(asking, s)
        case .replied(let number, let reply): tellLogic(s, .replied(number: number, reply))
        case .timer: fireLogic(s)
        case .looks: lookAtMoves(s)
        // Whatever has changed is told after every step.
        case .cools: services[s].shell?.coolsAt = nil
        }
    }

    func ask(_ s: Int, _ wish: SimulatedService.Wish) {
        guard daemon == .running, let index = services[s].index else { return }
        guard services[s].presence == .here else {
            services[s].wishes.append(wish)
            return startIfNeeded(s)
        }
        let id = ServiceRequestID(nextRequest)
        nextRequest += 1
        services[s].asked[id] = wish
        switch wish {
        case .hold(let held, let because, let number):
            touch(s, held.place)
            guard let app = apps[held.place].index, apps[held.place].process?.generation == held.generation else {
                services[s].asked[id] = nil
                if let number { tellLogic(s, .held(number: number, .impossible)) }
                return
            }
            let incarnation = Incarnation(app, held.generation)
            if number == nil { attach(s, held, incarnation) }
            guard services[s].asked[id] != nil else { return }
            let stated = StatedHold(incarnation: incarnation, hold: held.kind, because: because)
            send(.service(.hold(index, id, stated, limit: .zero)))
        case .wake(let place, let window, let because, let payload, let number):
            guard let app = apps[place].index else {
                if let number { wakeAnswered(s, number, .impossible) }
                return
            }
            send(.service(.wake(index, id, app, window: window, because: because, payload: payload)))
        }
    }

    private func attach(_ s: Int, _ held: SimulatedService.Held, _ incarnation: Incarnation) {
        var connection = held
        connection.kind = 0
        guard !services[s].attached.contains(connection), let index = services[s].index else { return }
        services[s].attached.append(connection)
        meet(held.place, s)
        send(.service(.attached(index, incarnation)))
    }

    func drop(_ s: Int, _ held: SimulatedService.Held) {
        touch(s, held.place)
        guard services[s].held.contains(held) else { return }
        services[s].held.removeAll { $0 == held }
        services[s].lost?.held.removeAll { $0 == held }
        guard services[s].presence == .here, let index = services[s].index, let app = apps[held.place].index else {
            return
        }
        let id = ServiceRequestID(nextRequest)
        nextRequest += 1
        send(.service(.drop(index, id, Incarnation(app, held.generation), hold: held.kind)))
    }

    // MARK: It comes and goes

    /// As the real broker: for who waits, and for what it holds.
    func startIfNeeded(_ s: Int) {
        guard daemon == .running, services[s].presence == .idle, let index = services[s].index else { return }
        guard
            !services[s].wishes.isEmpty || services[s].isWanted || services[s].shell?.waitingAskers.isEmpty == false
                || system.broker?[index]?.holds.isEmpty == false
        else { return }
        services[s].presence = .starting
        schedule(s, .starts, after: services[s].script.startup)
    }

    func startService(_ s: Int) {
        services[s].presence = .alone
        beginLogic(s)
        if daemon == .running { arrive(s) }
    }

    private func arrive(_ s: Int) {
        guard daemon == .running, let index = services[s].index else { return }
        services[s].presence = .here
        services[s].lost = nil
        services[s].decidedOver = []
        if services[s].shell != nil { services[s].held = statedByLogic(s) }
        // Of an app that is not installed any more nothing can be said.
        services[s].held.removeAll { apps[$0.place].index == nil }
        let stated = services[s].held.compactMap { held in
            apps[held.place].index.map {
                StatedHold(incarnation: Incarnation($0, held.generation), hold: held.kind, because: "")
            }
        }
        for held in services[s].held { touch(s, held.place) }
        send(.service(.arrived(index, stated)))
        let wishes = services[s].wishes
        services[s].wishes = []
        for wish in wishes { ask(s, wish) }
        if services[s].presence == .here { logicArrived(s) }
    }

    /// Its process is gone, and with it its connections.
    func killService(_ name: String) {
        guard let s = service(named: name), services[s].presence != .idle else { return }
        for held in services[s].held { touch(s, held.place) }
        if services[s].presence == .here { services[s].lost = (services[s].held, now) }
        end(s)
        if services[s].script.forgets { services[s].held = [] }
        if let index = services[s].index { send(.service(.lost(index))) }
        startIfNeeded(s)
    }

    private func end(_ s: Int) {
        services[s].life += 1
        services[s].presence = .idle
        services[s].attached = []
        services[s].asked = [:]
        services[s].wishes = []
        services[s].stopping = [:]
        logicDied(s)
    }

    func stallService(_ name: String, _ isStalled: Bool) {
        if let s = service(named: name) { services[s].isStalled = isStalled }
    }

    /// The daemon died: what was asked of it is not answered any more.
    func servicesLoseDaemon() {
        for s in services.indices {
            services[s].asked = [:]
            services[s].wishes = []
            services[s].stopping = [:]
            if services[s].presence == .here {
                services[s].presence = .alone
                let over = services[s].decidedOver
                services[s].lost = (services[s].held.filter { !over.contains($0) }, now)
            }
            for held in services[s].held { touch(s, held.place) }
            logicLosesDaemon(s)
        }
    }

    /// The system goes down, and they with it.
    func endServices() {
        for s in services.indices {
            end(s)
            (services[s].held, services[s].lost) = ([], nil)
        }
    }

    // MARK: What the Core says

    func perform(_ action: ServiceAction) {
        switch action {
        case .answer(let index, let id, let refusal):
            guard let s = place(of: index), let wish = services[s].asked.removeValue(forKey: id) else { return }
            answered(s, wish, refusal)
        case .stop(let index, let incarnation, let hold):
            guard let s = place(of: index), let held = held(incarnation, hold) else { return }
            touch(s, held.place)
            services[s].stopping[held] = now
            if services[s].shell != nil { return tellStop(s, held) }
            if !services[s].isStalled { schedule(s, .stopped(held), after: services[s].script.stopTime) }
        case .ended(let index, let incarnation, let hold):
            guard let s = place(of: index), let held = held(incarnation, hold) else { return }
            touch(s, held.place)
            services[s].held.removeAll { $0 == held }
            services[s].lost?.held.removeAll { $0 == held }
            if let since = services[s].stopping.removeValue(forKey: held), now - since < .seconds(1) {
                violate("\(name(of: incarnation.app)) does not wait for \(services[s].script.declaration.name) to stop")
            }
            if let stated = stated(held, s) { tellLogic(s, .holdEnded(stated)) }
        }
    }

    /// Decided is decided: a daemon that dies before it tells anybody leaves that to the next one.
    func noteOver(_ index: ServiceIndex, _ incarnation: Incarnation, _ hold: UInt8) {
        guard let s = place(of: index), let held = held(incarnation, hold) else { return }
        services[s].decidedOver.insert(held)
    }

    private func place(of index: ServiceIndex) -> Int? { services.firstIndex { $0.index == index } }

    func held(_ incarnation: Incarnation, _ kind: UInt8) -> SimulatedService.Held? {
        place(of: incarnation.app).map {
            SimulatedService.Held(place: $0, generation: incarnation.generation, kind: kind)
        }
    }

    private func answered(_ s: Int, _ wish: SimulatedService.Wish, _ refusal: ServiceRefusal?) {
        let declaration = services[s].script.declaration
        switch wish {
        case .hold(let held, _, let number):
            touch(s, held.place)
            apps[held.place].serviceAnswer = refusal == nil
            (apps[held.place].hasReply, apps[held.place].refusal) = (true, refusal?.sentence)
            if refusal == nil { services[s].decidedOver.remove(held) }
            if refusal == nil, !services[s].held.contains(held) { services[s].held.append(held) }
            if let number { tellLogic(s, .held(number: number, ServiceModelAnswer(refusal))) }
        case .wake(let place, let window, _, _, let number):
            services[s].wakes.append(refusal == nil)
            noteOpen(s, place, window, refusal)
            if let number { wakeAnswered(s, number, ServiceModelAnswer(refusal)) }
            guard refusal == nil else { return }
            let name = apps[place].script.name
            if Int(window) >= declaration.windows.count {
                violate("\(declaration.name) wakes \(name) for what it never declared")
            }
            if !services[s].known.contains(place) {
                violate("\(declaration.name) wakes \(name), which never connected to it")
            }
            let isForAnyApp =
                Int(window) < declaration.windows.count && declaration.windows[Int(window)].callback.isForAnyApp
            if !isForAnyApp, !isAllowed(place, declaration) {
                violate("\(declaration.name) wakes \(name), which lacks its key")
            }
        }
    }

    private func isAllowed(_ place: Int, _ declaration: ServiceDeclaration) -> Bool {
        declaration.mode.isEmpty
            || !apps[place].script.manifest.backgroundModes.intersection(declaration.mode).isEmpty
    }

    /// What services are told of an app that they know.
    func noteForServices(_ entry: LogEntry) {
        guard !services.isEmpty else { return }
        if case .uninstalled(let name) = entry.reason { return noteRemoval(of: name) }
        guard let app = entry.app, let place = place(of: app) else { return }
        noteForModels(entry, place)
        if entry.event == .launched || entry.event == .launchedInBackground { tellOfProgram(place) }
        guard entry.event == .terminated else { return }
        for s in services.indices where services[s].presence == .here {
            services[s].held.removeAll { $0.place == place }
            services[s].attached.removeAll { $0.place == place }
        }
    }

    private func noteRemoval(of name: String) {
        guard let place = apps.firstIndex(where: { $0.script.manifest.name == name }) else { return }
        for s in services.indices where services[s].known.contains(place) {
            noteRemoval(s, place)
            services[s].known.removeAll { $0 == place }
        }
    }

    // MARK: For oracles

    /// Names of the services that do something for an app, as they were allowed to.
    func usedServices(_ place: Int, withKey: Bool, isPerceived: Bool? = nil) -> [String] {
        guard let generation = apps[place].process?.generation else { return [] }
        return services.filter { service in
            let declaration = service.script.declaration
            return service.presence == .here && isAllowed(place, declaration) == withKey
                && service.held.contains { held in
                    let declared = declaration.holds[Int(held.kind)].priority == .foreground
                    return held.place == place && held.generation == generation && declared == isPerceived ?? declared
                }
        }.map(\.script.declaration.name)
    }

    /// Whether there are any; asked often, and answered without a list.
    func isUsed(_ place: Int, withKey: Bool, isPerceived: Bool? = nil) -> Bool {
        guard !services.isEmpty, let generation = generationOfProcess(place) else { return false }
        for s in services.indices where services[s].presence == .here {
            for held in services[s].held where held.place == place && held.generation == generation {
                let declared = services[s].script.declaration.holds[Int(held.kind)].priority == .foreground
                guard declared == isPerceived ?? declared else { continue }
                if isAllowed(place, services[s].script.declaration) == withKey { return true }
            }
        }
        return false
    }

    /// Names of the services that held it when they were lost, and have yet to be there again in time.
    func awaitedServices(_ place: Int) -> [String] {
        guard let generation = apps[place].process?.generation else { return [] }
        return services.filter { service in
            guard let lost = service.lost, now - lost.since < .seconds(10) else { return false }
            return isAllowed(place, service.script.declaration)
                && lost.held.contains { $0.place == place && $0.generation == generation }
        }.map(\.script.declaration.name)
    }

    /// Whether nobody outside the Core can say if a service lets an app run: it has the grace.
    func hasUnclearServices(_ place: Int) -> Bool {
        services.indices.contains { s in
            services[s].touched[place].map { now - $0 < .seconds(12) } ?? false
        }
    }
}
