import Foundation
import GRDB
import Glibc
import LinuxSystem
import Model
import NotificationsCore
import NotificationsService
import Testing

@Suite("What survives")
final class StoreTests {
    private let folder = "/tmp/greenroom-notifications-store-\(UUID().uuidString)"
    private var path: String { folder + "/notifications.sqlite" }

    init() throws { try FileSystem.makeDirectory(folder) }
    deinit { try? FileSystem.removeTree(folder) }

    private static let app = AppIdentifier("org.example.app").map { AppRecord($0) }

    private func record(_ identifier: String) throws -> NotificationStored {
        let app = try #require(Self.app)
        return .pending(
            PendingRecord(
                app: app.app,
                request: NotificationRequest(identifier: identifier, content: NotificationContent(title: "Grüße")),
                since: WallTime(nanoseconds: 1)))
    }

    @Test("What was stored is there again; what was erased is not; the file is its owner's alone")
    func roundTrip() throws {
        let (one, two) = (try record("one"), try record("two"))
        let gateway = GatewaySetting(url: "push.example.com", roots: "PEM")
        let store = try NotificationStore(path: path)
        try store.commit([.store(one), .store(two), .gateway(gateway)])
        try store.commit([.erase(two.key)])
        store.close()
        let again = try NotificationStore(path: path)
        let contents = try again.contents()
        #expect(contents.records == [one] && contents.gateway == gateway)
        #expect(try Descriptor.open(path, .read).identity().permissions & 0o077 == 0)
        try again.commit([.gateway(nil)])
        #expect(try again.contents().gateway == nil)
        again.close()
    }

    @Test("A pipe in its place is set aside: nobody waits for its content")
    func pipe() throws {
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let store = try NotificationStore(path: path)
        try store.commit([.store(record("one"))])
        #expect(try Descriptor.open(path, .read).identity().isRegular)
        #expect(FileSystem.names(in: folder).contains { $0.contains(".damaged-") })
        store.close()
    }

    @Test("A transaction is all of it or nothing")
    func transaction() throws {
        let store = try NotificationStore(path: path)
        try store.commit([.store(record("one"))])
        let other = try DatabaseQueue(path: path)
        try other.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON records WHEN NEW.name = 'three'
                    BEGIN SELECT RAISE(ABORT, 'full'); END
                    """)
        }
        #expect(throws: (any Error).self) { try store.commit([.store(record("two")), .store(record("three"))]) }
        #expect(try store.contents().records == [record("one")])
        store.close()
    }

    @Test("A record that something else has damaged is set aside, and the others are there")
    func damage() throws {
        let store = try NotificationStore(path: path)
        let names = ["one", "two", "three", "four"]
        try store.commit(names.map { .store(try record($0)) })
        let other = try DatabaseQueue(path: path)
        try other.write { database in
            try database.execute(sql: "UPDATE records SET value = x'00ff' WHERE name = 'one'")
            try database.execute(sql: "UPDATE records SET value = '{\"pending\":{}}' WHERE name = 'two'")
            // It says that it is another one.
            try database.execute(sql: "UPDATE records SET name = 'other' WHERE name = 'three'")
        }
        #expect(try store.contents().records == [record("four")])
        #expect(try other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM damaged") } == 3)
        // They are not met again, and their places are free.
        try store.commit([.store(record("one"))])
        #expect(Set(try store.contents().records) == [try record("one"), try record("four")])
        store.close()
    }

    @Test("A file that is no database is set aside, and the service begins anew")
    func noDatabase() throws {
        try FileSystem.replace(path, with: Array(repeating: 0x2A, count: 10_000))
        let store = try NotificationStore(path: path)
        try store.commit([.store(record("one"))])
        #expect(try store.contents().records == [record("one")])
        store.close()
        #expect(FileSystem.names(in: folder).contains { $0.hasPrefix("notifications.sqlite.damaged-") })
    }

    @Test("What a later version wrote is left alone")
    func later() throws {
        try NotificationStore(path: path).close()
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v99-future')") }
        try other.close()
        #expect(throws: (any Error).self) { try NotificationStore(path: self.path) }
        #expect(!FileSystem.names(in: folder).contains { $0.contains("damaged") })
    }
}
