internal import LocationModel
internal import Model
internal import ServiceCore

// What is true after every event, whatever happened.
extension LocationSystem {
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        for app in parties.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let party = parties[app] else { continue }
            broken += problems(of: party).map { "\(app): \($0)" }
        }
        for (connection, app) in connections where parties[app]?.connection != connection {
            broken.append("the connection \(connection.rawValue) is of nobody")
        }
        if let next = nextDeadline, next < now { broken.append("what was due has not been done") }
        if powered.contains(.gps), sources[.gps]?.isPresent != false, users.isEmpty, searchesChangeSince == nil {
            broken.append("the satellites' receiver is on for nobody")
        }
        if registrations != Registrations(records) {
            broken.append("who is registered for what is not as the records say")
        }
        let known = records.values.reduce(0) { $0 + $1.regions.count + $1[.places].count }
        if known != index.count { broken.append("\(known) regions are monitored, and \(index.count) looked at") }
        return broken
    }

    private func problems(of party: Party) -> [String] {
        var problems: [String] = []
        let record = records[party.app]
        if party.standing.state == .suspended, users.contains(party.app), record?.isWatching != true {
            problems.append("it is suspended, and satellites are received for it")
        }
        if let record {
            if record.regions.count > rules.mostRegions { problems.append("it monitors too many regions") }
            if record[.places].count > rules.mostPlaces { problems.append("too many places are watched for it") }
            let numbers = record.news.map(\.number)
            if numbers != numbers.sorted() || Set(numbers).count != numbers.count {
                problems.append("its news are out of order")
            }
            if let last = numbers.last, last >= record.nextNews { problems.append("its next news have an old number") }
        }
        if party.connection.map({ connections[$0] != party.app }) ?? false { problems.append("its connection is lost") }
        if party.updates != nil, party.connection == nil, party.awaited == nil {
            problems.append("it has updates, and nobody who hears of them")
        }
        return problems
    }
}
