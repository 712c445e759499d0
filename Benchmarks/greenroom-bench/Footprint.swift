internal import LinuxSystem
internal import Wire

/// What daemon and keeper cost while nothing happens.
struct Footprint {
    private let processes: [CInt]
    private let system: RunningSystem
    private let procFS = ProcFS()

    init(_ system: RunningSystem, _ tool: Tool) throws {
        guard let keeper = system.keeper else { throw BenchError("there is no keeper.pid") }
        processes = [CInt(try tool.ask(.status).int("pid")), keeper]
        self.system = system
    }

    /// Proportional set size of daemon and keeper, in bytes.
    func memory() throws -> [Double] {
        try processes.map { pid in
            guard let memory = procFS.memory(pid) else { throw BenchError("process \(pid) cannot be looked at") }
            return Double(memory.proportional)
        }
    }

    struct Activity {
        var daemonWakeups: Int64
        var keeperWakeups: Int64
        /// Nanoseconds of daemon and keeper.
        var processorTime: Int64
        /// Nanoseconds of all apps.
        var appTime: Int64
    }

    func activity(seconds: Int) throws -> Activity {
        let before = try sample()
        pause(milliseconds: seconds * 1_000)
        let after = try sample()
        return Activity(
            daemonWakeups: after.daemonWakeups - before.daemonWakeups,
            keeperWakeups: after.keeperWakeups - before.keeperWakeups,
            processorTime: after.processorTime - before.processorTime, appTime: after.appTime - before.appTime)
    }

    private func sample() throws -> Activity {
        let group = try system.groupDirectory.map { try Cgroup(creating: $0) }
        return Activity(
            daemonWakeups: wakeups(processes[0]), keeperWakeups: wakeups(processes[1]),
            processorTime: processes.compactMap { procFS.stat($0)?.processorTime }.reduce(0, +),
            appTime: (group?.processorMicroseconds() ?? 0) * 1_000)
    }

    /// Context switches of all threads.
    private func wakeups(_ pid: CInt) -> Int64 {
        let threads = ProcFS(root: "/proc/\(pid)/task")
        return threads.allProcesses().compactMap { threads.contextSwitches($0) }.reduce(0, +)
    }
}
