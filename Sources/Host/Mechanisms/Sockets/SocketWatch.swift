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
        /// Since then, how many were turned away.
        var began: Int64 = 0
        var count = 0

        init(_ socket: AppSocket, isShared: Bool) {
            self.socket = socket
            self.isShared = isShared
        }
    }

    private unowned let host: Host
    private var guarded: [AppIndex: [Guarded]] = [:]
    private let buses: BusWatch
    /// So many are turned away in one turn of the loop, and in a tenth of a second: peers that come back at once wait
    /// for the next tenth, so that nobody else does.
    private static let (bound, boundInTenth) = (64, 128)
    private static let tenth: Int64 = 100_000_000

    init(_ host: Host) {
        self.host = host
        buses = BusWatch(host)
    }

    // MARK: Frozen

    /// Looks at the sockets of an app that has been frozen, tells of them, and goes on.
    func verify(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void) {
        process.socketWork = process.box.processorTime
        look(index, process, then)
    }

    /// A daemon that starts finds it suspended.
    func adopt(_ index: AppIndex, _ process: AppProcess) { look(index, process) {} }

    private func look(at process: AppProcess) -> SocketLook {
        SocketLook(pids: process.processes, rules: host.system.profile.socketRules)
    }

    private func look(_ index: AppIndex, _ process: AppProcess, _ then: @escaping () -> Void) {
        let (look, verification, generation) = (look(at: process), process.verification, process.generation)
        let isWoken = host.system.isWokenByPeers(index)
        host.workers.run(.locks) {
            look.findingsOfFrozen(looksForOthers: !isWoken)
        } then: { [unowned self] findings in
            // It was thawed meanwhile, or is gone.
            guard host.process(index, generation) === process, process.verification == verification else { return }
            if let findings, !findings.isEmpty {
                guarded[index] = findings.listeners.map {
                    Guarded($0.socket, isShared: findings.shared.contains($0.socket.inode))
                }
                let connections = Int32(clamping: findings.connections.count)
                host.post(.sockets(.found(findings.facts, connections: connections)), of: index, generation)
            }
            if let display = findings?.grabbedDisplay {
                host.post(.locks(.inputGrabbed(display: display)), of: index, generation)
            }
            // The Core may already have resumed the app.
            if process.verification == verification {
                buses.begin(index, process, findings?.outgoing ?? [])
            }
            then()
        }
    }

    func perform(_ action: Sockets.Action, _ index: AppIndex, _ generation: Generation) {
        switch action {
        case .guardListeners(let wakes): begin(index, generation, wakes: wakes)
        case .look: if let process = host.process(index, generation) { look(index, process) }
        case .closeConnections: if let process = host.process(index, generation) { closeConnections(index, process) }
        }
    }

    private func begin(_ index: AppIndex, _ generation: Generation, wakes: Bool) {
        for one in guarded[index] ?? [] where one.watch == nil && (wakes || !one.isShared) {
            if wakes {
                one.watch = try? host.loop.watch(one.socket.descriptor.rawValue, .readable) { [unowned self] _ in
                    wake(index, generation, one.socket.name)
                }
            } else {
                beginRefusing(one)
            }
        }
    }

    private func beginRefusing(_ one: Guarded) {
        one.began = Clock.monotonic()
        one.count = 0
        one.watch = try? host.loop.watch(one.socket.descriptor.rawValue, .readable) { [unowned self, unowned one] _ in
            refuse(one)
        }
    }

    private func wake(_ index: AppIndex, _ generation: Generation, _ name: String) {
        for one in guarded[index] ?? [] { one.watch = nil }
        host.post(.sockets(.peerCame(name: name)), of: index, generation)
    }

    private func refuse(_ one: Guarded) {
        let now = Clock.monotonic()
        if now - one.began > Self.tenth { (one.began, one.count) = (now, 0) }
        for _ in 0..<Self.bound {
            guard let isRefused = try? one.socket.refusePeer() else {
                one.watch = nil
                return
            }
            guard isRefused else { break }
            one.refused = one.refused == .max ? .max : one.refused + 1
            one.count += 1
        }
        guard one.count >= Self.boundInTenth else { return }
        one.watch = nil
        host.loop.after(nanoseconds: one.began + Self.tenth - now) { [weak self, weak one] in
            // Nobody holds it any more when the app runs again.
            if let self, let one { beginRefusing(one) }
        }
    }

    /// It is about to run again, and answers for itself; or it is gone.
    func release(_ index: AppIndex, _ generation: Generation) {
        buses.release(index)
        guard let released = guarded.removeValue(forKey: index) else { return }
        for one in released {
            one.watch = nil
            if one.refused > 0 {
                host.post(.sockets(.refused(name: one.socket.name, count: one.refused)), of: index, generation)
            }
        }
    }

    private func closeConnections(_ index: AppIndex, _ process: AppProcess) {
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

    private func look(_ index: AppIndex, _ process: AppProcess) {
        let (look, generation) = (look(at: process), process.generation)
        let used = process.box.processorTime ?? 0
        let work = max(0, used - (process.socketWork ?? used))
        process.socketWork = used
        host.workers.run(.locks) {
            look.use()
        } then: { [unowned self] use in
            let use = SocketUse(
                connections: Int32(clamping: use.connections), waiting: Int32(clamping: use.waiting),
                work: Span(nanoseconds: work))
            host.post(.sockets(.seen(use)), of: index, generation)
        }
    }
}
