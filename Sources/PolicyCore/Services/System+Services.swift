package import Model

// The daemon is the broker of services, and this is what it decides: who may be held, for how long it counts, and who
// is told. No service is known by its name.
extension System {
    mutating func handle(_ event: ServiceEvent) {
        switch event {
        case .declared(let declarations): declareServices(declarations)
        case .remembered(let service, let apps): remember(apps, at: service)
        case .arrived(let service, let stated): serviceArrived(service, stated)
        case .lost(let service): serviceLost(service)
        case .attached(let service, let incarnation): attach(incarnation, to: service)
        case .noted(let service, let app, let sentence): note(sentence, of: app, for: service)
        case .receives(let service, let apps): receive(for: apps, service)
        case .hold(let service, let id, let hold, let limit):
            answer(service, id) { system throws(ServiceRefusal) in
                try system.hold(hold, limit: limit > .zero ? limit : nil, for: service)
            }
        case .drop(let service, let id, let incarnation, let kind):
            answer(service, id) { system throws(ServiceRefusal) in
                try system.dropHold(kind, of: incarnation, for: service)
            }
        case .stopped(let service, let incarnation, let kind): serviceStopped(service, incarnation, kind)
        case .wake(let service, let id, let app, let window, let because, let payload):
            answer(service, id) { system throws(ServiceRefusal) in
                try system.wake(app, window, because: because, payload: payload, for: service)
            }
        }
    }

    private mutating func answer(
        _ service: ServiceIndex, _ id: ServiceRequestID, _ action: (inout System) throws(ServiceRefusal) -> Void
    ) {
        var refusal: ServiceRefusal?
        do throws(ServiceRefusal) {
            try action(&self)
        } catch {
            refusal = error
        }
        emit(.service(.answer(service, id, refusal)), cause: nil)
    }

    func place(_ service: ServiceIndex) throws(ServiceRefusal) -> Int {
        guard let known = broker?[service], known.isDeclared else { throw .unknownService }
        return Int(service.rawValue)
    }

    /// Only who is there can ask for something.
    private func placeOfPresent(_ service: ServiceIndex) throws(ServiceRefusal) -> Int {
        let s = try place(service)
        guard broker?.services[s].presence == .here else { throw .unknownService }
        return s
    }

    // MARK: Services come and go

    private mutating func declareServices(_ declarations: [ServiceDeclaration]) {
        guard broker != nil || !declarations.isEmpty else { return }
        var services = broker?.services ?? []
        for s in services.indices { services[s].isDeclared = false }
        for declaration in declarations.prefix(ServiceDeclaration.mostServices) {
            if let s = services.firstIndex(where: { $0.declaration.name == declaration.name }) {
                services[s].isDeclared = true
                services[s].declaration = declaration
            } else if services.count < ServiceDeclaration.mostServices {
                services.append(Broker.Service(declaration: declaration))
            }
        }
        broker = Broker(services: services, relaunches: broker?.relaunches)
        for s in services.indices {
            let (kinds, isDeclared) = (services[s].declaration.holds, services[s].isDeclared)
            for hold in services[s].holds {
                guard isDeclared, Int(hold.kind) < kinds.count else {
                    end(hold, of: s)
                    continue
                }
                // The new declaration also applies to existing holds.
                guard case .held(let id) = hold.phase else { continue }
                apps[Int(hold.incarnation.app.rawValue)].assertions.setClaim(id, kinds[Int(hold.kind)])
                touch(hold.incarnation.app)
            }
        }
    }

    private mutating func serviceArrived(_ service: ServiceIndex, _ stated: [StatedHold]) {
        guard let s = try? place(service) else { return }
        broker?.services[s].presence = .here
        var ordered: [Broker.Hold] = []
        for hold in broker?.services[s].holds ?? [] {
            let isStated = stated.contains { $0.incarnation == hold.incarnation && $0.hold == hold.kind }
            if case .stopping = hold.phase {
                // Whether it has stopped is what it has yet to answer, or its predecessor was to answer.
                ordered.append(hold)
                orderStop(of: hold, s)
            } else if !isStated {
                release(hold, of: s)
            }
        }
        for hold in stated where (try? self.hold(hold, limit: nil, for: service)) == nil {
            guard !ordered.contains(where: { $0.incarnation == hold.incarnation && $0.kind == hold.hold }) else {
                continue
            }
            // What was allowed before, by another declaration or manifest, counts no longer either.
            if let place = broker?.place(hold.incarnation, hold.hold, in: s),
                let known = broker?.services[s].holds[place]
            {
                release(known, of: s)
            }
            emit(.service(.ended(service, hold.incarnation, hold: hold.hold)), cause: nil)
        }
    }

