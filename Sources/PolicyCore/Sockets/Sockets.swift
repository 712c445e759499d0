package import Model

// Sockets of suspended apps. Who connects to an app that stands still would wait for ever, since the kernel accepts in
// its name: so the host turns peers away in its place (R8), or has it woken if it asked for that (`listen`, X5). Peers
// that are connected learn nothing of the suspension either: after a time their connections are closed (R13).
extension System {
    var socketRules: SocketRules { profile.socketRules }

    /// Whoever else listens at its sockets does not matter then.
    package func isWokenByPeers(_ app: AppIndex) -> Bool { app.rawValue < apps.count && isWoken(Int(app.rawValue)) }

    /// It asked to be woken by connections, and answers them.
    func isWoken(_ i: Int) -> Bool { apps[i].manifest.backgroundModes.contains(.listen) && !apps[i].sockets.isDeaf }

    // MARK: Frozen

    mutating func socketsFound(
        _ app: AppIndex, _ generation: Generation, listeners: [Listener], connections: Int32
    ) {
        guard let i = current(app, generation), apps[i].ending == nil, isStandingStill(i) else { return }
        let wakes = isWoken(i)
        // Whoever is served goes on being served.
        if wakes, listeners.contains(where: { $0.peers > 0 }) { return keepForPeers(i, .busy) }
        apps[i].sockets.connections = max(0, connections)
        if apps[i].suspension == .confirmed { armConnections(i) }
        guard !listeners.isEmpty else { return }
        emit(.guardListeners(app, generation, wakes: wakes), cause: apps[i].cause)
        let new = listeners.filter { !apps[i].sockets.told.contains($0.name) }
        guard !wakes, !new.isEmpty else { return }
        let room = Self.toldListeners - apps[i].sockets.told.count
        apps[i].sockets.told += new.prefix(max(0, room)).map(\.name)
        guard room > 0 else { return }
        let reason = Reason.cannotAnswer(Array(listeners.prefix(Self.namedListeners)), count: Int32(listeners.count))
        log(i, .listens, reason)
        reportFault(i, .listensSuspended, reason)
    }

    /// So many listeners of a process are told of, and so many are named at once.
    private static let toldListeners = 64
    private static let namedListeners = 4

    /// The suspension is confirmed: what is connected has so long.
    mutating func armConnections(_ i: Int) {
        guard apps[i].sockets.connections > 0, let limit = socketRules.connectionLimit else { return }
        arm(i, .sockets, after: limit)
    }

    mutating func peersRefused(_ app: AppIndex, _ generation: Generation, name: String, count: Int32) {
        guard let i = current(app, generation), count > 0 else { return }
        log(i, .peersRefused, .peersRefused(name, count: count))
    }

    // MARK: Woken

    mutating func peerCame(_ app: AppIndex, _ generation: Generation, name: String) {
        guard let i = current(app, generation), apps[i].ending == nil, isWoken(i), isStandingStill(i) else { return }
        // Whatever it did before has nothing to do with it.
        apps[i].cause = log(i, .peerConnected, .peerConnected(name), after: nil)
        startTaskClock(i, limit: taskRules.windowLimit)
        keepForPeers(i, .quiet)
    }

    private func isStandingStill(_ i: Int) -> Bool {
        switch apps[i].suspension {
        case .verifying, .confirmed: true
        // It runs again, or will.
        case .none, .preparing, .freezing, .waiting: false
        }
    }

    private mutating func keepForPeers(_ i: Int, _ phase: SocketState.Phase) {
        if !apps[i].assertions.holds(.listen) { take(i, .listen, name: AssertionKind.listen.name) }
        apps[i].sockets.phase = phase
        arm(i, .sockets, after: socketRules.grace)
        touch(apps[i].index)
    }

    mutating func socketsSeen(_ app: AppIndex, _ generation: Generation, _ use: SocketUse) {
        guard let i = current(app, generation), apps[i].ending == nil, apps[i].sockets.phase != .none else { return }
        if use.waiting > 0, use.connections <= 0 {
            apps[i].sockets.ignored &+= 1
            if apps[i].sockets.ignored >= max(1, socketRules.patience) { return giveUpWaking(i) }
        } else {
            apps[i].sockets.ignored = 0
        }
        let isBusy = use.connections > 0 || use.waiting > 0 || use.work >= socketRules.work
        if isBusy {
            keepForPeers(i, .busy)
        } else if apps[i].sockets.phase == .busy {
            keepForPeers(i, .quiet)
        } else {
            forgetPeers(i)
        }
    }

    private mutating func giveUpWaking(_ i: Int) {
        let patience = Int64(max(1, socketRules.patience))
        let reason = Reason.doesNotAnswer(after: Span(nanoseconds: socketRules.grace.nanoseconds &* patience))
        apps[i].sockets.isDeaf = true
        log(i, .listens, reason)
        reportFault(i, .listensSuspended, reason)
        forgetPeers(i)
    }

    /// Its sockets let it run no longer.
    private mutating func forgetPeers(_ i: Int) {
        apps[i].sockets.phase = .none
        apps[i].sockets.ignored = 0
        disarm(i, .sockets)
        guard apps[i].assertions.holds(.listen) else { return }
        apps[i].assertions.drop(.listen)
        settleTasks(i)
        touch(apps[i].index)
    }

    /// On screen its sockets are its own affair, and it has another chance.
    mutating func socketsOnScreen(_ i: Int) {
        apps[i].sockets.isDeaf = false
        if apps[i].sockets.phase != .none { forgetPeers(i) }
    }

    mutating func socketsThawed(_ i: Int) {
        apps[i].sockets.connections = 0
        if apps[i].sockets.phase == .none { disarm(i, .sockets) }
    }

    // MARK: The clock

    mutating func socketDeadline(_ i: Int) {
        guard apps[i].ending == nil, apps[i].process != .none else { return }
        if apps[i].sockets.phase != .none {
            emit(.lookAtSockets(apps[i].index, apps[i].generation), cause: apps[i].cause)
            // An answer that is lost with the daemon is asked for again.
            arm(i, .sockets, after: socketRules.grace)
        } else if apps[i].suspension == .confirmed, apps[i].sockets.connections > 0 {
            let reason = Reason.connectionsClosed(
                count: apps[i].sockets.connections, after: socketRules.connectionLimit ?? .zero)
            apps[i].sockets.connections = 0
            log(i, .connectionsClosed, reason)
            emit(.closeConnections(apps[i].index, apps[i].generation), cause: apps[i].cause)
        }
    }
}
