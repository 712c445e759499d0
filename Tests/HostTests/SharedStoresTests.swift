import Host
import LinuxSystem
import Model
import Testing

@Suite("What apps share")
struct SharedStoresTests {
    private let folder = "/tmp/greenroom-stores-\(CurrentProcess.pid)-\(Clock.monotonic())"

    private func write(_ text: String, _ path: String) throws {
        try FileSystem.replace(path, with: Array(text.utf8), mode: 0o644)
    }

    @Test("A file's stamp is another after each change, and the same without one")
    func file() throws {
        try FileSystem.makeDirectory(folder)
        defer { try? FileSystem.removeTree(folder) }
        let stores = SharedStores(["contacts": "\(folder)/contacts.db"])
        var stamps: [Int64] = []
        func look() throws { stamps.append(try #require(stores.read().first).stamp) }
        try look()
        try write("a", "\(folder)/contacts.db")
        try look()
        try write("bc", "\(folder)/contacts.db")
        try look()
        // As SQLite does.
        try write("d", "\(folder)/contacts.db-wal")
        try look()
        FileSystem.remove("\(folder)/contacts.db")
        try look()
        #expect(Set(stamps).count == stamps.count)
        try write("x", "\(folder)/elsewhere")
        #expect(stores.read().first?.stamp == stamps.last)
    }

    @Test("Of a folder each file counts, what it is called and what is in it")
    func folderOfFiles() throws {
        try FileSystem.makeDirectory("\(folder)/cards")
        defer { try? FileSystem.removeTree(folder) }
        let stores = SharedStores(["contacts": "\(folder)/cards"])
        var stamps = [stores.read()]
        try write("a", "\(folder)/cards/1.vcf")
        stamps.append(stores.read())
        let file = try Descriptor.open("\(folder)/cards/1.vcf", .write)
        try file.writeAll(Array("longer".utf8))
        stamps.append(stores.read())
        try FileSystem.rename("\(folder)/cards/1.vcf", to: "\(folder)/cards/2.vcf")
        stamps.append(stores.read())
        #expect(Set(stamps).count == 4 && stores.read() == stamps.last)
    }

    @Test("What is declared wrongly is left out, and there is a bound")
    func declared() {
        let wrong = SharedStores(["contacts": "relative", "": "/a", String(repeating: "x", count: 65): "/b", "c": "/d"])
        #expect(wrong.read().map(\.name) == ["c"])
        let many = Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0)", "/\($0)") })
        #expect(SharedStores(many).read().count == SharedStore.most)
    }

    @Test("Beside a file only what belongs to it concerns")
    func places() throws {
        let places = SharedStores(["contacts": "/var/lib/contacts.db"]).places
        let beside = try #require(places.first { $0.folder == "/var/lib" })
        #expect(beside.concerns("contacts.db") && beside.concerns("contacts.db-wal"))
        #expect(!beside.concerns("other") && !beside.concerns(nil))
        #expect(places.first { $0.folder == "/var/lib/contacts.db" }?.concerns(nil) == true)
    }
}
