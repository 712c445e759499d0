internal import AudioModel
internal import Model
package import ServiceCore

// Apps, programs and their connections come and go, and ask for something.
extension AudioSystem {
    // MARK: They come and go

    mutating func party(_ app: AppIdentifier) -> Party? { parties[.app(app)] }

    /// Knows it from now on.
    mutating func know(_ description: AppDescription, as kind: Party.Kind) {
        let id = PartyID.app(description.app)
        introduce(id, kind, name: description.name)
        // A new process that comes before the system's word of it.
        if let process = parties[id]?.standing.process, process != 0, process != description.process {
            processEnded(id)
        }
        if kind == .app, parties[id]?.kind == .program {
            // It speaks for itself from now on: what was made of its streams is over.
            deactivate(id, notifies: false)
            endStreams(id)
            with(id) { $0.session = Session() }
        }
        with(id) { party in
            party.kind = kind
            party.name = description.name
            party.hasKey = description.hasKey
            if party.standing.process != description.process {
                // The system says how it is before it says who it is; a new service hears it the other way round.
                party.standing = AppStanding(
                    .background, process: description.process, isVisible: party.standing.isVisible)
            }
        }
        guard !description.name.isEmpty else { return }
        change(description.app) { ($0.name, $0.hasKey) = (description.name, description.hasKey) }
    }

    mutating func attached(_ connection: ConnectionID, _ description: AppDescription) {
        know(description, as: .app)
        let id = PartyID.app(description.app)
        // Of several only the newest counts.
        if let before = parties[id]?.connection { connections[before] = nil }
        connections[connection] = id
        with(id) {
            $0.connection = connection
            $0.isGreeted = false
            $0.surroundings = nil
        }
    }

    mutating func programStarted(_ description: AppDescription) {
        // One that speaks to the service is asked what it does.
        let known = parties[.app(description.app)]
        guard known?.connection == nil else { return }
        // An app that is about to connect again is none, either.
        let isApp =
            known?.kind == .app && known?.standing.process == description.process
            || known?.kind != .app && wasApp(description.app, process: description.process)
        know(description, as: isApp ? .app : .program)
    }

    mutating func detached(_ connection: ConnectionID) {
        guard let id = connections.removeValue(forKey: connection), parties[id]?.connection == connection else {
            return
        }
        with(id) {
            $0.connection = nil
            $0.isGreeted = false
            $0.surroundings = nil
            for place in $0.news.items.indices { $0.news.items[place].connection = nil }
        }
        // That of a suspended app stays; another one has ended, or makes a new one.
        expectAgain(id)
    }

    mutating func standingChanged(_ app: AppIdentifier, _ state: AppStanding) {
        var standing = state
        standing.awaitsCall = false
        standings[app] = standing.state == .none ? nil : standing
        recall(app, standing)
        let id = PartyID.app(app)
        guard let before = parties[id]?.standing, before != standing else { return }
        if before.process != standing.process || standing.state == .none { processEnded(id) }
        with(id) { [now] in
            $0.standing = standing
            ($0.isRefused, $0.isConnectionRefused) = (false, false)
            if standing.isVisible {
                for key in $0.orderedKeys { $0.streams[key]?.sound = .unknown(since: now) }
            }
        }
        if standing.state == .suspended, before.state != .suspended { suspended(id) }
    }

    /// Its session is in force no more if it played nothing: the app is told when it runs again.
    private mutating func suspended(_ id: PartyID) {
        guard let party = parties[id], party.kind == .app, party.session.isActive,
            !party.streams.values.contains(where: \.wish)
        else { return }
        deactivate(id, notifies: false)
        tell(id, .interrupted(.appWasSuspended))
    }

