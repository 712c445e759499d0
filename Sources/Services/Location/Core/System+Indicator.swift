internal import LocationModel
internal import Model
internal import ServiceCore

// When the user is to see that an app knows the location out of sight.
extension LocationSystem {
    /// Where an app may know it only while it is used, the user sees in any case that it goes on unseen. One that may
    /// always know asks for that itself.
    func isIndicated(_ party: Party) -> Bool {
        guard party.standing.isRunning, !party.standing.isVisible else { return false }
        let wishes = wishes(of: party)
        return authorization(of: party.app) == .always ? wishes.contains(where: \.showsIndicator) : !wishes.isEmpty
    }

    mutating func settleIndicator(_ app: AppIdentifier) {
        guard let party = parties[app] else { return }
        let isIndicated = isIndicated(party)
        guard isIndicated != party.isIndicated else { return }
        with(app) { $0.isIndicated = isIndicated }
        emit(.note(app, isIndicated ? indicatorSentence(party) : "the indicator of its use of the location is gone"))
    }

    func indicatorSentence(_ party: Party) -> String {
        let because =
            authorization(of: party.app) == .always
            ? "showsBackgroundLocationIndicator is set" : "it may know it only while it is used"
        return "an indicator says that it knows the location out of sight: \(because)"
    }
}
