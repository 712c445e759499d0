import AudioCore
import AudioModel
import Model
import ServiceCore

extension Storm {
    /// Everybody stops, everything is answered, and nothing goes wrong any more.
    mutating func clear() {
        machine.isClearing = true
        if !machine.hasGraph { graphReturns() }
        if !machine.hasSystem { daemonReturns() }
        call = .none
        machine.send(.conditions(facts()))
        machine.send(.tool(RequestID(machine.number()), .interruption(isBegin: false, resumes: false)))
        for _ in 0..<4 {
            settle()
            for place in machine.apps.indices where machine.apps[place].state != .none {
                if machine.apps[place].state != .active { machine.stand(place, .active) }
                if machine.apps[place].connection == nil { machine.connect(place) }
                machine.ask(place, .deactivate(notifies: false))
            }
            for player in machine.players.keys.sorted() { machine.play(player, false) }
            for (id, node) in machine.nodes.sorted(by: { $0.key < $1.key }) where node.runs {
                machine.nodes[id]?.runs = false
                machine.tellRuns(id)
            }
        }
        settle()
    }

    private mutating func settle() {
        for _ in 0..<12 {
            while !machine.due.isEmpty { machine.answer(0, &dice) }
            for place in machine.apps.indices { while canHear(place) { machine.hear(place, &dice) } }
            pass(.seconds(10))
        }
    }

    private func canHear(_ place: Int) -> Bool {
        machine.apps[place].runs && machine.apps[place].connection != nil && !machine.apps[place].told.isEmpty
    }

    /// On the screen a player that stands still keeps its way out, to begin without delay.
    private func isStillConnected(_ app: AppIdentifier, _ hold: AudioHold) -> Bool {
        hold == .connected && machine.place(app).map { machine.apps[$0].isVisible } ?? false
            && machine.nodes.values.contains { $0.owner == .app(app) && $0.isPermitted }
    }

    /// Nobody is held who is silent and out of sight.
    mutating func leave() {
        for place in machine.apps.indices where machine.apps[place].state != .none { machine.stand(place, .background) }
        settle()
    }

    var leftOutOfSight: [String] {
        machine.broken + machine.system.holds.map { "\($0.app) is held: \($0.name)" }
            + machine.apps.filter { !$0.held.isEmpty }.map { "the system holds \($0.id): \($0.held)" }
            + machine.nodes.filter { $0.value.owner.app != nil && $0.value.isPermitted }
            .map { "\($0.value.owner) is linked: \($0.key)" }
    }

    /// What should not be when everybody is silent.
    var left: [String] {
        var left = machine.broken
        for party in machine.system.parties.values {
            if machine.system.isDucked(party) { left.append("\(party.id) is ducked by nobody") }
            if party.session.activity != .inactive {
                left.append("\(party.id) has a session: \(party.session.activity), \(party.streams.values)")
            }
        }
        left += machine.system.holds.filter { !isStillConnected($0.app, $0.name) }
            .map { "\($0.app) is held: \($0.name)" }
        for app in machine.apps {
            left += app.held.sorted().filter { !isStillConnected(app.id, $0) }.map {
                "the system holds \(app.id): \($0)"
            }
        }
        left += machine.unanswered.map { "nobody answered \($0)" }
        for (id, node) in machine.nodes {
            let place = node.owner.app.flatMap(machine.place)
            let isOwn = place.map { !machine.apps[$0].isProgram } ?? false
            if !isOwn, !node.isPermitted { left.append("\(node.owner) could not sound: \(id)") }
            if node.isPermitted, node.gain != 1, node.direction == .output { left.append("\(id) is at \(node.gain)") }
        }
        return left
    }
}
