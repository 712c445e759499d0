internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// Tells what the network and the power are like, and whether an app is on screen, when that changes. What can wait
/// goes while somebody else keeps the radio awake; when that will be over, it is looked at again.
final class ServiceConditionsWatch {
    private unowned let host: Host
    private let isHeard: () -> Bool
    private let onChange: (ServiceConditions) -> Void
    private var told: ServiceConditions?
    private var version: UInt64?
    /// When the radio will have gone cold, if nothing more moves.
    private var coldAt: Int64?

    /// - Parameter isHeard: whether anybody is there who wants to know.
    init(_ host: Host, isHeard: @escaping () -> Bool, _ onChange: @escaping (ServiceConditions) -> Void) {
        self.host = host
        self.isHeard = isHeard
        self.onChange = onChange
    }

    /// That they are the same costs little to find out, since every decision of the Core asks for it.
    func look() {
        let conditions = host.system.conditions
        let isScreenOther =
            told.map {
                $0.appOnScreen != host.system.isAppOnScreen
                    || $0.locked != (host.system.isLocked || host.system.isAsleep)
                    || $0.call != ServiceConditions.Call(host.system.call)
                    || $0.screenHeld != (host.system.screenHolder != nil)
            } ?? false
        guard conditions.presentNetwork == .cellular || version != conditions.changeCount || isScreenOther, isHeard()
        else { return }
        _ = present()
    }

    /// As they are now; who was told of others hears of it.
    func present() -> ServiceConditions {
        let system = host.system
        version = system.conditions.changeCount
        let isWarm = system.conditions.presentNetwork == .cellular && isRadioWarm()
        let conditions = ServiceConditions(system, radioIsWarm: isWarm)
        let before = told
        told = conditions
        if let before, before != conditions { onChange(conditions) }
        return conditions
    }

    private func isRadioWarm() -> Bool {
        let now = Clock.boot()
        let radio = host.system.radio(in: host.system.energyAccount(at: Instant(nanoseconds: now)))
        guard radio.isWarm else { return false }
        if coldAt.map({ $0 <= now }) ?? true {
            let rest = max(radio.warmFor.nanoseconds, 1_000_000)
            coldAt = now + rest
            host.loop.after(nanoseconds: rest) { [weak self] in
                self?.coldAt = nil
                self?.look()
            }
        }
        return true
    }
}

extension ServiceConditions {
    fileprivate init(_ system: System, radioIsWarm: Bool) {
        let conditions = system.conditions
        let battery = conditions.battery
        let network = Network(rawValue: conditions.presentNetwork.name) ?? .none
        self.init(
            network: network, metered: network == .cellular, externalPower: battery.state != .unplugged,
            battery: battery.state == .unknown ? nil : Double(battery.percent) / 100, radioWarm: radioIsWarm,
            appOnScreen: system.isAppOnScreen, lowPower: conditions.isLowPower,
            locked: system.isLocked || system.isAsleep,
            call: Call(system.call), screenHeld: system.screenHolder != nil)
    }
}

extension ServiceConditions.Call {
    init(_ call: CallState) {
        self =
            switch call {
            case .none: .none
            case .ringing: .ringing
            case .connected: .connected
            }
    }
}
