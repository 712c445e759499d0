import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("What the kernel tells of processes")
struct ProcFSTests {
    private static let stat =
        "1234 (a) b (c \n) S 17 1234 1200 0 -1 4194304 100 0 0 0 250 150 0 0 20 0 3 0 987654 1000 200 18446744073709551615 "
        + "1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

    private static let rollup = """
        5581e9a0b000-7ffd4b3f2000 ---p 00000000 00:00 0                          [rollup]
        Rss:               90000 kB
        Pss:               80000 kB
        Pss_Dirty:         50000 kB
        Shared_Clean:       6000 kB
        Shared_Dirty:          0 kB
        Private_Clean:     24000 kB
        Private_Dirty:     60000 kB
        Anonymous:         80000 kB
        LazyFree:          20000 kB
        Swap:               1000 kB
        SwapPss:            1000 kB

        """

    @Test("A command's name with brackets and newlines moves no field")
    func parseStat() throws {
        let stat = try #require(ProcFS.parseStat(Self.stat))
        #expect(stat.state == "S")
        #expect(stat.parent == 17)
        #expect(stat.group == 1234)
        #expect(stat.session == 1200)
        #expect(stat.processorTime == 4_000_000_000)
        #expect(stat.startTime == 987_654)
    }

    @Test("Memory that the kernel may take is purgeable, and neither dirty nor clean")
    func parseMemory() throws {
        let memory = try #require(ProcFS.parseMemory(Self.rollup))
        #expect(memory.dirty == 61_000 << 10)
        #expect(memory.purgeable == 20_000 << 10)
        #expect(memory.clean == 10_000 << 10)
        #expect(memory.proportional == 80_000 << 10)
        let sum = memory + memory
        #expect(sum.dirty == memory.dirty * 2)
        #expect(sum.clean == memory.clean * 2)
    }

    @Test("Of a file's pages that are not written yet none is dirty memory; without the figures for it, all are")
    func unwrittenFiles() throws {
        let rollup = Self.rollup.replacing(
            "Pss_Dirty:         50000 kB",
            with: "Pss_Anon:          78000 kB\nPss_File:           0 kB\nPss_Shmem:          1000 kB"
        ).replacing("Anonymous:         80000", with: "Anonymous:         78000")
        let memory = try #require(ProcFS.parseMemory(rollup))
        #expect(memory.dirty == 60_000 << 10)
        #expect(memory.clean == 11_000 << 10)
        #expect(memory.purgeable == 20_000 << 10)
        let more = try #require(ProcFS.parseMemory(rollup.replacing("78000", with: "90000")))
        #expect(more.dirty == 61_000 << 10)
    }

    @Test("What is shared counts with the process's share, and what others gave up hides nothing of it")
    func sharedMemory() throws {
        // Of 100 MB that ten have, all of it dirty, each has a tenth; each shows all that was given up.
        let rollup = """
            Pss:               10000 kB
            Pss_Dirty:         10000 kB
            Pss_Anon:          10500 kB
            Pss_Shmem:             0 kB
            Shared_Clean:       5000 kB
            Shared_Dirty:     100000 kB
            Private_Clean:         0 kB
            Private_Dirty:         0 kB
            Anonymous:        105000 kB
            LazyFree:           5000 kB
            Swap:              20000 kB
            SwapPss:            2000 kB

            """
        let memory = try #require(ProcFS.parseMemory(rollup))
        #expect(memory.dirty == 12_000 << 10)
        #expect(memory.purgeable == 0)
        // A kernel that does not tell the share counts all, but no more than the share of all that is no file.
        let older = try #require(ProcFS.parseMemory(rollup.replacing("Pss_Dirty", with: "Unknown")))
        #expect(older.dirty == 12_500 << 10)
    }

    @Test("The group of version 2 is found among those of version 1")
    func parseCgroup() {
        #expect(ProcFS.parseCgroup("9:name=systemd:/a\n8:pids:/b\n0::/c d/e\n") == "/c d/e")
        #expect(ProcFS.parseCgroup("10::/x\n") == nil)
        #expect(ProcFS.parseCgroup("") == nil)
    }

    @Test("Garbage is nothing, and never a crash")
    func garbage() {
        var random = Lehmer(seed: 7)
        let samples = [Self.stat, Self.rollup, "0::/x\n", "TracerPid:\t5\n"].map { Array($0.utf8) }
        for round in 0..<4000 {
            var bytes = samples[round % samples.count]
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            for _ in 0..<3 where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: .min ... .max, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = ProcFS.parseStat(text)
            _ = ProcFS.parseMemory(text)
            _ = ProcFS.parseCgroup(text)
            _ = ProcFS.field("TracerPid", in: text)
        }
        #expect(ProcFS.parseStat("1 (x) S") == nil)
        // The least number is its own opposite.
        #expect(ProcFS.parseStat("1 (x) S 1 1 1 -9223372036854775808 0") == nil)
        #expect(ProcFS.parseStat(String(repeating: "9", count: 400)) == nil)
        #expect(ProcFS.parseMemory("Rss: many kB") == nil)
    }

    @Test("Numbers that do not fit are not added up to a crash")
    func hugeNumbers() throws {
        let huge = String(Int64.max)
        let stat = Self.stat.replacing("250 150", with: huge + " " + huge)
        _ = ProcFS.parseStat(stat)
        for value in ["60000", "24000", "6000 ", "20000", "1000 "] {
            if let memory = ProcFS.parseMemory(Self.rollup.replacing(value, with: huge)) { _ = memory + memory }
        }
    }

