internal import Model

extension System {
    /// The app knows that this place is its.
    func isShown(_ i: Int, as role: ScreenRole) -> Bool {
        apps[i].$scenes ? apps[i].scenes?.occupant(of: role) != nil : apps[i].role == role
    }

    /// What must hold of an app with scenes; a text names what does not.
    func brokenScenes(_ i: Int) -> [String] {
        guard let scenes = apps[i].scenes else { return [] }
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) {
            if !condition { broken.append(text()) }
        }
        require(scenes.isSound, "its scenes are damaged")
        require(scenes.role == apps[i].role, "its place is not that of its scenes")
        let presence = presence(i)
        for session in scenes.sessions {
            let name = "scene \(session.number.rawValue)"
            if let role = session.role {
                require(screen[role] == apps[i].index, "\(name) has a place that is not its")
                require(!session.isDiscarded, "\(name) is closed and on screen")
            }
            if apps[i].process == .none { require(session.state == .unattached, "\(name) is connected to nobody") }
            guard isSettled(i) else { continue }
            let wanted: SceneState? =
                switch presence {
                case .hidden: nil
                case .inactive: .inactive
                case .active: .active
                }
            if session.role != nil, let wanted {
                require(session.state == wanted, "\(name) is \(session.state.name) and should be \(wanted.name)")
            } else {
                require(!session.state.isForeground, "\(name) is \(session.state.name) and not on screen")
            }
        }
        return broken
    }
}
