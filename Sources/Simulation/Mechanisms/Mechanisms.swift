internal import Model
internal import PolicyCore

// The mechanisms as the simulated device has them, each listed once: what it does when the Core says so, and what
// happens to a process about it. Everything else of one is in its own file beside this one.

/// What happens next to a process about one of them.
enum MechanismStep {
    case sockets(SocketStep)
    case locks(LockStep)
    case snapshots(SnapshotStep)

    var way: ProcessStep.Way {
        switch self {
        case .sockets, .locks: .none
        case .snapshots(let step): step.way
        }
    }
}

extension Device {
    func perform(_ action: MechanismAction, _ place: Int) {
        switch action {
        case .sockets(let action): perform(action, place)
        case .snapshots(let action): perform(action, place)
        }
    }

    func take(_ step: MechanismStep, _ place: Int) {
        switch step {
        case .sockets(let step): take(step, place)
        case .locks(let step): take(step, place)
        case .snapshots(let step): take(step, place)
        }
    }

    /// It is frozen, and everything that it sent is handled: tells what of it may be a reason to let it run, or to end
    /// it, in this order.
    func verifyMechanisms(_ place: Int, _ suspension: UInt32) {
        lookAtGPU(place)
        if suspension == apps[place].process?.suspension { tellOfLock(place) }
        if suspension == apps[place].process?.suspension { tellOfSockets(place) }
    }

    /// Its delegate has returned from `didEnterBackground`.
    func noteForMechanisms(_ entry: LogEntry) {
        guard entry.event == .didEnterBackground, let place = entry.app.flatMap(place(of:)) else { return }
        beginGPUVisit(place)
    }

    /// It runs, and is looked at now and then.
    func checkMechanisms(_ place: Int) { lookAtGPU(place) }

    /// The daemon says something of the app's process.
    func send(_ event: MechanismEvent, of place: Int) {
        guard let app = apps[place].index, let process = apps[place].process else { return }
        send(.mechanism(Incarnation(app, process.generation), event))
    }
}
