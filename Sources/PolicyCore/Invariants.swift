internal import Model

/// What must hold after every event; a text names what does not.
extension System {
    package func brokenInvariants() -> [String] {
        var broken = Findings()
        broken.require(illegalTransitions == 0, "\(illegalTransitions) illegal transitions were decided")
        broken.require(touched.isEmpty && effects.isEmpty && answers.isEmpty, "work is left over")
        // As a span: to walk through the array itself copies each app, and this is done after every simulated event.
        let all = apps.span
        for i in all.indices { check(all[i], &broken) }
        broken.require(
            conditions.midnight == nil || apps.indices.contains { apps[$0].process != .none && !isSuspended($0) },
            "a new day is waited for, and nobody runs")
        for role in ScreenRole.allCases {
            guard let index = screen[role] else { continue }
            broken.require(apps[Int(index.rawValue)].role == role, "\(role.name) is an app that does not know it")
        }
        return broken.texts
    }

    private func check(_ app: borrowing App, _ broken: inout Findings) {
        let before = broken.texts.count
        checkProcess(app, &broken)
        checkSuspension(app, &broken)
        checkScreen(app, &broken)
        checkDeadlines(app, &broken)
        checkTasks(app, &broken)
        checkPriority(app, &broken)
        broken.texts += brokenMechanisms(app)
        broken.texts += brokenHolds(app)
        checkWindows(app, &broken)
        for place in before..<broken.texts.count {
            broken.texts[place] = "\(app.manifest.identifier): " + broken.texts[place]
        }
    }

    private struct Findings {
        var texts: [String] = []

        mutating func require(_ condition: Bool, _ text: @autoclosure () -> String) {
            if !condition { texts.append(text()) }
        }
    }

    @inline(__always) private func checkProcess(_ app: borrowing App, _ broken: inout Findings) {
        let exists = app.process != .none
        broken.require((app.state != .notRunning) == exists, "a process exists for exactly what runs")
        broken.require(app.isInstalled || !exists || app.ending != nil, "it runs and is not installed")
        broken.require(exists || app.outstanding.isEmpty, "a callback to nobody")
        broken.require(exists || app.ending == nil, "an end of nobody")
        broken.require(exists || app.assertions.isEmpty, "an assertion of nobody")
        broken.require(!app.isPlain || app.outstanding.isEmpty, "a callback to a plain program")
        broken.require(app.ending?.phase != .killing || app.outstanding.isEmpty, "a callback to what is being killed")
        broken.require(
            profile.hasMultitasking || (app.state != .suspended && app.suspension == .none) || app.ending != nil,
            "\(app.state.name) on a device without multitasking")
    }

    @inline(__always) private func checkSuspension(_ app: borrowing App, _ broken: inout Findings) {
        guard app.ending == nil else { return }
        let isFrozen = app.suspension == .confirmed
        broken.require(isFrozen == (app.state == .suspended), "\(app.state.name) and \(app.suspension)")
        broken.require(!app.suspension.isUnderWay || app.outstanding.isEmpty, "frozen inside a callback")
        broken.require(
            !app.suspension.isUnderWay || presence(inRole: app.role) == .hidden,
            "visible and \(app.suspension)")
        broken.require(!app.suspension.isUnderWay || app.assertions.isEmpty, "\(app.suspension) with an assertion")
    }

    /// The one rule: on screen, entitled to run, or suspended.
    @inline(__always) private func checkScreen(_ app: borrowing App, _ broken: inout Findings) {
        broken.require(app.role.map { screen[$0] == app.index } ?? true, "its role is not its own")
        if app.process == .none {
            broken.require(app.role == nil || presence(inRole: app.role) == .hidden, "on screen and not running")
        }
        guard app.isSettled else { return }
        switch presence(inRole: app.role) {
        case .active: broken.require(app.state == .active, "\(app.state.name) and should be active")
        case .inactive: broken.require(app.state == .inactive, "\(app.state.name) and should be inactive")
        case .hidden:
            broken.require(!app.state.isForeground, "\(app.state.name) and not on screen")
            broken.require(
                !app.assertions.isEmpty || app.suspension != .none, "runs in the background, and nothing entitles it")
        }
    }