    private mutating func serviceLost(_ service: ServiceIndex) {
        guard let s = try? place(service) else { return }
        let moment = now
        if $energy, broker?.services[s].declaration.mayPosition == true {
            withAccount { $0.setSatelliteUsers([], at: moment) }
        }
        wait(for: s)
    }

    /// It has the grace to be there again. What it was to stop goes on meanwhile: of the app's own doing, or because
    /// the service never heard of it.
    private mutating func wait(for s: Int) {
        guard let holds = broker?.services[s].holds else { return }
        broker?.services[s].presence = .away(until: holds.isEmpty ? nil : now + Broker.grace)
        for hold in holds {
            if case .stopping = hold.phase { orderStop(of: hold, s) }
        }
    }

    mutating func passServiceGraces() {
        guard let broker, let next = broker.nextLook, next <= now else { return }
        passRelaunches()
        for (s, service) in broker.services.enumerated() {
            guard case .away(let until?) = service.presence, until <= now else { continue }
            self.broker?.services[s].presence = .away(until: nil)
            for hold in service.holds {
                let i = Int(hold.incarnation.app.rawValue)
                log(i, .serviceStopped, .serviceGone(service.declaration.name))
                release(hold, of: s)
            }
        }
    }

    /// The daemon was away: whether services are there it does not know, nor what they hold.
    mutating func adoptServices() {
        guard let broker else { return }
        for s in broker.services.indices { wait(for: s) }
    }

    private mutating func attach(_ incarnation: Incarnation, to service: ServiceIndex) {
        guard let s = try? place(service), current(incarnation.app, incarnation.generation) != nil else { return }
        if broker?.services[s].attached.contains(incarnation) == false {
            broker?.services[s].attached.append(incarnation)
        }
        if broker?.services[s].known.contains(incarnation.app) == false {
            broker?.services[s].known.append(incarnation.app)
        }
    }

    /// The device was started anew since they connected.
    private mutating func remember(_ apps: [AppIndex], at service: ServiceIndex) {
        guard let s = try? place(service), let known = broker?.services[s].known else { return }
        let others = apps.filter { app in
            app.rawValue < self.apps.count && self.apps[Int(app.rawValue)].isInstalled && !known.contains(app)
        }
        var seen: Set<AppIndex> = []
        broker?.services[s].known += others.filter { seen.insert($0).inserted }
    }

    /// Of apps that it may speak of.
    private mutating func note(_ sentence: String, of app: AppIndex, for service: ServiceIndex) {
        guard let s = try? placeOfPresent(service), let known = broker?.services[s], known.known.contains(app),
            app.rawValue < apps.count, apps[Int(app.rawValue)].isInstalled
        else { return }
        log(Int(app.rawValue), .serviceStopped, .notedByService(known.declaration.name, sentence: sentence))
    }

    /// Satellites are on for these, of those that it may speak of.
    private mutating func receive(for apps: [AppIndex], _ service: ServiceIndex) {
        guard let s = try? placeOfPresent(service), let known = broker?.services[s].known else { return }
        let users = apps.filter { known.contains($0) && self.app($0)?.isInstalled == true }
        let moment = now
        withAccount { $0.setSatelliteUsers(users.map(Consumer.positioned), at: moment) }
    }

    // MARK: Holding

