import Glibc
import LinuxSystem
import SystemPackage
import Testing

/// A group in which the kernel counts memory by itself: what it had before a process's end and not after, is free.
private final class CountedGroup {
    private static let mount = CgroupRoot.legacyMountPoint(of: "memory")
    private let path: String
    private let file: String

    /// `memory` of version 1, or version 2 with its controller: WHAT ENDING BRINGS IS NOT TESTED WITHOUT.
    static var isThere: Bool { CurrentProcess.isRoot && (mount != nil || isCounted(Machine.cgroups)) }

    private static func isCounted(_ root: String?) -> Bool {
        guard let root, let bytes = FileSystem.read(root + "/cgroup.subtree_control") else { return false }
        return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.contains("memory")
    }

    init() throws {
        let root = try #require(Self.isCounted(Machine.cgroups) ? Machine.cgroups : Self.mount)
        path = "\(root)/greenroom-test-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.makeDirectory(path)
        file = path + (FileSystem.exists(path + "/memory.current") ? "/memory.current" : "/memory.usage_in_bytes")
    }

    deinit { try? Cgroup.remove(at: path) }

    /// The first thing that a program does.
    var joins: String { "open('\(path)/cgroup.procs', 'w').write(str(os.getpid()))" }

    func usage() throws -> Int64 {
        let text = String(decoding: try #require(FileSystem.read(file)), as: UTF8.self)
        return try #require(Int64(text.prefix { $0 != "\n" }))
    }

    /// What it counts less when it is empty.
    func freed(byEnding processes: [CInt]) throws -> Int64 {
        let before = try usage()
        let handles = processes.compactMap { try? PidFD($0) }
        for process in handles { try? process.send(SIGKILL) }
        for process in handles { #expect(process.waitUntilDead(milliseconds: 10_000)) }
        // What a processor has set aside for itself comes back when the last task is gone for good.
        var (last, patience) = (try usage(), 50)
        while patience > 0 {
            _ = poll(nil, 0, 10)
            let now = try usage()
            if now == last { patience -= 10 }
            (last, patience) = (now, patience - 1)
        }
        return before - last
    }
}

@Suite("What ending an app would free")
struct HeldMemoryTests {
    private static let megabyte: Int64 = 1 << 20

    private func dirty(_ pids: [CInt]) -> Int64 {
        let procFS = ProcFS()
        var look = HeldMemoryLook(pids, atMost: 1 << 16)
        return procFS.owners(ofMemory: pids).compactMap { procFS.memory($0)?.dirty }.reduce(0, +) + look.measure().bytes
    }

    @Test(
        "Memory that processes share by forks counts once, and what they changed of it as well",
        .enabled(if: CountedGroup.isThere, "NOT TESTED: needs a cgroup that counts memory"))
    func forks() throws {
        let group = try CountedGroup()
        let program = try PythonProgram(
            """
            \(group.joins)
            global held
            held = mmap.mmap(-1, 100 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            for page in range(0, 100 << 20, 4096): held[page] = 1
            reader, writer = os.pipe()
            children = []
            for number in range(6):
                child = os.fork()
                if child == 0:
                    for page in range(0, 10 << 20, 4096): held[page] = 2
                    os.write(writer, b"x")
                    time.sleep(1000)
                children.append(child)
            for child in children: os.read(reader, 1)
            answer = " ".join(map(str, children))
            """)
        let pids = [program.pid] + program.answer.split(separator: " ").compactMap { CInt($0) }
        try #require(pids.count == 7)
        let counted = dirty(pids)
        #expect(counted > 160 * Self.megabyte && counted < 190 * Self.megabyte, "\(counted)")
        let freed = try group.freed(byEnding: pids)
        #expect(abs(freed - counted) < 16 * Self.megabyte, "\(counted) were counted, \(freed) freed")
    }

    @Test("A child that shares its parent's memory until it begins its program has none of its own")
    func vfork() throws {
        let program = try PythonProgram(
            """
            global held
            held = bytearray(b"x" * (50 << 20))
            # CLONE_VM | CLONE_VFORK: the child waits in the kernel, and so does who made it.
            import subprocess
            stack = ctypes.create_string_buffer(1 << 16)
            FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
            pause = ctypes.cast(libc.pause, ctypes.c_void_p)
            libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
            top = (ctypes.addressof(stack) + (1 << 16)) & ~15
            answer = str(libc.clone(pause, top, 0x100 | 17, None))
            """, atEnd: "os.kill(int(answer), 9)")
        let child = try #require(CInt(program.answer))
        try #require(child > 0)
        let pids = [program.pid, child]
        #expect(ProcFS().owners(ofMemory: pids) == [program.pid])
        #expect(dirty(pids) < 80 * Self.megabyte)
        try PidFD(child).send(SIGKILL)
    }

    @Test(
        "Files without a name, pipes and sockets count, each once, by what their end frees",
        .enabled(if: CountedGroup.isThere, "NOT TESTED: needs a cgroup that counts memory"), arguments: [false, true])
    func held(isHeadless: Bool) throws {
        let group = try CountedGroup()
        let program = try PythonProgram(
            """
            \(group.joins)
            block = b"x" * (1 << 20)
            global held
            held = []
            # Not mapped, and open twice.
            plain = os.memfd_create("plain")
            for _ in range(40): os.write(plain, block)
            held.append(os.dup(plain))
            # Mapped, every page of it touched: its process shows it.
            mapped = os.memfd_create("mapped")
            for _ in range(20): os.write(mapped, block)
            whole = mmap.mmap(mapped, 20 << 20)
            sum(whole[page] for page in range(0, 20 << 20, 4096))
            held.append(whole)
            # A page of it is mapped, and nothing else is left.
            large = os.memfd_create("large")
            for _ in range(30): os.write(large, block)
            held.append(mmap.mmap(large, 4096))
            os.close(large)
            # A megabyte in a pipe, and what a pair of sockets takes.
            reader, writer = os.pipe()
            fcntl.fcntl(writer, 1031, 1 << 20)
            os.write(writer, block)
            for _ in range(8):
                one, other = socket.socketpair()
                one.setblocking(False)
                one.setsockopt(socket.SOL_SOCKET, 32, 2 << 20)  # SO_SNDBUFFORCE
                sent = 0
                while True:
                    try:
                        one.send(block[:65536])
                    except BlockingIOError:
                        break
                held += [one, other]
            """, isHeadless: isHeadless)
        var look = HeldMemoryLook([program.pid], atMost: 1 << 16)
        let held = look.measure()
        #expect(held.files / Self.megabyte == 70 || held.files / Self.megabyte == 69, "\(held)")
        let canReachSockets = !isHeadless || (try? PidFD(thread: #require(ProcFS().threads(program.pid).last))) != nil
        if canReachSockets {
            #expect(held.pipes >= Self.megabyte && held.sockets >= 8 * Self.megabyte, "\(held)")
        }
        let counted = dirty([program.pid])
        let freed = try group.freed(byEnding: [program.pid])
        #expect(
            abs(freed - counted) < (canReachSockets ? 16 : 60) * Self.megabyte,
            "\(counted) were counted, \(freed) freed")
    }

    @Test("No more descriptors are looked at than allowed, and that is said")
    func bound() throws {
        let program = try PythonProgram("held = [os.open('/dev/null', os.O_RDONLY) for _ in range(50)]")
        var few = HeldMemoryLook([program.pid], atMost: 20)
        #expect(few.measure().isIncomplete)
        var many = HeldMemoryLook([program.pid], atMost: 200)
        #expect(!many.measure().isIncomplete)
    }

    @Test("What somebody else's file has counts with nobody who has it open")
    func others() throws {
        // This process's own: under another user's name it is the same to the kernel.
        let program = try PythonProgram(
            "path = '/dev/shm/greenroom-test-%d' % os.getpid()\nfile = open(path, 'wb')\nfile.write(b'x' * (8 << 20))\nfile.flush()\nanswer = path",
            atEnd: "os.unlink(path)")
        defer { FileSystem.remove(program.answer) }
        var look = HeldMemoryLook([program.pid], atMost: 200)
        #expect(look.measure().files < Self.megabyte, "a file with a name stays when its app ends")
        FileSystem.remove(program.answer)
        var again = HeldMemoryLook([program.pid], atMost: 200)
        #expect(again.measure().files >= 8 * Self.megabyte, "one without goes with it")
    }

    @Test(
        "What an app has in a place of its own counts, named and mapped or not",
        .enabled(if: Machine.canMount, "NOT TESTED: needs the right to mount"))
    func ownPlace() throws {
        let program = try PythonProgram(
            """
            libc.unshare(0x20000)  # CLONE_NEWNS
            libc.mount(b"none", b"/", None, 0x44000, None)  # MS_REC | MS_PRIVATE
            libc.mount(b"none", b"/dev/shm", b"tmpfs", 0, b"size=64m")
            global held
            file = open("/dev/shm/named", "w+b")
            file.write(b"x" * (20 << 20))
            file.flush()
            with open("/dev/shm/closed", "wb") as other: other.write(b"x" * (10 << 20))
            held = mmap.mmap(file.fileno(), 15 << 20)
            sum(held[page] for page in range(0, 15 << 20, 4096))
            """)
        var look = HeldMemoryLook([program.pid], atMost: 200)
        #expect(look.measure().files == 15 * Self.megabyte, "thirty, of which the process shows fifteen")
        #expect(try #require(ProcFS().memory(program.pid)).sharedFiles >= 15 * Self.megabyte)
    }

    @Test("Where the kernel counts memory by groups, what it says beyond the processes is read from that")
    func controller() throws {
        let stat = """
            anon 50000000
            file 90000000
            kernel 9000000
            kernel_stack 500000
            pagetables 1000000
            percpu 100000
            sock 3000000
            shmem 40000000
            slab_reclaimable 400000
            slab_unreclaimable 2000000

            """
        let held = try #require(HeldMemory.counted(stat, mapped: 10_000_000))
        #expect(held.bytes == 30_000_000 + 3_000_000 + 7_000_000)
        #expect(try #require(HeldMemory.counted(stat, mapped: 90_000_000)).bytes == 10_000_000)
        #expect(HeldMemory.counted("", mapped: 0) == nil)
        #expect(HeldMemory.counted("shmem x\nshmem 1 2\n", mapped: 0) == nil)
        #expect(HeldMemory.counted("shmem 5\n", mapped: 0)?.bytes == 5)
    }
}
