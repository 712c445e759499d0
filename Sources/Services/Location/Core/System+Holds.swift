internal import LocationModel
internal import Model
package import ServiceCore

// For whom the system is asked to let it run.
extension LocationSystem {
    private func needs(_ hold: LocationHold, _ party: Party) -> Bool {
        if party.awaited != nil, party.holding(hold) == .held { return true }
        guard authorization(of: party.app).allows, party.standing.isRunning else { return false }
        // Unseen and without the key it has the time that it was woken for, and no more.
        guard party.standing.isVisible || records[party.app]?.hasKey == true else { return false }
        if !party.once.isEmpty { return true }
        guard let updates = party.updates, !updates.isPaused else { return false }
        return party.standing.isVisible || goesOnUnseen(updates, party.app)
    }

    mutating func settleHolds(_ app: AppIdentifier) {
        guard hasSystem else { return }
        answerStops(app)
        for hold in LocationHold.allCases {
            guard let party = parties[app], party.standing.state != .none, party.stops[hold] == nil else { continue }
            let isNeeded = needs(hold, party)
            switch party.holding(hold) {
            case .none where isNeeded && !party.isRefused:
                with(app) { $0.holds[hold] = .asked }
                emit(.hold(app, process: party.standing.process, hold, because: sentence(hold, party)))
            case .held where !isNeeded:
                with(app) { $0.holds[hold] = Party.Holding.none }
                emit(.drop(app, process: party.standing.process, hold, because: ""))
            default: continue
            }
        }
        storeHolds(app)
    }

    /// A process of the service after this one has to state them.
    private mutating func storeHolds(_ app: AppIdentifier) {
        guard let party = parties[app] else { return }
        let holds = Set(LocationHold.allCases.filter { party.holding($0) == .held })
        change(app) { record in
            record.holds = holds
            if !holds.isEmpty { record.process = party.standing.process }
        }
    }

    /// What the app does, for people.
    func sentence(_ hold: LocationHold, _ party: Party) -> String {
        party.updates == nil ? "it asks where the device is" : "it follows the device's location"
    }

    mutating func held(_ app: AppIdentifier, _ hold: LocationHold, _ answer: HoldAnswer) {
        guard parties[app]?.holding(hold) == .asked else {
            // It was not needed any more, and is there all the same.
            let lives = parties[app].map { $0.standing.state != .none } ?? false
            if answer == .allowed, lives, hasSystem { with(app) { $0.holds[hold] = .held } }
            return
        }
        with(app) { party in
            switch answer {
            case .allowed: party.holds[hold] = .held
            case .refused: (party.holds[hold], party.isRefused) = (Party.Holding.none, true)
            case .lost: party.holds[hold] = Party.Holding.none
            }
        }
    }

    mutating func holdEnded(_ app: AppIdentifier, _ hold: LocationHold) {
        guard parties[app]?.holding(hold) == .held else { return }
        with(app) { party in
            (party.holds[hold], party.isRefused) = (Party.Holding.none, true)
        }
    }

    mutating func stop(_ app: AppIdentifier, _ hold: LocationHold, _ order: OrderID) {
        guard parties[app] != nil else { return emit(.stopped(order)) }
        with(app) { $0.stops[hold] = order }
    }

    /// Nothing goes to it any more once that is known.
    private mutating func answerStops(_ app: AppIdentifier) {
        guard let party = parties[app] else { return }
        for (hold, order) in party.stops.sorted(by: { $0.key < $1.key }) {
            with(app) { party in
                party.stops[hold] = nil
                (party.holds[hold], party.isRefused) = (Party.Holding.none, true)
            }
            emit(.stopped(order))
        }
    }

    /// What is stated to a system that is new.
    package var holds: [ServiceHold<LocationHold>] {
        parties.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { app in
            guard let party = parties[app] else { return [ServiceHold<LocationHold>]() }
            return LocationHold.allCases.filter { party.holds[$0] == .held }.map {
                ServiceHold(app, process: party.standing.process, $0, because: sentence($0, party))
            }
        }
    }
}
