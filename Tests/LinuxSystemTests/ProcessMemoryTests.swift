import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("Another process's memory")
struct ProcessMemoryTests {
    @Test("Mappings are counted, up to a limit, and the largest is known")
    func mappings() throws {
        let script = try Script("echo ready; read line")
        let pid = script.process.pid
        // It has loaded, and waits: what it maps stays as it is.
        #expect(try readLine(script.stream) == "ready")
        let text = try #require(FileSystem.read("/proc/\(pid)/maps", limit: 1 << 20))
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let sizes = lines.compactMap { line -> Int64? in
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            return ends.count == 2 ? Int64(ends[1] - ends[0]) : nil
        }
        let all = try #require(ProcessMemory.mappings(pid, upTo: 10_000))
        #expect(all.count == Int32(lines.count))
        #expect(all.largest == sizes.max())
        let some = try #require(ProcessMemory.mappings(pid, upTo: 3))
        #expect(some.count == 4 && some.largest == sizes.prefix(4).max())
        #expect(ProcessMemory.mappings(0, upTo: 3) == nil)
    }

    @Test("Small mappings of files are told from all others, and purgeable ones are counted")
    func tinyAndPurgeable() throws {
        // Every second page of a file, and as many anonymous pages with one in between that nobody may touch.
        let program = try PythonProgram(
            """
            import tempfile
            libc.mmap.restype = ctypes.c_void_p
            libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
            file = tempfile.TemporaryFile(dir=os.getcwd())
            file.truncate(4096 * 200)
            for number in range(100):
                libc.mmap(None, 4096, 1, 2, file.fileno(), number * 2 * 4096)
            for number in range(50):
                place = libc.mmap(None, 8192, 3, 0x22, -1, 0)
                ctypes.memset(place, 1, 4096)
                libc.mprotect(ctypes.c_void_p(place + 4096), 4096, 0)
                libc.madvise(ctypes.c_void_p(place), 4096, 8)
            """)
        func count(_ below: Int64) throws -> Int32 {
            try #require(ProcessMemory.mappings(program.pid, upTo: 10_000, tinyBelow: below)).tiny
        }
        #expect(try count(0) == 0)
        let tiny = try count(16 << 10)
        // Libraries have some as well.
        #expect(tiny >= 100 && tiny < 300)
        #expect(try count(1 << 40) < #require(ProcessMemory.mappings(program.pid, upTo: 10_000)).count - 50)
        // A few pages wait in a processor's batch to be counted.
        #expect(try (30...50).contains(#require(ProcessMemory.purgeableMappings(program.pid, upTo: 1000))))
        #expect(ProcessMemory.purgeableMappings(program.pid, upTo: 10) == 11)
        #expect(ProcessMemory.purgeableMappings(0, upTo: 10) == nil)
    }

    @Test("What a process has mapped, anonymous and of files is read from one line")
    func size() throws {
        let size = try #require(ProcessMemory.size(getpid()))
        #expect(size.mapped > size.anonymous && size.anonymous > 0 && size.files > 0)
        let before = size.mapped
        let page = 1 << 30
        let room = unsafe mmap(nil, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        defer { unsafe munmap(room, page) }
        // Other tests map and unmap meanwhile, but not half a gigabyte.
        #expect(try #require(ProcessMemory.size(getpid())).mapped - before > Int64(page / 2))
        #expect(ProcessMemory.size(0) == nil)
    }

    @Test("A switch ends its process, a blank one nobody, and one of a process that is gone says so")
    func processSwitch() throws {
        let script = try Script("read line")
        #expect(try KillSwitch.blank().pull())
        #expect(!script.process.isDead)
        let lever = KillSwitch(script.process)
        #expect(lever.pull())
        #expect(script.process.waitUntilDead(milliseconds: 5000))
        #expect(script.process.reap() == .signaled(SIGKILL))
        #expect(!lever.pull())
    }

    @Test(
        "A switch of a group ends all that is in it, frozen or not",
        .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"))
    func groupSwitch() throws {
        let scratch = try ScratchGroup()
        let lever = try KillSwitch(group: scratch.group.path)
        let directory = try scratch.group.directory
        let script = try Script("(read other) & read line") { $0.cgroup = directory }
        try scratch.group.setFrozen(true)
        #expect(try scratch.group.waitUntilFrozen(milliseconds: 5000))
        #expect(lever.pull())
        #expect(script.process.waitUntilDead(milliseconds: 5000))
        #expect(script.process.reap() == .signaled(SIGKILL))
        try scratch.group.setFrozen(false)
    }
}
