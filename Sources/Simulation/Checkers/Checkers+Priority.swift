internal import Model
internal import PolicyCore

// Who is on screen or heard has all that any app has; who runs unseen and unheard, and has no limit running, gives way.
extension Checkers {
    /// So long what really is may differ from what the Core believes.
    private static let patience = Span.seconds(2)

    mutating func checkPriority(_ place: Int, _ device: Device) {
        guard let wrong = wrongPriority(place, device) else {
            watches[place].wrongPriority = nil
            return
        }
        guard let known = watches[place].wrongPriority, known.isLow == wrong else {
            watches[place].wrongPriority = (wrong, device.now)
            return
        }
        guard device.now - known.since > Self.patience else { return }
        watches[place].wrongPriority = (wrong, device.now)
        let (name, priority) = (device.apps[place].script.name, watches[place].priority.name)
        device.violate(
            wrong
                ? "\(name) is seen or heard, with \(priority) priority"
                : "\(name) runs where nobody sees it, with \(priority) priority")
    }

    /// Whether it has too little, or too much; `nil` when it is right, or nobody can say.
    private func wrongPriority(_ place: Int, _ device: Device) -> Bool? {
        let (app, watch) = (device.apps[place], watch(place))
        guard let process = app.process, let index = app.index, !process.isStarting, process.status == nil,
            !process.isDying, process.generation == watch.generation, watch.killed == nil
        else { return nil }
        if device.hasUnclearServices(place) { return nil }
        let isPerceived = !device.usedServices(place, withKey: true, isPerceived: true).isEmpty
        let isHeard =
            isPerceived
            || process.isConnected
                && entitlements(place, device).contains { $0.assertion?.isPerceived == true }
        let isUp = watch.hasLaunched || process.isPlain
        let isSeen = device.system.isVisible(index) || isUp && !app.script.manifest.isFreezable
        if isSeen || isUp && isHeard && process.requests.isEmpty { return watch.priority == .foreground ? nil : true }
        // What is on its way somewhere has a limit running.
        guard watch.awaited.isEmpty, isUp, watch.askedAt == nil, watch.toldAt == nil,
            !watch.grammar.isForeground, process.freezer == .running, process.requests.isEmpty, !isHeard,
            process.isConnected || process.isPlain, device.state(place) == .background
        else { return nil }
        // What it was woken for has a limit of its own.
        if !watch.windows.isEmpty { return nil }
        // A server for which somebody came has its grace.
        if app.script.manifest.backgroundModes.contains(.listen), !process.sockets.listeners.isEmpty { return nil }
        return watch.priority == .background ? nil : false
    }
}
