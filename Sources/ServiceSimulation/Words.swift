package import Model
package import ServiceCore
package import Simulation

// What the simulated daemon says, in the words of a policy.

extension AppStanding.State {
    package init(_ state: LifecycleState) {
        self =
            switch state {
            case .active: .active
            case .inactive: .inactive
            case .background: .background
            case .suspended: .suspended
            case .notRunning: .none
            }
    }
}

extension WakeAnswer {
    package init(_ answer: ServiceModelAnswer) {
        self =
            switch answer {
            case .allowed: .allowed
            case .refused: .notNow
            case .impossible: .never
            case .lost: .lost
            }
    }
}

extension HoldAnswer {
    package init(_ answer: ServiceModelAnswer) {
        self =
            switch answer {
            case .allowed: .allowed
            case .refused, .impossible: .refused
            case .lost: .lost
            }
    }
}

extension ServiceAnswer {
    package init(_ reply: ServiceModelReply) {
        self =
            switch reply {
            case .done: .heard
            case .refused: .refused
            case .ended: .lost
            }
    }
}

extension DeviceFacts {
    package init(_ conditions: ServiceModelConditions) {
        self.init()
        network = Network(rawValue: conditions.network.name) ?? .none
        hasExternalPower = conditions.isCharging
        battery = conditions.battery * 10
        isRadioWarm = conditions.isRadioWarm
        isLowPower = conditions.isLowPower
        isLocked = conditions.isLocked
        call = Call(rawValue: conditions.call.rawValue) ?? .none
    }
}
