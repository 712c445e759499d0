package import Model

// An app with scenes (L1, L6): each has a place on the screen of its own, and the app is in the foreground while one of
// them is. Its process is launched with the table that the sessions are in, and hears of every step by a callback.
extension System {
    /// Before a launch, or what leads to one: what is installed now may have scenes, or none.
    mutating func prepareScenes(_ i: Int) {
        let isWanted = apps[i].manifest.scenes != .none && apps[i].manifest.kind == .application
        guard isWanted != apps[i].$scenes else { return }
        if isWanted {
            apps[i].scenes = SceneTable()
            // It was on the screen without.
            if let role = apps[i].role { place(nil, of: i, as: role) }
        } else {
            for session in apps[i].scenes?.sessions ?? [] where session.role != apps[i].role {
                if let role = session.role { screen.remove(role) }
            }
            apps[i].scenes = nil
            fetch.changes &+= 1
        }
    }

    /// Puts a scene in a place, the one that was shown last unless another is wanted.
    mutating func place(_ wanted: SceneNumber?, of i: Int, as role: ScreenRole) {
        guard let scene = wanted ?? apps[i].scenes?.newest ?? addScene(i) else { return }
        if let old = apps[i].scenes?[scene]?.role, old != role { screen.remove(old) }
        let isInOrder = apps[i].scenes?.newest == scene
        apps[i].changeScenes { $0.show(scene, as: role) }
        if !isInOrder { fetch.changes &+= 1 }
        apps[i].role = apps[i].scenes?.role
    }

    mutating func addScene(_ i: Int) -> SceneNumber? {
        var added: SceneNumber?
        apps[i].changeScenes { added = $0.add() }
        if added != nil { fetch.changes &+= 1 }
        return added
    }

    /// - Parameter role: `nil`: every place that it has.
    mutating func leaveScenes(_ i: Int, _ role: ScreenRole?) {
        apps[i].changeScenes { $0.leave(role) }
        apps[i].role = apps[i].scenes?.role
    }

    // MARK: On the screen

    mutating func bringScenesToScreen(_ i: Int, isActive: Bool) {
        guard let scenes = apps[i].scenes else { return }
        let (state, urls) = (apps[i].state, apps[i].pendingURLs.count)
        var plan = CallPlan()
        scenes.addLeaving(to: &plan)
        scenes.addComing(urls: urls, to: &plan)
        if state == .background { plan.add(.willEnterForeground) }
        scenes.addURLs(urls, to: &plan)
        scenes.addActivity(isActive, to: &plan)
        if isActive {
            if state != .active { plan.add(.didBecomeActive) }
        } else if state == .active {
            plan.add(.willResignActive)
        }
        scenes.addEnding(to: &plan)
        call(i, plan, after: apps[i].cause)
    }

    // MARK: Off the screen

    /// What goes of an app that runs in the background, before it is suspended; false if nothing does.
    mutating func endScenes(_ i: Int) -> Bool {
        guard apps[i].$scenes, apps[i].state == .background, !apps[i].suspension.isUnderWay, apps[i].isConnected else {
            return false
        }
        if memory.level > .normal { disconnectIdleScenes(i) }
        var plan = CallPlan()
        apps[i].scenes?.addEnding(to: &plan)
        guard !plan.kinds.isEmpty else { return false }
        call(i, plan, after: apps[i].cause)
        return true
    }

    /// Memory is short: of the scenes that nobody sees, one is left at most, by which the app comes back as it was.
    mutating func disconnectIdleScenes(_ i: Int) {
        let keepsOne = presence(i) == .hidden
        apps[i].changeScenes { table in
            for number in table.idle.dropLast(keepsOne ? 1 : 0) { table.change(number) { $0.isToDisconnect = true } }
        }
    }

    mutating func disconnectScenesForMemory() {
        for i in apps.indices where apps[i].$scenes && isSettled(i) && apps[i].state.isRunning {
            disconnectIdleScenes(i)
            apps[i].cause = root ?? apps[i].cause
            touch(apps[i].index)
        }
    }

    // MARK: What became of it

