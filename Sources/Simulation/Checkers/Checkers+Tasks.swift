internal import Model
internal import PolicyCore

// Task completion: nobody is ended before its time, nobody goes on after it.
extension Checkers {
    /// What documents and FACTS say, once more.
    private static func taskLimit(_ profile: DeviceProfile) -> Span {
        switch profile.name {
        case "iphone-3gs", "iphone-4": .seconds(600)
        case "ios-7", "ipad-air-2": .seconds(180)
        default: .seconds(30)
        }
    }

    static func taskCode(_ profile: DeviceProfile) -> TerminationCode {
        switch profile.name {
        case "iphone-3gs", "iphone-4", "ios-7", "ipad-air-2":
            TerminationCode(namespace: "SPRINGBOARD", code: 0x8bad_f00d)
        default: TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad2)
        }
    }

    private static let notice = Span.seconds(5)
    /// Of an app that was woken for an event.
    private static let window = Span.seconds(10)

    func checkTaskEnd(_ place: Int, _ reason: EndReason, _ device: Device) {
        guard case .tasksNotEnded = reason, profile.tasks == Self.standardRules(profile) else { return }
        let (watch, name) = (watch(place), device.apps[place].script.name)
        guard let killed = watch.killed, let left = watch.leftAt else {
            return device.violate("\(name) is ended for a task, and never left the screen")
        }
        let wasWoken = device.apps[place].calls.last { $0.kind == .didFinishLaunching }?.callback.options.service
        let hasWindow = wasWoken?.isEmpty == false || watch.wasWoken
        let least = hasWindow ? Self.window : Self.taskLimit(profile)
        if killed.at - left < least {
            device.violate("\(name) is ended for a task \((killed.at - left).twoDigits) s after it left the screen")
        }
        // One without a connection is told when it has one again.
        guard let told = watch.toldAt else {
            if watch.hasConnected, !watch.hasReconnected, device.apps[place].process?.isConnected != false {
                device.violate("\(name) is ended for a task, and its expiration handler was never called")
            }
            return
        }
        if killed.at - told < Self.notice, !watch.hasReconnected {
            device.violate(
                "\(name) is ended \((killed.at - told).twoDigits) s after its expiration handlers were called")
        }
    }

    private static func standardRules(_ profile: DeviceProfile) -> TaskRules? {
        DeviceProfile.named(profile.name)?.tasks
    }

    /// What only tasks let run has an end.
    mutating func checkTasks(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        let isOnTasks =
            process.tasks.contains(where: \.isGranted) && watches[place].grammar.state == .background
            && !watches[place].isExempt && device.apps[place].script.manifest.isFreezable
            && !mayBeHeld(place, device)
            && watches[place].askedAt == nil && watches[place].windows.isEmpty
        guard isOnTasks else {
            watches[place].tasksSince = nil
            return
        }
        let since = watches[place].tasksSince ?? device.now
        watches[place].tasksSince = since
        let longest = (profile.tasks ?? TaskRules()).limit + Self.notice + .seconds(6)
        if device.now - since > longest {
            watches[place].tasksSince = nil
            device.violate("\(device.apps[place].script.name) goes on with a task after its time, and nobody ends it")
        }
    }
}

extension Checkers.Watch {
    mutating func noteScreen(_ callbacks: [Callback], at now: Instant) {
        for callback in callbacks {
            switch callback.kind {
            case .didEnterBackground: leftAt = leftAt ?? now
            case .willEnterForeground, .didBecomeActive:
                leftAt = nil
                toldAt = nil
                tasksSince = nil
            default: continue
            }
        }
    }
}