    private mutating func processEnded(_ id: PartyID) {
        guard let party = parties[id] else { return }
        let resumes = isCall(id)
        deactivate(id, notifies: resumes)
        if let app = id.app, records[app] != nil { change(app) { ($0.holds, $0.interruption) = ([], nil) } }
        dropNewsOfProcess(id)
        if seeker == id { seeker = nil }
        for (_, order) in party.stops.sorted(by: { $0.key < $1.key }) { emit(.stopped(order)) }
        for key in party.orderedKeys { refuseStarts(id, key, .cannotStartPlaying("the app has ended")) }
        with(id) {
            $0.session = Session()
            $0.holds = [:]
            $0.stops = [:]
            ($0.isRefused, $0.isConnectionRefused) = (false, false)
            $0.route = []
            $0.surroundings = nil
            ($0.actsUntil, $0.restsUntil) = (nil, nil)
            $0.isPausedByUs = false
            $0.awaited = nil
            $0.hasSpoken = true
            for key in $0.orderedKeys {
                $0.streams[key]?.wish = false
                if $0.streams[key]?.node == nil { $0.streams[key] = nil }
            }
        }
    }

    /// Whoever it interrupted was in a call with it, and wants to go on when that ends.
    func isCall(_ id: PartyID) -> Bool { parties[id]?.session.settings.category == .playAndRecord }

    /// It did not come again in time.
    mutating func settleAwaited(_ id: PartyID) {
        guard case .until(let until)? = parties[id]?.awaited, until <= now else { return }
        with(id) { ($0.awaited, $0.hasSpoken) = (nil, true) }
        guard parties[id]?.kind == .app else { return dropIdleStreams(id) }
        endStreams(id)
        deactivate(id, notifies: isCall(id))
    }

    /// A program did not go on with what the sound server's end cut off.
    private mutating func dropIdleStreams(_ id: PartyID) {
        with(id) { party in
            for key in party.orderedKeys where party.streams[key]?.runs != true {
                party.streams[key]?.wish = false
                if party.streams[key]?.node == nil { party.streams[key] = nil }
            }
        }
    }

    /// None of its streams is to run any more.
    mutating func endStreams(_ id: PartyID, _ refusal: AudioRefusal = .noSuchStream) {
        for key in parties[id]?.starts.keys.sorted() ?? [] { refuseStarts(id, key, refusal) }
        with(id) { party in
            for key in party.orderedKeys {
                party.streams[key]?.wish = false
                if party.streams[key]?.node == nil, case .own = key { party.streams[key] = nil }
            }
        }
    }

    mutating func closedByUser(_ app: AppIdentifier) {
        // Nothing wakes it before it is opened.
        with(.app(app)) { party in
            for place in party.news.items.indices { party.news.items[place].wakes = .never }
        }
    }

    mutating func forget(_ app: AppIdentifier) {
        let id = PartyID.app(app)
        processEnded(id)
        connections = connections.filter { $0.value != id }
        for (node, owner) in nodes where owner.party == id { nodes[node] = nil }
        parties[id] = nil
        standings[app] = nil
        if records.removeValue(forKey: app) != nil { changed.formUnion([.app(app), .permission(app)]) }
    }

    mutating func systemAttached() {
        hasSystem = true
        for id in parties.keys.sorted() where parties[id]?.awaited == .system { expectAgain(id) }
    }

    mutating func expectAgain(_ id: PartyID) {
        with(id) { [now, rules] in $0.awaited = .until(now + rules.reconnectTime) }
    }

    mutating func systemDetached() {
        hasSystem = false
        for id in parties.keys.sorted() {
            with(id) { [now] party in
                // What is held is stated to the next one.
                for (hold, holding) in party.holds where holding == .asked { party.holds[hold] = Party.Holding.none }
                for place in party.news.items.indices {
                    if case .asked(let tries) = party.news.items[place].wakes {
                        party.news.items[place].wakes = .wanted(at: now, tries: tries)
                    }
                }
                party.stops = [:]
            }
        }
    }