    /// Every task is an assertion, and in the background their time is limited by whatever limits it.
    @inline(__always) private func checkTasks(_ app: borrowing App, _ broken: inout Findings) {
        broken.require(
            app.tasks.held.count == app.assertions.tasks.count
                && app.tasks.held.indices.allSatisfy { app.tasks.held[$0].assertion == app.assertions.tasks[$0].id },
            "tasks and assertions differ")
        guard app.isSettled else { return }
        let isHidden = presence(inRole: app.role) == .hidden
        broken.require(isHidden || app.tasks.clock == .stopped, "the time for tasks runs on screen")
        guard isHidden, !app.tasks.isEmpty else { return }
        broken.require(app.tasks.clock != .stopped, "tasks without a limit in the background")
        let isJudged = app.exceeded?.limit == .tasks
        let isArmed = deadlines.instant(DeadlineSlot(app: app.index, kind: .assertion)) != nil
        let others = !app.assertions.others.isEmpty
        broken.require(others || isJudged || isArmed, "tasks for ever")
    }

    /// Nothing that somebody sees or hears gives way, and what nobody does gives way once nothing is asked of it.
    @inline(__always) private func checkPriority(_ app: borrowing App, _ broken: inout Findings) {
        guard app.isSettled else { return }
        let isPerceived = presence(inRole: app.role) != .hidden || app.assertions.isPerceived
        broken.require(!isPerceived || app.priority == .foreground, "seen or heard, with priority \(app.priority.name)")
        guard !isPerceived, app.state == .background, !app.suspension.isUnderWay else { return }
        let hurries = app.tasks.areExpiring || app.mustAnswerSoon || app.windows.areTimed
        let wanted: AppPriority = hurries ? .timed : .background
        broken.require(app.priority == wanted, "in the background with priority \(app.priority.name)")
    }

    /// Every window is an assertion; in the background its time is limited by whatever limits it.
    @inline(__always) private func checkWindows(_ app: borrowing App, _ broken: inout Findings) {
        let isArmed = deadlines.instant(DeadlineSlot(app: app.index, kind: .window)) != nil
        broken.require(!app.windows.isEmpty || !isArmed, "a deadline of no window")
        guard !app.windows.isEmpty else { return }
        broken.require(
            app.windows.held.allSatisfy { window in
                app.assertions.others.contains { $0.id.rawValue == window.id.rawValue }
            },
            "a window without an assertion")
        guard app.isSettled else { return }
        let isHidden = presence(inRole: app.role) == .hidden
        broken.require(isHidden == isArmed || app.exceeded != nil, "what it was woken for takes for ever")
        for window in app.windows.held {
            broken.require((window.phase == .stopped) != isHidden, "a window is \(window.phase)")
            broken.require(!window.isWaiting, "it is awake, and does not hear for what")
        }
    }

    /// Whatever waits has a deadline, and every deadline belongs to something that waits.
    @inline(__always) private func checkDeadlines(_ app: borrowing App, _ broken: inout Findings) {
        func isArmed(_ kind: DeadlineKind) -> Bool {
            deadlines.instant(DeadlineSlot(app: app.index, kind: kind)) != nil
        }
        let isJudged = app.exceeded != nil
        let isLaunching = app.process == .starting || app.process == .connecting || app.process == .launching
        broken.require(!isLaunching || isArmed(.limit) || isJudged, "a launch without a limit")
        broken.require(app.outstanding.isEmpty || isArmed(.limit) || isJudged, "a callback without a limit")
        switch app.ending?.phase {
        case .killing: broken.require(isArmed(.limit), "killed only once")
        case .asked: broken.require(isArmed(.limit) || isJudged, "asked to end without a limit")
        case .leaving, nil: break
        }
        switch app.suspension {
        case .preparing, .freezing, .verifying, .waiting:
            broken.require(isArmed(.suspension), "\(app.suspension) for ever")
        case .none, .confirmed: broken.require(!isArmed(.suspension), "a deadline of no suspension")
        }
        if app.isSettled, app.state.isRunning, !app.suspension.isUnderWay {
            broken.require(isArmed(.check) || isJudged, "it runs and nobody looks at it")
        }
        if app.process == .none || (app.state == .suspended && app.ending == nil) {
            // Its connections have a time.
            let mayHave = app.deadlineOfStandstill
            for kind in DeadlineKind.every where kind != mayHave {
                broken.require(!isArmed(kind), "a deadline (\(kind)) of what does not run")
            }
        }
    }
}
