internal import Model
internal import PolicyCore

// What the logic of real services holds for apps, and the plain programs that it is told of.
extension Device {
    // MARK: Holds

    func hold(_ hold: ServiceModelHold, _ because: String, _ number: UInt64, _ s: Int) {
        guard let held = held(hold, s) else { return tellLogic(s, .held(number: number, .impossible)) }
        order(.ask(.hold(held, because: because, number: number)), s)
    }

    func dropForLogic(_ hold: ServiceModelHold, _ s: Int) {
        if let held = held(hold, s) { order(.drop(held), s) }
    }

    private func order(_ order: ModelShell.Order, _ s: Int) {
        services[s].shell?.orders.append(order)
        queue.insert(.service(s, life: services[s].life, .orders), at: now + random.draw(costs.message))
    }

    /// The first of what it says to the daemon comes there.
    func takeOrder(_ s: Int) {
        guard services[s].shell?.orders.isEmpty == false, let order = services[s].shell?.orders.removeFirst() else {
            return
        }
        switch order {
        case .ask(let wish): ask(s, wish)
        case .drop(let held): drop(s, held)
        }
    }

    /// As its hello states them.
    func statedByLogic(_ s: Int) -> [SimulatedService.Held] {
        (services[s].shell?.logic.holds ?? []).compactMap { held($0, s) }
    }

    private func held(_ hold: ServiceModelHold, _ s: Int) -> SimulatedService.Held? {
        guard let place = apps.firstIndex(where: { $0.script.manifest.identifier == hold.app }),
            let generation = UInt32(exactly: hold.process),
            let kind = services[s].script.declaration.holds.firstIndex(where: { $0.name == hold.hold })
        else { return nil }
        return SimulatedService.Held(
            place: place, generation: Generation(generation), kind: UInt8(clamping: kind))
    }

    func stated(_ held: SimulatedService.Held, _ s: Int) -> ServiceModelHold? {
        guard services[s].shell != nil else { return nil }
        return ServiceModelHold(
            apps[held.place].script.manifest.identifier, process: Int64(held.generation.rawValue),
            services[s].script.declaration.holds[Int(held.kind)].name)
    }

    func tellStop(_ s: Int, _ held: SimulatedService.Held) {
        guard let stated = stated(held, s), !services[s].isStalled else { return }
        let order = nextRequest
        nextRequest += 1
        services[s].shell?.stops[order] = held
        tellLogic(s, .stop(stated, order: order))
    }

    func stopped(_ order: UInt64, _ s: Int) {
        guard let held = services[s].shell?.stops.removeValue(forKey: order) else { return }
        queue.insert(.service(s, life: services[s].life, .stopped(held)), at: now + random.draw(costs.message))
    }

    func note(_ app: AppIdentifier, _ sentence: String, _ s: Int) {
        guard daemon == .running, services[s].presence == .here, let index = services[s].index,
            let place = apps.firstIndex(where: { $0.script.manifest.identifier == app }), let app = apps[place].index
        else { return }
        send(.service(.noted(index, app, sentence: sentence)))
    }

    /// What they cost, in the world and in the daemon's account.
    func receiveSatellites(for named: [AppIdentifier], _ s: Int) {
        let places = named.compactMap { app in apps.firstIndex { $0.script.manifest.identifier == app } }
        let before = services[s].shell?.receivesFor ?? []
        services[s].shell?.receivesFor = places
        changeWorld { world in
            for place in before where !places.contains(place) { world.setSatellite(false, by: consumer(place)) }
            for place in places where !before.contains(place) { world.setSatellite(true, by: consumer(place)) }
        }
        guard daemon == .running, services[s].presence == .here, let index = services[s].index else { return }
        send(.service(.receives(index, places.compactMap { apps[$0].index })))
    }

    // MARK: Plain programs

    func tellOfProgram(_ place: Int) {
        for s in services.indices { tellOfProgram(place, s) }
    }

    /// Those that run, to a service that is new.
    func tellOfPrograms(_ s: Int) {
        for place in apps.indices where apps[place].process?.status == nil { tellOfProgram(place, s) }
    }

    private func tellOfProgram(_ place: Int, _ s: Int) {
        guard let shell = services[s].shell, type(of: shell.logic).hearsPrograms, let index = services[s].index,
            let app = apps[place].index, let process = apps[place].process, process.isPlain
        else { return }
        let (manifest, mode) = (apps[place].script.manifest, services[s].script.declaration.mode)
        guard mode.isEmpty || !manifest.backgroundModes.isDisjoint(with: mode) else { return }
        guard daemon == .running, services[s].presence == .here else {
            services[s].isWanted = true
            return startIfNeeded(s)
        }
        meet(place, s)
        send(.service(.attached(index, Incarnation(app, process.generation))))
        guard daemon == .running, services[s].presence == .here else { return }
        tellLogic(
            s,
            .program(
                manifest.identifier, process: Int64(process.generation.rawValue), modes: manifest.backgroundModes))
        tellApp(s, place)
    }
}

extension ServiceModelAnswer {
    /// As the real daemon answers.
    init(_ refusal: ServiceRefusal?) {
        switch refusal {
        case nil: self = .allowed
        case .unknownService, .unknownApp, .processGone: self = .impossible
        case .undeclared, .missingMode, .notHeld, .notWoken, .notOpened: self = .refused
        }
    }
}
