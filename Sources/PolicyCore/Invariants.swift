internal import Model

/// What must hold after every event; a text names what does not.
extension System {
    package func brokenInvariants() -> [String] {
        var broken = Findings()
        broken.require(illegalTransitions == 0, "\(illegalTransitions) illegal transitions were decided")
        broken.require(touched.isEmpty && effects.isEmpty && answers.isEmpty, "work is left over")
        // By place, and property by property: an app as a whole would be copied, after every simulated event.
        let holds = heldByServices()
        for i in apps.indices { check(i, holds, &broken) }
        broken.require(
            conditions.midnight == nil || apps.indices.contains { apps[$0].process != .none && !isSuspended($0) },
            "a new day is waited for, and nobody runs")
        broken.require(
            (conditions.protection != nil) == (screen.isLocked && profile.protectsDataAfter != nil)
                && (conditions.protectionDue != nil) == (conditions.protection == .ending),
            "protected files are not as the lock has it")
        broken.require(
            (conditions.screenKeepers ?? 0) == conditions.apps.count { $0.keepsScreenOn == true },
            "those that keep the screen on are miscounted")
        broken.require(!screen.hasLoneSecondary, "a secondary app without a primary one")
        for role in ScreenRole.allCases {
            guard let index = screen[role] else { continue }
            broken.require(isShown(Int(index.rawValue), as: role), "\(role.name) is an app that does not know it")
        }
        return broken.texts
    }

    private func check(_ i: Int, _ holds: [Broker.Hold], _ broken: inout Findings) {
        let before = broken.texts.count
        checkProcess(i, &broken)
        checkSuspension(i, &broken)
        checkScreen(i, &broken)
        checkDeadlines(i, &broken)
        checkTasks(i, &broken)
        checkPriority(i, &broken)
        let mechanisms = brokenMechanisms(i)
        if !mechanisms.isEmpty { broken.texts += mechanisms }
        if let hold = brokenHold(i, among: holds) { broken.texts.append(hold) }
        checkWindows(i, &broken)
        if apps[i].$scenes { broken.texts += brokenScenes(i) }
        for place in before..<broken.texts.count {
            broken.texts[place] = "\(apps[i].manifest.identifier): " + broken.texts[place]
        }
    }

    /// Something lets it run.
    @inline(__always) private func isEntitled(_ i: Int) -> Bool {
        !apps[i].assertions.others.isEmpty || !apps[i].assertions.tasks.isEmpty
    }

    private struct Findings {
        var texts: [String] = []

        mutating func require(_ condition: Bool, _ text: @autoclosure () -> String) {
            if !condition { texts.append(text()) }
        }
    }

    @inline(__always) private func checkProcess(_ i: Int, _ broken: inout Findings) {
        let exists = apps[i].process != .none
        broken.require((apps[i].state != .notRunning) == exists, "a process exists for exactly what runs")
        broken.require(apps[i].isInstalled || !exists || apps[i].$ending, "it runs and is not installed")
        broken.require(exists || apps[i].outstanding.isEmpty, "a callback to nobody")
        broken.require(exists || !apps[i].$ending, "an end of nobody")
        broken.require(exists || !isEntitled(i), "an assertion of nobody")
        broken.require(!isPlain(i) || apps[i].outstanding.isEmpty, "a callback to a plain program")
        if apps[i].$ending, apps[i].ending?.phase == .killing {
            broken.require(apps[i].outstanding.isEmpty, "a callback to what is being killed")
        }
        broken.require(
            profile.hasMultitasking || (apps[i].state != .suspended && apps[i].suspension == .none) || apps[i].$ending,
            "\(apps[i].state.name) on a device without multitasking")
    }

    @inline(__always) private func checkSuspension(_ i: Int, _ broken: inout Findings) {
        guard !apps[i].$ending else { return }
        let isFrozen = apps[i].suspension == .confirmed
        broken.require(isFrozen == (apps[i].state == .suspended), "\(apps[i].state.name) and \(apps[i].suspension)")
        broken.require(!apps[i].suspension.isUnderWay || apps[i].outstanding.isEmpty, "frozen inside a callback")
        broken.require(
            !apps[i].suspension.isUnderWay || presence(i) == .hidden,
            "visible and \(apps[i].suspension)")
        broken.require(!apps[i].suspension.isUnderWay || !isEntitled(i), "\(apps[i].suspension) with an assertion")
    }

    /// The one rule: on screen, entitled to run, or suspended.
    @inline(__always) private func checkScreen(_ i: Int, _ broken: inout Findings) {
        broken.require(apps[i].role.map { screen[$0] == apps[i].index } ?? true, "its role is not its own")
        if apps[i].process == .none {
            broken.require(apps[i].role == nil || presence(i) == .hidden, "on screen and not running")
        }
        guard isSettled(i) else { return }
        switch presence(i) {
        case .active: broken.require(apps[i].state == .active, "\(apps[i].state.name) and should be active")
        case .inactive: broken.require(apps[i].state == .inactive, "\(apps[i].state.name) and should be inactive")
        case .hidden:
            broken.require(!apps[i].state.isForeground, "\(apps[i].state.name) and not on screen")
            broken.require(
                isEntitled(i) || apps[i].suspension != .none, "runs in the background, and nothing entitles it")
        }
    }

