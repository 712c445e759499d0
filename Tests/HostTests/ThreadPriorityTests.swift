import Glibc
import Host
import LinuxSystem
import Model
import Testing

/// Threads are told on a process of the test's own; what they have says the kernel.
@Suite("Priorities of threads")
struct ThreadPriorityTests {
    /// Needs CAP_SYS_NICE, and where the kernel counts real-time in groups, a group that has some.
    static let canBeRealTime: Bool = {
        guard (try? Scheduling(policy: Scheduling.fifo, priority: 1).apply(to: 0)) != nil else { return false }
        return (try? Scheduling(policy: Scheduling.other).apply(to: 0)) != nil
    }()

    private struct NoAnswer: Error {}

    /// A process with threads, in a session of its own.
    private final class Threads {
        let process: PidFD
        let file: String
        private let stream: Descriptor

        /// Each thread begins the next one when a line comes.
        init() throws {
            let program = """
                import sys, threading, time
                def rest(): time.sleep(1000)
                for line in sys.stdin:
                    threading.Thread(target=rest, daemon=True).start()
                    print("began", flush=True)
                """
            let (ours, theirs) = try UnixSocket.pair()
            var spawn = Spawn(
                path: "/usr/bin/env", arguments: ["env", "python3", "-u", "-c", program],
                environment: ["PATH=\(CurrentProcess.environment("PATH") ?? "/usr/bin:/bin")"])
            spawn.descriptors = [(theirs, 0), (theirs, 1)]
            process = try spawn.start()
            stream = ours
            file = "/tmp/greenroom-threads-\(CurrentProcess.pid)-\(process.pid)"
            for _ in 0..<3 { try begin() }
        }

        deinit {
            try? process.send(SIGKILL)
            _ = process.waitUntilDead(milliseconds: 5000)
            _ = process.reap()
            FileSystem.remove(file)
        }

        func begin() throws {
            try stream.writeAll(Array("\n".utf8))
            var bytes: [UInt8] = []
            while bytes.last != UInt8(ascii: "\n") {
                guard case .bytes = try stream.read(into: &bytes, upTo: 64) else { throw NoAnswer() }
            }
        }

        var ids: [CInt] { ProcFS().threads(process.pid) }

        func set(_ level: AppPriority, tellsProcessors: Bool = true) {
            ThreadPriorities(
                memoryFile: file, processes: { [pid = process.pid] in [pid] }, tellsProcessors: tellsProcessors
            ).set(level)
        }

        func policies() throws -> [UInt32] { try ids.map { try Scheduling(of: $0).policy } }
        func disks() throws -> [DiskPriority] { try ids.map { try DiskPriority(of: $0) } }
    }

    @Test("Every thread gives way, those made later as well, and all have what they had afterwards")
    func everyThread() throws {
        let threads = try Threads()
        #expect(threads.ids.count == 4)
        threads.set(.background)
        try threads.begin()
        #expect(threads.ids.count == 5)
        #expect(try threads.disks().allSatisfy { $0 == .idle })
        if CurrentProcess.canRaisePriorities {
            #expect(try threads.policies().allSatisfy { $0 == Scheduling.idle })
        }
        if Autogroup.place(of: threads.process.pid) != nil {
            #expect(Autogroup.place(of: threads.process.pid)?.nice == 19)
        }
        threads.set(.foreground)
        #expect(try threads.disks().allSatisfy { $0 == .none })
        #expect(try threads.policies().allSatisfy { $0 == Scheduling.other })
        #expect(Autogroup.place(of: threads.process.pid)?.nice ?? 0 == 0)
        #expect(!FileSystem.exists(threads.file))
    }

    @Test("Where groups divide the processors, no thread's class is touched")
    func groups() throws {
        let threads = try Threads()
        threads.set(.background, tellsProcessors: false)
        #expect(try threads.policies().allSatisfy { $0 == Scheduling.other })
        #expect(Autogroup.place(of: threads.process.pid)?.nice ?? 0 == 0)
        #expect(try threads.disks().allSatisfy { $0 == .idle })
    }

