import Glibc
import Host
import LinuxSystem
import Model
import Testing

@Suite("Whom a main thread waits for")
struct InversionTests {
    /// Threads that have mutexes of each other: the main one waits for the first, and that perhaps for the second.
    private static let program = """
        import ctypes, os, sys, threading
        libc = ctypes.CDLL(None)
        mutexes = [ctypes.create_string_buffer(64) for _ in range(2)]
        def become(rank):
            if rank == "nice": os.setpriority(os.PRIO_PROCESS, 0, 19)
            if rank == "idle": os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        def hold(number, rank, ready):
            become(rank)
            libc.prctl(15, b"holder %d" % number, 0, 0, 0)
            libc.pthread_mutex_lock(mutexes[number])
            ready.set()
            if number + 1 < len(ranks): libc.pthread_mutex_lock(mutexes[number + 1])
            threading.Event().wait()
        ranks = sys.argv[1].split(",")
        for number in reversed(range(len(ranks))):
            ready = threading.Event()
            threading.Thread(target=hold, args=(number, ranks[number], ready), daemon=True).start()
            ready.wait()
        print(flush=True)
        libc.pthread_mutex_lock(mutexes[0])
        """

    /// Runs it until its main thread waits for a mutex, and looks; `finds`: until there is something to be found.
    private func look(_ ranks: String, finds: Bool = true) throws -> InversionLook.Finding? {
        try run(Self.program, ranks) { pid in
            // Python's own locks say of nobody that he has them.
            let waits = FutexWait(of: pid, in: pid)?.holder(in: pid, waiter: pid) != nil
            let row = InversionLook(process: pid, processes: { [pid] }).holders()
            let found = InversionLook.finding(row) { _ in nil }
            return (finds ? found != nil : waits) ? .some(found) : nil
        }
    }

    /// Calls with the program's pid, once it has printed something, until there is a result.
    private func run<Result>(_ text: String, _ argument: String, _ look: (CInt) -> Result?) throws -> Result {
        let python = try #require(["/usr/bin/python3", "/usr/local/bin/python3"].first(where: FileSystem.exists))
        let (ours, theirs) = try UnixSocket.pair()
        var spawn = Spawn(path: python, arguments: ["python3", "-c", text, argument], environment: [])
        spawn.descriptors = [(theirs, 0), (theirs, 1), (Descriptor(borrowing: 2), 2)]
        let program = try spawn.start()
        defer {
            try? program.send(SIGKILL)
            _ = program.waitUntilDead(milliseconds: 10_000)
            _ = program.reap()
        }
        var line: [UInt8] = []
        _ = try ours.read(into: &line, upTo: 1)
        let deadline = Clock.monotonic() + 20_000_000_000
        while Clock.monotonic() < deadline {
            if let result = look(program.pid) { return result }
            sched_yield()
        }
        throw Late()
    }

    private struct Late: Error {}

    @Test("It is the thread that has the mutex, if that comes later", arguments: ["nice", "idle"])
    func lower(_ rank: String) throws {
        let found = try #require(try look(rank)).inversion
        let expected =
            rank == "nice"
            ? PriorityInversion(thread: "holder 0", rank: .nice, nice: 19)
            : PriorityInversion(thread: "holder 0", rank: .idle, nice: 0)
        #expect(found == expected)
    }

    @Test("Who waits for a thread that is its equal has nothing to be told of")
    func equal() throws {
        #expect(try look("equal", finds: false) == nil)
    }

    @Test("Between the two there may be another one, which waits as well")
    func row() throws {
        #expect(try look("equal,nice")?.inversion.thread == "holder 1")
    }

    /// Waits at a word that it shares with nobody, and says of it that a process of another session has it, or, given a
    /// number, that this one has.
    private static let liar = """
        import ctypes, mmap, os, signal, struct, sys
        libc = ctypes.CDLL(None)
        ready, told = os.pipe()
        owner = int(sys.argv[1])
        if not owner:
            owner = os.fork()
            if owner == 0:
                libc.prctl(1, signal.SIGKILL, 0, 0, 0)
                os.setsid()
                os.setpriority(os.PRIO_PROCESS, 0, 19)
                os.write(told, b"x")
                signal.pause()
            os.read(ready, 1)
        memory = mmap.mmap(-1, 4096)
        memory[:12] = struct.pack("III", 2, 0, owner)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        print(flush=True)
        while True: libc.syscall({"x86_64": 202}.get(os.uname().machine, 98), ctypes.c_void_p(address), 0, 2, None)
        """

    @Test("A thread of another app is found by its number, and no app's processes are searched for it")
    func elsewhere() throws {
        let found = try run(Self.liar, "0") { pid -> InversionLook.Finding? in
            let row = InversionLook(process: pid) {
                Issue.record("the processes are searched")
                return []
            }.holders()
            return InversionLook.finding(row) { $0 == "\(pid)" ? nil : ("Radio", .suspended) }
        }
        #expect(found.inversion.app == "Radio" && found.inversion.rank == .suspended && found.inversion.nice == 19)
    }

    @Test("Nothing is told of an owner that is no app's, or is not there")
    func nobody() throws {
        for owner in [CurrentProcess.pid, 0x3fff_fff0] {
            let found = try run(Self.liar, "\(owner)") { pid -> [InversionLook.Finding]? in
                guard FutexWait(of: pid, in: pid)?.holder(in: pid, waiter: pid) == owner else { return nil }
                let row = InversionLook(process: pid) { [] }.holders()
                return InversionLook.finding(row) { _ in nil }.map { [$0] } ?? []
            }
            #expect(found.isEmpty)
        }
    }

    @Test("What comes later: idle before all else, then by nice value, then at the disk; a real-time thread never")
    func ranks() {
        let (usual, nice, idle) = (
            Scheduling(policy: Scheduling.other), Scheduling(policy: Scheduling.other, nice: 1),
            Scheduling(policy: Scheduling.idle)
        )
        func rank(_ thread: Scheduling, _ disk: DiskPriority = .none, below main: Scheduling) -> PriorityInversion.Rank?
        {
            InversionLook.rank(thread, disk, below: main, .none)
        }
        #expect(rank(usual, below: usual) == nil && rank(usual, below: nice) == nil)
        #expect(rank(nice, below: usual) == .nice && rank(nice, below: nice) == nil)
        #expect(rank(idle, below: usual) == .idle && rank(idle, below: idle) == nil && rank(usual, below: idle) == nil)
        #expect(rank(usual, .idle, below: usual) == .disk)
        #expect(rank(Scheduling(policy: Scheduling.fifo, nice: 19, priority: 1), .idle, below: usual) == nil)
        #expect(InversionLook.rank(usual, .idle, below: usual, .idle) == nil)
    }
}
