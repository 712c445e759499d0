internal import Foundation
internal import GRDB
internal import LinuxSystem
internal import Model
package import NotificationsCore

/// What survives the service: the Core's records, and where the gateway is.
///
/// Every method waits for the disk: call them from a worker. What is written is durable when they return.
package final class NotificationStore: Sendable {
    private let queue: DatabaseQueue
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    struct FromTheFuture: Error, CustomStringConvertible {
        let path: String
        var description: String {
            "\(path) was written by a later version of Greenroom: use that one, or remove the file"
        }
    }

    package init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { Self.make(path) }
        do {
            queue = try Self.open(path)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            // Set aside rather than lost: it may be repaired, and the service must not wait for that.
            let name = "\(path).damaged-\(UInt64(Date().timeIntervalSince1970))"
            Diagnostics.write("\(path) is damaged, and is set aside as \(name): \(error)")
            for suffix in ["-wal", "-shm", "-journal", ""] {
                try? FileManager.default.moveItem(atPath: path + suffix, toPath: name + suffix)
            }
            Self.make(path)
            queue = try Self.open(path)
        }
    }

    /// SQLite gives the files beside it the mode of the database.
    private static func make(_ path: String) {
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        guard FileSystem.mayHoldDatabase(path) else { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(2)
        configuration.label = "notifications"
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            // WAL's usual NORMAL may lose the last commits with the power; what was acknowledged must be durable.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -256")
        }
        let migrator = NotificationSchema.migrator
        guard try !queue.read(migrator.hasBeenSuperseded) else { throw FromTheFuture(path: path) }
        try migrator.migrate(queue)
        return queue
    }

    package func close() { try? queue.close() }

    // MARK: Writing

    /// What one transaction changes.
    package enum Change: Sendable {
        case store(NotificationStored)
        case erase(NotificationStoredKey)
        /// `nil`: there is none.
        case gateway(GatewaySetting?)
        case appInfo(AppInfo)
        case forget(app: String)
        /// What is, or will be, on the screen of a notification; `nil`: nothing.
        case displayed(NotificationID, ScreenRecord?)
    }

    /// All of it or nothing.
    package func commit(_ changes: [Change]) throws {
        try queue.write { database in
            for change in changes { try apply(change, database) }
        }
    }

    private func apply(_ change: Change, _ database: Database) throws {
        switch change {
        case .store(let record):
            let key = RecordKey(record.key)
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO records (kind, app, name, value) VALUES (?, ?, ?, ?)"
            ).execute(arguments: [key.kind, key.app, key.name, try encoder.encode(record)])
        case .erase(let erased):
            let key = RecordKey(erased)
            try database.cachedStatement(sql: "DELETE FROM records WHERE kind = ? AND app = ? AND name = ?")
                .execute(arguments: [key.kind, key.app, key.name])
        case .appInfo(let info):
            try database.execute(
                sql: "INSERT OR REPLACE INTO apps (app, value) VALUES (?, ?)",
                arguments: [info.app, try encoder.encode(info)])
        case .forget(let app): try database.execute(sql: "DELETE FROM apps WHERE app = ?", arguments: [app])
        case .displayed(let id, nil):
            try database.cachedStatement(sql: "DELETE FROM displayed WHERE id = ?")
                .execute(arguments: [Int64(bitPattern: id.rawValue)])
        case .displayed(let id, let record?):
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO displayed (id, value) VALUES (?, ?)")
                .execute(arguments: [Int64(bitPattern: id.rawValue), try encoder.encode(record)])
        case .gateway(nil): try database.execute(sql: "DELETE FROM meta WHERE key = 'gateway'")
        case .gateway(let setting?):
            try database.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('gateway', ?)",
                arguments: [try encoder.encode(setting)])
        }
    }

    // MARK: Reading all of it

    package struct Contents: Sendable {
        package var records: [NotificationStored] = []
        package var gateway: GatewaySetting?
        package var apps: [AppInfo] = []
        package var displayed: [NotificationID: ScreenRecord] = [:]
    }

    /// A record that something else has damaged is set aside, with a line in the log: one must not keep all the
    /// others from being shown.
    package func contents() throws -> Contents {
        var contents = Contents()
        var damaged: [Int64] = []
        try queue.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT id, kind, app, name, value FROM records")
            while let row = try rows.next() {
                do {
                    contents.records.append(try record(row))
                } catch {
                    let (kind, app): (DatabaseValue, DatabaseValue) = (row["kind"], row["app"])
                    Diagnostics.write("a record (\(kind) of \(app)) cannot be read, and is set aside: \(error)")
                    damaged.append(row["id"])
                }
            }
            // What cannot be read of these comes again by itself.
            contents.apps = try Data.fetchAll(database, sql: "SELECT value FROM apps").compactMap { data in
                try? decoder.decode(AppInfo.self, from: data)
            }
            for row in try Row.fetchAll(database, sql: "SELECT id, value FROM displayed") {
                guard let id = Int64.fromDatabaseValue(row["id"]), let data = Data.fromDatabaseValue(row["value"]),
                    let record = try? decoder.decode(ScreenRecord.self, from: data)
                else { continue }
                contents.displayed[NotificationID(UInt64(bitPattern: id))] = record
            }
            if let data = try Data.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'gateway'") {
                do {
                    contents.gateway = try decoder.decode(GatewaySetting.self, from: data)
                } catch {
                    Diagnostics.write("where the gateway is cannot be read: set it anew (greenroom push gateway URL)")
                }
            }
        }
        try setAside(damaged)
        return contents
    }

    private struct Misplaced: Error, CustomStringConvertible {
        var description: String { "it is another one than its key says" }
    }

    private func record(_ row: Row) throws -> NotificationStored {
        guard let data = Data.fromDatabaseValue(row["value"]) else { throw Misplaced() }
        let record = try decoder.decode(NotificationStored.self, from: data)
        let key = RecordKey(record.key)
        guard row["kind"] == key.kind.databaseValue, row["app"] == key.app.databaseValue,
            row["name"] == key.name.databaseValue
        else { throw Misplaced() }
        return record
    }

    private func setAside(_ damaged: [Int64]) throws {
        guard !damaged.isEmpty else { return }
        try queue.write { database in
            for id in damaged {
                try database.execute(
                    sql: "INSERT INTO damaged SELECT kind, app, name, value FROM records WHERE id = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM records WHERE id = ?", arguments: [id])
            }
            // For whoever wants to know what became of them; not for ever.
            try database.execute(
                sql: """
                    DELETE FROM damaged WHERE rowid NOT IN (SELECT rowid FROM damaged ORDER BY rowid DESC LIMIT 64)
                    """)
        }
    }
}

