import Glibc
import LinuxSystem
import Testing

@Suite("Locks on files")
struct FileLocksTests {
    private static let listing = """
        1: OFDLCK ADVISORY  WRITE -1 fe:00:1114120 0 EOF
        2: FLOCK  ADVISORY  WRITE 11296 fe:00:1114119 0 EOF
        2: -> FLOCK  ADVISORY  WRITE 11337 fe:00:1114119 0 EOF
        2:  -> FLOCK  ADVISORY  READ 11339 fe:00:1114119 0 EOF
        3: POSIX  ADVISORY  READ 11296 00:2b:7 1073741826 1073742335
        4: LEASE  ACTIVE    READ 812 fe:00:99 0 EOF
        5: POSIX  ADVISORY  WRITE 40 00:2b:7 1073741824 1073741824

        """

    private static let table = LockTable(Array(listing.utf8))

    @Test("Every lock is read with its kind, its file, its range and who waits for it")
    func listing() throws {
        let entries = Self.table.entries
        try #require(entries.count == 4)
        #expect(entries.map(\.lock.kind) == [.openFile, .flock, .posix, .posix])
        #expect(entries.map(\.lock.pid) == [-1, 11296, 11296, 40])
        #expect(entries.map(\.lock.isExclusive) == [true, true, false, true])
        #expect(entries.map(\.waiters) == [[], [11337, 11339], [], []])
        #expect(entries[0].lock.device == 0xfe << 32)
        #expect(entries[2].lock.device == 0x2b)
        #expect(entries[2].lock.inode == 7)
        #expect(entries[2].lock.first == 1_073_741_826)
        #expect(entries[2].lock.last == 1_073_742_335)
        #expect(entries[0].lock.last == .max)
    }

    @Test("A lock counts as awaited only if somebody else waits")
    func waiters() {
        let lock = Self.table.entries[1].lock
        #expect(Self.table.isAwaited(lock, byOthersThan: [11296]))
        #expect(Self.table.isAwaited(lock, byOthersThan: [11337]))
        #expect(!Self.table.isAwaited(lock, byOthersThan: [11296, 11337, 11339]))
        #expect(!Self.table.isAwaited(Self.table.entries[0].lock, byOthersThan: []))
    }

    @Test("A reader of a SQLite database is in the way of who holds its pending byte")
    func pendingByte() {
        let (reader, writer) = (Self.table.entries[2].lock, Self.table.entries[3].lock)
        #expect(Self.table.isAwaitedBySQLite(reader, byOthersThan: [11296]))
        #expect(!Self.table.isAwaitedBySQLite(reader, byOthersThan: [11296, 40]))
        #expect(!Self.table.isAwaitedBySQLite(writer, byOthersThan: [40]))
        var elsewhere = reader
        elsewhere.inode = 8
        #expect(!Self.table.isAwaitedBySQLite(elsewhere, byOthersThan: []))
    }

    @Test("A descriptor's own locks are read from its fdinfo")
    func info() {
        let info =
            "pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t9\n"
            + "lock:\t1: FLOCK  ADVISORY  WRITE 12 fe:00:9 0 EOF\nlock:\t2: POSIX  ADVISORY  READ 12 fe:00:9 5 6\n"
        let locks = ProcFS.parseLocks(Array(info.utf8))
        #expect(locks.map(\.kind) == [.flock, .posix])
        #expect(locks.last?.first == 5)
        #expect(ProcFS.parseLocks(Array("pos:\t0\n".utf8)).isEmpty)
    }

