internal import Model
internal import PolicyCore

// What a service was allowed to do for an app counts until it ends that, or hears that it is over; and an app without
// the key stands still only after the service has stopped.
extension Checkers {
    func checkServices(_ place: Int, _ app: AppIndex, _ effects: [Effect], _ device: Device) {
        // It is about to hear that this is over.
        let isOver = effects.contains { effect in
            if case .service(.ended(_, let incarnation, _)) = effect.action { incarnation.app == app } else { false }
        }
        guard !isOver, !device.services.isEmpty else { return }
        let name = device.apps[place].script.name
        for service in device.usedServices(place, withKey: true) {
            device.violate("\(name) is frozen although \(service) holds it")
        }
        for service in device.awaitedServices(place) {
            device.violate("\(name) is frozen although \(service), which held it, may be there again in time")
        }
        for service in device.usedServices(place, withKey: false) {
            guard let simulated = device.services.first(where: { $0.script.declaration.name == service }),
                !simulated.isStalled, simulated.script.stopTime < .seconds(1)
            else { continue }
            device.violate("\(name) is frozen before \(service) has stopped")
        }
    }

    /// Whether a service lets it run, or may do so.
    func mayBeHeld(_ place: Int, _ device: Device) -> Bool {
        !device.services.isEmpty
            && (device.hasUnclearServices(place) || device.isUsed(place, withKey: true))
    }
}
