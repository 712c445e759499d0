internal import Model
internal import Simulation

extension FileReading {
    mutating func energy(_ fields: Fields) -> Expectation? {
        let owner = owner(fields["energy"])
        let (purpose, part) = (
            fields["for"].map { pick($0, Purpose.allCases, .purposes, \.name) },
            fields["by"].map { pick($0, EnergyPart.allCases, .parts, \.name) }
        )
        let (atLeast, atMost) = (joules(fields["atLeast"]), joules(fields["atMost"]))
        guard fields["atLeast"] != nil || fields["atMost"] != nil else {
            findings.note(fields.place, "no energy is named", expected: "`atLeast`, `atMost` or both")
            return nil
        }
        // What is wrong in one of them is noted.
        let isWrong = [
            purpose.map { $0 == nil }, part.map { $0 == nil }, fields["atLeast"].map { _ in atLeast == nil },
            fields["atMost"].map { _ in atMost == nil },
        ].contains(true)
        guard let owner, !isWrong else { return nil }
        guard atMost.map({ atLeast ?? .zero <= $0 }) ?? true else {
            findings.note(fields.place, "atLeast is more than atMost", expected: "an energy that is possible")
            return nil
        }
        return .energy(
            EnergyShare(owner, for: purpose ?? nil, by: part ?? nil), atLeast: atLeast ?? .zero, atMost: atMost)
    }

    private mutating func owner(_ tree: Tree?) -> EnergyShare.Owner? {
        if case .scalar(let text, _)? = tree {
            if text == EnergyShare.system { return .system }
            if text == EnergyShare.device { return .device }
        }
        return app(tree).map(EnergyShare.Owner.app)
    }

    private mutating func joules(_ tree: Tree?) -> Energy? {
        value(tree, of: Energy.form) { text throws(Mismatch) in try Energy(scenario: text) }
    }
}
