import Glibc
import LinuxSystem
import SystemPackage
import Testing

/// Processes whose first thread has ended while another goes on: they look dead, and `cgroup.kill` does not end them.
@Suite("Processes without their first thread")
struct HeadlessTests {
    @Test(
        "A group is killed with them in it, frozen or not",
        .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"), arguments: [false, true])
    func kill(isFrozen: Bool) throws {
        let scratch = try ScratchGroup("headlessKill\(isFrozen)")
        let program = try PythonProgram("", isHeadless: true, in: scratch.group)
        try program.expectHeadless()
        if isFrozen {
            try scratch.group.setFrozen(true)
            #expect(try scratch.group.waitUntilFrozen(milliseconds: 5000))
        }
        try scratch.group.kill()
        #expect(try scratch.group.waitUntilEmpty(milliseconds: 5000))
        #expect(program.process.waitUntilDead(milliseconds: 5000))
    }

    @Test(
        "So does the switch, which allocates nothing, and destruction",
        .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"))
    func killSwitch() throws {
        let scratch = try ScratchGroup()
        let lever = try KillSwitch(group: scratch.group.path)
        let program = try PythonProgram("", isHeadless: true, in: scratch.group)
        let other = try PythonProgram("", in: scratch.group)
        #expect(lever.pull())
        #expect(program.process.waitUntilDead(milliseconds: 5000) && other.process.waitUntilDead(milliseconds: 5000))
        #expect(try scratch.group.waitUntilEmpty(milliseconds: 5000))
        // A group that was killed takes nobody in any more (kernel 6.18).
        let fresh = try ScratchGroup("headlessDestroy")
        let third = try PythonProgram("", isHeadless: true, in: fresh.group)
        try Cgroup.destroy(at: fresh.group.path, milliseconds: 10_000)
        #expect(third.process.isDead && !FileSystem.exists(fresh.group.path))
    }

    @Test(
        "A chain of children, each of which gives up its first thread and has the next, is ended",
        .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"))
    func chain() throws {
        let scratch = try ScratchGroup()
        let first = try PythonProgram(
            """
            def go_on(left):
                # So that there are never more than some.
                if left > 0 and os.fork() == 0:
                    threading.Thread(target=go_on, args=(left - 1,)).start()
                    end_of_first_thread()
                time.sleep(1000)

            if os.fork() == 0:
                threading.Thread(target=go_on, args=(60,)).start()
                end_of_first_thread()
            """, in: scratch.group)
        while !scratch.group.processes().contains(where: { ProcFS().stat($0)?.hasDeadLeader == true }) { sched_yield() }
        try Cgroup.destroy(at: scratch.group.path, milliseconds: 20_000)
        #expect(!FileSystem.exists(scratch.group.path))
        #expect(first.process.waitUntilDead(milliseconds: 5000))
    }

    @Test("What they have of memory, mappings and descriptors is seen as it is of others")
    func looks() throws {
        let scratch = try Scratch()
        let path = try scratch.file("locked", "x")
        let body = """
            global held
            held = bytearray(b"x" * (40 << 20))
            file = open("\(path)", "r+")
            fcntl.flock(file, fcntl.LOCK_EX)
            server = socket.create_server(("127.0.0.1", 0))
            answer = str(server.getsockname()[1])
            """
        let headless = try PythonProgram(body, isHeadless: true)
        try headless.expectHeadless()
        let procFS = ProcFS()
        let memory = try #require(procFS.memory(headless.pid))
        #expect(memory.dirty > 40 << 20 && memory.dirty < 70 << 20)
        #expect(try #require(ProcessMemory.size(headless.pid)).anonymous > 40 << 20)
        #expect(try #require(ProcessMemory.mappings(headless.pid, upTo: 10_000)).count > 20)
        let held = procFS.locks(of: headless.pid)
        #expect(held.map(\.path) == [path] && held.allSatisfy(\.lock.isExclusive))
        let file = try Descriptor.open(path, .read)
        #expect(procFS.firstOpen(among: held, byOthersThan: [headless.pid]) == held.first)
        #expect(!procFS.isStopped(headless.pid))
        let port = try #require(UInt16(headless.answer))
        // Kernels before 6.9 give no way to the sockets of one thread: THIS IS NOT TESTED THERE.
        if (try? PidFD(thread: #require(procFS.threads(headless.pid).last))) != nil {
            let sockets = try procFS.sockets(of: [headless.pid])
            #expect(sockets.contains { $0.isListening && $0.port == port })
            #expect(procFS.shared(sockets, byOthersThan: [headless.pid]).isEmpty)
        }
        withExtendedLifetime(file) {}
    }

    @Test("Descriptors that one thread has for itself are seen as well, and those that all share only once")
    func ownTables() throws {
        let scratch = try Scratch()
        let (one, other) = (try scratch.file("one"), try scratch.file("other"))
        let program = try PythonProgram(
            """
            first = open("\(one)", "r+")
            fcntl.flock(first, fcntl.LOCK_EX)
            done = threading.Event()

            def apart():
                global second
                libc.unshare(0x400)  # CLONE_FILES
                second = open("\(other)", "r+")
                fcntl.flock(second, fcntl.LOCK_EX)
                done.set()
                time.sleep(1000)

            threading.Thread(target=apart, daemon=True).start()
            threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()
            done.wait()
            """)
        #expect(ProcFS().descriptorTables(of: program.pid).count == 2)
        let paths = ProcFS().locks(of: program.pid).map(\.path)
        #expect(Set(paths) == [one, other])
    }

    @Test("Without cgroups, too, they are found, stop, and count as stopped only when all their threads are")
    func session() throws {
        let program = try PythonProgram("", isHeadless: true)
        let procFS = ProcFS()
        #expect(procFS.tree(of: program.pid) == [program.pid])
        try program.process.send(SIGSTOP)
        let patience = Clock.monotonic() + 10_000_000_000
        while !procFS.isStopped(program.pid), Clock.monotonic() < patience { sched_yield() }
        #expect(procFS.isStopped(program.pid))
        try program.process.send(SIGCONT)
        while procFS.isStopped(program.pid), Clock.monotonic() < patience { sched_yield() }
        #expect(!procFS.isStopped(program.pid))
        try program.process.send(SIGKILL)
        #expect(program.process.waitUntilDead(milliseconds: 5000))
        #expect(procFS.tree(of: program.pid).isEmpty, "a dead one is none")
    }
}
