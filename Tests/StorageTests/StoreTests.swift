import Foundation
import Storage
import Testing

@Suite("The store keeps what it was given")
struct StoreTests {
    private let shelf: Shelf
    private let store: Store

    init() throws {
        shelf = try Shelf()
        store = try shelf.open()
    }

    /// Everything is asked of a store that was closed and opened again: what a method answered has to be in the file.
    private func reopened() throws -> Store {
        try store.close()
        return try shelf.open()
    }

    // MARK: Apps

    @Test("An app is found again, and its replacement keeps exemption, uid and time of installation")
    func replacement() throws {
        try store.saveApp("org.example.b", manifest: "{\"v\":1}", at: 10)
        try store.saveApp("org.example.a", manifest: "{}", at: 11)
        let uid = try store.allocateUID(base: 70_000, count: 10, for: "org.example.b")
        #expect(try store.setExempt("org.example.b", true))
        try store.saveApp("org.example.b", manifest: "{\"v\":2}", at: 20)
        let apps = try reopened().apps()
        #expect(apps.map(\.identifier) == ["org.example.a", "org.example.b"])
        let app = try #require(apps.last)
        #expect(app.manifest == "{\"v\":2}" && app.isExempt && app.uid == uid)
        #expect(app.installedAt == 10 && app.updatedAt == 20)
        #expect(apps.first?.uid == nil && apps.first?.isExempt == false)
    }

    @Test("An unknown app cannot be exempted") func unknownApp() throws {
        #expect(try !store.setExempt("org.example.none", true))
    }

