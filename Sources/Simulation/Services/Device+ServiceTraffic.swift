internal import Model
internal import PolicyCore

// What services move over the network, and what they hear of apps and surroundings.
extension Device {
    private static let piece = Span.seconds(1)

    func move(
        _ id: UInt64, _ bytes: Int64, _ direction: Direction, _ app: AppIdentifier?, _ purpose: Purpose, _ s: Int
    ) {
        let place = app.flatMap { app in apps.firstIndex { $0.script.manifest.identifier == app } }
        guard (app == nil) == (place == nil) else { return }
        let consumer = Consumer(app: place.map { AppIndex(UInt32($0)) }, purpose)
        var begun: TrafficID?
        changeWorld { begun = $0.transfer(bytes, direction, for: consumer) }
        guard let begun else { return }
        if services[s].shell?.moves.isEmpty == true { services[s].shell?.seenAt = now }
        services[s].shell?.moves[id] = ModelShell.Move(
            id: begun, place: place, purpose: purpose, bytes: bytes, direction: direction)
        lookSoon(s)
    }

    /// At the next change of the world, and within a second.
    private func lookSoon(_ s: Int) {
        guard let shell = services[s].shell, !shell.moves.isEmpty else { return }
        let change = surroundings.nextChange.map { Instant(nanoseconds: Self.bootTime) + ($0 - .zero) }
        let next = max(min(now + Self.piece, change ?? now + Self.piece), now + .milliseconds(1))
        guard shell.lookAt.map({ next < $0 }) ?? true else { return }
        services[s].shell?.lookAt = next
        queue.insert(.service(s, life: services[s].life, .looks), at: next)
    }

    func lookAtMoves(_ s: Int) {
        guard let shell = services[s].shell, shell.lookAt.map({ $0 <= now }) == true else { return }
        services[s].shell?.lookAt = nil
        catchUp()
        var sums: [Consumer: (sent: Int64, received: Int64)] = [:]
        for (id, move) in shell.moves.sorted(by: { $0.key < $1.key }) {
            let present = surroundings.transfer(move.id)
            let moved = present?.moved ?? move.bytes
            let more = moved - move.seen
            services[s].shell?.moves[id]?.seen = moved
            if present == nil { services[s].shell?.moves[id] = nil }
            let consumer = Consumer(app: move.place.map { AppIndex(UInt32($0)) }, move.purpose)
            if move.direction == .up {
                sums[consumer, default: (0, 0)].sent += more
            } else {
                sums[consumer, default: (0, 0)].received += more
            }
            let isFile = move.purpose == .transfer && move.direction == .down
            if isFile, let place = move.place, !receive(more, for: place) {
                services[s].shell?.moves[id] = nil
                changeWorld { $0.cancel(move.id) }
                tellLogic(s, .noRoom(traffic: id))
            } else if more > 0 || present == nil {
                tellLogic(s, .moved(traffic: id, bytes: moved, isDone: present == nil))
            }
        }
        let from = shell.seenAt
        services[s].shell?.seenAt = now
        for (consumer, sum) in sums.sorted(by: { $0.key < $1.key }) where sum.sent + sum.received > 0 {
            // To the world an app is its place.
            let app = consumer.app.flatMap { apps[Int($0.rawValue)].index }
            guard services[s].presence == .here, (app == nil) == (consumer.app == nil) else { continue }
            send(.trafficSeen(app, consumer.purpose, sent: sum.sent, received: sum.received, from: from, to: now))
        }
        lookSoon(s)
    }

    // MARK: News

    /// After whatever happened: what has changed of apps and surroundings, to those who run.
    package func noteForModels() {
        for s in services.indices where services[s].shell != nil {
            noteNetwork(s)
            noteZone(s)
            if services[s].presence == .here { noteForLogic(s) }
        }
    }

    func noteForLogic(_ s: Int) {
        guard daemon == .running, services[s].presence == .here else { return }
        let conditions = conditionsForLogic(s)
        if modelNews.note(conditions, s) { tellLogic(s, .conditions(conditions)) }
        let events = eventCount
        // Only what the Core is told changes how an app is.
        guard !modelNews.isCurrent(s, at: events) else { return }
        for place in services[s].known { tellApp(s, place) }
        modelNews.heardAll(s, at: events)
    }

