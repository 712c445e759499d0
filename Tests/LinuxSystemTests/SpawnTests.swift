import Glibc
import LinuxSystem
import SystemPackage
import TestPace
import Testing

@Suite("Starting programs")
struct SpawnTests {
    @Test("A program gets its arguments and exactly the environment that was named")
    func argumentsAndEnvironment() throws {
        let (ours, theirs) = try UnixSocket.pair()
        var spawn = Spawn(path: "/usr/bin/env", arguments: ["env"], environment: ["A=1", "B=two words", "C="])
        spawn.descriptors = [(theirs, 1)]
        let process = try spawn.start()
        spawn.descriptors = []
        withExtendedLifetime(theirs) {}
        #expect(process.waitUntilDead(milliseconds: 5000))
        var bytes: [UInt8] = []
        _ = try ours.read(into: &bytes, upTo: 4096)
        #expect(lines(String(decoding: bytes, as: UTF8.self)) == ["A=1", "B=two words", "C="])
        #expect(process.reap() == .exited(0))
        #expect(try Script.run("echo \"$0|$1\"") { $0.arguments += ["zero", "one; two"] } == ["zero|one; two"])
    }

    @Test("One that is to be alone may have threads, and starts no process in any way")
    func alone() throws {
        let program = """
            import ctypes, os, subprocess, threading
            tried = []
            def attempt(name, body):
                try: body()
                except OSError: tried.append(name)
            def fork():
                if os.fork() == 0: os._exit(0)
            attempt("fork", fork)
            attempt("spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
            attempt("popen", lambda: subprocess.run(["/bin/true"]))
            libc = ctypes.CDLL(None, use_errno=True)
            def vfork():
                if libc.syscall(58) < 0: raise OSError()
            if os.uname().machine == "x86_64": attempt("vfork", vfork)
            thread = threading.Thread(target=lambda: tried.append("thread"))
            thread.start(); thread.join()
            print(*tried)
            """
        var spawn = Spawn(path: "/usr/bin/python3", arguments: ["python3", "-c", program], environment: [])
        let (ours, theirs) = try UnixSocket.pair()
        spawn.descriptors = [(theirs, 1)]
        var confinement = Spawn.Confinement()
        confinement.isAlone = true
        spawn.confinement = confinement
        let process = try spawn.start()
        spawn.descriptors = []
        withExtendedLifetime(theirs) {}
        #expect(process.waitUntilDead(milliseconds: 10_000))
        var bytes: [UInt8] = []
        _ = try ours.read(into: &bytes, upTo: 4096)
        let words = Set(lines(String(decoding: bytes, as: UTF8.self)).joined().split(separator: " ").map(String.init))
        #expect(words.isSuperset(of: ["fork", "spawn", "popen", "thread"]), "\(words)")
        #if arch(x86_64)
            #expect(words.contains("vfork"))
        #endif
        #expect(process.reap() == .exited(0))
    }

    @Test("A program that is not there is an error that names the step and the cause")
    func missingProgram() throws {
        let spawn = Spawn(path: "/nonexistent/program", arguments: ["program"], environment: [])
        let error = #expect(throws: SpawnError.self) { try spawn.start() }
        #expect(error?.stage == "execve")
        #expect(error?.errno == .noSuchFileOrDirectory)
    }

