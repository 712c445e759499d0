internal import CLinux
internal import Glibc
internal import SystemPackage

/// How the kernel schedules a thread.
package struct Scheduling: Hashable, Sendable {
    /// A number of `sched(7)`.
    package var policy: UInt32
    package var flags: UInt64 = 0
    package var nice: Int32 = 0
    /// Of a thread of `SCHED_FIFO` or `SCHED_RR`.
    package var priority: UInt32 = 0
    // Of a thread of `SCHED_DEADLINE`, in nanoseconds.
    package var runtime: UInt64 = 0
    package var deadline: UInt64 = 0
    package var period: UInt64 = 0

    package static let other: UInt32 = 0
    package static let fifo: UInt32 = 1
    package static let roundRobin: UInt32 = 2
    package static let idle: UInt32 = 5
    package static let deadline: UInt32 = 6

    package init(policy: UInt32, nice: Int32 = 0, priority: UInt32 = 0) {
        self.policy = policy
        self.nice = nice
        self.priority = priority
    }

    package var isRealTime: Bool { [Self.fifo, Self.roundRobin, Self.deadline].contains(policy) }

    /// The corresponding C function is `sched_getattr`.
    package init(of thread: CInt) throws(SystemError) {
        var found = gr_scheduling()
        try check("sched_getattr", path: String(thread)) { unsafe gr_get_scheduling(thread, &found) }
        policy = found.policy
        flags = found.flags
        nice = found.nice
        priority = found.priority
        // Of others this is the length of a turn, which is to stay the kernel's.
        guard policy == Self.deadline else { return }
        runtime = found.runtime
        deadline = found.deadline
        period = found.period
    }

    /// The corresponding C function is `sched_setattr`.
    package func apply(to thread: CInt) throws(SystemError) {
        var wanted = gr_scheduling(
            policy: policy, flags: flags, nice: nice, priority: priority, runtime: runtime, deadline: deadline,
            period: period)
        try check("sched_setattr", path: String(thread)) { unsafe gr_set_scheduling(thread, &wanted) }
    }

    /// The highest real-time priority that a process may take by itself.
    package static func realTimeLimit(_ process: CInt) -> UInt64 { gr_real_time_limit(process) }
}

/// What the disk's scheduler thinks of a thread.
package struct DiskPriority: Hashable, Sendable {
    package var value: Int32

    package init(value: Int32) { self.value = value }

    /// What follows from the thread's scheduling.
    package static let none = DiskPriority(value: 0)
    /// Served when nobody else wants the disk.
    package static let idle = DiskPriority(value: 3 << 13)

    /// The corresponding C function is `ioprio_get`.
    package init(of thread: CInt) throws(SystemError) {
        value = try check("ioprio_get", path: String(thread)) { gr_get_io_priority(thread) }
    }

    /// The corresponding C function is `ioprio_set`.
    package func apply(to thread: CInt) throws(SystemError) {
        let value = value
        try check("ioprio_set", path: String(thread)) { gr_set_io_priority(thread, value) }
    }
}

/// The group that the kernel makes of each session (`sched(7)`): between sessions its nice value is what counts, and
/// those of the threads within do not.
package enum Autogroup {
    package static var isOn: Bool {
        FileSystem.read("/proc/sys/kernel/sched_autogroup_enabled")?.first == UInt8(ascii: "1")
    }

    package struct Place: Hashable, Sendable {
        package var name: String
        package var nice: Int32

        package init(name: String, nice: Int32) {
            self.name = name
            self.nice = nice
        }
    }

    /// Where a process is; `nil` where sessions have no groups.
    package static func place(of process: CInt) -> Place? {
        FileSystem.read("/proc/\(process)/autogroup", limit: 128).flatMap { parse(String(decoding: $0, as: UTF8.self)) }
    }

    package static func parse(_ text: String) -> Place? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 3, words[1] == "nice", let nice = Int32(words[2]) else { return nil }
        return Place(name: String(words[0]), nice: nice)
    }

    /// From 0 up anybody may, ten times a second on the whole machine; then it fails with `EAGAIN`, after so many
    /// attempts. With more than one it waits between them: not for a loop.
    package static func setNice(_ nice: Int32, of process: CInt, attempts: Int = 1) throws(SystemError) {
        for attempt in 1...max(1, attempts) {
            do throws(SystemError) {
                return try Descriptor.open("/proc/\(process)/autogroup", .write).writeAll(Array(String(nice).utf8))
            } catch {
                guard error.errno == .resourceTemporarilyUnavailable, attempt < attempts else { throw error }
            }
            _ = poll(nil, 0, 50)
        }
    }
}

extension CurrentProcess {
    /// A right of `capabilities(7)`.
    package static func hasCapability(_ number: UInt64) -> Bool {
        let status = FileSystem.read("/proc/self/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let text = ProcFS.field("CapEff", in: status), let bits = UInt64(text, radix: 16) else { return false }
        return bits & (1 << number) != 0
    }

    /// `CAP_SYS_NICE`.
    package static var canRaisePriorities: Bool { hasCapability(23) }

    /// `CAP_SYS_RESOURCE`.
    package static let canRaiseLimits = hasCapability(24)
}
