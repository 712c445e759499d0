import Foundation
import Glibc
import Storage
import Testing

@Suite("The store survives what happens to its file")
struct SurvivalTests {
    private let shelf: Shelf

    init() throws {
        shelf = try Shelf()
    }

    @Test("What was answered is there after a kill, without any closing") func killed() throws {
        let store = try shelf.open()
        try store.saveApp("org.example.a", manifest: "{}", at: 1)
        try store.appendLog([row(1), row(2)])
        let later = try shelf.copyAsKilled().open()
        #expect(later.setAside == nil)
        #expect(try later.apps().map(\.identifier) == ["org.example.a"])
        #expect(try later.lastSeq() == 2)
    }

    @Test("A write that was cut anywhere is there as a whole or not at all, with all before it") func tornWrites()
        throws
    {
        let store = try shelf.open()
        for seq in stride(from: 1 as Int64, to: 20, by: 2) { try store.appendLog([row(seq), row(seq + 1)]) }
        let whole = try shelf.copyAsKilled()
        let log = try Data(contentsOf: URL(fileURLWithPath: whole.path + "-wal"))
        var last: Int64 = 0
        for cut in stride(from: 0, through: log.count, by: 1777) {
            let torn = try Shelf()
            try FileManager.default.copyItem(atPath: whole.path, toPath: torn.path)
            try log.prefix(cut).write(to: URL(fileURLWithPath: torn.path + "-wal"))
            let store = try torn.open()
            #expect(store.setAside == nil)
            let found = try store.lastSeq()
            #expect(found % 2 == 0 && found >= last)
            #expect(try store.log(limit: 100).map(\.seq) == Array(1...max(found, 1)).filter { $0 <= found })
            last = found
        }
        #expect(try whole.open().lastSeq() == 20)
        #expect(last >= 18)
    }

    @Test("A file that is no database is set aside and begun anew, and the loss is told") func rubbish() throws {
        for number in 1...2 {
            try Data(repeating: 0x5a, count: 8192).write(to: URL(fileURLWithPath: shelf.path))
            let store = try shelf.open()
            #expect(store.setAside == shelf.path + ".corrupt-\(number)")
            try store.appendLog([row(1)])
            try store.close()
            #expect(try shelf.open().lastSeq() == 1)
            #expect(try shelf.open().setAside == nil)
        }
        #expect(try Set(shelf.files).isSuperset(of: ["state.db", "state.db.corrupt-1", "state.db.corrupt-2"]))
    }

    @Test(
        "A pipe in the place of the database, or of a file beside it, is set aside: nobody waits for its content",
        arguments: ["", "-wal", "-shm", "-journal"])
    func pipe(_ suffix: String) throws {
        if !suffix.isEmpty { try shelf.open().close() }
        try? FileManager.default.removeItem(atPath: shelf.path + suffix)
        try #require(unsafe mkfifo(shelf.path + suffix, 0o600) == 0)
        let store = try shelf.open()
        #expect(store.setAside == shelf.path + ".corrupt-1")
        try store.appendLog([row(1)])
        #expect(try shelf.files.contains("state.db.corrupt-1\(suffix)"))
    }

    @Test("A database with a damaged page is set aside too") func damagedPages() throws {
        let store = try shelf.open()
        try store.appendLog((1...500).map { row($0) })
        try store.close()
        let file = try #require(FileHandle(forUpdatingAtPath: shelf.path))
        let size = try file.seekToEnd()
        for page in stride(from: 4096 as UInt64, to: size, by: 4096) {
            try file.seek(toOffset: page)
            try file.write(contentsOf: Data(repeating: 0xff, count: 512))
        }
        try file.close()
        let later = try shelf.open()
        #expect(later.setAside == shelf.path + ".corrupt-1")
        #expect(try later.log(limit: 10) == [])
    }

    @Test("An empty file, as a kill at the very first start leaves it, is a new database") func emptyFile() throws {
        try Data().write(to: URL(fileURLWithPath: shelf.path))
        let store = try shelf.open()
        #expect(try store.setAside == nil && store.lastSeq() == 0)
    }

    @Test("A folder that is not there is an error which names the path") func missingFolder() {
        let path = shelf.folder + "/none/state.db"
        let error = #expect(throws: StorageError.self) { try Store(path: path) }
        #expect(error?.description.contains(path) == true)
    }

    @Test("Only the owner may read the files") func modes() throws {
        let store = try shelf.open()
        try store.appendLog([row(1)])
        for name in try shelf.files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(shelf.folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    // MARK: Versions

    @Test("The database of a newer version is refused, again and again, and not set aside") func newerSchema() throws {
        try Released.version1.write(to: shelf.path, renaming: "v1-base", to: "v9-base")
        #expect(throws: StorageError.newerSchema(path: shelf.path)) { try shelf.open() }
        #expect(throws: StorageError.newerSchema(path: shelf.path)) { try shelf.open() }
        #expect(try shelf.files == ["state.db"])
    }

    @Test("The database of version 1 is read with all that it holds, and can be written") func version1() throws {
        try Released.version1.write(to: shelf.path)
        let store = try shelf.open()
        #expect(store.setAside == nil)
        let app = try #require(store.apps().first)
        #expect(app.identifier == "org.example.a" && app.manifest == "{\"name\":\"A\"}")
        #expect(app.uid == 70_000 && app.isExempt && app.installedAt == 10 && app.updatedAt == 20)
        #expect(try store.setting("locked") == "1")
        #expect(try store.log(limit: 10) == [row(1), row(2, cause: 1)])
        #expect(try store.reports().map(\.id) == ["r1"])
        #expect(try store.report("r1") == report("r1", at: 30))
        #expect(try store.allocateUID(base: 70_000, count: 10, for: "next") == 70_001)
        try store.appendLog([row(3)])
        #expect(try store.lastSeq() == 3)
    }
}
