internal import LinuxSystem
internal import Model

/// A look at the stream sockets of an app's processes. Takes its time: for a worker.
struct SocketLook: Sendable {
    let pids: [CInt]

    /// A server may work on for a peer who has said all that he had to say, but not for ever.
    let rules: SocketRules

    struct Findings: Sendable {
        /// Each with how many are connected through it.
        var listeners: [(socket: AppSocket, peers: Int)] = []
        /// TCP connections that are nobody else's affair.
        var connections: [AppSocket] = []
        /// Listeners that a process outside the app has open as well, who may answer there.
        var shared: Set<UInt64> = []
        /// Connections to others over a Unix socket.
        var outgoing: [AppSocket] = []
        /// An X display of which one client has grabbed the input: this one perhaps.
        var grabbedDisplay: String?

        var isEmpty: Bool { listeners.isEmpty && connections.isEmpty }

        var facts: [Listener] {
            listeners.map { Listener(name: $0.socket.name, peers: Int32(clamping: $0.peers)) }
        }
    }

    /// `nil` where the kernel does not let one look.
    func findings(looksForOthers: Bool) -> Findings? {
        guard let sockets = try? ProcFS().sockets(of: pids) else { return nil }
        let listeners = sockets.filter(\.isListening)
        let connected = sockets.filter { !$0.isListening }
        var findings = Findings()
        findings.listeners = listeners.map { listener in
            (listener, connected.count { $0.belongs(to: listener) && !isForgotten($0) })
        }
        findings.outgoing = connected.filter { !$0.peerPath.isEmpty }
        let own = connected.filter { !$0.isUnix }
        // An app that talks to itself does so whenever it runs.
        findings.connections = own.filter { one in !own.contains { $0.isOtherEnd(of: one) } }
        if looksForOthers, !findings.isEmpty {
            let shared = ProcFS().shared(listeners + findings.connections, byOthersThan: Set(pids))
            findings.shared = shared
            findings.connections.removeAll { shared.contains($0.inode) }
        }
        return findings
    }

    /// Each may take half a second, in which other apps wait for their checks. Programs have one.
    private static let maxDisplays = 2

    /// Also asks the X displays of which the app is a client.
    func findingsOfFrozen(looksForOthers: Bool) -> Findings? {
        var findings = findings(looksForOthers: looksForOthers)
        let servers = findings?.outgoing ?? []
        let displays = Set(servers.map(\.peerPath)).filter { XServer.display(at: $0) != nil }.sorted()
        findings?.grabbedDisplay = displays.prefix(Self.maxDisplays).lazy.compactMap(DisplayLook.grabbed).first
        findings?.outgoing.removeAll { XServer.display(at: $0.peerPath) != nil }
        return findings
    }

    private func isForgotten(_ connection: AppSocket) -> Bool {
        connection.leftSince.map { .milliseconds($0) >= rules.forgottenAfter } ?? false
    }

    /// What an app that runs does with them.
    func use() -> (connections: Int, waiting: Int) {
        guard let findings = findings(looksForOthers: false) else { return (0, 0) }
        let waiting = findings.listeners.reduce(0) { sum, listener in
            if case .listening(let waiting) = listener.socket.kind { sum + waiting } else { sum }
        }
        return (findings.listeners.reduce(0) { $0 + $1.peers }, waiting)
    }
}