    @Test("A tree of files stands in for the kernel's")
    func fakeTree() throws {
        let scratch = try Scratch()
        let processes = ProcFS(root: scratch.path)
        _ = try scratch.file("1234/stat", Self.stat)
        _ = try scratch.file("1234/smaps_rollup", Self.rollup)
        _ = try scratch.file("1234/status", "Name:\tx\nTracerPid:\t0\n")
        _ = try scratch.file("1234/comm", "a) b (c\n")
        _ = try scratch.file("1234/environ", "A=1\u{0}B=x=y\u{0}")
        _ = try scratch.file("1234/cgroup", "0::/app\n")
        _ = try scratch.file("1234/task/1234/children", "1300 1301 ")
        _ = try scratch.file("1234/task/1240/children", "1299 ")
        _ = try scratch.file("1234/task/1234/status", "voluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t1\n")
        _ = try scratch.file("1234/task/1240/status", "voluntary_ctxt_switches:\t20\nnonvoluntary_ctxt_switches:\t2\n")
        _ = try scratch.file("1300/status", "TracerPid:\t77\n")
        _ = try scratch.file("uptime", "1 1")
        #expect(processes.allProcesses().sorted() == [1234, 1300])
        #expect(processes.stat(1234)?.parent == 17)
        #expect(processes.memory(1234)?.purgeable == 20_000 << 10)
        #expect(processes.tracer(1234) == nil)
        #expect(processes.tracer(1300) == 77)
        #expect(processes.commandName(1234) == "a) b (c")
        #expect(processes.environment(1234) == ["A=1", "B=x=y"])
        #expect(processes.cgroup(1234) == "/app")
        #expect(processes.children(1234) == [1299, 1300, 1301])
        #expect(processes.contextSwitches(1234) == 33)
        #expect(processes.processes(ofGroup: 1234) == [1234])
        #expect(processes.stat(99) == nil)
        #expect(processes.memory(99) == nil)
        #expect(processes.contextSwitches(99) == nil)
        #expect(processes.children(99).isEmpty)
    }

    @Test("The kernel's own files are read as the fixtures are")
    func realFiles() throws {
        let script = try Script("sleep 1000 & echo $!; read line")
        let child = try #require(CInt(try readLine(script.stream)))
        let processes = ProcFS()
        let stat = try #require(processes.stat(script.process.pid))
        #expect(stat.parent == CurrentProcess.pid)
        #expect(stat.session == script.process.pid)
        #expect(processes.children(script.process.pid) == [child])
        #expect(processes.tree(of: script.process.pid) == [script.process.pid, child].sorted())
        #expect(processes.environment(script.process.pid) == ["PATH=/usr/bin:/bin"])
        #expect(processes.tracer(script.process.pid) == nil)
        #expect(try #require(processes.contextSwitches(script.process.pid)) > 0)
        #expect(try #require(processes.memory(script.process.pid)).proportional > 0)
        for pid in [child, script.process.pid] {
            #expect(processes.descent(of: pid, among: [script.process.pid]) == .from(script.process.pid))
            #expect(processes.descent(of: pid, among: [0x3fff_ffff]) == .elsewhere)
        }
        #expect(processes.descent(of: CurrentProcess.pid, among: [script.process.pid]) == .elsewhere)
        let orphan = try PidFD(child)
        try orphan.send(SIGKILL)
        #expect(orphan.waitUntilDead(milliseconds: 5000))
        #expect(processes.descent(of: 0x3fff_ffff, among: [script.process.pid]) == .unknown, "there is no such process")
    }

    @Test("A process is found to be elsewhere also while its parents end")
    func endingParents() throws {
        // Each line is the number of a process whose parent ends at the same time.
        let script = try Script("for i in $(seq 200); do (sh -c 'echo $$; exec sleep 2' & exit 0); done; read line")
        for _ in 0..<200 {
            let pid = try #require(CInt(try readLine(script.stream)))
            #expect(ProcFS().descent(of: pid, among: [0x3fff_ffff]) == .elsewhere)
        }
    }

    @Test("Memory given to the kernel moves from dirty to purgeable")
    func lazyFree() throws {
        let size = 8 << 20
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let address = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError("mmap", .noMemory) }
        defer { unsafe munmap(address, size) }
        // The kernel would put neighbours that are alike into one entry.
        try #require(unsafe madvise(address, size, MADV_DONTFORK) == 0)
        unsafe memset(address, 1, size)
        let start = String(UInt(bitPattern: address), radix: 16)
        let touched = try memory(ofMappingAt: start)
        #expect(touched.dirty == Int64(size))
        #expect(touched.purgeable == 0)
        #expect(touched.clean == 0)
        try #require(unsafe madvise(address, size / 2, MADV_FREE) == 0)
        let freed = try memory(ofMappingAt: start)
        #expect(freed.dirty == Int64(size / 2))
        // The last pages wait in a batch of their processor before they are counted as what they are.
        #expect(freed.purgeable + freed.clean == Int64(size / 2))
        #expect(freed.clean <= 64 * 4096)
    }

    /// What `smaps` tells of one mapping looks like what `smaps_rollup` tells of all; the tests beside this one do not
    /// show in it.
    private func memory(ofMappingAt start: String) throws -> ProcFS.Memory {
        let bytes = try #require(FileSystem.read("/proc/self/smaps"))
        let all = lines(String(decoding: bytes, as: UTF8.self))
        let entry = all.drop { !$0.hasPrefix(start + "-") }.prefix { !$0.hasPrefix("VmFlags") }
        return try #require(ProcFS.parseMemory(entry.joined(separator: "\n")))
    }

    @Test("A boot has one name")
    func bootID() {
        #expect(CurrentProcess.bootID.count == 36)
        #expect(CurrentProcess.bootID == CurrentProcess.bootID)
    }
}
