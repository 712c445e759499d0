import Glibc
import LinuxSystem
import Testing

@Suite("What is read from disks and written to them") struct DiskUseTests {
    @Test("The kernel's lines for a cgroup are added up, whatever else they hold")
    func group() {
        let text = """
            8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0
            8:0 rbytes=90430464 wbytes=299008000 rios=8950 wios=1252 dbytes=50331648 dios=3021
            253:0 rbytes=x wbytes=

            """
        #expect(DiskMeter.parse(Array(text.utf8)[...]) == DiskCount(read: 91_889_664, written: 613_781_504))
        #expect(DiskMeter.parse([]) == .zero)
    }

    @Test("Of a process the bytes that reached a disk count, not those that it handed over")
    func process() throws {
        let text = """
            rchar: 323934931
            wchar: 323929600
            syscr: 632687
            syscw: 632675
            read_bytes: 4096
            write_bytes: 323932160
            cancelled_write_bytes: 0

            """
        #expect(ProcFS.parseDisk(text) == DiskCount(read: 4096, written: 323_932_160))
        #expect(ProcFS.parseDisk("read_bytes: 1\n") == nil)
    }

    @Test("What a program writes and has on the disk is found in its process")
    func real() throws {
        // A file in memory reaches no disk.
        let scratch = try Scratch(below: "/var/tmp")
        let path = try scratch.file("written")
        let writer = try PythonProgram(
            """
            with open("\(path)", "wb") as file:
                file.write(b"w" * 1000000)
                file.flush()
                os.fsync(file.fileno())
            """)
        let count = try #require(ProcFS().diskUse(of: writer.pid))
        #expect(count.written >= 1_000_000, "\(count)")
        #expect(ProcFS().diskUse(of: 0) == nil)
    }

    @Test("Processes that come and go are counted once each; of an app that was there before, what it does from now on")
    func processes() {
        var new = CountsSeen<CInt, DiskCount>(isNew: true)
        new.note([1: DiskCount(read: 10, written: 1)])
        new.note([1: DiskCount(read: 15, written: 1), 2: DiskCount(read: 0, written: 7)])
        new.note([2: DiskCount(read: 0, written: 7)])
        #expect(new.total == DiskCount(read: 15, written: 8))
        var old = CountsSeen<CInt, DiskCount>(isNew: false)
        old.note([1: DiskCount(read: 10, written: 1)])
        old.note([1: DiskCount(read: 11, written: 1), 3: DiskCount(read: 100, written: 0)])
        #expect(old.total == DiskCount(read: 101, written: 0))
    }
}