    private mutating func hold(
        _ stated: StatedHold, limit: Span?, for service: ServiceIndex
    ) throws(ServiceRefusal) {
        let s = try placeOfPresent(service)
        let declaration = broker?.services[s].declaration ?? ServiceDeclaration(name: "")
        guard Int(stated.hold) < declaration.holds.count else { throw .undeclared(kind: "\(stated.hold)") }
        let kind = declaration.holds[Int(stated.hold)]
        guard broker?.services[s].attached.contains(stated.incarnation) == true else { throw .unknownApp }
        guard let i = current(stated.incarnation.app, stated.incarnation.generation), !apps[i].$ending else {
            throw .processGone
        }
        let hasKey = declaration.mode.isEmpty || !apps[i].manifest.backgroundModes.isDisjoint(with: declaration.mode)
        guard hasKey || (declaration.worksInForeground && apps[i].state.isForeground) else {
            throw .missingMode(
                key: declaration.mode.keys.joined(separator: ", "), isForeground: apps[i].state.isForeground)
        }
        // Again: it says the same, perhaps in other words.
        if let place = broker?.place(stated.incarnation, stated.hold, in: s) {
            guard case .stopping = broker?.services[s].holds[place].phase else { return }
            throw .missingMode(key: declaration.mode.keys.joined(separator: ", "), isForeground: false)
        }
        var phase = Broker.Phase.onScreen
        if hasKey {
            let sentence = stated.because.isEmpty ? kind.sentence : stated.because
            let claim = ServiceClaim(
                service: service, hold: stated.hold, sentence: sentence, activity: kind.activity,
                priority: kind.priority)
            let lasting = [limit, kind.limit].compactMap(\.self).min()
            phase = .held(take(i, .service, name: "\(declaration.name).\(kind.name)", lasting: lasting, claim: claim))
        }
        broker?.services[s].holds.append(
            Broker.Hold(incarnation: stated.incarnation, kind: stated.hold, phase: phase))
        touch(stated.incarnation.app)
    }

    private mutating func dropHold(
        _ kind: UInt8, of incarnation: Incarnation, for service: ServiceIndex
    ) throws(ServiceRefusal) {
        let s = try placeOfPresent(service)
        guard let place = broker?.place(incarnation, kind, in: s), let hold = broker?.services[s].holds[place] else {
            throw .notHeld(kind: name(of: kind, in: s))
        }
        release(hold, of: s)
    }

    private func name(of kind: UInt8, in s: Int) -> String {
        guard let holds = broker?.services[s].declaration.holds, Int(kind) < holds.count else { return "\(kind)" }
        return holds[Int(kind)].name
    }

    /// It is held no longer, as the service knows.
    mutating func release(_ hold: Broker.Hold, of s: Int) {
        broker?.services[s].holds.removeAll { $0.incarnation == hold.incarnation && $0.kind == hold.kind }
        guard let id = hold.assertion else { return }
        let i = Int(hold.incarnation.app.rawValue)
        apps[i].assertions.drop(id)
        settleTasks(i)
        touch(hold.incarnation.app)
    }

    /// It is held no longer, which the service has to be told.
    mutating func end(_ hold: Broker.Hold, of s: Int) {
        release(hold, of: s)
        emit(.service(.ended(ServiceIndex(UInt32(s)), hold.incarnation, hold: hold.kind)), cause: nil)
    }

    // MARK: Ends

    /// Nothing of the app's process is left.
    mutating func servicesGone(_ i: Int) {
        guard let broker else { return }
        for s in broker.services.indices {
            self.broker?.services[s].holds.removeAll { Int($0.incarnation.app.rawValue) == i }
            self.broker?.services[s].attached.removeAll { Int($0.app.rawValue) == i }
        }
    }

    /// It was removed. One of the same name is another app.
    mutating func forgetAtServices(_ app: AppIndex) {
        guard let broker else { return }
        for s in broker.services.indices { self.broker?.services[s].known.removeAll { $0 == app } }
        forgetRelaunch(of: app)
    }

    // MARK: Waking