/// Where the gateway is, and whom to believe that it is one.
package struct GatewaySetting: Codable, Hashable, Sendable {
    package var url: String
    /// Certificates in PEM.
    package var roots: String?

    package init(url: String, roots: String? = nil) {
        self.url = url
        self.roots = roots
    }
}

/// A notification that is on the screen, or will be when something displays it.
package struct ScreenRecord: Codable, Hashable, Sendable {
    /// Where it was displayed last; `nil`: nowhere yet.
    package var handle: ShownHandle?
    package var sound: String?
    /// Its sound was played.
    package var isHeard: Bool

    package init(handle: ShownHandle? = nil, sound: String? = nil, isHeard: Bool = false) {
        self.handle = handle
        self.sound = sound
        self.isHeard = isHeard
    }
}

/// What the daemon said of an app when it connected last.
package struct AppInfo: Codable, Hashable, Sendable {
    package var app: String
    /// What people call it.
    package var name: String
    package var bundle: String
    /// Its picture: relative to the bundle, or a name.
    package var icon: String?
    package var container: String
    /// The program that may change its pushes before they are shown: relative to the bundle.
    package var helper: String?
    /// Whose its processes are; `nil`: this process's.
    package var user: UInt32?

    package init(
        app: String, name: String, bundle: String, icon: String? = nil, container: String, helper: String? = nil,
        user: UInt32? = nil
    ) {
        self.app = app
        self.name = name
        self.bundle = bundle
        self.icon = icon
        self.container = container
        self.helper = helper
        self.user = user
    }
}

/// A key in columns, so that a person with `sqlite3` can read it.
private struct RecordKey {
    let kind: String
    var app = ""
    var name = ""

    init(_ key: NotificationStoredKey) {
        switch key {
        case .app(let app): (kind, self.app) = ("app", app.rawValue)
        case .pending(let key): (kind, app, name) = ("pending", key.app.rawValue, key.identifier)
        case .delivered(let id): (kind, name) = ("delivered", String(id.rawValue))
        case .telling(let id): (kind, app, name) = ("telling", id.app.rawValue, String(id.number))
        case .categories(let app): (kind, self.app) = ("categories", app.rawValue)
        case .budget(let app): (kind, self.app) = ("budget", app.rawValue)
        case .held(let app): (kind, self.app) = ("held", app.rawValue)
        case .mutation(let id): (kind, name) = ("mutation", String(id.rawValue))
        case .seen(let slot): (kind, name) = ("seen", String(slot))
        case .network(let network): (kind, name) = ("network", network)
        case .counters: kind = "counters"
        }
    }
}

/// The tables, as the list of steps that made them. A step that was ever released is never edited.
enum NotificationSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1-base") { database in
            try database.execute(
                sql: """
                    CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE records (
                        id INTEGER PRIMARY KEY NOT NULL, kind TEXT NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL,
                        value BLOB NOT NULL, UNIQUE (kind, app, name)
                    );
                    CREATE TABLE damaged (kind, app, name, value);
                    CREATE TABLE apps (app TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE displayed (id INTEGER PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    """)
        }
        return migrator
    }
}
