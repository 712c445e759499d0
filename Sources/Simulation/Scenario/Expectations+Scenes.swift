internal import Model
internal import PolicyCore

extension ScenarioRun {
    func explainScene(_ name: String, _ scene: SceneNumber, _ state: SceneState) -> Finding? {
        let place = device.place(named: name)
        let heard = place.flatMap { place in
            device.apps[place].process == nil ? nil : device.checkers.watch(place).grammar.scenes.connected[scene]
        }
        let found = heard ?? .unattached
        guard found != state else { return nil }
        let index = place.flatMap { device.apps[$0].index }
        return Finding(
            text: "scene \(scene.rawValue) of \(name) should be \(state.name) and is \(found.name)",
            entry: device.log.last { $0.app == index })
    }
}