    @Test("Garbage is no lock, and never a crash")
    func garbage() {
        var random = Lehmer(seed: 11)
        let bytes = Array(Self.listing.utf8)
        for _ in 0..<2_000 {
            var broken = bytes
            for _ in 0..<4 {
                broken[Int.random(in: broken.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            #expect(LockTable(Array(broken.prefix(.random(in: 0...broken.count, using: &random)))).entries.count < 10)
        }
    }

    /// Takes a lock on the file of its argument, says so, and stands still.
    private static func holder(_ call: String, _ path: String) throws -> Script {
        let program = """
            import fcntl, os, struct, sys
            f = open(sys.argv[1], 'r+')
            \(call)
            print(os.getpid(), flush=True)
            sys.stdin.read()
            """
        return try Script("exec python3 -c \"$0\" \"$1\"") {
            $0.arguments += [program, path]
        }
    }

    @Test(
        "What a process really locks is found with the file's name, whichever way it locks",
        arguments: [
            ("fcntl.lockf(f, fcntl.LOCK_EX, 1, 7)", FileLock.Kind.posix, true),
            ("fcntl.lockf(f, fcntl.LOCK_SH, 1, 7)", .posix, false),
            ("fcntl.flock(f, fcntl.LOCK_EX)", .flock, true),
            ("fcntl.flock(f, fcntl.LOCK_SH)", .flock, false),
            ("fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 7, 1, 0))", .openFile, true),
        ])
    func real(call: String, kind: FileLock.Kind, isExclusive: Bool) throws {
        let scratch = try Scratch()
        let path = try scratch.file("shared name", "x")
        let script = try Self.holder(call, path)
        let pid = try #require(CInt(readLine(script.stream)))
        let table = try #require(LockTable.now())
        let held = ProcFS().locks(of: pid)
        try #require(held.count == 1)
        #expect(held[0].path == path)
        #expect(held[0].lock.kind == kind)
        #expect(held[0].lock.isExclusive == isExclusive)
        if kind != .flock { #expect(held[0].lock.first == 7) }
        #expect(table.entries.contains { $0.lock == held[0].lock }, "the two lists agree")
        #expect(ProcFS().firstOpen(among: held, byOthersThan: [pid]) == nil)
        let file = try Descriptor.open(path, .read)
        #expect(ProcFS().firstOpen(among: held, byOthersThan: [pid]) == held[0])
        // A child of another test has our descriptors, too, until it executes its program.
        let patience = Clock.monotonic() + 20_000_000_000
        var other: HeldLock?
        repeat {
            other = ProcFS().firstOpen(among: held, byOthersThan: [pid, CurrentProcess.pid])
        } while other != nil && Clock.monotonic() < patience
        #expect(other == nil)
        withExtendedLifetime(file) {}
        try FileSystem.removeTree(path)
        #expect(ProcFS().locks(of: pid).isEmpty, "nobody comes to a file without a name")
    }

    @Test("Who waits for a lock is known by the lock that it waits for")
    func realWaiter() throws {
        let scratch = try Scratch()
        let path = try scratch.file("shared")
        let holder = try Self.holder("fcntl.flock(f, fcntl.LOCK_EX)", path)
        let pid = try #require(CInt(readLine(holder.stream)))
        let held = ProcFS().locks(of: pid)
        try #require(held.count == 1)
        #expect(try !#require(LockTable.now()).isAwaited(held[0].lock, byOthersThan: [pid]))
        let waiter = try Self.holder(
            "print(os.getpid(), flush=True); fcntl.flock(f, fcntl.LOCK_EX)", path)
        let second = try #require(CInt(readLine(waiter.stream)))
        // It says its number before it asks: the kernel lists it once it stands still.
        var isAwaited = false
        for _ in 0..<200 where !isAwaited {
            isAwaited = try #require(LockTable.now()).isAwaited(held[0].lock, byOthersThan: [pid])
            if !isAwaited { _ = isReady(waiter.stream, milliseconds: 10) }
        }
        #expect(isAwaited)
        #expect(try !#require(LockTable.now()).isAwaited(held[0].lock, byOthersThan: [pid, second]))
    }

    @Test("A lock that a process has from one that is gone is found")
    func inherited() throws {
        let scratch = try Scratch()
        let path = try scratch.file("shared")
        // flock(1) takes the lock on the shell's own descriptor, and ends.
        let script = try Script("exec 9>'\(path)'; flock 9; echo $$; read line")
        let pid = try #require(CInt(readLine(script.stream)))
        #expect(ProcFS().locks(of: pid).map(\.path) == [path])
    }
}
