internal import Model

/// What must hold after every event; a text names what does not.
extension System {
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) {
            if !condition { broken.append(text()) }
        }
        require(illegalTransitions == 0, "\(illegalTransitions) illegal transitions were decided")
        require(touched.isEmpty && effects.isEmpty && answers.isEmpty, "work is left over")
        for (i, app) in apps.enumerated() {
            let name = app.manifest.identifier.rawValue
            let isVisible = presence(i) != .hidden
            require(
                (app.state == .notRunning) == (app.process == .none), "\(name): a process exists for exactly what runs")
            require(!(isVisible && app.state == .suspended && app.ending == nil), "\(name): visible and suspended")
            require(
                app.state != .suspended || app.suspension == .confirmed || app.ending != nil,
                "\(name): suspended without the kernel's word")
            require(
                app.suspension != .confirmed || app.state == .suspended || app.ending != nil,
                "\(name): confirmed frozen but \(app.state.name)")
            require(
                !(isVisible && app.suspension.isUnderWay && app.ending == nil), "\(name): visible and being frozen")
            require(!app.suspension.isUnderWay || app.outstanding.isEmpty, "\(name): being frozen inside a callback")
            require(app.outstanding.isEmpty || app.state != .suspended, "\(name): a callback to a suspended app")
            require(app.process != .none || app.outstanding.isEmpty, "\(name): a callback to nobody")
            require(app.role.map { screen[$0] == app.index } ?? true, "\(name): its role is not its own")
            require(app.assertions.held.isEmpty || app.process != .none, "\(name): an assertion of nobody")
            require(
                app.assertions.isEmpty || app.state != .suspended || app.ending != nil,
                "\(name): suspended with an assertion")
            require(
                !isIdleInBackground(app) || isVisible || !app.assertions.isEmpty || app.suspension != .none,
                "\(name): runs in the background, and nothing entitles it")
            require(
                app.outstanding.isEmpty || app.exceeded != nil || isArmed(i, .limit),
                "\(name): a callback without a limit")
        }
        for (slot, _) in deadlines.armed {
            let app = apps[Int(slot.app.rawValue)]
            require(app.process != .none, "\(app.manifest.identifier): a deadline of nobody (\(slot.kind))")
            require(
                app.state != .suspended || app.ending != nil || slot.kind == .assertion,
                "\(app.manifest.identifier): suspended with a deadline (\(slot.kind))")
        }
        for role in ScreenRole.allCases {
            guard let index = screen[role] else { continue }
            let app = apps[Int(index.rawValue)]
            require(app.role == role, "\(app.manifest.identifier): on screen without knowing it")
        }
        return broken
    }

    private func isIdleInBackground(_ app: App) -> Bool {
        app.state == .background && app.isSettled
    }

    private func isArmed(_ i: Int, _ kind: DeadlineKind) -> Bool {
        deadlines.instant(DeadlineSlot(app: apps[i].index, kind: kind)) != nil
    }
}