    @Test("An app that is removed with its data frees its uid, and one without keeps it") func removal() throws {
        for name in ["a", "b"] {
            try store.saveApp(name, manifest: "{}", at: 1)
            _ = try store.allocateUID(base: 100, count: 2, for: name)
        }
        #expect(throws: StorageError.noUIDLeft(base: 100, count: 2)) {
            try store.allocateUID(base: 100, count: 2, for: "c")
        }
        try store.beginRemoval(of: "a", keepingData: true)
        #expect(throws: StorageError.self) { try store.allocateUID(base: 100, count: 2, for: "c") }
        #expect(try store.allocateUID(base: 100, count: 2, for: "a") == 100)
        try store.beginRemoval(of: "b", keepingData: false)
        let later = try reopened()
        #expect(try later.allocateUID(base: 100, count: 2, for: "c") == 101)
        #expect(try later.apps() == [])
    }

    @Test("A removal that was begun is known until it is ended, or the app is installed again") func removals() throws {
        for name in ["a", "b", "c"] {
            try store.saveApp(name, manifest: "{}", at: 1)
            try store.beginRemoval(of: name, keepingData: name == "b")
        }
        let later = try reopened()
        #expect(try later.removals().map(\.app) == ["a", "b", "c"])
        #expect(try later.removals().map(\.keepsData) == [false, true, false])
        try later.endRemoval(of: "a")
        try later.saveApp("c", manifest: "{}", at: 2)
        #expect(try later.removals().map(\.app) == ["b"])
        #expect(try later.apps().map(\.identifier) == ["c"])
    }

    @Test("A uid that became free is used again only after all others") func uidsTakeTurns() throws {
        #expect(try store.allocateUID(base: 100, count: 3, for: "a") == 100)
        try store.beginRemoval(of: "a", keepingData: false)
        let later = try reopened()
        #expect(try later.allocateUID(base: 100, count: 3, for: "b") == 101)
        #expect(try later.allocateUID(base: 100, count: 3, for: "c") == 102)
        #expect(try later.allocateUID(base: 100, count: 3, for: "d") == 100)
    }

    @Test("A uid that owns files is passed over, and an app keeps its own outside a new range") func avoidedUIDs()
        throws
    {
        #expect(try store.allocateUID(base: 100, count: 5, for: "a", avoiding: [100, 101]) == 102)
        #expect(try store.allocateUID(base: 500, count: 5, for: "a") == 102)
        #expect(try store.allocateUID(base: 500, count: 5, for: "b") == 500)
    }

    @Test("Settings whose keys begin alike are read at once, and no others") func manySettings() throws {
        try store.set("refresh.a", to: "off")
        try store.set("refresh.b", to: "on")
        try store.set("refresh", to: "x")
        try store.set("fresh.a", to: "y")
        #expect(try store.settings(beginning: "refresh.") == ["refresh.a": "off", "refresh.b": "on"])
        #expect(try store.settings(beginning: "none.").isEmpty)
    }

    @Test("A setting is set, replaced and removed") func settings() throws {
        #expect(try store.setting("locked") == nil)
        try store.set("locked", to: "1")
        try store.set("locked", to: "0")
        try store.set("gone", to: "x")
        try store.set("gone", to: nil)
        let later = try reopened()
        #expect(try later.setting("locked") == "0")
        #expect(try later.setting("gone") == nil)
    }

    // MARK: Log

    @Test("Entries come newest last, by app, after a number, and within the limit") func log() throws {
        try store.appendLog((1...10).map { row($0, app: $0 % 2 == 0 ? "even" : nil) })
        let later = try reopened()
        #expect(try later.log(limit: 3).map(\.seq) == [8, 9, 10])
        #expect(try later.log(app: "even", limit: 2).map(\.seq) == [8, 10])
        #expect(try later.log(after: 4, limit: 3).map(\.seq) == [5, 6, 7])
        #expect(try later.log(app: "even", after: 4, limit: 100).map(\.seq) == [6, 8, 10])
        #expect(try later.log(after: 10, limit: 5) == [])
        #expect(try later.log(limit: 0) == [] && later.log(limit: -1) == [])
        #expect(try later.entry(3) == row(3, app: nil))
        #expect(try later.entry(11) == nil)
        #expect(try later.lastSeq() == 10)
    }

    @Test("An entry that is appended again stays as it was") func replay() throws {
        try store.appendLog([row(1), row(2)])
        var changed = row(2)
        changed.reason = "something else"
        try store.appendLog([changed, row(3)])
        #expect(try store.log(limit: 10) == [row(1), row(2), row(3)])
    }

    @Test("Values of every kind come back as they were") func values() throws {
        let odd = LogRow(
            seq: .max, at: -1, app: "org.example.é", event: "", reason: "'; DROP TABLE log; --\n🎈",
            cause: .max - 1,
            took: 0)
        try store.appendLog([odd])
        #expect(try reopened().entry(.max) == odd)
    }

    @Test("A chain leads from an entry to its first cause") func chain() throws {
        try store.appendLog([row(1), row(2, cause: 1), row(3), row(4, cause: 2), row(5, cause: 4)])
        #expect(try store.chain(from: 5).map(\.seq) == [5, 4, 2, 1])
        #expect(try store.chain(from: 3).map(\.seq) == [3])
        #expect(try store.chain(from: 9) == [])
    }

    @Test("A chain is followed 64 entries far, and not in circles") func longChain() throws {
        try store.appendLog((1...100).map { row($0, cause: $0 > 1 ? $0 - 1 : nil) } + [row(200, cause: 200)])
        #expect(try store.chain(from: 100).map(\.seq) == Array((37...100).reversed()))
        #expect(try store.chain(from: 200).map(\.seq) == [200])
    }

    @Test("Pruning removes the oldest entries, and what they caused has no cause any more") func pruning() throws {
        try store.appendLog([row(1), row(2, cause: 1), row(3, cause: 2), row(4, cause: 3), row(5, cause: 1)])
        try store.pruneLog(keeping: 3)
        let later = try reopened()
        #expect(try later.log(limit: 10).map(\.cause) == [nil, 3, nil])
        #expect(try later.chain(from: 4).map(\.seq) == [4, 3])
        try later.pruneLog(keeping: 100)
        #expect(try later.log(limit: 10).count == 3)
    }

    @Test("Numbers are not given again after everything was pruned") func lastNumber() throws {
        #expect(try store.lastSeq() == 0)
        try store.appendLog([row(7)])
        try store.pruneLog(keeping: 0)
        #expect(try store.log(limit: 10) == [])
        #expect(try reopened().lastSeq() == 7)
    }

    // MARK: Reports

    @Test("Reports are listed by time, found by id, and pruned from the oldest") func reports() throws {
        try store.saveReport(report("b", at: 20))
        try store.saveReport(report("a", at: 10, app: "other"))
        try store.saveReport(report("c", at: 30))
        try store.saveReport(report("c", at: 30))
        let later = try reopened()
        #expect(try later.reports().map(\.id) == ["a", "b", "c"])
        #expect(try later.reports(app: "other") == [report("a", at: 10, app: "other").summary])
        #expect(try later.report("b") == report("b", at: 20))
        #expect(try later.report("x") == nil)
        try later.pruneReports(keeping: 2)
        #expect(try later.reports().map(\.id) == ["b", "c"])
    }

    // MARK: Threads

    @Test("Many threads write and read at once, and nothing is lost or seen in part") func concurrency() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 as Range<Int64> {
                group.addTask {
                    for step in 0..<25 as Range<Int64> {
                        let seq = (writer * 25 + step) * 2 + 1
                        try store.appendLog([row(seq, app: "\(writer)"), row(seq + 1, app: "\(writer)", cause: seq)])
                        let seen = try store.log(app: "\(writer)", limit: 1000)
                        #expect(seen.count == (step + 1) * 2)
                        _ = try store.allocateUID(base: 1000, count: 1000, for: "\(writer)-\(step)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.log(limit: 1000).map(\.seq) == Array(1...400))
        try store.saveApp("0-0", manifest: "{}", at: 1)
        #expect(try store.allocateUID(base: 1000, count: 1000, for: "next") == 1200)
    }
}
