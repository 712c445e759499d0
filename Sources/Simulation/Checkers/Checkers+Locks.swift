internal import Model
internal import PolicyCore

// R11: what stands still must not stand in anybody's way.
extension Checkers {
    /// The bound that `docs/TERMINATION.md` states, and a little for what follows from it.
    private static let longestInTheWay = Span.milliseconds(1_500)

    /// No application is called suspended while it has a file locked that others may need.
    func checkSuspendedLocks(_ place: Int, _ device: Device) {
        guard device.apps[place].process?.isPlain == false, let file = device.heldLocks(place).first else { return }
        device.violate("\(device.apps[place].script.name) is suspended, and has \(file.name) locked")
    }

    /// An app that has grabbed input is not suspended, because no window would have input.
    func checkGrabbedInput(_ place: Int, _ device: Device) {
        guard device.apps[place].process?.sockets.grabsInput == true else { return }
        device.violate("\(device.apps[place].script.name) is suspended, and has the keyboard for itself")
    }

    /// Only applications end for a lock, and only for one that they had.
    func checkLockEnd(_ place: Int, _ reason: EndReason, _ device: Device) {
        guard case .heldLock(let path) = reason, let killed = watch(place).killed else { return }
        let name = device.apps[place].script.name
        if !killed.locks.contains(path) { device.violate("\(name) is ended for the lock on \(path), and had none") }
        if device.apps[place].script.manifest.kind == .plain {
            device.violate("\(name) is ended for the lock on \(path), and knows no rules")
        }
    }

    /// Nobody waits for long for somebody who is suspended.
    mutating func checkInTheWay(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        guard process.isFrozen, device.state(place) == .suspended, device.isInTheWay(place) else {
            watches[place].inTheWaySince = nil
            return
        }
        let since = watches[place].inTheWaySince ?? device.now
        watches[place].inTheWaySince = since
        if device.now - since > Self.longestInTheWay {
            watches[place].inTheWaySince = nil
            device.violate("\(device.apps[place].script.name) is suspended, and others wait for what it has locked")
        }
    }
}