    private func conditionsForLogic(_ s: Int) -> ServiceModelConditions {
        let network = network
        if network == .cellular {
            catchUp()
            lookWhenCold(s)
        }
        let isWarm = network == .cellular ? surroundings.ask { $0.cellularRadio != .idle } : network != .none
        let battery = battery
        return system.ask {
            ServiceModelConditions(
                network: network, isCharging: battery.state == .charging || battery.state == .full,
                battery: battery.percent, isRadioWarm: isWarm, isLowPower: $0.conditions.isLowPower,
                isLocked: $0.isLocked || $0.isAsleep, call: $0.call)
        }
    }

    /// A service has to do with an app, and hears of it from now on.
    func meet(_ place: Int, _ s: Int) {
        guard !services[s].known.contains(place) else { return }
        services[s].known.append(place)
        modelNews.isToLook(s)
    }

    /// A radio falls asleep by itself, when nothing else happens.
    private func lookWhenCold(_ s: Int) {
        let change: Instant? =
            switch surroundings.ask({ $0.cellularRadio }) {
            case .idle, .carrying: nil
            case .promoting(_, let until), .tail(_, let until): Instant(nanoseconds: Self.bootTime) + (until - .zero)
            }
        guard let change, services[s].shell?.coolsAt.map({ change < $0 }) ?? true else { return }
        services[s].shell?.coolsAt = change
        queue.insert(.service(s, life: services[s].life, .cools), at: max(change, now + .milliseconds(1)))
    }

    /// Connections do not live through a change of the network, whether or not there is a daemon to tell of it.
    private func noteNetwork(_ s: Int) {
        guard services[s].isAlive, let known = services[s].shell?.network, known != network else { return }
        services[s].shell?.network = network
        let moves = services[s].shell?.moves ?? [:]
        services[s].shell?.moves = [:]
        for (id, move) in moves.sorted(by: { $0.key < $1.key }) {
            changeWorld { $0.cancel(move.id) }
            tellLogic(s, .broken(traffic: id))
        }
        tellLogic(s, .network(network))
    }

    func fireLogic(_ s: Int) {
        // One that an earlier one took the place of has nothing to say.
        guard services[s].shell?.timerAt.map({ $0 <= now }) == true else { return }
        services[s].shell?.timerAt = nil
        tellLogic(s, .timer)
        scheduleLogic(s)
    }

    func noteZone(_ s: Int) {
        guard services[s].isAlive, services[s].shell?.zone != conditions.timeZone else { return }
        services[s].shell?.zone = conditions.timeZone
        tellLogic(s, .zone(conditions.timeZone.identifier, offset: conditions.timeZone.offset))
    }

    func tellApp(_ s: Int, _ place: Int) {
        guard let service = services[s].index, let app = apps[place].index, daemon == .running else { return }
        let news = system.ask {
            ModelShell.Told(
                state: $0.state(of: app) ?? .notRunning, awaitsCall: $0.awaitsCall(app, from: service),
                process: Int64($0.generation(of: app)?.rawValue ?? 0), isVisible: $0.isVisible(app))
        }
        guard modelNews.note(news, s, place) else { return }
        tellLogic(
            s,
            .app(
                apps[place].script.manifest.identifier, news.state, awaitsCall: news.awaitsCall, process: news.process,
                isVisible: news.isVisible))
    }

    /// Of an app that a service knows.
    func noteForModels(_ entry: LogEntry, _ place: Int) {
        for s in services.indices where services[s].shell != nil && services[s].known.contains(place) {
            if case .end(.closedByUser, _, _) = entry.reason { tellClosed(s, place) }
            noteWindowEnd(s, entry, place)
        }
    }

    /// Also one that does not run has to hear of that.
    func noteRemoval(_ s: Int, _ place: Int) {
        guard services[s].shell != nil else { return }
        modelNews.forget(s, place)
        services[s].shell?.removals.append(apps[place].script.manifest.identifier)
        services[s].isWanted = true
        if services[s].presence == .here { tellRemovals(s) } else { startIfNeeded(s) }
    }

    func tellRemovals(_ s: Int) {
        let removals = services[s].shell?.removals ?? []
        services[s].shell?.removals = []
        for app in removals { tellLogic(s, .removed(app)) }
    }

    func tellClosed(_ s: Int, _ place: Int) {
        guard services[s].presence == .here else { return }
        let ends = profile.windowRules.closingEndsSessions
        tellLogic(s, .closed(apps[place].script.manifest.identifier, ends: ends))
    }
}
