internal import Model
internal import PolicyCore

extension ScenarioRun {
    func explainEnergy(_ share: EnergyShare, _ least: Energy, _ most: Energy?) -> Finding? {
        let found = spent(share)
        guard found < least || most.map({ found > $0 }) == true else { return nil }
        let bounds = [
            least > .zero ? "at least \(least.text)" : nil, most.map { "at most \($0.text)" },
        ].compactMap(\.self)
        let rounded = Energy(picojoules: found.picojoules / 1_000_000 * 1_000_000)
        return Finding(
            text: "\(share.text) should have cost \(bounds.joined(separator: " and ")) and cost \(rounded.text)",
            entry: lastEntry(of: share))
    }

    /// Up to now, tails that are not over included as far as they have lasted.
    private func spent(_ share: EnergyShare) -> Energy {
        let now = device.now
        let entries = device.system.ask { $0.energyAccount(at: now).ledger.entries }
        let app = index(of: share)
        return entries.reduce(.zero) { sum, entry in
            let isOwned =
                switch share.owner {
                case .app: app != nil && entry.consumer.app == app
                case .system: entry.consumer.app == nil
                case .device: true
                }
            let isMeant =
                isOwned && share.purpose ?? entry.consumer.purpose == entry.consumer.purpose
                && share.part ?? entry.part == entry.part
            return isMeant ? sum + entry.energy : sum
        }
    }

    private func index(of share: EnergyShare) -> AppIndex? {
        guard case .app(let name) = share.owner else { return nil }
        return device.place(named: name).flatMap { device.apps[$0].index }
    }

    private func lastEntry(of share: EnergyShare) -> LogEntry? {
        index(of: share).flatMap { app in device.log.last { $0.app == app } }
    }
}

extension EnergyShare {
    /// For people.
    var text: String {
        let name: String =
            switch owner {
            case .app(let app): app
            case .system: "the system"
            case .device: "the device"
            }
        return name + (purpose.map { " for \($0.phrase)" } ?? "") + (part.map { " by \($0.name)" } ?? "")
    }
}

extension Energy {
    /// As scenarios write it: `12J`, `0.5J`, exactly.
    package var text: String {
        let (whole, rest) = picojoules.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        var digits = String(rest)
        digits = String(repeating: "0", count: 12 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return (picojoules < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits) + "J"
    }
}
