internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// What daemon and transfer service tell each other, in the words of the other one.

extension TransferLink {
    /// The service counts in seconds of the wall clock; the account of energy in what the machine was awake and asleep.
    func trafficSeen(_ traffic: TransferTraffic) {
        let app = AppIdentifier(traffic.app).flatMap { host.system.index(of: $0) }
        // Of an app that is gone in the meantime; what tools transfer belongs to none.
        guard app != nil || traffic.app.isEmpty else { return }
        let (wall, boot) = (Clock.wall(), Clock.boot())
        func instant(_ seconds: Double) -> Instant {
            let age = Double(wall) - seconds * 1e9
            return Instant(nanoseconds: boot - Int64(min(max(0, age), Double(boot))))
        }
        let from = instant(traffic.from)
        host.trafficSeen(
            app, .transfer, sent: traffic.sent, received: traffic.received, from: from,
            to: max(from, instant(traffic.to)))
    }
}

extension TransferConditionsInfo {
    init(_ conditions: ConditionState, radioIsWarm: Bool) {
        let battery = conditions.battery
        let network = TransferNetwork(rawValue: conditions.presentNetwork.name) ?? .none
        self.init(
            network: network, metered: network == .cellular, externalPower: battery.state != .unplugged,
            battery: battery.state == .unknown ? nil : Double(battery.percent) / 100, radioWarm: radioIsWarm)
    }
}

extension TransferAppPresence {
    init(_ state: LifecycleState) {
        self =
            switch state {
            case .active, .inactive: .foreground
            case .background: .background
            case .suspended: .suspended
            case .notRunning: .none
            }
    }
}
