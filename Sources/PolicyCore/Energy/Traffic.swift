package import Model

// What was seen of the network is charged to whose it was (E1). No decision follows from that by itself: whoever plans
// asks what the radio is doing.
extension System {
    mutating func trafficSeen(
        _ app: AppIndex?, _ purpose: Purpose, sent: Int64, received: Int64, from: Instant, to: Instant
    ) {
        if let app, self.app(app)?.isInstalled != true { return }
        let end = min(to, now)
        guard from <= end, let part = connection.part else { return }
        withAccount {
            $0.traffic(
                Consumer(app: app, purpose), over: part, sent: min(max(0, sent), Self.mostBytes),
                received: min(max(0, received), Self.mostBytes), from: max(.zero, from), to: end)
        }
    }

    /// No report is of more: sums of picojoules stay far from where they would overflow.
    private static let mostBytes: Int64 = 1 << 36

    private mutating func withAccount(_ body: (inout EnergyAccount) -> Void) {
        var account = energy ?? EnergyAccount(cellular: profile.cellularModel)
        // Two copies of one array would be one copy too many.
        energy = nil
        body(&account)
        energy = account
    }

    mutating func forgetEnergy(of app: AppIndex) {
        if energy != nil { withAccount { $0.forget(app) } }
    }

    /// How the device is connected, as far as energy goes.
    private var connection: (part: EnergyPart?, isOn: Bool) {
        guard case .network(let kind)? = conditions.value(.network) else { return (.wifi, true) }
        switch kind {
        case .none: return (nil, false)
        case .wifi: return (.wifi, true)
        case .cellular: return (.cellular, true)
        case .wired: return (nil, true)
        }
    }

    /// What the radio in use is doing, as an account has it. A cable is a radio that costs nothing.
    package func radio(in account: EnergyAccount) -> RadioState {
        guard connection.isOn else { return .noNetwork }
        return connection.part.map { account.state(of: $0) } ?? RadioState(.wired)
    }

    /// The account as it stands at a moment.
    package func energyAccount(at moment: Instant) -> EnergyAccount {
        var account = energy ?? EnergyAccount(cellular: profile.cellularModel)
        account.settle(to: max(now, moment))
        return account
    }
}