    @Test("A file that is not executable, and a directory that is not there, fail at their own steps")
    func otherFailures() throws {
        let scratch = try Scratch()
        let file = try scratch.file("data", "no program")
        let plain = #expect(throws: SpawnError.self) {
            try Spawn(path: file, arguments: ["data"], environment: []).start()
        }
        #expect(plain?.stage == "execve")
        #expect(plain?.errno == .permissionDenied)
        let lost = #expect(throws: SpawnError.self) { try Script("true") { $0.directory = scratch.path + "/gone" } }
        #expect(lost?.stage == "chdir")
    }

    @Test("Failed starts leave neither a process nor a descriptor behind")
    func failuresLeaveNothing() throws {
        let spawn = Spawn(path: "/nonexistent/program", arguments: ["program"], environment: [])
        let before = FileSystem.names(in: "/proc/self/fd").count
        for _ in 0..<300 { _ = try? spawn.start() }
        // Far more than the tests that run beside this one have at a time.
        #expect(FileSystem.names(in: "/proc/self/fd").count < before + 150)
        let zombies = ProcFS().children(CurrentProcess.pid).filter { ProcFS().stat($0)?.state == "Z" }
        #expect(zombies.count < 150)
    }

    /// Whether this process can be looked into: a child that shares its memory changes that when it becomes another
    /// user.
    private static func isOpen() throws -> Bool {
        typealias Function = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
        let (symbol, getsDumpable) = (try unsafe #require(dlsym(nil, "prctl")), CInt(3))
        return unsafe unsafeBitCast(symbol, to: Function.self)(getsDumpable, 0, 0, 0, 0) == 1
    }

    @Test(
        "Children that become other users, also at the same time, leave this process as open as it was",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func otherUser() async throws {
        let before = try Self.isOpenAtRest()
        try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<20 {
                group.addTask { try Script.run("id -u") { $0.uid = 60_000 + UInt32(number) } }
            }
            var users: Set<String> = []
            for try await lines in group { users.formUnion(lines) }
            #expect(users == Set((60_000..<60_020).map(String.init)))
        }
        #expect(try Self.isOpenAtRest() == before)
    }

    /// Others that run beside this test may have children at this moment, with whom it is not, and none for ever.
    private static func isOpenAtRest() throws -> Bool {
        for _ in 0..<200 {
            if try isOpen() { return true }
            _ = try Script.run("true")
        }
        return false
    }

    @Test("A child that hangs before its program is killed and does not hang its parent")
    func hangingChild() throws {
        // A pipe that nobody empties: the child cannot record its birth.
        var ends: [CInt] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        try writer.setNonblocking(true)
        while case .bytes = try writer.write([UInt8](repeating: 0, count: 4096)[...]) {}
        try writer.setNonblocking(false)
        var spawn = Spawn(path: "/bin/true", arguments: ["true"], environment: [])
        spawn.birth = writer
        spawn.limitMilliseconds = 50
        let before = Clock.monotonic()
        let error = #expect(throws: SpawnError.self) { try spawn.start() }
        #expect(error?.stage == "time")
        #expect(Clock.monotonic() - before < Pace.nanoseconds(seconds: 4))
        withExtendedLifetime(reader) {}
    }

    @Test(
        "Programs of other users start while other threads allocate and start",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func concurrentStarts() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        let output = try Script.run("echo $HOME") {
                            $0.uid = 54_321
                            $0.environment.append("HOME=/nowhere")
                        }
                        #expect(output == ["/nowhere"])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A text with a zero byte is refused instead of being cut", arguments: ["argument", "environment", "path"])
    func zeroBytes(place: String) {
        var spawn = Spawn(path: "/bin/true", arguments: ["true"], environment: [])
        switch place {
        case "argument": spawn.arguments.append("a\u{0}b")
        case "environment": spawn.environment.append("A=\u{0}")
        default: spawn.path = "/bin/true\u{0}.app"
        }
        let error = #expect(throws: SpawnError.self) { try spawn.start() }
        #expect(error?.errno == .invalidArgument)
    }

    @Test("A program has the descriptors that were named and no other")
    func onlyNamedDescriptors() throws {
        let secret = try Descriptor.open("/dev/null", .read)
        try secret.setNonblocking(false, closeOnExec: false)
        let high = try Descriptor.open("/dev/zero", .read)
        let found = try Script.run("ls /proc/self/fd") { $0.descriptors.append((high, 100)) }
        // 3 is the directory that `ls` reads.
        #expect(found.sorted() == ["0", "1", "100", "2", "3"])
        withExtendedLifetime(secret) {}
    }

    @Test("Descriptors may trade places")
    func descriptorsTradePlaces() throws {
        let scratch = try Scratch()
        let one = try Descriptor.open(try scratch.file("one", "1"), .read)
        let two = try Descriptor.open(try scratch.file("two", "2"), .read)
        let output = try Script.run("cat /proc/self/fd/\(two.rawValue) /proc/self/fd/\(one.rawValue)") {
            $0.descriptors += [(one, two.rawValue), (two, one.rawValue)]
        }
        #expect(output == ["12"])
    }

    @Test("Standard streams that were not named are empty, not closed")
    func missingStreams() throws {
        let output = try Script.run("readlink /proc/self/fd/0; readlink /proc/self/fd/2") {
            $0.descriptors.removeAll { $0.target == 0 }
        }
        #expect(output == ["/dev/null", "/dev/null"])
    }

    @Test("Signals are neither ignored nor blocked in the program, whatever they are here")
    func signalsAreReset() throws {
        CurrentProcess.ignoreBrokenPipes()
        let status = try Script.run("grep -E 'Sig(Ign|Blk)' /proc/self/status")
        #expect(status == ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"])
    }

    @Test("A program leads a session, or only a group, of its own")
    func sessions() throws {
        let leader = try Script("read line")
        let stat = try #require(ProcFS().stat(leader.process.pid))
        #expect(stat.session == leader.process.pid)
        let member = try Script("read line") { $0.isSessionLeader = false }
        let other = try #require(ProcFS().stat(member.process.pid))
        #expect(other.group == member.process.pid)
        #expect(other.session == ProcFS().stat(CurrentProcess.pid)?.session)
        #expect(ProcFS().processes(ofGroup: member.process.pid) == [member.process.pid])
    }

    @Test("The child itself records its birth before its program runs")
    func birthRecord() throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/birth"
        let script = try Script("read line") { $0.birth = try? .open(path, .write, create: 0o600) }
        #expect(FileSystem.read(path) == Array("\(script.process.pid)\n".utf8))
        // Also when the program cannot be executed: whoever finds the record looks for the process.
        var spawn = Spawn(path: "/nonexistent", arguments: [""], environment: [])
        spawn.birth = try .open(path, .write, create: 0o600, truncate: true)
        _ = try? spawn.start()
        #expect(FileSystem.read(path)?.last == UInt8(ascii: "\n"))
    }

    @Test("Limits hold for the program and do not get in the way of its descriptors")
    func limits() throws {
        let high = try Descriptor.open("/dev/zero", .read)
        let output = try Script.run("ulimit -n; ulimit -c; head -c 1 /proc/self/fd/40 | wc -c") {
            $0.limits = [.init(.openFiles, 20), .init(.coreSize, 0)]
            $0.descriptors.append((high, 40))
        }
        #expect(output == ["20", "0", "1"])
    }

    @Test("Privileges are given up and a kernel that is out of memory is told whom to take")
    func privileges() throws {
        let output = try Script.run("grep NoNewPrivs /proc/self/status; cat /proc/self/oom_score_adj; umask") {
            $0.forbidsNewPrivileges = true
            $0.oomScore = 500
        }
        #expect(output == ["NoNewPrivs:\t1", "500", "0022"])
    }

    @Test(
        "A program runs as its user and in no group but its own",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func identity() throws {
        let output = try Script.run("id -u; id -g; id -G; pwd") {
            $0.uid = 54_321
            $0.directory = "/tmp"
        }
        #expect(output == ["54321", "54321", "54321", "/tmp"])
    }

    @Test("A terminal controls the session of its program")
    func terminal() throws {
        let terminal = try Terminal.open()
        Terminal.setSize(terminal.master, rows: 33, columns: 99)
        let script = try Script("tty >/dev/null && stty size > /dev/tty") {
            $0.descriptors = [(terminal.slave, 0), (terminal.slave, 1), (terminal.slave, 2)]
            $0.controllingTerminal = 0
        }
        #expect(script.status() == .exited(0))
        #expect(isReady(terminal.master))
        var bytes: [UInt8] = []
        _ = try terminal.master.read(into: &bytes, upTo: 100)
        #expect(String(decoding: bytes, as: UTF8.self) == "33 99\r\n")
    }
}
