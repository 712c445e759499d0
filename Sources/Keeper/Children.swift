internal import LinuxSystem

/// The processes that a system leaves: this process is their parent of last resort.
enum Children {
    private static let kill: CInt = 9

    /// What a dead daemon left in its own session, such as a crash's helper. Apps, the transfer service and the holders
    /// of terminals have sessions of their own. To be called while the daemon's number cannot be another's: before it
    /// is collected.
    static func endSession(of daemon: CInt) {
        let procFS = ProcFS()
        for pid in procFS.allProcesses() where pid != daemon {
            // Looked at again with the descriptor in hand: what it names is what is killed.
            guard procFS.stat(pid)?.session == daemon, let process = try? PidFD(pid),
                procFS.stat(pid)?.session == daemon
            else { continue }
            try? process.send(kill)
        }
    }

    /// Living children, those among them that were adopted included.
    static func living() -> [PidFD] {
        let procFS = ProcFS()
        let own = CurrentProcess.pid
        return procFS.allProcesses().compactMap { pid in
            // A child's number is its own until this process collects it.
            guard let stat = procFS.stat(pid), stat.parent == own, !"ZX".contains(stat.state) else { return nil }
            return try? PidFD(pid)
        }
    }

    /// Waits for what ends by itself, then kills; what a child leaves is a child in the next round. Returns the pids of
    /// those that do not end.
    static func endAll(graceMilliseconds: CInt) -> [CInt] {
        let begin = Clock.monotonic()
        func left(until milliseconds: Int64) -> CInt {
            CInt(clamping: max(0, milliseconds - (Clock.monotonic() - begin) / 1_000_000))
        }
        for process in living() { _ = process.waitUntilDead(milliseconds: left(until: Int64(graceMilliseconds))) }
        for _ in 0..<1000 {
            let rest = living()
            if rest.isEmpty { break }
            for process in rest { try? process.send(kill) }
            let limit = left(until: Int64(graceMilliseconds) + 5000)
            if limit == 0 { return rest.map(\.pid) }
            for process in rest { _ = process.waitUntilDead(milliseconds: min(limit, 1000)) }
            while CurrentProcess.reapAnyChild(tell: { _, _ in }) {}
        }
        return []
    }
}

extension ProcessStatus {
    /// For sentences about the daemon.
    var sentence: String {
        switch self {
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        }
    }

    var code: CInt {
        switch self {
        case .exited(let code): code
        case .signaled: 1
        }
    }
}
