package import Model
internal import NotificationsCore
package import Simulation

/// Notifications and push in virtual time: `NotificationsCore` decides, as in `greenroom-pushd`, behind a shell whose
/// gateway, providers and person are simulated too. What apps say to it is `SpokenRequest`, what people and providers
/// do is `SpokenDeed`; the code of a real app speaks the service's own protocol.
package struct SimulatedNotifications: ServiceModel {
    // Of the machine and the world: these outlive the process.
    var facts = Facts()
    var gateway = SimulatedGateway()
    var screen = SimulatedScreen()
    var ledger = Ledger()
    /// What it would have written into its log.
    var log: [NotificationReport] = []
    var keepAlives = 0
    var waits = PushWaits()
    /// By which every process decides.
    var rules = NotificationRules()
    private var booted = Instant.zero

    // Of the process.
    var system = NotificationSystem(boot: "")
    var link = SimulatedLink(seed: 0)
    var handshake: Handshake?
    var moves = LinkMoves()
    var clients: [UInt64: Client] = [:]
    var requests: [RequestID: Asked] = [:]
    var told: [UInt64: Told] = [:]
    var wakes: [UInt64: TellingID] = [:]
    var watches: [UInt64: AppIdentifier] = [:]
    private var hasSystem = false
    private var performing: [NotificationEffect] = []
    private var isPerforming = false

    // Grow for ever, so that nothing old is taken for something new.
    private var nextRequest: UInt64 = 1
    private var nextNumber: UInt64 = 1

    var acts: [ServiceModelAct] = []
    var now = Instant.zero
    /// Wall clock minus the clock that virtual time goes by.
    var wallOffset = Span.zero
    var zone = ZoneRules.utc
    var network = NetworkKind.none

    package init() {}

    package static var declaration: ServiceDeclaration {
        var declaration = ServiceDeclaration(name: "notifications")
        declaration.windows = [
            ServiceDeclaration.Window(
                name: "push", sentence: "a push", time: .seconds(30), callback: .serviceEventsAtLaunch),
            ServiceDeclaration.Window(name: "response", sentence: "what the user answered", time: .seconds(30)),
            ServiceDeclaration.Window(
                name: "opened", sentence: "a notification that the user opened", time: .seconds(30),
                callback: .localOpening),
            ServiceDeclaration.Window(
                name: "opened-push", sentence: "a pushed notification that the user opened", time: .seconds(30),
                callback: .remoteOpening),
        ]
        return declaration
    }

    package static func misunderstanding(of words: String) -> String? {
        words.hasPrefix("{") || SpokenRequest(words) != nil ? nil : SpokenRequest.forms
    }

    package static func misunderstandingFromOutside(of words: String) -> String? {
        SpokenDeed(words) == nil ? SpokenDeed.forms : nil
    }

    package static var asks: Set<String> { ["location"] }

    package static var stormStream: UInt64 { 0x7a42 }

    // MARK: Events

    package mutating func start(_ life: ServiceModelLife) {
        if life.booted != booted { screen = SimulatedScreen() }
        booted = life.booted
        clients = [:]
        requests = [:]
        told = [:]
        wakes = [:]
        watches = [:]
        hasSystem = false
        (performing, isPerforming, acts) = ([], false, [])
        (handshake, moves) = (nil, LinkMoves())
        link = SimulatedLink(seed: life.seed)
        system = NotificationSystem(restoring: facts.stored, rules: rules, boot: "start \(booted.nanoseconds)")
        // It was withdrawn while nobody could do it.
        screen.keep { system.presentation(of: $0) != nil }
    }

    package mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        switch news {
        case .timer: passTime()
        case .clock(let offset):
            wallOffset = offset
            post(.clockChanged(machineOffset))
            // It is known where the gateway is.
            if !hasSystem { post(.link(.gateway("gateway.example 443"))) }
        case .zone(let identifier, let offset):
            zone = ZoneRules(identifier: identifier, initialOffset: offset)
            post(.zoneChanged(zone))
        case .network(let kind):
            network = kind
            link.die()
        case .conditions(let conditions): conditionsChanged(conditions)
        case .arrived: break
        case .greeted:
            hasSystem = true
            post(.systemAttached)
        case .lost:
            hasSystem = false
            watches = [:]
            post(.systemDetached)
        case .app(let app, let state, let awaitsCall, _, _):
            post(.appState(app, NotificationPresence(state, awaitsCall: awaitsCall)))
        case .closed(let app, _): post(.closedByUser(app))
        case .removed(let app): forget(app)
        case .attached(let connection, let app, let client): attached(connection, app, client)
        case .detached(let connection):
            clients[connection] = nil
            post(.detached(ConnectionID(connection)))
        case .said(let connection, let number, let words): said(connection, number, words)
        case .heard(_, let number): heard(number)
        case .woken(let number, let answer):
            guard let id = wakes.removeValue(forKey: number) else { break }
            post(.woken(id, WakeAnswer(answer)))
        case .windowEnded(let app, let window, let end):
            guard let window = WakeWindow(rawValue: window) else { break }
            windowEnded(app, window, end)
        case .moved(let traffic, _, let isDone): if isDone { moved(traffic) }
        // It holds nothing, and its traffic becomes no files.
        case .held, .stop, .holdEnded, .program, .noRoom: break
        case .broken(let traffic): broken(traffic)
        case .asked(let number, _, let words): asked(number, words)
        case .replied(let number, let reply): replied(number, reply)
        }
        settleLink()
        defer { acts = [] }
        return acts
    }

    package mutating func hear(_ words: String, isAlive: Bool, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        guard let deed = SpokenDeed(words) else { return [] }
        perform(deed, isAlive: isAlive)
        if isAlive { settleLink() }
        defer { acts = [] }
        return isAlive ? acts : []
    }

    package mutating func nextDeadline() -> Instant? {
        let own = [system.nextDeadline(), link.deadline].compactMap(\.self).min().map { $0 + (booted - .zero) }
        return [own, screen.nextEnd, gateway.due].compactMap(\.self).min()
    }

    /// As the real one: it is started again also where nobody asks for it.
    package var isUnfinished: Bool { !system.isIdle }

    package func brokenPromises() -> [String] { system.brokenInvariants() + ledger.broken }

    // MARK: Time

    /// The machine's clocks count from its start.
    var machineNow: Instant { .zero + (now - booted) }
    private var machineOffset: Span { wallOffset + (booted - .zero) }
    var wall: WallTime { WallTime(nanoseconds: now.nanoseconds) + wallOffset }
    var time: Time { Time(boot: now, wall: wall) }

    private mutating func passTime() {
        if let due = gateway.due, due <= now {
            gateway.tick(time)
            takeFromGateway()
        }
        follow(link.timePassed(machineNow))
        for id in screen.takeEnded(at: now) { post(.expired(id)) }
        post(.timer)
    }

    private mutating func conditionsChanged(_ conditions: ServiceModelConditions) {
        let name = conditions.network == .none ? nil : conditions.network.name
        follow(link.set(network: name, at: machineNow))
        post(
            .conditions(
                NotificationConditions(
                    isCharging: conditions.isCharging, isLowPower: conditions.isLowPower,
                    isRadioWarm: conditions.isRadioWarm, isRadioDear: conditions.network == .cellular)))
    }

    // MARK: The Core

    mutating func post(_ event: NotificationEvent) {
        let effects = system.handle(event, at: machineNow)
        facts.commit(effects)
        ledger.note(effects)
        // What an effect leads to comes after the effects beside it.
        performing += effects.filter { !$0.isRecord }
        guard !isPerforming else { return }
        isPerforming = true
        while !performing.isEmpty { perform(performing.removeFirst()) }
        isPerforming = false
        // Only now: the end of the last topic has been said.
        follow(link.want(system.linkStatus(at: machineNow).registered > 0, at: machineNow))
    }

    mutating func request() -> RequestID {
        defer { nextRequest += 1 }
        return RequestID(nextRequest)
    }

    mutating func number() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    private mutating func forget(_ app: AppIdentifier) {
        for connection in clients.filter({ $0.value.app == app }).keys.sorted() {
            clients[connection] = nil
            post(.detached(ConnectionID(connection)))
        }
        post(.forgotten(app, request()))
        ledger.forget(app)
    }
}

extension NotificationPresence {
    /// Before `handleServiceEvents` it is not yet up to hear anything.
    fileprivate init(_ state: LifecycleState, awaitsCall: Bool) {
        self =
            switch state {
            case _ where awaitsCall: .suspended
            case .active: .active
            case .inactive: .inactive
            case .background: .background
            case .suspended: .suspended
            case .notRunning: .none
            }
    }
}

extension WakeAnswer {
    /// As the real shell understands the daemon's errors.
    fileprivate init(_ answer: ServiceModelAnswer) {
        self =
            switch answer {
            case .allowed: .allowed
            case .refused: .notNow
            case .impossible: .never
            case .lost: .lost
            }
    }
}
