internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Answers in the place of apps that stand still (R8), or has them woken (X5), by duplicates of their listening
/// sockets. Nothing is changed about the sockets: if the daemon dies, peers wait for the next one, which looks anew.
final class SocketWatch {
    private final class Guarded {
        let socket: AppSocket
        let isShared: Bool
        var watch: Loop.Watch?
        var refused: Int32 = 0

        init(_ socket: AppSocket, isShared: Bool) {
            self.socket = socket
            self.isShared = isShared
        }
    }

    private unowned let host: Host
    private var guarded: [AppIndex: [Guarded]] = [:]
    /// So many are turned away in one turn of the loop.
    private static let bound = 64

    init(_ host: Host) { self.host = host }

    // MARK: Frozen

    /// Looks at the sockets of an app that has been frozen, tells of them, and goes on.
    func verify(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void) {
        process.socketWork = process.box.processorTime
        look(index, process, then)
    }

    /// A daemon that starts finds it suspended.
    func adopt(_ index: AppIndex, _ process: AppProcess) { look(index, process) {} }

    private func look(at process: AppProcess) -> SocketLook {
        SocketLook(pids: process.box.processes(), rules: host.system.profile.socketRules)
    }

    private func look(_ index: AppIndex, _ process: AppProcess, _ then: @escaping () -> Void) {
        let (look, verification, generation) = (look(at: process), process.verification, process.generation)
        let isWoken = host.system.isWokenByPeers(index)
        host.workers.run(.locks) {
            look.findings(looksForOthers: !isWoken)
        } then: { [unowned self] findings in
            // It was thawed meanwhile, or is gone.
            guard host.process(index, generation) === process, process.verification == verification else { return }
            if let findings, !findings.isEmpty {
                guarded[index] = findings.listeners.map {
                    Guarded($0.socket, isShared: findings.shared.contains($0.socket.inode))
                }
                host.post(
                    .socketsFound(
                        index, generation, findings.facts, connections: Int32(clamping: findings.connections.count)))
            }
            then()
        }
    }

    func begin(_ index: AppIndex, _ generation: Generation, wakes: Bool) {
        for one in guarded[index] ?? [] where one.watch == nil && (wakes || !one.isShared) {
            one.watch = try? host.loop.watch(one.socket.descriptor.rawValue, .readable) { [unowned self] _ in
                if wakes { wake(index, generation, one.socket.name) } else { refuse(one) }
            }
        }
    }

    private func wake(_ index: AppIndex, _ generation: Generation, _ name: String) {
        for one in guarded[index] ?? [] { one.watch = nil }
        host.post(.peerCame(index, generation, name: name))
    }

    private func refuse(_ one: Guarded) {
        for _ in 0..<Self.bound {
            guard let isRefused = try? one.socket.refusePeer() else {
                one.watch = nil
                return
            }
            guard isRefused else { return }
            one.refused &+= 1
        }
    }

    /// It is about to run again, and answers for itself; or it is gone.
    func release(_ index: AppIndex, _ generation: Generation) {
        guard let released = guarded.removeValue(forKey: index) else { return }
        for one in released {
            one.watch = nil
            if one.refused > 0 {
                host.post(.peersRefused(index, generation, name: one.socket.name, count: one.refused))
            }
        }
    }

    func closeConnections(_ index: AppIndex, _ process: AppProcess) {
        let (look, verification) = (look(at: process), process.verification)
        host.workers.run(.locks) {
            look.findings(looksForOthers: true)?.connections ?? []
        } then: { [unowned self] (connections: [AppSocket]) in
            guard host.process(index, process.generation) === process, process.verification == verification else {
                return
            }
            for connection in connections { try? connection.breakConnection() }
        }
    }

    // MARK: Running

    func look(_ index: AppIndex, _ process: AppProcess) {
        let (look, generation) = (look(at: process), process.generation)
        let used = process.box.processorTime ?? 0
        let work = max(0, used - (process.socketWork ?? used))
        process.socketWork = used
        host.workers.run(.locks) {
            look.use()
        } then: { [unowned self] use in
            host.post(
                .socketsSeen(
                    index, generation,
                    SocketUse(
                        connections: Int32(clamping: use.connections), waiting: Int32(clamping: use.waiting),
                        work: Span(nanoseconds: work))))
        }
    }
}
