internal import Model
internal import PolicyCore

// R8, X5: nobody waits for an app that stands still, and nobody who is served is left alone.
extension Checkers {
    /// Until somebody who connects is answered or turned away.
    private static let longestWait = Span.milliseconds(1_000)

    /// No server that asked to be woken is called suspended while somebody is connected to it.
    func checkSuspendedServer(_ place: Int, _ device: Device) {
        guard let sockets = device.apps[place].process?.sockets, !sockets.peers.isEmpty, !sockets.hasIgnored,
            device.apps[place].script.manifest.backgroundModes.contains(.listen)
        else { return }
        device.violate("\(device.apps[place].script.name) is suspended, and serves \(sockets.peers.count)")
    }

    mutating func checkWaitingPeers(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        guard process.isFrozen, process.sockets.keepsWaiting, device.state(place) == .suspended,
            !process.isDying, !process.isThawedFromOutside
        else {
            watches[place].keptWaitingSince = nil
            return
        }
        let since = watches[place].keptWaitingSince ?? device.now
        watches[place].keptWaitingSince = since
        if device.now - since > Self.longestWait {
            watches[place].keptWaitingSince = nil
            device.violate("\(device.apps[place].script.name) is suspended, and a client waits for its answer")
        }
    }
}

extension SimulatedSockets {
    /// Somebody waits for the answer of the process, and it has not shown that it answers nobody.
    fileprivate var keepsWaiting: Bool { !backlog.isEmpty || calls > 0 && !hasIgnored }
}
