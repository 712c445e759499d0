import Glibc
import LinuxSystem
import Testing

@Suite("Scheduling")
struct SchedulingTests {
    /// Needs CAP_SYS_NICE, and where the kernel counts real-time in groups, a group that has some.
    static let canBeRealTime: Bool = {
        guard (try? Scheduling(policy: Scheduling.fifo, priority: 1).apply(to: 0)) != nil else { return false }
        return (try? Scheduling(policy: Scheduling.other).apply(to: 0)) != nil
    }()

    @Test("A thread's class is set and read, and its nice value stays")
    func policies() throws {
        let script = try Script("exec nice -n 3 sleep 60")
        let pid = script.process.pid
        let patience = Clock.monotonic() + 5_000_000_000
        while try Scheduling(of: pid).nice != 3, Clock.monotonic() < patience { sched_yield() }
        var now = try Scheduling(of: pid)
        #expect(now == Scheduling(policy: Scheduling.other, nice: 3))
        now.policy = Scheduling.idle
        try now.apply(to: pid)
        #expect(try Scheduling(of: pid) == Scheduling(policy: Scheduling.idle, nice: 3))
        #expect(!now.isRealTime)
    }

    @Test(
        "A real-time thread is read with its priority and the nice value beside",
        .enabled(if: canBeRealTime, "NOT TESTED: nothing may be real-time here"))
    func realTime() throws {
        let script = try Script("exec sleep 60")
        let pid = script.process.pid
        try Scheduling(policy: Scheduling.other, nice: 4).apply(to: pid)
        try Scheduling(policy: Scheduling.roundRobin, priority: 7).apply(to: pid)
        let now = try Scheduling(of: pid)
        #expect(now.isRealTime && now.policy == Scheduling.roundRobin && now.priority == 7 && now.nice == 4)
    }

    @Test("A thread's class for the disk is set and read, and inherited by what it starts")
    func disks() throws {
        let script = try Script("read line; sleep 60 & echo $!; wait")
        #expect(try DiskPriority(of: script.process.pid) == .none)
        try DiskPriority.idle.apply(to: script.process.pid)
        #expect(try DiskPriority(of: script.process.pid) == .idle)
        try script.stream.writeAll(Array("\n".utf8))
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") { _ = try script.stream.read(into: &bytes, upTo: 64) }
        let child = try #require(CInt(String(decoding: bytes.dropLast(), as: UTF8.self)))
        #expect(try DiskPriority(of: child) == .idle)
        kill(child, SIGKILL)
    }

    @Test("A program may take nice values as low as is allowed, and starts also where nothing can be allowed")
    func limits() throws {
        let limit = try #require(Spawn.ResourceLimit.nice(below: 4))
        let script = try Script("exec sleep 60") { $0.limits.append(limit) }
        let bytes = try #require(FileSystem.read("/proc/\(script.process.pid)/limits"))
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Max nice") }
        let numbers = try #require(line).split(separator: " ").compactMap { UInt64($0) }
        // In a user namespace the kernel refuses what the capability promises, and the program has what we have.
        #expect(numbers == [limit.soft, limit.hard] || numbers.allSatisfy { $0 < 24 })
        #expect(limit.soft >= 24 || !CurrentProcess.canRaiseLimits && limit.soft == limit.hard)
    }

    @Test("Of what is gone nothing can be read or set")
    func gone() throws {
        let script = try Script("exit 0")
        _ = script.status()
        let pid = script.process.pid
        #expect((try? Scheduling(of: pid)) == nil)
        #expect((try? DiskPriority.idle.apply(to: pid)) == nil)
        #expect(Autogroup.place(of: pid) == nil)
    }

    @Test(
        "A session's nice value is lowered and given back, whoever asks",
        .enabled(if: Autogroup.place(of: CurrentProcess.pid) != nil, "the kernel has no CONFIG_SCHED_AUTOGROUP"))
    func autogroups() throws {
        let script = try Script("exec sleep 60") { $0.isSessionLeader = true }
        let pid = script.process.pid
        let place = try #require(Autogroup.place(of: pid))
        #expect(place.nice == 0 && place.name != Autogroup.place(of: CurrentProcess.pid)?.name)
        try Autogroup.setNice(19, of: pid)
        #expect(Autogroup.place(of: pid)?.nice == 19)
        try Autogroup.setNice(0, of: pid)
        #expect(Autogroup.place(of: pid)?.nice == 0)
    }

    @Test("What the kernel writes about a session is read, and nothing else is")
    func parsing() {
        #expect(Autogroup.parse("/autogroup-6157 nice -5\n") == Autogroup.Place(name: "/autogroup-6157", nice: -5))
        for text in ["", "/autogroup-1\n", "/autogroup-1 nice\n", "/autogroup-1 nice x\n", "/ ugly 0\n"] {
            #expect(Autogroup.parse(text) == nil)
        }
    }
}