    /// What is stated to a system that is new.
    package var holds: [ServiceHold<AudioHold>] {
        parties.keys.sorted().flatMap { id in
            guard let party = parties[id], let app = id.app else { return [ServiceHold<AudioHold>]() }
            return AudioHold.allCases.filter { party.holds[$0] == .held }.map {
                ServiceHold(app, process: party.standing.process, $0, because: sentence($0, party))
            }
        }
    }

    // MARK: They ask

    mutating func asked(_ connection: ConnectionID, _ request: RequestID, _ asked: AudioRequest) {
        guard let id = connections[connection], let party = parties[id], party.connection == connection else {
            return emit(.refuse(request, .notGreeted))
        }
        do throws(AudioRefusal) {
            if case .hello(let hello) = asked {
                greeted(id, hello)
                // As it will be told again only when it changes.
                let surroundings = surroundings(of: id)
                with(id) { $0.surroundings = surroundings }
                return emit(.reply(request, .hello(surroundings)))
            }
            guard party.isGreeted else { throw .notGreeted }
            with(id) { $0.awaited = nil }
            if let reply = try perform(asked, id, request) { emit(.reply(request, reply)) }
        } catch {
            emit(.refuse(request, error))
        }
    }

    /// - Returns: `nil` where it is answered later.
    private mutating func perform(
        _ asked: AudioRequest, _ id: PartyID, _ request: RequestID
    ) throws(AudioRefusal) -> AudioReply? {
        switch asked {
        case .hello: break
        case .set(let settings): try set(settings, id)
        case .activate: try activate(id)
        case .deactivate(let notifies):
            let isBusy = parties[id]?.isInUse == true
            endStreams(id)
            deactivate(id, notifies: notifies)
            if isBusy { throw .isBusy }
        case .start(let number, let direction):
            try start(.own(number), direction, id, request)
            return nil
        case .stop(let number):
            guard parties[id]?.streams[.own(number)] != nil else { throw .noSuchStream }
            refuseStarts(id, .own(number), .noSuchStream)
            with(id) {
                $0.streams[.own(number)]?.wish = false
                if $0.streams[.own(number)]?.node == nil { $0.streams[.own(number)] = nil }
            }
        case .remote(let commands, let events):
            if let app = id.app {
                change(app) { ($0.commands, $0.wantsEvents) = (commands, events) }
            }
        case .nowPlaying(let playing): if let app = id.app { change(app) { $0.nowPlaying = playing.bounded } }
        case .override(let toSpeaker):
            with(id) { $0.session.overridesToSpeaker = toSpeaker }
            routeReason = .override
        case .requestPermission: return .permission(askForPermission(id))
        }
        return .done
    }

