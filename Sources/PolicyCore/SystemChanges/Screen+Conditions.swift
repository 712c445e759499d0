package import Model

// What becomes of apps by way of the screen, beside their place on it: protected files, pictures of it, and whether it
// stays on.
extension System {
    // MARK: Protected files

    /// The device was locked or unlocked. What is protected can be read for a while after the one, and from the other
    /// on.
    mutating func protectData() {
        guard let grace = profile.protectsDataAfter, screen.isLocked != (conditions.protection != nil) else { return }
        conditions.protection = screen.isLocked ? .ending : nil
        conditions.protectionDue = screen.isLocked ? now + grace : nil
        tellRunning()
    }

    mutating func protectedDataDue() {
        guard let due = conditions.protectionDue, due <= now else { return }
        conditions.protectionDue = nil
        conditions.protection = .unavailable
        logRoot(.conditionChanged, .protectedDataUnavailable(after: profile.protectsDataAfter ?? .zero))
        tellRunning()
    }

    // MARK: Pictures of the screen

    /// Only the apps that are on the picture hear of it, and they run.
    mutating func screenshotTaken() {
        logRoot(.conditionChanged, .conditionChanged(.screenshot))
        let shown = screen.inOrder
        // One with two scenes is on it twice, and hears of it once.
        for (place, app) in shown.enumerated()
        where presence(Int(app.rawValue)) != .hidden && !shown[..<place].contains(app) {
            conditions.withApp(Int(app.rawValue)) { $0.screenshots = ($0.screenshots ?? 0) &+ 1 }
        }
        tellRunning()
    }

    // MARK: Memory

    /// An app that was warned hears that it is over, when it runs; on devices of the time of protected data, since
    /// recordings from before know of neither.
    mutating func memoryRecovered() {
        var isTold = false
        for i in apps.indices where apps[i].memory.warned > .normal {
            apps[i].memory.warned = .normal
            guard profile.protectsDataAfter != nil, conditions[i]?.told != nil else { continue }
            conditions.withApp(i) { $0.memoryRecoveries = ($0.memoryRecoveries ?? 0) &+ 1 }
            isTold = true
        }
        if isTold { tellRunning() }
    }

    // MARK: A screen that stays on

    /// The app that keeps the screen on; `nil`: it may go dark.
    package var screenHolder: AppIndex? { conditions.screenHolder }

    mutating func keepScreenOn(_ keeps: Bool, _ i: Int, _ id: RequestID) {
        keepScreenOn(keeps, i)
        reply(i, id, .done)
    }

    mutating func keepScreenOn(_ keeps: Bool, _ i: Int) {
        guard keeps != (conditions[i]?.keepsScreenOn ?? false) else { return }
        conditions.withApp(i) { $0.keepsScreenOn = keeps ? true : nil }
        let keepers = (conditions.screenKeepers ?? 0) + (keeps ? 1 : -1)
        conditions.screenKeepers = keepers > 0 ? keepers : nil
    }

    /// After every event: an app's wish counts while the user is at it, and lapses with its process.
    mutating func settleScreen() {
        let holder = screen.inOrder.first { app in
            let i = Int(app.rawValue)
            return conditions[i]?.keepsScreenOn == true && presence(i) == .active && !apps[i].$ending
        }
        guard holder != conditions.screenHolder else { return }
        if let before = conditions.screenHolder { logHold(Int(before.rawValue), false) }
        conditions.screenHolder = holder
        conditions.version += 1
        if let holder { logHold(Int(holder.rawValue), true) }
    }

    private mutating func logHold(_ i: Int, _ holds: Bool) {
        logAsked(i, holds ? .screenHeld : .screenReleased, .keepsScreenOn(apps[i].manifest.name, holds))
    }
}
