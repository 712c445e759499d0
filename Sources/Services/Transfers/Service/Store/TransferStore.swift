internal import Foundation
internal import GRDB
internal import LinuxSystem
internal import Model
internal import TransferCore
internal import TransferWire
internal import Wire

/// What survives the service: the Core's records, and what the shell itself has to know again.
///
/// Every method waits for the disk: call them from a worker. What is written is durable when they return.
final class TransferStore: Sendable {
    private let queue: DatabaseQueue
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { Self.make(path) }
        do {
            queue = try Self.open(path)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            // Set aside rather than lost: the parts in `files` are worth nothing without it.
            let name = "\(path).damaged-\(UInt64(Date().timeIntervalSince1970))"
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
        configuration.label = "transfers"
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            // WAL's usual NORMAL may lose the last commits with the power; what was acknowledged must be durable.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -1024")
        }
        try TransferSchema.migrator.migrate(queue)
        return queue
    }

    func close() { try? queue.close() }

    // MARK: The Core's records

    /// What one transaction changes.
    enum Change: Sendable {
        case store(TransferRecord)
        case erase(TransferRecordKey)
        case container(Container)
        case forgetContainer(app: String)
        case cookies(SessionKey, CookieJar)
        case forgetCookies(SessionKey)
        case folder(TransferID, TargetFolder)
        case boot(String)
    }

    /// Where an app's files go, and whose they are.
    struct Container: Codable, Hashable, Sendable {
        var app: String
        var path: String
        /// The folder itself, not `tmp` in it.
        var isTemporary = false
        var uid: UInt32?
        var gid: UInt32?
    }

    /// The folder in which a tool wants its file: this one and no other of that name.
    struct TargetFolder: Codable, Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
    }

    /// All of it or nothing.
    func commit(_ changes: [Change]) throws {
        try queue.write { database in
            for change in changes { try apply(change, database) }
        }
    }

    private func apply(_ change: Change, _ database: Database) throws {
        switch change {
        case .store(let record): try store(record, database)
        case .erase(let key): try erase(key, database)
        case .container(let container):
            try put("containers", "app", container.app, try encoder.encode(container), database)
        case .forgetContainer(let app):
            try database.execute(sql: "DELETE FROM containers WHERE app = ?", arguments: [app])
        case .cookies(let key, let jar):
            let text = String(decoding: RPCMessage.response(id: .int(0), result: jar.json).encoded(), as: UTF8.self)
            try database.execute(
                sql: "INSERT OR REPLACE INTO cookies (app, session, value) VALUES (?, ?, ?)",
                arguments: [key.app ?? "", key.session, text])
        case .forgetCookies(let key):
            try database.execute(
                sql: "DELETE FROM cookies WHERE app = ? AND session = ?", arguments: [key.app ?? "", key.session])
        case .folder(let id, let folder):
            try put("folders", "task", Int64(id.rawValue), try encoder.encode(folder), database)
        case .boot(let name):
            try database.execute(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('boot', ?)", arguments: [name])
        }
    }

    private func put(
        _ table: String, _ column: String, _ key: any DatabaseValueConvertible, _ value: Data, _ database: Database
    ) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) (\(column), value) VALUES (?, ?)")
            .execute(arguments: [key, value])
    }

    private func store(_ record: TransferRecord, _ database: Database) throws {
        switch record {
        case .app(let app): try put("apps", "app", app.app.rawValue, try encoder.encode(app), database)
        case .session(let session):
            try put("sessions", "session", Int64(session.id.rawValue), try encoder.encode(session), database)
        case .task(let task): try put("tasks", "task", Int64(task.id.rawValue), try encoder.encode(task), database)
        case .event(let event):
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO events (session, number, value) VALUES (?, ?, ?)"
            ).execute(
                arguments: [
                    Int64(event.session.rawValue), Int64(event.number), try encoder.encode(event),
                ])
        case .kept(let kept):
            try put("kept", "file", TransferFiles.name(kept.resumeData.file), try encoder.encode(kept), database)
        case .offset(let id, let offset):
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO offsets (task, value) VALUES (?, ?)")
                .execute(arguments: [Int64(id.rawValue), offset])
        case .counters(let counters):
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('counters', ?)")
                .execute(arguments: [try encoder.encode(counters)])
        }
    }

    private func erase(_ key: TransferRecordKey, _ database: Database) throws {
        switch key {
        case .app(let app):
            try database.execute(sql: "DELETE FROM apps WHERE app = ?", arguments: [app.rawValue])
        case .session(let id):
            try database.execute(sql: "DELETE FROM sessions WHERE session = ?", arguments: [Int64(id.rawValue)])
        case .task(let id):
            for table in ["tasks", "offsets", "folders"] {
                try database.cachedStatement(sql: "DELETE FROM \(table) WHERE task = ?")
                    .execute(arguments: [Int64(id.rawValue)])
            }
        case .event(let session, let number):
            try database.cachedStatement(sql: "DELETE FROM events WHERE session = ? AND number = ?")
                .execute(arguments: [Int64(session.rawValue), Int64(number)])
        case .kept(let file):
            try database.execute(sql: "DELETE FROM kept WHERE file = ?", arguments: [TransferFiles.name(file)])
        }
    }

    // MARK: Reading all of it

    struct Contents: Sendable {
        var records: [TransferRecord] = []
        var containers: [Container] = []
        var cookies: [SessionKey: CookieJar] = [:]
        var folders: [TransferID: TargetFolder] = [:]
        /// The machine's start during which it was written last.
        var boot: String?
    }

    func contents() throws -> Contents {
        try queue.read { database in
            var contents = Contents()
            contents.records += try values("apps", AppTransfers.self, database).map(TransferRecord.app)
            contents.records += try values("sessions", SessionRecord.self, database).map(TransferRecord.session)
            contents.records += try values("tasks", TaskRecord.self, database).map(TransferRecord.task)
            contents.records += try values("events", EventRecord.self, database).map(TransferRecord.event)
            contents.records += try values("kept", KeptFile.self, database).map(TransferRecord.kept)
            for row in try Row.fetchAll(database, sql: "SELECT task, value FROM offsets") {
                guard let id = Self.transfer(row["task"]), let offset = Int64.fromDatabaseValue(row["value"]) else {
                    continue
                }
                contents.records.append(.offset(id, offset))
            }
            if let data = try Data.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'counters'"),
                let counters = read(TransferCounters.self, from: data, "counters")
            {
                contents.records.append(.counters(counters))
            }
            contents.boot = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'boot'")
            contents.containers = try values("containers", Container.self, database)
            for row in try Row.fetchAll(database, sql: "SELECT task, value FROM folders") {
                guard let id = Self.transfer(row["task"]) else { continue }
                contents.folders[id] = Data.fromDatabaseValue(row["value"]).flatMap {
                    read(TargetFolder.self, from: $0, "folders")
                }
            }
            for row in try Row.fetchAll(database, sql: "SELECT app, session, value FROM cookies") {
                guard let app = String.fromDatabaseValue(row["app"]),
                    let session = String.fromDatabaseValue(row["session"]),
                    let text = String.fromDatabaseValue(row["value"]),
                    case .response(_, let json)? = try? RPCMessage.parse(Array(text.utf8)),
                    let jar = try? CookieJar(json: json)
                else { continue }
                contents.cookies[SessionKey(app: app.isEmpty ? nil : app, session: session)] = jar
            }
            return contents
        }
    }

    private func values<Value: Decodable>(_ table: String, _ type: Value.Type, _ database: Database) throws -> [Value] {
        try Data.fetchAll(database, sql: "SELECT value FROM \(table)").compactMap { read(type, from: $0, table) }
    }

    /// A record that something else has damaged is left out, and stays where it is: one must not keep all the others.
    private func read<Value: Decodable>(_ type: Value.Type, from data: Data, _ table: String) -> Value? {
        do {
            return try decoder.decode(type, from: data)
        } catch {
            Diagnostics.write("a record of \(table) cannot be read, and is left out: \(error)")
            return nil
        }
    }

    private static func transfer(_ value: DatabaseValue) -> TransferID? {
        Int64.fromDatabaseValue(value).flatMap { UInt64(exactly: $0) }.map(TransferID.init)
    }
}

/// The tables, as the list of steps that made them. A step that was ever released is never edited.
enum TransferSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1-base") { database in
            try database.execute(
                sql: """
                    CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE apps (app TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE sessions (session INTEGER PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE tasks (task INTEGER PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE offsets (task INTEGER PRIMARY KEY NOT NULL, value INTEGER NOT NULL);
                    CREATE TABLE events (
                        session INTEGER NOT NULL, number INTEGER NOT NULL, value BLOB NOT NULL,
                        PRIMARY KEY (session, number)
                    );
                    CREATE TABLE kept (file TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE containers (app TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    CREATE TABLE cookies (
                        app TEXT NOT NULL, session TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (app, session)
                    );
                    CREATE TABLE folders (task INTEGER PRIMARY KEY NOT NULL, value BLOB NOT NULL);
                    """)
        }
        return migrator
    }
}
