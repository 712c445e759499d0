internal import Model
internal import PolicyCore

/// What a process does with others that connect to it. A connection belongs to a process, and goes with it.
struct SimulatedSockets {
    enum Guard: UInt8 { case none, refuses, wakes }

    /// Where it waits for others.
    var listeners: [String] = []
    /// Those that are connected.
    var peers: [UInt32] = []
    /// Those that the kernel connected and the app has yet to accept, each with how long it will stay.
    var backlog: [Span] = []
    var nextPeer: UInt32 = 1
    /// What the daemon does in its place while it stands still.
    var daemon = Guard.none
    var refused: Int32 = 0
    /// It once left somebody waiting.
    var hasIgnored = false
    /// Calls over the message bus that it has yet to read.
    var calls = 0
    /// When it last found some of them.
    var calledAt: Instant?
    /// The daemon has it woken by the next one.
    var isCallable = false
    /// It was woken for a call that it has not read since.
    var hasUnread = false
    /// It has the keyboard of the X display for itself.
    var grabsInput = false
}

enum SocketStep {
    case peerLeaves(UInt32)
    /// Where a number of the suspension is given, it is of no worth in another.
    case peerCame(UInt32)
    case called(UInt32)
    case tellRefused(Int32)
    case tell(UInt32)
    case look
}

extension Device {
    /// Somebody connects, and leaves so long after he has been answered.
    func connectPeer(to name: String, lasting span: Span) {
        guard let place = place(named: name), let process = apps[place].process, process.status == nil,
            !process.sockets.listeners.isEmpty
        else { return }
        apps[place].process?.sockets.backlog.append(span)
        if process.isFrozen { guardBacklog(place) } else { acceptPeers(place) }
    }

    func acceptPeers(_ place: Int) {
        guard let process = apps[place].process, process.status == nil else { return }
        guard !process.manners.ignoresPeers else {
            if !process.sockets.backlog.isEmpty { apps[place].process?.sockets.hasIgnored = true }
            return
        }
        for span in process.sockets.backlog {
            guard let peer = apps[place].process?.sockets.nextPeer else { return }
            apps[place].process?.sockets.nextPeer += 1
            apps[place].process?.sockets.peers.append(peer)
            at(now + max(span, .milliseconds(1)), place, .mechanism(.sockets(.peerLeaves(peer))))
        }
        apps[place].process?.sockets.backlog = []
    }

    /// Nobody waits for an app that stands still.
    private func guardBacklog(_ place: Int) {
        guard let sockets = apps[place].process?.sockets, !sockets.backlog.isEmpty, daemon == .running else { return }
        switch sockets.daemon {
        case .none: return
        case .refuses:
            apps[place].process?.sockets.refused += Int32(clamping: sockets.backlog.count)
            apps[place].process?.sockets.backlog = []
        case .wakes:
            // It tells once; the app is thawed then.
            apps[place].process?.sockets.daemon = .none
            after(costs.news, place) { .mechanism(.sockets(.peerCame($0.suspension))) }
        }
    }

    func perform(_ action: Sockets.Action, _ place: Int) {
        switch action {
        case .guardListeners(let wakes): guardListeners(place, wakes: wakes)
        case .look: after(costs.tracer, place) { _ in .mechanism(.sockets(.look)) }
        case .closeConnections: apps[place].process?.sockets.peers = []
        }
    }

    private func guardListeners(_ place: Int, wakes: Bool) {
        guard apps[place].process?.isFrozen == true else {
            return violate("the listeners of \(apps[place].script.name) are guarded, and it runs")
        }
        apps[place].process?.sockets.daemon = wakes ? .wakes : .refuses
        guardBacklog(place)
    }

    /// It runs again, and answers for itself.
    func releaseListeners(_ place: Int) {
        guard let sockets = apps[place].process?.sockets else { return }
        apps[place].process?.sockets.daemon = .none
        apps[place].process?.sockets.refused = 0
        apps[place].process?.sockets.isCallable = false
        readCalls(place)
        acceptPeers(place)
        if sockets.refused > 0 { at(now, place, .mechanism(.sockets(.tellRefused(sockets.refused)))) }
    }

    /// The daemon is gone, and what it held with it.
    func forgetGuards() {
        for place in apps.indices {
            apps[place].process?.sockets.daemon = .none
            apps[place].process?.sockets.refused = 0
            apps[place].process?.sockets.isCallable = false
            apps[place].process?.sockets.hasUnread = false
        }
    }

    func take(_ step: SocketStep, _ place: Int) {
        guard let process = apps[place].process else { return }
        let sockets = process.sockets
        switch step {
        case .peerLeaves(let peer): apps[place].process?.sockets.peers.removeAll { $0 == peer }
        case .peerCame(let suspension):
            guard suspension == process.suspension, let name = sockets.listeners.first else { return }
            send(.sockets(.peerCame(name: name)), of: place)
        case .called(let suspension): if suspension == process.suspension { tellOfCall(place) }
        case .tellRefused(let count):
            guard let name = sockets.listeners.first else { return }
            send(.sockets(.refused(name: name, count: count)), of: place)
        case .tell(let suspension):
            if suspension == process.suspension, process.isFrozen { tellOfSockets(place) }
        case .look:
            let isWorking = process.works.contains { world.work($0)?.isRunning == true }
            let work: Span = isWorking ? .seconds(1) : .zero
            let use = SocketUse(
                connections: Int32(sockets.peers.count), waiting: Int32(sockets.backlog.count), work: work)
            send(.sockets(.seen(use)), of: place)
        }
    }

    /// As the real daemon does once nothing of the app can change any more.
    func tellOfSockets(_ place: Int) {
        guard let process = apps[place].process, process.status == nil else { return }
        tellOfListeners(place, process.sockets)
        guard apps[place].process?.suspension == process.suspension else { return }
        if process.sockets.grabsInput { send(.locks(.inputGrabbed(display: ":0")), of: place) }
        guard apps[place].process?.suspension == process.suspension else { return }
        tellOfCall(place)
    }

    private func tellOfListeners(_ place: Int, _ sockets: SimulatedSockets) {
        guard !sockets.listeners.isEmpty else { return }
        let count = Int32(sockets.peers.count)
        let listeners = sockets.listeners.enumerated().map { number, name in
            Listener(name: name, peers: number == 0 ? count : 0)
        }
        send(.sockets(.found(listeners, connections: count)), of: place)
    }

    /// All who are connected leave, also who has not been accepted.
    package func disconnectPeers(from name: String) {
        guard let place = place(named: name) else { return }
        apps[place].process?.sockets.peers = []
        apps[place].process?.sockets.backlog = []
    }

    package func isListening(_ place: Int) -> Bool { apps[place].process?.sockets.listeners.isEmpty == false }

    /// Somebody is connected to it, or waits to be.
    func isServing(_ place: Int) -> Bool {
        guard let sockets = apps[place].process?.sockets else { return false }
        return !sockets.peers.isEmpty || !sockets.backlog.isEmpty
    }
}
