package import LinuxSystem

/// The fallback where no cgroup can be written: the session of the first process and what descends from it, stopped by
/// signals. Weaker in three ways that `doctor` names: the app's parent sees the stop, others of the same user can undo
/// it, and a process that leaves session and parent escapes.
package final class SessionBox: ProcessBox {
    package let mechanism = "SIGSTOP"
    package let birthplace: Descriptor? = nil
    package let killSwitch: KillSwitch? = nil
    package let reclaimFile: String? = nil
    package let memoryFile: String? = nil
    private let procFS = ProcFS()
    private var leader: CInt?
    private weak var loop: Loop?
    private var changed: () -> Void = {}
    private var watches: [CInt: (PidFD, Loop.Watch)] = [:]

    package init() {}

    private static let stop: CInt = 19
    private static let resume: CInt = 18
    private static let kill: CInt = 9

    /// The first process: known once it is born.
    package func begin(with leader: CInt) {
        self.leader = leader
        follow()
    }

    package func processes() -> [CInt] { leader.map(procFS.tree) ?? [] }
    package var census: @Sendable () -> [CInt] { { [procFS, leader] in leader.map(procFS.tree) ?? [] } }

    package var isFrozen: Bool {
        let pids = processes()
        return !pids.isEmpty && pids.allSatisfy(procFS.isStopped)
    }

    package var isPopulated: Bool { !processes().isEmpty }

    /// Stops until no new process turns up: one may fork while the others are being stopped.
    package func freeze() throws(SystemError) {
        var stopped: Set<CInt> = []
        for _ in 0..<16 {
            let fresh = processes().filter { !stopped.contains($0) }
            if fresh.isEmpty { break }
            for pid in fresh {
                try? PidFD(pid).send(Self.stop)
                stopped.insert(pid)
            }
        }
        awaitStop(tries: 0)
    }

    /// Nothing announces a stop: look again, soon and then more rarely, for as long as an attempt lasts.
    private func awaitStop(tries: Int) {
        if isFrozen || tries > 20 {
            loop?.soon { [weak self] in self?.changed() }
        } else {
            loop?.after(nanoseconds: 1_000_000 << Int64(min(tries, 6))) { [weak self] in
                self?.awaitStop(tries: tries + 1)
            }
        }
    }

    package func thaw() throws(SystemError) { signal(Self.resume) }
    package func kill() throws(SystemError) { signal(Self.kill) }

    package func signal(_ number: CInt) {
        for pid in processes() { try? PidFD(pid).send(number) }
        follow()
    }

    package var processorTime: Int64? { processes().compactMap { procFS.stat($0)?.processorTime }.reduce(0, +) }

    package func watch(_ loop: Loop, _ changed: @escaping () -> Void) throws(SystemError) {
        // What another loop was told of, this one must hear as well.
        if self.loop !== loop { watches = [:] }
        self.loop = loop
        self.changed = changed
        follow()
    }

    /// Watches every process for its end: when the last is gone, so is the app.
    private func follow() {
        guard let loop else { return }
        for pid in processes() where watches[pid] == nil {
            guard let process = try? PidFD(pid),
                let watch = try? loop.watch(
                    process.descriptor.rawValue, .readable, { [weak self] _ in self?.ended(pid) })
            else { continue }
            watches[pid] = (process, watch)
        }
    }

    private func ended(_ pid: CInt) {
        watches[pid] = nil
        follow()
        changed()
    }

    /// Each of its processes is watched by what it is signalled by.
    package func rest() {}

    package func remove() {
        watches = [:]
        changed = {}
    }
}