    private mutating func greeted(_ id: PartyID, _ hello: AppHello) {
        recallInterruption(id)
        let wasActive = parties[id]?.session.isActive == true
        // What it has yet to hear counts more than what it says.
        let isBehind = parties[id]?.news.items.contains(where: \.news.interrupts) == true
        let isInterrupted = parties[id]?.session.interruption != nil
        let goesOn = hello.isActive && !isInterrupted && (wasActive || !isBehind)
        let isSame = wasActive && parties[id]?.session.settings == hello.settings
        with(id) { [now, rules] party in
            party.isGreeted = true
            (party.awaited, party.hasSpoken) = (nil, true)
            for key in party.orderedKeys { party.streams[key]?.wish = false }
            party.kind = .app
            party.session.settings = hello.settings
            party.session.overridesToSpeaker = hello.overridesToSpeaker
            // What it deals with comes back as an answer.
            for place in party.news.items.indices where hello.running.contains(party.news.items[place].number) {
                party.news.items[place].connection = party.connection
            }
            guard goesOn else { return }
            for (number, direction) in hello.streams.sorted(by: { $0.key < $1.key }).prefix(rules.mostStreams) {
                if party.streams[.own(number)] == nil {
                    party.streams[.own(number)] = Stream(.own(number), direction, wish: true, at: now)
                }
                party.streams[.own(number)]?.wish = true
            }
        }
        // Over the connection before nobody hears an answer.
        for key in parties[id]?.starts.keys.sorted() ?? [] where parties[id]?.streams[key]?.wish != true {
            refuseStarts(id, key, .noSuchStream)
        }
        if let app = id.app {
            change(app) {
                ($0.commands, $0.wantsEvents) = (hello.commands, hello.wantsEvents)
                $0.nowPlaying = hello.nowPlaying.bounded
            }
        }
        if goesOn {
            with(id) { $0.session.apply(.activated) }
            if conditions.call == .connected { interrupt(id, by: .call) }
            if self.isInterrupted { interrupt(id, by: .person) }
            if !isSame { findPlace(id, wasActive: wasActive) }
        } else if isInterrupted {
            if hello.isActive, !isBehind { tell(id, .interrupted(.other)) }
        } else if hello.isInterrupted {
            let isTold = parties[id]?.news.items.contains(where: \.news.endsInterruption) == true
            if !isTold { tell(id, .interruptionEnded(shouldResume: false)) }
        } else if wasActive {
            // It has ended its session, or did not hear that it has one: what it says next tells which.
            expectAgain(id)
            silenceOthers(than: id)
        }
    }

    /// Among those that are in force already, and may be since before it could say that it is.
    private mutating func findPlace(_ id: PartyID, wasActive: Bool) {
        guard let party = parties[id], party.session.isActive else { return }
        // It may not have heard from a service before this one that its time is over.
        let rival = rival(of: party).flatMap { parties[$0] }
        if !wasActive, let rival, rival.isInUse || !party.isInUse {
            interrupt(id, by: Interrupter(rival.id))
        } else {
            silenceOthers(than: id)
        }
    }

    /// A process of the service before this one knew by whom it is interrupted.
    private mutating func recallInterruption(_ id: PartyID) {
        guard let party = parties[id], !party.hasSpoken, party.session.interruption == nil,
            let stored = id.app.flatMap({ records[$0]?.interruption }), stored.process == party.standing.process
        else { return }
        with(id) { $0.session.restore(stored) }
    }

    private mutating func start(
        _ key: StreamKey, _ direction: AudioDirection, _ id: PartyID, _ request: RequestID
    ) throws(AudioRefusal) {
        guard let party = parties[id] else { throw .notGreeted }
        guard party.streams[key] != nil || party.streams.count < rules.mostStreams else { throw .tooManyStreams }
        guard party.streams[key].map({ $0.direction == direction }) ?? true else {
            throw .invalid("the stream has another direction already: give it another number")
        }
        let category = party.session.settings.category
        switch direction {
        case .output where !category.hasOutput:
            throw .cannotStartPlaying("the category \(category.rawValue) records only: set playback or playAndRecord")
        case .input where !category.hasInput:
            throw .cannotStartRecording(
                "the category \(category.rawValue) has no input: set record or playAndRecord to record")
        case .input: guard askForPermission(id) == .granted else { throw .noPermission }
        case .output: break
        }
        if let sentence = silentOutOfSight(party) {
            throw direction == .output ? .cannotStartPlaying(sentence) : .cannotStartRecording(sentence)
        }
        try activate(id)
        with(id) { [now] party in
            var stream = party.streams[key] ?? Stream(key, direction, wish: true, at: now)
            stream.wish = true
            stream.sound = .unknown(since: now)
            party.streams[key] = stream
            party.starts[key, default: []].append(request)
            (party.isRefused, party.because) = (false, "")
        }
    }

    mutating func refuseStarts(_ id: PartyID, _ key: StreamKey, _ refusal: AudioRefusal) {
        for request in parties[id]?.starts[key] ?? [] { emit(.refuse(request, refusal)) }
        with(id) { $0.starts[key] = nil }
    }
}
