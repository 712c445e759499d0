internal import Model
internal import PolicyCore

// What apps are told of the device: what it is, and telling the Core.
extension Device {
    /// What the world does not know.
    struct Conditions {
        var locale = "en_US"
        var timeZone = TimeZoneReading.utc
        var screen = ScreenReading()
        /// `nil`: as the world says.
        var charge: BatteryReading.State?
        var isWired = false
        /// `nil`: the device has nothing that could tell, as most machines.
        var lowPower: Bool?
        var thermalState: ThermalState?
        var orientation: Orientation?
        /// How often each was changed.
        var stores: [String: Int64] = [:]
        var settings: [Int: [Setting]] = [:]
        /// What the Core was told last, and since when all of it is so.
        var told: [Condition] = []
        var toldAt = Instant.zero
        /// False while a daemon does not know yet.
        var isTold = false
    }

    var network: NetworkKind {
        switch surroundings.ask({ $0.reachability }) {
        case .none: .none
        case .cellular: .cellular
        case .wifi: conditions.isWired ? .wired : .wifi
        }
    }

    var battery: BatteryReading {
        let (isCharging, percent) = surroundings.ask { ($0.isCharging, $0.batteryPercent) }
        return BatteryReading(conditions.charge ?? (isCharging ? .charging : .unplugged), percent: Int32(percent))
    }

    private var present: [Condition] {
        [
            .locale(conditions.locale), .timeZone(conditions.timeZone), .screen(conditions.screen), .battery(battery),
            .network(network),
        ]
            + [
                conditions.lowPower.map(Condition.lowPower), conditions.thermalState.map(Condition.thermalState),
                conditions.orientation.map(Condition.orientation),
            ].compactMap { $0 }
            + conditions.stores.sorted { $0.key < $1.key }.map { .store(SharedStore($0.key, stamp: $0.value)) }
    }

    func changeConditions(_ body: (inout Conditions) -> Void) {
        body(&conditions)
        noteConditions()
    }

    func setNetwork(_ kind: NetworkKind) {
        conditions.isWired = kind == .wired
        let reachability: Reachability =
            switch kind {
            case .none: .none
            case .cellular: .cellular
            case .wifi, .wired: .wifi
            }
        changeWorld { $0.force(reachability) }
    }

    func setBattery(_ battery: BatteryReading) {
        conditions.charge = battery.state
        let isPlugged = battery.state == .charging || battery.state == .full
        changeWorld {
            $0.connect(charger: isPlugged ? .milliwatts(5_000) : .zero)
            $0.setBattery(percent: Int(battery.percent))
        }
    }

    func changeSetting(_ name: String, _ key: String, _ value: String?) -> CommandID {
        command(name) { .changeSetting($0, key: key, value: value) }
    }

    func set(_ key: String, to value: String?, _ place: Int) {
        var settings = conditions.settings[place] ?? []
        settings.removeAll { $0.key == key }
        if let value { settings.append(Setting(key: key, value: value)) }
        conditions.settings[place] = settings.sorted { $0.key < $1.key }
        conditions.toldAt = now
    }

    /// News of a change come a moment later, as the kernel's do.
    func noteConditions() {
        guard conditions.isTold, present != conditions.told else { return }
        queue.insert(.conditionsChanged, at: now + random.draw(costs.news))
    }

    /// A starting daemon tells everything, later ones what is new.
    func tellConditions() {
        guard daemon == .running else { return }
        let (now, before) = (present, conditions.isTold ? conditions.told : [])
        guard now != before else { return }
        conditions.told = now
        conditions.toldAt = self.now
        conditions.isTold = true
        for condition in now where !before.contains(condition) { send(.conditionSensed(condition)) }
    }

    func tell(_ conditions: DeviceConditions, _ place: Int) {
        if apps[place].process?.freezer != .running { violate("a frozen app is told of changes") }
        after(costs.message, place) { .conditions(conditions, connection: $0.connection) }
    }

    /// An app hears: it compares with what it knew, as UIKit does.
    func hear(_ conditions: DeviceConditions, _ place: Int) {
        if let known = apps[place].process?.conditions {
            let changes = conditions.changes(since: known)
            apps[place].changes += changes
            if changes.contains(.protectedData) { apps[place].protection.append(conditions.protectedData) }
        }
        apps[place].process?.conditions = conditions
        apps[place].program?.told(conditions)
    }
}
