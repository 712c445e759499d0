internal import Glibc
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

    /// What nobody shares with daemon and keeper, in bytes.
    func privateMemory() throws -> Double {
        Double(processes.compactMap { procFS.memory($0)?.dirty }.reduce(0, +))
    }

    /// What happened over a while.
    struct Activity {
        let daemonWakeups: Int64
        let keeperWakeups: Int64
        /// Nanoseconds of daemon and keeper.
        let processorTime: Int64
        /// Nanoseconds of all apps.
        let appTime: Int64
    }

    private struct Sample {
        /// Of daemon and keeper: context switches by thread.
        var switches: [[CInt: Int64]] = []
        var processorTime: Int64 = 0
        var appTime: Int64 = 0
    }

    func activity(seconds: Int) throws -> Activity {
        let before = try sample()
        pause(milliseconds: seconds * 1_000)
        let after = try sample()
        return Activity(
            daemonWakeups: wakeups(before.switches[0], after.switches[0]),
            keeperWakeups: wakeups(before.switches[1], after.switches[1]),
            processorTime: after.processorTime - before.processorTime, appTime: after.appTime - before.appTime)
    }

    private func sample() throws -> Sample {
        var sample = Sample()
        for process in processes {
            sample.switches.append(try switches(process))
            sample.processorTime += try processorTime(process)
        }
        if let group = system.groupDirectory {
            guard let used = try Cgroup(creating: group).processorMicroseconds() else {
                throw BenchError("\(group) has no cpu.stat")
            }
            sample.appTime = used * 1_000
        }
        return sample
    }

    /// Wakeups of one other process in a while, and the memory that it shares with nobody.
    func activity(of pid: CInt, seconds: Int) throws -> (wakeups: Int64, memory: Double) {
        let before = try switches(pid)
        pause(milliseconds: seconds * 1_000)
        guard let memory = procFS.memory(pid) else { throw BenchError("process \(pid) cannot be looked at") }
        return (wakeups(before, try switches(pid)), Double(memory.dirty))
    }

    private func switches(_ pid: CInt) throws -> [CInt: Int64] {
        var counts: [CInt: Int64] = [:]
        for name in FileSystem.names(in: "/proc/\(pid)/task") {
            guard let thread = CInt(name), let status = FileSystem.read("/proc/\(pid)/task/\(name)/status") else {
                continue
            }
            let text = String(decoding: status, as: UTF8.self)
            for field in ["voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"] {
                guard let count = ProcFS.field(field, in: text).flatMap({ Int64($0) }) else {
                    throw BenchError("the kernel does not tell \(field)")
                }
                counts[thread, default: 0] += count
            }
        }
        guard counts[pid] != nil else { throw BenchError("process \(pid) cannot be looked at") }
        return counts
    }

    /// A thread that ended has woken once more to do so.
    private func wakeups(_ before: [CInt: Int64], _ after: [CInt: Int64]) -> Int64 {
        let ended = before.keys.count { after[$0] == nil }
        return after.reduce(Int64(ended)) { sum, thread in sum + thread.value - (before[thread.key] ?? 0) }
    }

    /// Nanoseconds of all threads, the ended ones included.
    private func processorTime(_ pid: CInt) throws -> Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(pid, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            throw BenchError("process \(pid) has no clock")
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Measurement {
    mutating func measureFootprint(_ tool: Tool, _ footprint: Footprint, _ empty: [Double]) throws {
        say("\(crowd) suspended apps")
        let switching = Switching(system: system, tool: tool, place: options.place)
        pause(milliseconds: 500)
        let few = (try footprint.memory().reduce(0, +), try footprint.privateMemory())
        for number in 51...crowd { try switching.suspend(try system.install(number, with: tool)) }
        // Worker threads that have nothing to do end after some seconds.
        pause(milliseconds: 12_000)
        let full = try footprint.memory()
        let apps = Double(crowd - 50)
        let seconds = options.isQuick ? 10 : 60
        say("\(seconds) s of idleness")
        let activity = try footprint.activity(seconds: seconds)
        let growth = (full.reduce(0, +) - few.0) / apps
        // What is shared with the apps counts less with each of them: private memory shows the daemon's own part.
        let privateGrowth = (try footprint.privateMemory() - few.1) / apps
        report.add([
            memory("daemon, 0 apps", empty[0]), memory("keeper, 0 apps", empty[1]),
            memory("both, 0 apps", empty.reduce(0, +), .atMost(15 * 0x1p20)),
            memory("both, \(crowd) suspended apps", full.reduce(0, +)),
            memory("growth an app, from 50 to \(crowd)", growth, .atMost(6 * 0x1p10)),
            Figure(
                what: "private memory growth an app", value: privateGrowth, unit: .bytes,
                target: .atMost(6 * 0x1p10)),
            Figure(
                what: "daemon's wakeups in \(seconds) s, Home in front", value: Double(activity.daemonWakeups),
                unit: .count, target: .atMost(0)),
            Figure(
                what: "keeper's wakeups in \(seconds) s", value: Double(activity.keeperWakeups), unit: .count,
                target: .atMost(0)),
            Figure(
                what: "processor time of both", value: Double(activity.processorTime), unit: .nanoseconds,
                target: .atMost(0)),
            Figure(
                what: "processor time of \(crowd) suspended apps", value: Double(activity.appTime), unit: .nanoseconds,
                target: .atMost(0)),
        ])
    }

    private func memory(_ what: String, _ bytes: Double, _ target: Figure.Target = .none) -> Figure {
        Figure(what: "PSS \(what)", value: bytes, unit: .bytes, target: target)
    }
}
