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

    @Test("One whose folders are made later is found when they are made, and nothing else of their names")
    func later() throws {
        try FileSystem.makeDirectory(folder)
        defer { try? FileSystem.removeTree(folder) }
        let stores = SharedStores(["contacts": "\(folder)/a/b/cards"])
        var watches = try #require(StoreWatches(stores))
        watches.arm()
        for name in ["elsewhere", "b", "cards"] { try write("x", "\(folder)/\(name)") }
        #expect(watches.news() == nil)
        try FileSystem.makeDirectory("\(folder)/a")
        #expect(watches.news() == .place)
        watches.arm()
        // As whoever moves a finished folder there does it.
        try FileSystem.makeDirectory("\(folder)/new")
        try FileSystem.makeDirectory("\(folder)/new/cards")
        #expect(watches.news() == nil)
        try FileSystem.rename("\(folder)/new", to: "\(folder)/a/b")
        #expect(watches.news() == .place)
        watches.arm()
        try write("a", "\(folder)/a/b/cards/1.vcf")
        #expect(watches.news() == .content)
        try FileSystem.rename("\(folder)/a", to: "\(folder)/z")
        #expect(watches.news() == .place)
    }

    @Test("What is written beside a file wakes nobody; what is written into it, and another one in its place, do")
    func beside() throws {
        try FileSystem.makeDirectory(folder)
        defer { try? FileSystem.removeTree(folder) }
        let (file, other) = ("\(folder)/contacts.db", "\(folder)/other.log")
        for path in [file, other] { try write("a", path) }
        var watches = try #require(StoreWatches(SharedStores(["contacts": file])))
        watches.arm()
        for _ in 0..<3 { try Descriptor.open(other, .write).writeAll(Array("x".utf8)) }
        #expect(watches.descriptor.unread == 0)
        let open = try Descriptor.open(file, .write)
        try open.writeAll(Array("b".utf8))
        #expect(watches.news() == .content)
        try write("c", file)
        #expect(watches.news() == .place)
        watches.arm()
        #expect(watches.news() == nil)
        // The new one is watched, and what is written into the old one is nobody's.
        try open.writeAll(Array("d".utf8))
        #expect(watches.news() == nil)
        try Descriptor.open(file, .write).writeAll(Array("e".utf8))
        #expect(watches.news() == .content)
        try write("f", file + "-wal")
        #expect(watches.news() == .place)
    }

    @Test("Stores that have a folder in common do not take each other's watches")
    func shared() throws {
        try FileSystem.makeDirectory("\(folder)/cards")
        defer { try? FileSystem.removeTree(folder) }
        let stores = SharedStores(["a": "\(folder)/cards", "b": "\(folder)/cards/b.db", "c": "\(folder)/c.db"])
        var watches = try #require(StoreWatches(stores))
        watches.arm()
        try write("a", "\(folder)/cards/b.db")
        #expect(watches.news() == .place)
        watches.arm()
        try Descriptor.open("\(folder)/cards/b.db", .write).writeAll(Array("b".utf8))
        #expect(watches.news() == .content)
        try write("c", "\(folder)/c.db")
        #expect(watches.news() == .place)
    }
}
