internal import Model
internal import PolicyCore
internal import Simulation

// What the machine said of itself, and what somebody pretended.
extension ScenarioMaker {
    mutating func noteCondition(_ condition: Condition) {
        let before = sensed.updateValue(condition, forKey: condition.kind)
        if before != condition { addAll(condition) }
    }

    /// In a scenario, what is pretended simply is.
    mutating func noteSimulation(_ command: Command) {
        switch command {
        case .simulate(let condition): addAll(condition)
        case .endSimulation(let kind): if let real = sensed[kind] ?? Self.unsensed(kind) { addAll(real) }
        default: return
        }
    }

    /// What counts where the machine has nothing to say.
    private static func unsensed(_ kind: SystemChange) -> Condition? {
        switch kind {
        case .lowPower: .lowPower(false)
        case .thermalState: .thermalState(.nominal)
        case .orientation: .orientation(.unknown)
        case .significantTime: .clock(ahead: 0)
        case .settings, .locale, .timeZone, .screen, .battery, .network, .backgroundRefresh,
            .sharedStores, .protectedData, .screenshot, .memory:
            nil
        }
    }

    private mutating func addAll(_ condition: Condition) {
        switch condition {
        case .locale(let identifier): add(.locale(identifier))
        // When clocks go forward is not part of a scenario.
        case .timeZone(let zone): add(.timeZone(zone.identifier, offset: zone.offset))
        case .screen(let screen):
            add(.brightness(screen.brightness))
            add(.screens(screen.external))
        case .battery(let battery): add(.battery(battery))
        case .network(let network): add(.network(network))
        case .lowPower(let isOn): add(.lowPower(isOn))
        case .thermalState(let state): add(.thermalState(state))
        case .orientation(let orientation): add(.orientation(orientation))
        case .store(let store): add(.changeStore(store.name))
        case .clock(let seconds):
            let change = seconds &- pretendedClock
            pretendedClock = seconds
            if change != 0 { add(.setClock(by: .seconds(Double(change)))) }
        case .screenshot: add(.screenshot)
        }
    }
}
