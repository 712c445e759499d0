import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("Files")
struct FileSystemTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func owner(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_uid : nil
    }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("A file is replaced as a whole and leaves nothing beside it")
    func replace() throws {
        let path = scratch.path + "/file"
        try Umask.with(0o022) { try FileSystem.replace(path, with: [1, 2, 3], mode: 0o640) }
        #expect(FileSystem.read(path) == [1, 2, 3])
        #expect(mode(path) == 0o640)
        try FileSystem.replace(path, with: [4])
        #expect(FileSystem.read(path) == [4])
        #expect(FileSystem.names(in: scratch.path) == ["file"])
    }

    @Test("A leftover of a crash, or a link put in its place, is not written through")
    func replaceOverLeftover() throws {
        let victim = try scratch.file("victim", "precious")
        try FileSystem.link(to: victim, at: scratch.path + "/file.new")
        try FileSystem.replace(scratch.path + "/file", with: [1])
        #expect(FileSystem.read(victim) == Array("precious".utf8))
        #expect(FileSystem.read(scratch.path + "/file") == [1])
    }

    @Test("A file takes the place of another, or of none, and leaves nothing beside it")
    func supplant() throws {
        let (path, draft) = (scratch.path + "/file", scratch.path + "/draft")
        for bytes: [UInt8] in [[1, 2, 3], [4], [5, 6]] {
            try FileSystem.replace(draft, with: bytes)
            try FileSystem.supplant(path, by: draft)
            #expect(FileSystem.read(path) == bytes)
            #expect(FileSystem.names(in: scratch.path) == ["file"])
        }
        #expect(throws: SystemError.self) { try FileSystem.supplant(path, by: draft) }
        #expect(FileSystem.read(path) == [5, 6])
    }

    @Test("A replacement that fails leaves the old file and nothing else")
    func replaceFails() throws {
        _ = try scratch.file("folder/inside")
        #expect(throws: SystemError.self) { try FileSystem.replace(scratch.path + "/folder", with: [1]) }
        #expect(FileSystem.names(in: scratch.path) == ["folder"])
    }

    @Test("Directories are made with all their parents; one that exists is fine, a file in the way is not")
    func makeDirectory() throws {
        let path = scratch.path + "/a/b/c"
        try Umask.with(0o022) { try FileSystem.makeDirectory(path, mode: 0o711) }
        try FileSystem.makeDirectory(path, mode: 0o711)
        #expect(mode(scratch.path + "/a") == 0o711)
        _ = try scratch.file("file")
        #expect(throws: SystemError.self) { try FileSystem.makeDirectory(scratch.path + "/file/below") }
    }

    @Test("Removing a tree removes links and not what they lead to")
    func removeTree() throws {
        _ = try scratch.file("outside/file", "stays")
        _ = try scratch.file("tree/deep/file")
        try FileSystem.link(to: "../outside", at: scratch.path + "/tree/link")
        try FileSystem.link(to: scratch.path + "/outside", at: scratch.path + "/tree/deep/link")
        try FileSystem.removeTree(scratch.path + "/tree")
        #expect(FileSystem.names(in: scratch.path) == ["outside"])
        #expect(FileSystem.read(scratch.path + "/outside/file") == Array("stays".utf8))
        // A link in place of the tree is removed itself.
        try FileSystem.link(to: "outside", at: scratch.path + "/tree")
        try FileSystem.removeTree(scratch.path + "/tree")
        #expect(FileSystem.names(in: scratch.path) == ["outside"])
        try FileSystem.removeTree(scratch.path + "/tree")
    }

    @Test("A tree is removed however deep somebody made it")
    func removeDeepTree() throws {
        let tree = try scratch.directory("tree")
        // Deeper than a path can be long: every step from within the last.
        var directory = try Descriptor.open(tree, .directory)
        for level in 0..<2500 {
            let name = level % 7 == 0 ? ".removing-\(level / 7)" : "dir"
            try #require(unsafe mkdirat(directory.rawValue, name, 0o700) == 0)
            directory = Descriptor(
                owning: unsafe openat(directory.rawValue, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        _ = consume directory
        try FileSystem.removeTree(tree)
        #expect(!FileSystem.exists(tree))
    }

    /// 0xFF begins no character in UTF-8.
    private static let names: [[UInt8]] = [
        [0xFF, 0xFE], Array("two\nlines".utf8), [UInt8](repeating: 0xC3, count: 255), Array(" ".utf8), [0x1B, 0x5B],
    ]

    private func fill(_ directory: Descriptor) throws {
        for name in Self.names {
            let bytes = name.map { CChar(bitPattern: $0) } + [0]
            try #require(unsafe mkdirat(directory.rawValue, bytes, 0o700) == 0)
            let inner = Descriptor(owning: unsafe openat(directory.rawValue, bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            for name in Self.names {
                let bytes = name.map { CChar(bitPattern: $0) } + [0]
                let file = unsafe openat(inner.rawValue, bytes, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
                try Descriptor(owning: file).writeAll([UInt8](repeating: 1, count: 4096))
            }
        }
    }

    @Test("Names of any bytes are counted, given away and removed")
    func names() throws {
        let tree = try scratch.directory("tree")
        try fill(try Descriptor.open(tree, .directory))
        #expect(FileSystem.diskUsage(of: tree) >= 25 * 4096)
        if CurrentProcess.isRoot {
            try FileSystem.changeOwnerOfTree(tree, to: 54_321)
            #expect(try Script.run("find '\(tree)' ! -uid 54321 | wc -c") == ["0"])
        }
        try FileSystem.removeTree(tree)
        #expect(!FileSystem.exists(tree))
    }

    @Test(
        "What cannot be removed is named, and the rest is gone",
        .enabled(if: Mounts.work, "NOT TESTED: needs the right to mount"))
    func mounted() throws {
        _ = try scratch.file("tree/before/file")
        _ = try scratch.file("tree/zone/file")
        let place = try scratch.directory("tree/here/mounted")
        try Mounts.within(place) {
            _ = try scratch.file("tree/here/mounted/precious", "stays")
            let error = #expect(throws: SystemError.self) { try FileSystem.removeTree(scratch.path + "/tree") }
            #expect(error?.path == place)
            #expect(FileSystem.read(place + "/precious") == Array("stays".utf8))
            #expect(FileSystem.names(in: scratch.path + "/tree") == ["here"])
            #expect(throws: SystemError.self) { try FileSystem.removeTree(place) }
            #expect(FileSystem.read(place + "/precious") == Array("stays".utf8))
            // Nor is it counted or given away.
            #expect(FileSystem.diskUsage(of: scratch.path + "/tree") < 100_000)
            try FileSystem.changeOwnerOfTree(scratch.path + "/tree", to: 54_321)
            #expect(owner(place + "/precious") == 0)
        }
        try FileSystem.removeTree(scratch.path + "/tree")
        #expect(!FileSystem.exists(scratch.path + "/tree"))
    }

    @Test("Depth loses nothing: what lies deeper than paths are long is counted and given away")
    func deepTree() throws {
        let tree = try scratch.directory("tree")
        var directory = try Descriptor.open(tree, .directory)
        for _ in 0..<1500 {
            try #require(unsafe mkdirat(directory.rawValue, "dir", 0o700) == 0)
            // Behind the directory in some file systems' order, before it in others'.
            for name in ["a", "z"] {
                let file = unsafe openat(directory.rawValue, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
                try Descriptor(owning: file).writeAll([1])
            }
            directory = Descriptor(
                owning: unsafe openat(directory.rawValue, "dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        #expect(FileSystem.diskUsage(of: tree) >= 3000 * 512)
        let before = FileSystem.diskUsage(of: tree)
        let bottom = Descriptor(
            owning: unsafe openat(directory.rawValue, "large", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        try bottom.writeAll([UInt8](repeating: 1, count: 1 << 20))
        #expect(FileSystem.diskUsage(of: tree) >= before + 1 << 20)
        if CurrentProcess.isRoot {
            try FileSystem.changeOwnerOfTree(tree, from: 1, to: 54_321)
            #expect(try bottom.identity().owner == 0)
            try FileSystem.changeOwnerOfTree(tree, from: 0, to: 54_321)
            #expect(try bottom.identity().owner == 54_321)
        }
        try FileSystem.removeTree(tree)
        #expect(!FileSystem.exists(tree))
    }

    @Test(
        "A tree gets its owner and what its links lead to does not",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func changeOwner() throws {
        let outside = try scratch.file("outside/file")
        let inside = try scratch.file("tree/deep/file")
        let link = scratch.path + "/tree/link"
        try FileSystem.link(to: scratch.path + "/outside", at: link)
        let second = scratch.path + "/tree/second name"
        try #require(unsafe Glibc.link(outside, second) == 0)
        try FileSystem.changeOwnerOfTree(scratch.path + "/tree", to: 54_321)
        #expect(owner(scratch.path + "/tree") == 54_321)
        #expect(owner(scratch.path + "/tree/deep") == 54_321)
        #expect(owner(inside) == 54_321)
        #expect(owner(link) == 54_321)
        #expect(owner(scratch.path + "/outside") == 0)
        #expect(owner(outside) == 0)
    }

    @Test("A hole gives blocks back and moves nothing")
    func punchHole() throws {
        let path = scratch.path + "/log"
        let file = try Descriptor.open(path, .readWrite, create: 0o600)
        try file.writeAll([UInt8](repeating: 1, count: 1 << 20))
        try file.synchronize()
        let before = try file.status()
        #expect(before.size == 1 << 20)
        try file.punchHole(upTo: 1 << 19)
        let after = try file.status()
        #expect(after.size == before.size)
        #expect(after.allocated <= before.allocated - 1 << 19)
        var bytes: [UInt8] = [9, 9]
        #expect(try file.readAt(1 << 19, into: &bytes) == 2)
        #expect(bytes == [1, 1])
        #expect(try file.readAt(0, into: &bytes) == 2)
        #expect(bytes == [0, 0])
    }

    private static let terabyte: Int64 = 1 << 40

    @Test("Of a file with terabytes of nothing the last data is found, and the rest is given back")
    func sparse() throws {
        let path = scratch.path + "/output"
        let file = try Descriptor.open(path, .readWrite, create: 0o600)
        func put(_ text: String, _ offset: Int64) throws {
            unsafe try Array(text.utf8).withUnsafeBytes { try unsafe file.write($0, at: offset) }
        }
        try put(String(repeating: "a", count: 3 << 20), 0)
        try put("end\n", Self.terabyte - 5000)
        try file.truncate(to: Self.terabyte)
        // The last megabyte of data is mostly what was printed first.
        let start = try file.start(ofLast: 1 << 20, size: Self.terabyte)
        #expect((2 << 20...(2 << 20) + 8192).contains(start))
        try file.trim(keeping: 1 << 20)
        #expect(try file.status().allocated <= 2 << 20)
        var bytes = [UInt8](repeating: 0, count: 4)
        _ = try file.readAt(Self.terabyte - 5000, into: &bytes)
        #expect(bytes == Array("end\n".utf8))
        _ = try file.readAt(3 << 20 - 4, into: &bytes)
        #expect(bytes == Array("aaaa".utf8))
        #expect(try file.status().size == Self.terabyte)
    }

    @Test("A byte here and there fills no disk")
    func scattered() throws {
        let file = try Descriptor.open(scratch.path + "/output", .readWrite, create: 0o600)
        for place in 0..<1500 {
            unsafe try [UInt8(1)].withUnsafeBytes { try unsafe file.write($0, at: Int64(place) * 1_000_003) }
        }
        let before = try file.status()
        #expect(before.allocated >= 1500 * 4096)
        try file.trim(keeping: 1 << 20)
        let after = try file.status()
        // And what the file system needs to find it.
        #expect((500_000...(1 << 20) + 65_536).contains(after.allocated))
        #expect(after.size == before.size)
        var last: [UInt8] = [0]
        _ = try file.readAt(1499 * 1_000_003, into: &last)
        #expect(last == [1])
    }

    @Test("Blocks that were reserved and hold nothing are given back, behind the end too")
    func reserved() throws {
        let file = try Descriptor.open(scratch.path + "/output", .readWrite, create: 0o600)
        try file.writeAll(Array("text\n".utf8))
        _ = try Script.run("fallocate --keep-size --length 8M '\(scratch.path)/output'")
        #expect(try file.status().allocated > 4 << 20)
        try file.trim(keeping: 1 << 20)
        #expect(try file.status().allocated <= 2 << 20)
        #expect(FileSystem.read(scratch.path + "/output") == Array("text\n".utf8))
    }

    @Test("What a tree uses is counted without following its links")
    func diskUsage() throws {
        _ = try scratch.file("outside/large", String(repeating: "x", count: 1 << 20))
        _ = try scratch.file("tree/deep/file", String(repeating: "x", count: 100_000))
        try FileSystem.link(to: scratch.path + "/outside", at: scratch.path + "/tree/link")
        let usage = FileSystem.diskUsage(of: scratch.path + "/tree")
        #expect((100_000..<500_000).contains(usage))
        #expect(FileSystem.diskUsage(of: scratch.path + "/gone") == 0)
    }

    @Test("Reading stops at its limit, and a file that is not there is nothing")
    func reading() throws {
        let path = try scratch.file("file", "0123456789")
        #expect(FileSystem.read(path, limit: 4) == Array("0123".utf8))
        #expect(FileSystem.read(path) == Array("0123456789".utf8))
        #expect(FileSystem.read(scratch.path + "/gone") == nil)
    }

    @Test("A pipe or a device in the place of a file holds nobody up", .timeLimit(.minutes(1)))
    func pipe() throws {
        let path = scratch.path + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        #expect(FileSystem.read(path) == nil && !FileSystem.mayHoldDatabase(path))
        #expect(throws: SystemError.self) { try Descriptor.open(path, .append, create: 0o600) }
        #expect(throws: SystemError.self) { try Descriptor.open(path, .write, create: 0o600, truncate: true) }
        #expect(FileSystem.read("/dev/zero") == nil)
        let file = try scratch.file("file", "text")
        #expect(FileSystem.mayHoldDatabase(file) && FileSystem.mayHoldDatabase(scratch.path + "/none"))
        try #require(unsafe mkfifo(file + "-wal", 0o600) == 0)
        #expect(!FileSystem.mayHoldDatabase(file))
    }

    @Test("A descriptor's copy is its own, and a borrowed one is not closed")
    func descriptors() throws {
        let path = try scratch.file("file", "text")
        var first: Descriptor? = try Descriptor.open(path, .read)
        let copy = try #require(try first?.duplicate())
        #expect(copy.rawValue > 2)
        first = nil
        #expect(try copy.readAll() == Array("text".utf8))
        var borrowed: Descriptor? = Descriptor(borrowing: copy.rawValue)
        #expect(borrowed != nil)
        borrowed = nil
        #expect(try copy.status().size == 4)
    }
}

@Suite("Changes in folders")
struct InotifyTests {
    @Test("What happens in a watched folder is told by name")
    func folder() throws {
        let scratch = try Scratch()
        let inotify = try Inotify()
        let watch = try inotify.watch(scratch.path, for: [.created, .removed, .written])
        #expect(try inotify.read().isEmpty)
        let path = try scratch.file("new", "text")
        FileSystem.remove(path)
        #expect(isReady(inotify.descriptor))
        let changes = try inotify.read()
        #expect(changes.map(\.changes) == [.created, .written, .removed])
        #expect(changes.allSatisfy { $0.watch == watch && $0.name == "new" })
        inotify.stop(watch)
        _ = try scratch.file("unseen")
        #expect(try !inotify.read().contains { $0.name == "unseen" })
    }

    @Test("Half a record is no record")
    func parsing() {
        #expect(Inotify.parse([]).isEmpty)
        #expect(Inotify.parse([UInt8](repeating: 0, count: 15)).isEmpty)
        var record: [UInt8] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]
        #expect(Inotify.parse(record).isEmpty)
        record += Array("ab".utf8) + [0, 0]
        #expect(Inotify.parse(record).map(\.name) == ["ab"])
        #expect(Inotify.parse(record).first?.watch == 1)
        #expect(Inotify.parse(record).first?.changes == .created)
        #expect(Inotify.parse(record + record.prefix(17)).count == 1)
    }
}
