internal import Model
internal import PolicyCore

// Who is on screen or heard has all that any app has; who runs unseen and unheard, and has no limit running, gives way.
extension Checkers {
    /// So long what really is may differ from what the Core believes.
    private static let patience = Span.seconds(2)

    mutating func checkPriority(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        guard let wrong = wrongPriority(place, process, device) else {
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
    private func wrongPriority(_ place: Int, _ process: SimulatedProcess, _ device: Device) -> Bool? {
        guard let index = device.apps[place].index, !process.isStarting, process.status == nil,
            !process.isDying, process.generation == watches[place].generation, watches[place].killed == nil
        else { return nil }
        if device.hasUnclearServices(place) { return nil }
        let isUp = watches[place].hasLaunched || process.isPlain
        let isSeen = device.isVisible(index) || isUp && !device.apps[place].script.manifest.isFreezable
        let priority = watches[place].priority
        if isSeen { return priority == .foreground ? nil : true }
        let isHeard = device.isUsed(place, withKey: true, isPerceived: true)
        if isUp && isHeard && process.requests.isEmpty { return priority == .foreground ? nil : true }
        // What is on its way somewhere has a limit running.
        guard watches[place].awaited.isEmpty, isUp, watches[place].askedAt == nil, watches[place].toldAt == nil,
            !watches[place].grammar.isForeground, process.freezer == .running, process.requests.isEmpty, !isHeard,
            process.isConnected || process.isPlain, device.state(place) == .background
        else { return nil }
        // What it was woken for has a limit of its own.
        if !watches[place].windows.isEmpty { return nil }
        // A server for which somebody came has its grace.
        if device.apps[place].script.manifest.backgroundModes.contains(.listen), !process.sockets.listeners.isEmpty {
            return nil
        }
        // And so has what was called, for as long as it may work for its caller.
        if let called = process.sockets.calledAt, device.now - called < .seconds(30) { return nil }
        return priority == .background ? nil : false
    }
}
