internal import Model

/// Sockets of suspended apps. Who connects to an app that stands still would wait for ever, since the kernel accepts in
/// its name: so the host turns peers away in its place (R8), or has it woken if it asked for that (`listen`, X5). Peers
/// that are connected learn nothing of the suspension either: after a time their connections are closed (R13). A call
/// over a message bus wakes any program. The host cannot answer it, and the caller would wait until its time limit.
package enum Sockets {
    static func handle(_ event: Event, _ i: Int, in scope: inout some SocketScope) {
        switch event {
        case .found(let listeners, let connections): found(i, listeners, connections: connections, in: &scope)
        case .peerCame(let name): peerCame(i, name, in: &scope)
        case .refused(let name, let count):
            if count > 0 { scope.log(i, .peersRefused, .peersRefused(name, count: count)) }
        case .seen(let use): seen(i, use, in: &scope)
        case .called(let method, let isUnread): called(i, method, isUnread: isUnread, in: &scope)
        }
    }

    /// It asked to be woken by connections, and answers them.
    static func isWoken(_ i: Int, in scope: some SocketScope) -> Bool {
        scope.modes(i).contains(.listen) && !scope[sockets: i].isDeaf
    }

    // MARK: Frozen

    private static func found(
        _ i: Int, _ listeners: [Listener], connections: Int32, in scope: inout some SocketScope
    ) {
        guard !scope.isEnding(i), scope.suspension(i).isStandstill else { return }
        let wakes = isWoken(i, in: scope)
        // Whoever is served goes on being served.
        if wakes, listeners.contains(where: { $0.peers > 0 }) { return keep(i, .busy, in: &scope) }
        scope[sockets: i].connections = max(0, connections)
        if scope.suspension(i) == .confirmed { suspended(i, in: &scope) }
        guard !listeners.isEmpty else { return }
        scope.emit(i, .sockets(.guardListeners(wakes: wakes)))
        let told = scope[sockets: i].told
        let new = listeners.filter { !told.contains($0.name) }
        guard !wakes, !new.isEmpty else { return }
        let room = toldListeners - told.count
        scope[sockets: i].told += new.prefix(max(0, room)).map(\.name)
        guard room > 0 else { return }
        let reason = Reason.cannotAnswer(Array(listeners.prefix(namedListeners)), count: Int32(listeners.count))
        scope.log(i, .listens, reason)
        scope.reportFault(i, .listensSuspended, reason)
    }

    /// So many listeners of a process are told of, and so many are named at once.
    private static let toldListeners = 64
    private static let namedListeners = 4

    /// The suspension is confirmed: what is connected has so long.
    static func suspended(_ i: Int, in scope: inout some SocketScope) {
        guard scope[sockets: i].connections > 0, let limit = connectionLimit(i, in: scope) else { return }
        scope.arm(i, .sockets, after: limit)
    }

    /// The app chooses; an app that says nothing has the profile's limit.
    private static func connectionLimit(_ i: Int, in scope: borrowing some SocketScope) -> Span? {
        guard let own = scope.connectionLimit(i) else { return scope.profile.socketRules.connectionLimit }
        return own > .zero ? own : nil
    }

    // MARK: Woken

    private static func peerCame(_ i: Int, _ name: String, in scope: inout some SocketScope) {
        guard !scope.isEnding(i), isWoken(i, in: scope), scope.suspension(i).isStandstill else { return }
        // Whatever it did before has nothing to do with it.
        scope.logBeginning(i, .peerConnected, .peerConnected(name))
        scope.startTaskClock(i, limit: scope.taskRules.windowLimit)
        keep(i, .quiet, in: &scope)
    }

    /// So long a program runs for a call. Most answer within milliseconds, and the rest may wait for others.
    static let callGrace = Span.seconds(5)
    /// So long it may work for one: callers that set no limit of their own wait as long.
    static let callLimit = Span.seconds(25)

    private static func called(_ i: Int, _ method: String, isUnread: Bool, in scope: inout some SocketScope) {
        guard !scope.isEnding(i), scope.suspension(i).isStandstill else { return }
        var calls = scope[sockets: i].calls ?? State.Calls(limit: scope.now)
        guard !calls.isDeaf else { return }
        calls.unread = isUnread ? calls.unread &+ 1 : 0
        calls.limit = scope.now + callLimit
        let patience = max(1, scope.profile.socketRules.patience)
        calls.isDeaf = calls.unread >= patience
        scope[sockets: i].calls = calls
        guard !calls.isDeaf else {
            let reason = Reason.readsNoCalls(after: Span(nanoseconds: callGrace.nanoseconds &* Int64(patience)))
            scope.log(i, .listens, reason)
            return scope.reportFault(i, .listensSuspended, reason)
        }
        // The call is a new cause.
        scope.logBeginning(i, .methodCalled, .methodCalled(method))
        scope.startTaskClock(i, limit: callLimit)
        keep(i, .called, for: callGrace, in: &scope)
    }

    private static func keep(_ i: Int, _ phase: State.Phase, in scope: inout some SocketScope) {
        keep(i, phase, for: scope.profile.socketRules.grace, in: &scope)
    }

    private static func keep(_ i: Int, _ phase: State.Phase, for grace: Span, in scope: inout some SocketScope) {
        if !scope.holds(i, .listen) { scope.take(i, .listen, name: AssertionKind.listen.name, lasting: nil) }
        scope[sockets: i].phase = phase
        scope.arm(i, .sockets, after: grace)
        scope.reconsider(i)
    }

    private static func seen(_ i: Int, _ use: SocketUse, in scope: inout some SocketScope) {
        let rules = scope.profile.socketRules
        guard !scope.isEnding(i), scope[sockets: i].phase != .none else { return }
        if scope[sockets: i].phase == .called { return seenAfterCall(i, use, in: &scope) }
        if use.waiting > 0, use.connections <= 0 {
            scope[sockets: i].ignored &+= 1
            if scope[sockets: i].ignored >= max(1, rules.patience) { return giveUpWaking(i, in: &scope) }
        } else {
            scope[sockets: i].ignored = 0
        }
        let isBusy = use.connections > 0 || use.waiting > 0 || use.work >= rules.work
        if isBusy {
            keep(i, .busy, in: &scope)
        } else if scope[sockets: i].phase == .busy {
            keep(i, .quiet, in: &scope)
        } else {
            forgetPeers(i, in: &scope)
        }
    }

    private static func seenAfterCall(_ i: Int, _ use: SocketUse, in scope: inout some SocketScope) {
        let limit = scope[sockets: i].calls?.limit ?? scope.now
        if scope.modes(i).contains(.listen), use.connections > 0 || use.waiting > 0 {
            keep(i, .busy, in: &scope)
        } else if use.work >= scope.profile.socketRules.work, scope.now < limit {
            keep(i, .called, in: &scope)
        } else {
            forgetPeers(i, in: &scope)
        }
    }

    private static func giveUpWaking(_ i: Int, in scope: inout some SocketScope) {
        let rules = scope.profile.socketRules
        let patience = Int64(max(1, rules.patience))
        let reason = Reason.doesNotAnswer(after: Span(nanoseconds: rules.grace.nanoseconds &* patience))
        scope[sockets: i].isDeaf = true
        scope.log(i, .listens, reason)
        scope.reportFault(i, .listensSuspended, reason)
        forgetPeers(i, in: &scope)
    }

    /// Why it runs.
    static func reason(_ i: Int, in scope: borrowing some SocketScope) -> Reason {
        scope[sockets: i].phase == .called
            ? .answersCall(grace: callGrace, limit: callLimit)
            : .answersPeers(grace: scope.profile.socketRules.grace)
    }

    /// Its sockets let it run no longer.
    private static func forgetPeers(_ i: Int, in scope: inout some SocketScope) {
        scope[sockets: i].phase = .none
        scope[sockets: i].ignored = 0
        scope.disarm(i, .sockets)
        guard scope.holds(i, .listen) else { return }
        scope.drop(i, .listen)
        scope.reconsider(i)
    }

    /// On screen its sockets are its own affair, and it has another chance.
    static func onScreen(_ i: Int, in scope: inout some SocketScope) {
        if scope[sockets: i].isDeaf { scope[sockets: i].isDeaf = false }
        if scope[sockets: i].calls != nil { scope[sockets: i].calls = nil }
        if scope[sockets: i].phase != .none { forgetPeers(i, in: &scope) }
    }

    static func thawed(_ i: Int, in scope: inout some SocketScope) {
        if scope[sockets: i].connections != 0 { scope[sockets: i].connections = 0 }
        if scope[sockets: i].phase == .none { scope.disarm(i, .sockets) }
    }

    // MARK: The clock

    static func deadline(_ i: Int, in scope: inout some SocketScope) {
        guard !scope.isEnding(i), scope.process(i) != .none else { return }
        let rules = scope.profile.socketRules
        if scope[sockets: i].phase != .none {
            scope.emit(i, .sockets(.look))
            // An answer that is lost with the daemon is asked for again.
            scope.arm(i, .sockets, after: rules.grace)
        } else if scope.suspension(i) == .confirmed, scope[sockets: i].connections > 0 {
            let reason = Reason.connectionsClosed(
                count: scope[sockets: i].connections, after: connectionLimit(i, in: scope) ?? .zero)
            scope[sockets: i].connections = 0
            scope.log(i, .connectionsClosed, reason)
            scope.emit(i, .sockets(.closeConnections))
        }
    }

    // MARK: Invariants

    static func broken(isWatched: Bool, _ i: Int, in scope: borrowing some SocketScope) -> [String] {
        var broken: [String] = []
        if isWatched != scope.holds(i, .listen) { broken.append("its sockets are watched, and do not let it run") }
        guard isWatched, !scope.isEnding(i) else { return broken }
        if scope.presence(i) != .hidden, scope.isSettled(i) { broken.append("its sockets are watched on screen") }
        if !scope.isArmed(i, .sockets) { broken.append("its sockets let it run for ever") }
        return broken
    }
}

protocol SocketScope: Scope {
    subscript(sockets i: Int) -> Sockets.State { get set }
    /// The limit in the app's manifest. Zero is no limit.
    func connectionLimit(_ i: Int) -> Span?
    /// What runs for a while is told of its time like one that finishes tasks.
    mutating func startTaskClock(_ i: Int, limit: Span)
    var taskRules: TaskRules { get }
}