    mutating func finish(_ call: SceneCall, _ i: Int) {
        guard let state = apps[i].scenes?[call.scene]?.state else { return }
        guard let next = try? state.after(call.step) else {
            illegalTransitions += 1
            return
        }
        apps[i].changeScenes { table in
            table.change(call.scene) { session in
                session.state = next
                if call.step == .willConnect { session.isKnown = true }
                if call.step == .willConnect { session.wish = 0 }
                if call.step == .didDisconnect { session.isToDisconnect = false }
            }
            if call.step == .didDiscard { table.remove(call.scene) }
        }
        if call.step == .didDiscard { fetch.changes &+= 1 }
    }

    /// The device was restarted.
    mutating func restoreScenes(_ wishes: WakeWishes, _ i: Int) {
        guard wishes.hasScenes, apps[i].process == .none, apps[i].manifest.scenes != .none else { return }
        apps[i].scenes = SceneTable(restoring: wishes.scenes, closed: wishes.closedScenes)
    }

    // MARK: Wanted and closed

    /// The sessions that a user could choose, the one that was shown last at the end.
    package func sceneSessions(_ app: AppIndex) -> [SceneSession] { self.app(app)?.scenes?.kept ?? [] }

    /// The number of a scene that is to be shown: the one that is named, or a new one.
    mutating func wantedScene(_ number: SceneNumber?, _ i: Int) throws(Refusal) -> SceneNumber {
        let name = apps[i].manifest.name
        if apps[i].process == .none { prepareScenes(i) }
        guard apps[i].$scenes else { throw .noScenes(name) }
        if let number {
            guard apps[i].scenes?[number]?.isDiscarded == false else { throw .unknownScene(name, number) }
            return number
        }
        guard apps[i].manifest.scenes == .several else { throw .oneScene(name) }
        guard let added = addScene(i) else { throw .tooManyScenes(name, limit: Int32(SceneTable.most)) }
        return added
    }

    /// It is closed for good.
    mutating func discard(_ number: SceneNumber, of i: Int) throws(Refusal) {
        guard let session = apps[i].scenes?[number], !session.isDiscarded else {
            throw .unknownScene(apps[i].manifest.name, number)
        }
        if let role = session.role { screen.remove(role) }
        let isUnheard = !session.isKnown && !apps[i].outstanding.contains { $0.callback.scene?.scene == number }
        apps[i].changeScenes { table in
            table.change(number) { session in
                session.role = nil
                session.isDiscarded = true
            }
            if isUnheard { table.remove(number) }
        }
        apps[i].role = apps[i].scenes?.role
        fetch.changes &+= 1
        touch(apps[i].index)
    }

    // MARK: What apps ask for

    mutating func handle(_ request: SceneRequest, _ i: Int, _ id: RequestID) {
        do throws(Refusal) {
            switch request {
            case .activate(let number, let wish): reply(i, id, .scene(try activate(number, wish: wish, i)))
            case .destroy(let number):
                try discard(number, of: i)
                reply(i, id, .noted)
            }
        } catch {
            reply(i, id, .refused(error))
        }
    }

    private mutating func activate(_ number: SceneNumber?, wish: UInt32, _ i: Int) throws(Refusal) -> SceneNumber {
        guard presence(i) != .hidden, let chief = apps[i].role else { throw .notInForeground }
        try requireUnlocked()
        try countOpening()
        let scene = try wantedScene(number, i)
        apps[i].changeScenes { $0.change(scene) { $0.wish = wish } }
        let reason = Reason.sceneWanted(apps[i].manifest.name, scene)
        logRoot(.openRequested, reason, cause: apps[i].cause)
        show(i, scene, as: apps[i].scenes?[scene]?.role ?? roleBeside(chief), reason)
        return scene
    }

    /// Beside the app's other scene where the screen has room for two, else in its place.
    private func roleBeside(_ chief: ScreenRole) -> ScreenRole {
        switch chief {
        case .primary where profile.hasSplitScreen: .secondary
        case .secondary: .primary
        case .primary, .pip: chief
        }
    }
}
