package import LocationCore
internal import LocationModel
package import Model
internal import ServiceCore
internal import ServiceSimulation
package import Simulation

/// Location in virtual time: LocationCore decides, as in `greenroom-locationd`, behind a shell whose satellites, towers
/// and people are simulated too. What apps say to it is `SpokenLocation`, what people do is `SpokenWay`; the code of a
/// real app speaks the service's own protocol.
package struct SimulatedLocation: ServiceModel {
    var facts = LocationFacts()
    /// What people did last, and were refused.
    var refusedDeed: LocationRefusal?

    // Of the process.
    package internal(set) var system = LocationSystem()
    var connections: [UInt64: LocationConnection] = [:]
    var requests: [RequestID: LocationAsked] = [:]
    var told: [UInt64: (connection: UInt64, seq: NewsNumber)] = [:]
    var askedHolds: [UInt64: (app: AppIdentifier, hold: LocationHold)] = [:]
    var wakes: [UInt64: (app: AppIdentifier, upTo: NewsNumber)] = [:]
    var questions: [UInt64: CrossingQuestion] = [:]
    var acts: [ServiceModelAct] = []
    var now = Instant.zero
    /// Since when the receiver is on, and when it says something next.
    private var receiver: (since: Instant, next: Instant)?
    /// When the cell is looked at next: the way may lead into another one.
    private var nextCell: Instant?
    private var pending: [LocationEvent] = []
    private var isPosting = false
    private var nextNumber: UInt64 = 1
    private var wall = 0.0

    package init() {}

    package static var declaration: ServiceDeclaration {
        ServiceDeclaration(
            name: "location",
            holds: [
                ServiceDeclaration.Hold(
                    name: "updating", sentence: "it follows the device's location", activity: .location)
            ],
            windows: [
                ServiceDeclaration.Window(
                    name: "moved", sentence: "where the device is", time: .seconds(10),
                    callback: .locationEventsAtLaunch)
            ],
            mode: "location")
    }

    package static var asks: Set<String> { ["notifications"] }

    package static var stormStream: UInt64 { 0x7a47 }

    package static func misunderstanding(of words: String) -> String? {
        words.hasPrefix("{") || SpokenLocation(words) != nil ? nil : SpokenLocation.forms
    }

    package static func misunderstandingFromOutside(of words: String) -> String? {
        SpokenWay(words) == nil ? SpokenWay.forms : nil
    }

    // MARK: Events

    package mutating func start(_ life: ServiceModelLife) {
        (connections, requests, told, askedHolds, wakes, questions) = ([:], [:], [:], [:], [:], [:])
        (acts, pending, isPosting, receiver, nextCell) = ([], [], false, nil, nil)
        system = LocationSystem(facts.stored, rules: LocationRules(profile: life.profile))
    }

    package mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        switch news {
        case .timer: passTime()
        case .clock(let offset):
            wall = offset.seconds
            post(.clock(offset))
            beginWithWorld()
        case .zone, .network, .moved, .broken, .noRoom, .arrived, .program, .closed: break
        case .asked(let number, let asker, let words): asked(number, by: asker, words)
        case .replied(let number, let reply):
            guard let question = questions.removeValue(forKey: number) else { break }
            post(.replied(question, ServiceAnswer(reply)))
        case .conditions(let conditions):
            post(.conditions(DeviceFacts(conditions)))
        case .greeted: post(.systemAttached)
        case .lost:
            (askedHolds, wakes, questions) = ([:], [:], [:])
            post(.systemDetached)
        case .app(let app, let state, _, let process, let isVisible):
            if facts.clients[app].map({ $0.process != process || state == .notRunning }) ?? false {
                facts.clients[app] = nil
            }
            post(.appState(app, AppStanding(AppStanding.State(state), process: process, isVisible: isVisible)))
        case .removed(let app):
            facts.clients[app] = nil
            for connection in connections.filter({ $0.value.app == app }).keys { connections[connection] = nil }
            post(.forgotten(app))
        case .attached(let connection, let app, let client): attached(connection, app, client)
        case .detached(let connection):
            connections[connection] = nil
            post(.detached(ConnectionID(connection)))
        case .said(let connection, let number, let words): said(connection, number, words)
        case .heard(_, let number): heard(number)
        case .woken(let number, let answer):
            guard let wake = wakes.removeValue(forKey: number) else { break }
            post(.woken(wake.app, wake.upTo, WakeAnswer(answer)))
        case .windowEnded(let app, _, _): post(.windowEnded(app, .moved, .done))
        case .held(let number, let answer):
            guard let hold = askedHolds.removeValue(forKey: number) else { break }
            post(.held(hold.app, hold.hold, HoldAnswer(answer)))
        case .stop(let hold, let order):
            guard let kind = LocationHold(rawValue: hold.hold) else { break }
            post(.stop(hold.app, kind, OrderID(order)))
        case .holdEnded(let hold):
            if let kind = LocationHold(rawValue: hold.hold) { post(.holdEnded(hold.app, kind)) }
        }
        defer { acts = [] }
        return acts
    }

    package mutating func hear(_ words: String, isAlive: Bool, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        guard let way = SpokenWay(words) else { return [] }
        refusedDeed = nil
        perform(way, isAlive: isAlive)
        defer { acts = [] }
        return isAlive ? acts : []
    }

    package mutating func nextDeadline() -> Instant? {
        [system.nextDeadline, receiver?.next, nextCell].compactMap(\.self).min()
    }

    package var isUnfinished: Bool { !system.isIdle }

    package var holds: [ServiceModelHold] {
        system.holds.map { ServiceModelHold($0.app, process: $0.process, $0.name.rawValue) }
    }

    package func brokenPromises() -> [String] { system.brokenInvariants() }

    // MARK: Time and the Core

    private mutating func passTime() {
        if let next = nextCell, next <= now { lookAtCell() }
        if let receiver, receiver.next <= now { receive() }
        post(.timer)
    }

    mutating func post(_ event: LocationEvent) {
        pending.append(event)
        guard !isPosting else { return }
        isPosting = true
        while !pending.isEmpty {
            let effects = system.handle(pending.removeFirst(), at: now)
            facts.commit(effects)
            for effect in effects where !effect.isRecord { perform(effect) }
        }
        isPosting = false
    }

    mutating func number() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    // MARK: The world

    private mutating func beginWithWorld() {
        post(.own(.source(.gps, facts.ground.hasReceiver ? .present : .absent("the receiver is gone"))))
        lookAtCell()
    }

    /// Something of the world is another.
    mutating func worldChanged() {
        post(.own(.source(.gps, facts.ground.hasReceiver ? .present : .absent("the receiver is gone"))))
        lookAtCell()
    }

    mutating func lookAtCell() {
        let tower = facts.ground.tower(at: now)
        post(.own(.source(.cell, tower == nil ? .absent("there is no cell") : .present)))
        post(.own(.tower(tower)))
        let moves = facts.ground.moves(at: now) && facts.ground.hasRadio
        // A third of a cell from here at the soonest.
        let pause = facts.ground.spacing / 3 / max(facts.ground.speed(at: now), 1)
        nextCell = moves ? now + .seconds(min(max(pause, 5), 120)) : nil
    }

    mutating func power(_ source: FixSource, _ isOn: Bool) {
        guard source == .gps else { return }
        receiver = isOn ? receiver ?? (now, now + Ground.firstFix) : nil
    }

    private mutating func receive() {
        // A real one has a fix every second. Where nothing moves, and everything is believed, that says nothing new.
        defer {
            let pause: Span = system.doubts ? .seconds(1) : facts.ground.moves(at: now) ? .seconds(10) : .seconds(30)
            receiver?.next = now + pause
        }
        guard facts.ground.hasSky, facts.ground.hasReceiver else { return }
        let fix = Fix(
            facts.ground.place(at: now), accuracy: facts.ground.accuracy, time: now.sinceBoot + wall, source: .gps,
            speed: facts.ground.speed(at: now))
        post(.own(.fix(fix)))
    }
}

extension Instant {
    var sinceBoot: Double { (self - .zero).seconds }
}
