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

    @Test("A tree gets its owner and what its links lead to does not", .enabled(if: CurrentProcess.isRoot))
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