    private mutating func wake(
        _ app: AppIndex, _ window: UInt8, because: String, payload: String, for service: ServiceIndex
    ) throws(ServiceRefusal) {
        let s = try placeOfPresent(service)
        guard let declaration = broker?.services[s].declaration, Int(window) < declaration.windows.count else {
            throw .undeclared(kind: "\(window)")
        }
        let i = Int(app.rawValue)
        guard broker?.services[s].known.contains(app) == true, i < apps.count else { throw .unknownApp }
        let declared = declaration.windows[Int(window)]
        let hasMode = declaration.mode.isEmpty || !apps[i].manifest.backgroundModes.isDisjoint(with: declaration.mode)
        guard hasMode || declared.callback.isForAnyApp else {
            throw .missingMode(key: declaration.mode.keys.joined(separator: ", "), isForeground: false)
        }
        let (sentence, notification) = (
            because.isEmpty ? declared.sentence : because, declared.callback.launchNotification(payload)
        )
        guard !declared.callback.opensApp else { return try open(i, notification, because: sentence) }
        let kind = declaration.wake(declared, payload: payload)
        if let obstacle = wakeObstacle(i, kind) {
            noteRefusal(i, kind, obstacle)
            throw .notWoken(obstacle)
        }
        wake(
            i, kind, because: sentence, cause: nil,
            launch: LaunchOptions(service: declaration.mode, notification: notification))
    }

    /// As its service declared it.
    func isForAnyApp(_ kind: WindowKind) -> Bool { declaredCallback(kind)?.isForAnyApp ?? false }

    private func declaredCallback(_ kind: WindowKind) -> WindowCallback? {
        guard case .service(let wake) = kind else { return nil }
        let declaration = broker?.services.first { $0.declaration.name == wake.service }?.declaration
        return declaration?.window(of: kind)?.callback
    }

    /// Returns the log entry of a callback. Readers search for pushes by Apple's name.
    func logged(_ callback: Callback, _ state: LifecycleState) -> (event: LogEvent, reason: Reason) {
        if let scene = callback.scene, case .scene = callback.kind { return (scene.step.event, .scene(scene)) }
        if let kind = callback.window?.kind, case .service(let wake) = kind,
            declaredCallback(kind) == .serviceEventsAtLaunch
        {
            return (.didReceiveRemoteNotification, .usesWindow(kind, limit: wake.time))
        }
        return (LogEvent(callback.kind), .onTheWay(callback.kind, state))
    }

    /// It was woken for what this service has to tell, and has yet to be called.
    package func awaitsCall(_ app: AppIndex, from service: ServiceIndex) -> Bool {
        let i = Int(app.rawValue)
        // It is asked at every step, and of most apps nothing is awaited.
        guard i < apps.count, !apps[i].windows.held.isEmpty || !apps[i].outstanding.isEmpty,
            let declaration = broker?[service]?.declaration
        else { return false }
        return apps[i].windows.held.contains { $0.isWaiting && declaration.window(of: $0.kind) != nil }
            || apps[i].outstanding.contains { outstanding in
                outstanding.callback.window.map { declaration.window(of: $0.kind) != nil } ?? false
            }
    }

    /// In the switcher, and it was not opened since.
    package func isClosedByUser(_ app: AppIndex) -> Bool {
        app.rawValue < apps.count && apps[Int(app.rawValue)].wake.isClosedByUser
    }

    // MARK: Invariants

    /// What services hold, of all apps.
    func heldByServices() -> [Broker.Hold] {
        guard let broker else { return [] }
        var holds: [Broker.Hold] = []
        for s in broker.services.indices where !broker.services[s].holds.isEmpty { holds += broker.services[s].holds }
        return holds
    }

    /// Each claim of an app is what one hold of its process states, and each of those is a claim. Makes no lists: it is
    /// asked of every app after every simulated event.
    func brokenHold(_ i: Int, among holds: [Broker.Hold]) -> String? {
        let app = apps[i].index.rawValue
        var stated = 0
        for place in holds.indices where holds[place].incarnation.app.rawValue == app {
            if holds[place].incarnation.generation.rawValue != apps[i].generation.rawValue {
                return "a hold of a process that is gone"
            }
            if holds[place].assertion != nil { stated += 1 }
        }
        var (claimed, isStated) = (0, true)
        for place in apps[i].assertions.others.indices {
            guard case .some = apps[i].assertions.others[place].claim else { continue }
            let id = apps[i].assertions.others[place].id
            claimed += 1
            isStated = isStated && holds.count { $0.incarnation.app.rawValue == app && $0.assertion == id } == 1
        }
        return stated == claimed && isStated ? nil : "what services hold is not what lets it run"
    }
}