    @Test("What threads had chosen themselves is given back, whichever daemon does it, and however often it is told")
    func ownChoice() throws {
        let threads = try Threads()
        let own = DiskPriority(value: 2 << 13 | 6)
        let batch: UInt32 = 3
        try own.apply(to: threads.ids[1])
        try Scheduling(policy: batch, nice: 2).apply(to: threads.ids[2])
        // The second time as a daemon does that knows only the file.
        for _ in 0..<2 { threads.set(.background) }
        #expect(try threads.disks().allSatisfy { $0 == .idle })
        threads.set(.timed)
        threads.set(.background)
        for _ in 0..<2 { threads.set(.foreground) }
        #expect(try threads.disks() == [.none, own, .none, .none])
        #expect(try Scheduling(of: threads.ids[2]) == Scheduling(policy: batch, nice: 2))
    }

    @Test("A nice value that a thread takes meanwhile is its own, and stays")
    func niceValues() throws {
        let threads = try Threads()
        try DiskPriority(value: 2 << 13 | 6).apply(to: threads.ids[1])
        threads.set(.background)
        // As a thread does it: `sched_setattr` takes no nice value for one that is idle.
        #expect(setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(threads.ids[1]), 5) == 0)
        for level in [AppPriority.timed, .foreground] {
            threads.set(level)
            #expect(try threads.ids.map { try Scheduling(of: $0).nice } == [0, 5, 0, 0], "\(level)")
        }
    }

    @Test(
        "Real-time is taken in the background, also while a limit runs there, and given back with its priority",
        .enabled(if: canBeRealTime, "NOT TESTED: nothing may be real-time here"))
    func realTime() throws {
        let threads = try Threads()
        let own = Scheduling(policy: Scheduling.fifo, priority: 11)
        try own.apply(to: threads.ids[1])
        for level in [AppPriority.timed, .background, .background, .timed] {
            threads.set(level, tellsProcessors: false)
            #expect(try threads.policies().allSatisfy { $0 == Scheduling.other }, "\(level)")
        }
        threads.set(.foreground, tellsProcessors: false)
        #expect(try Scheduling(of: threads.ids[1]) == own)
        #expect(try threads.policies().count { $0 == Scheduling.other } == 3)
    }

    @Test("The file is read as it was written; a damaged one says nothing")
    func memory() throws {
        var memory = ThreadMemory(level: .background)
        var deadline = Scheduling(policy: Scheduling.deadline)
        (deadline.runtime, deadline.deadline, deadline.period) = (1_000_000, 2_000_000, .max)
        deadline.flags = 1
        memory.threads = [
            ThreadMemory.Thread(id: 7, start: .max, scheduling: deadline, disk: .idle),
            ThreadMemory.Thread(
                id: 8, start: 1, scheduling: Scheduling(policy: Scheduling.fifo, nice: -20, priority: 99), disk: .none),
        ]
        memory.sessions = [7: -3, 9: 19]
        #expect(ThreadMemory(text: memory.text) == memory)
        for text in ["", "quick\n", "background\nthread 1 2\n", "background\nsession 1\n", "background\nwhat\n"] {
            #expect(ThreadMemory(text: text) == nil)
        }
        #expect(ThreadMemory(path: "/nonexistent/file") == nil)
    }

    @Test("Another thread that has the number of one that is gone is not taken for it")
    func numbers() {
        var memory = ThreadMemory(level: .background)
        memory.threads = [
            ThreadMemory.Thread(id: 7, start: 100, scheduling: Scheduling(policy: Scheduling.fifo), disk: .none)
        ]
        #expect(memory.thread(7) { 100 } != nil)
        #expect(memory.thread(7) { 101 } == nil)
        #expect(memory.thread(7) { nil } == nil)
        #expect(memory.thread(8) { 100 } == nil)
    }
}