    /// Every task is an assertion, and in the background their time is limited by whatever limits it.
    @inline(__always) private func checkTasks(_ i: Int, _ broken: inout Findings) {
        broken.require(
            apps[i].tasks.held.count == apps[i].assertions.tasks.count
                && apps[i].tasks.held.indices.allSatisfy {
                    apps[i].tasks.held[$0].assertion == apps[i].assertions.tasks[$0].id
                },
            "tasks and assertions differ")
        guard isSettled(i) else { return }
        let isHidden = presence(i) == .hidden
        broken.require(isHidden || apps[i].tasks.clock == .stopped, "the time for tasks runs on screen")
        guard isHidden, !apps[i].tasks.isEmpty else { return }
        broken.require(apps[i].tasks.clock != .stopped, "tasks without a limit in the background")
        let isJudged = apps[i].exceeded?.limit == .tasks
        let isArmed = deadlines.instant(DeadlineSlot(app: apps[i].index, kind: .assertion)) != nil
        let others = !apps[i].assertions.others.isEmpty
        broken.require(others || isJudged || isArmed, "tasks for ever")
    }

    /// Nothing that somebody sees or hears gives way, and what nobody does gives way once nothing is asked of it.
    @inline(__always) private func checkPriority(_ i: Int, _ broken: inout Findings) {
        guard isSettled(i) else { return }
        let isPerceived = presence(i) != .hidden || !apps[i].assertions.others.isEmpty && apps[i].assertions.isPerceived
        broken.require(!isPerceived || given(i) == .foreground, "seen or heard, with priority \(given(i).name)")
        guard !isPerceived, apps[i].state == .background, !apps[i].suspension.isUnderWay else { return }
        let hurries =
            apps[i].tasks.areExpiring || mustAnswerSoon(i) || apps[i].windows.areTimed
            || apps[i].assertions.claimedPriority == .timed
        let wanted: AppPriority = hurries ? .timed : .background
        broken.require(given(i) == wanted, "in the background with priority \(given(i).name)")
    }

    /// Every window is an assertion; in the background its time is limited by whatever limits it.
    @inline(__always) private func checkWindows(_ i: Int, _ broken: inout Findings) {
        let isArmed = deadlines.instant(DeadlineSlot(app: apps[i].index, kind: .window)) != nil
        broken.require(!apps[i].windows.isEmpty || !isArmed, "a deadline of no window")
        guard !apps[i].windows.isEmpty else { return }
        broken.require(
            apps[i].windows.held.allSatisfy { window in
                apps[i].assertions.others.contains { $0.id.rawValue == window.id.rawValue }
            },
            "a window without an assertion")
        guard isSettled(i) else { return }
        let isHidden = presence(i) == .hidden
        broken.require(isHidden == isArmed || apps[i].$exceeded, "what it was woken for takes for ever")
        for window in apps[i].windows.held {
            broken.require((window.phase == .stopped) != isHidden, "a window is \(window.phase)")
            broken.require(!window.isWaiting, "it is awake, and does not hear for what")
        }
    }

    /// Whatever waits has a deadline, and every deadline belongs to something that waits.
    @inline(__always) private func checkDeadlines(_ i: Int, _ broken: inout Findings) {
        func isArmed(_ kind: DeadlineKind) -> Bool {
            deadlines.instant(DeadlineSlot(app: apps[i].index, kind: kind)) != nil
        }
        let isJudged = apps[i].$exceeded
        let isLaunching =
            apps[i].process == .starting || apps[i].process == .connecting || apps[i].process == .launching
        broken.require(!isLaunching || isArmed(.limit) || isJudged, "a launch without a limit")
        broken.require(apps[i].outstanding.isEmpty || isArmed(.limit) || isJudged, "a callback without a limit")
        switch apps[i].$ending ? apps[i].ending?.phase : nil {
        case .killing: broken.require(isArmed(.limit), "killed only once")
        case .asked: broken.require(isArmed(.limit) || isJudged, "asked to end without a limit")
        case .leaving, nil: break
        }
        switch apps[i].suspension {
        case .preparing, .freezing, .verifying, .waiting:
            broken.require(isArmed(.suspension), "\(apps[i].suspension) for ever")
        case .none, .confirmed: broken.require(!isArmed(.suspension), "a deadline of no suspension")
        }
        if isSettled(i), apps[i].state.isRunning, !apps[i].suspension.isUnderWay {
            broken.require(isArmed(.check) || isJudged, "it runs and nobody looks at it")
        }
        if apps[i].process == .none || (apps[i].state == .suspended && !apps[i].$ending) {
            // Its connections have a time.
            guard deadlines.hasAny(apps[i].index) else { return }
            let mayHave = apps[i].deadlineOfStandstill
            for kind in DeadlineKind.every where kind != mayHave {
                broken.require(!isArmed(kind), "a deadline (\(kind)) of what does not run")
            }
        }
    }
}
