internal import CoreMetrics
internal import Foundation
internal import GRDB
internal import LinuxSystem
internal import Logging
internal import Model
internal import PushCore
internal import PushLink
internal import Synchronization

/// The messages on the disk. Everything but `isHealthy` waits for it: called from the writer's queue, and before that.
final class MessageDatabase: Sendable {
    /// What is done in a transaction besides writing messages.
    enum Job: Sendable {
        case load(DeviceID, limit: Int, StoreWaiter<StoredPage?>)
        /// The device has connected.
        case seen(DeviceID)
        case register(
            Registrations.Change?, topic: String?, TokenAuthority, RegistrationOutcome,
            StoreWaiter<RegistrationOutcome>)
        case unregister(Registrations.Change, DeviceID, topic: String, StoreWaiter<RegistrationOutcome>)
        /// Removes what has expired.
        case purge
    }

    private let queue: DatabaseQueue
    private let rules: PushRules
    /// Pages that may be in use.
    private let limit: Int
    private let metrics: GatewayMetrics
    private let logger: Logger
    private let healthy = Atomic(true)

    var isHealthy: Bool { healthy.load(ordering: .relaxed) }

    init(path: String, rules: PushRules, limit: Int, metrics: GatewayMetrics, logger: Logger) throws {
        self.rules = rules
        self.metrics = metrics
        self.logger = logger
        guard FileSystem.mayHoldDatabase(path) else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "\(path), or a file beside it, is no file")
        }
        // SQLite gives the files beside it the mode of the database.
        if !FileSystem.exists(path) { try FileSystem.replace(path, with: []) }
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Nothing else writes to it but a person with a tool; providers wait for ten seconds or so, and perhaps for two
        // transactions.
        configuration.busyMode = .timeout(2)
        configuration.label = "push"
        queue = try DatabaseQueue(path: path, configuration: configuration)
        let pageSize = try queue.writeWithoutTransaction { database in
            // WAL's usual NORMAL may lose the last commits with the power; what was accepted must be durable.
            try database.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8000;
                    PRAGMA journal_size_limit = 67108864
                    """)
            return try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
        }
        self.limit = limit / pageSize
        try MessageSchema.migrator.migrate(queue)
    }

    func close() { try? queue.close() }

    struct Kept {
        var endings: [Registrations.Key: Registrations.Ending] = [:]
        var topics: [TopicHash: String] = [:]
        var greatestNumber: Int64 = 0
    }

    /// What a gateway has in memory.
    func kept() throws -> Kept {
        try queue.read { database in
            var kept = Kept()
            let endings = try Row.fetchCursor(
                database, sql: "SELECT device, topic, epoch, ended, registered FROM endings")
            while let row = try endings.next() {
                guard let device = DeviceID(row[0] as Data) else { continue }
                let topic = TopicHash(rawValue: UInt64(bitPattern: row[1] as Int64))
                kept.endings[Registrations.Key(device: device, topic: topic)] = Registrations.Ending(
                    epoch: UInt16(clamping: row[2] as Int), ended: row[3], isRegistered: row[4])
            }
            for row in try Row.fetchAll(database, sql: "SELECT hash, name FROM topics") {
                kept.topics[TopicHash(rawValue: UInt64(bitPattern: row[0] as Int64))] = row[1]
            }
            kept.greatestNumber = try Int64.fetchOne(database, sql: "SELECT max(number) FROM messages") ?? 0
            return kept
        }
    }

    // MARK: A transaction

    private struct Results {
        var outcomes: [(StoreWaiter<StoreOutcome>, StoreOutcome)] = []
        var pages: [(StoreWaiter<StoredPage?>, StoredPage?)] = []
        var registrations: [(StoreWaiter<RegistrationOutcome>, RegistrationOutcome)] = []
    }

    /// Writes all of it or nothing, and says what became of the messages.
    func write(_ entries: [GroupWriter.Writes.Entry]) -> [(StoreWaiter<StoreOutcome>, StoreOutcome)] {
        let began = Instant.now
        var results = Results()
        do {
            try queue.write { database in
                let isFull = try pages(database) > limit
                let now = WallTime.now
                for entry in entries { try write(entry, isFull, now, database, &results) }
            }
            if !healthy.exchange(true, ordering: .relaxed) { logger.notice("the store can be written again") }
        } catch {
            // Every transaction may fail from here on: it is said once.
            if healthy.exchange(false, ordering: .relaxed) {
                logger.error("the store cannot be written", metadata: ["error": "\(error)"])
            }
            results = failed(entries)
        }
        metrics.commit.recordNanoseconds((Instant.now - began).nanoseconds)
        metrics.batch.record(entries.count)
        for (waiter, page) in results.pages { waiter(page) }
        for (waiter, outcome) in results.registrations { waiter(outcome) }
        return results.outcomes
    }

    private func failed(_ entries: [GroupWriter.Writes.Entry]) -> Results {
        var results = Results()
        for entry in entries {
            switch entry {
            case .insert(_, _, let waiter): results.outcomes.append((waiter, .failed))
            case .job(.load(_, _, let waiter)): results.pages.append((waiter, nil))
            case .job(.register(_, _, _, _, let waiter)), .job(.unregister(_, _, _, let waiter)):
                results.registrations.append((waiter, .refused(PushReason.serviceUnavailable.rawValue)))
            case .supersede, .delete, .nothing, .job(.seen), .job(.purge): break
            }
        }
        return results
    }

    private func write(
        _ entry: GroupWriter.Writes.Entry, _ isFull: Bool, _ now: WallTime, _ database: Database,
        _ results: inout Results
    ) throws {
        switch entry {
        case .insert(let message, let superseding, let waiter):
            guard !isFull else { return results.outcomes.append((waiter, .full)) }
            if superseding == .topic, let since = try gone(message.device, now, database) {
                return results.outcomes.append((waiter, .deviceGone(since: since)))
            }
            try supersede(message, superseding, database)
            try insert(message, database)
            results.outcomes.append((waiter, .accepted))
        case .supersede(let message, let superseding): try supersede(message, superseding, database)
        case .delete(let number):
            try database.cachedStatement(sql: "DELETE FROM messages WHERE number = ?").execute(arguments: [number])
        case .job(let job): try perform(job, now, database, &results)
        case .nothing: break
        }
    }

    private func insert(_ message: PushMessage, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO messages (number, device, topic, id, type, priority, expires, collapse, at, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(
            arguments: [
                message.number, Data(message.device.bytes), message.topic, message.id, message.type.rawValue,
                message.priority, message.expires, message.collapse, message.at.nanoseconds, Data(message.payload),
            ])
    }

    private func supersede(_ message: PushMessage, _ superseding: Superseding, _ database: Database) throws {
        let device = Data(message.device.bytes)
        switch superseding {
        case .nothing: return
        case .collapse:
            try database.cachedStatement(
                sql: "DELETE FROM messages WHERE device = ? AND topic = ? AND collapse = ? AND number < ?"
            ).execute(arguments: [device, message.topic, message.collapse, message.number])
        case .topic:
            try database.cachedStatement(
                sql: "DELETE FROM messages WHERE device = ? AND topic = ? AND number < ?"
            ).execute(arguments: [device, message.topic, message.number])
        }
        let count = database.changesCount
        if count > 0 { metrics.superseded.increment(by: count) }
    }

    /// Since when a device has not connected, in milliseconds since 1970, if that is too long. One that was never seen
    /// counts from now: the gateway may have lost its store.
    private func gone(_ device: DeviceID, _ now: WallTime, _ database: Database) throws -> Int64? {
        let bytes = Data(device.bytes)
        let statement = try database.cachedStatement(sql: "SELECT seen FROM devices WHERE device = ?")
        guard let seen = try Int64.fetchOne(statement, arguments: [bytes]) else {
            try see(device, now, database)
            return nil
        }
        let since = WallTime(nanoseconds: seen)
        return now - since > rules.deviceLifetime ? seen / 1_000_000 : nil
    }

    private func see(_ device: DeviceID, _ now: WallTime, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO devices (device, seen) VALUES (?, ?)")
            .execute(arguments: [Data(device.bytes), now.nanoseconds])
    }

    private func pages(_ database: Database) throws -> Int {
        let count = try Int.fetchOne(try database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(try database.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        return count - free
    }

    // MARK: Jobs

    private func perform(
        _ job: Job, _ now: WallTime, _ database: Database, _ results: inout Results
    ) throws {
        switch job {
        case .load(let device, let limit, let waiter):
            results.pages.append((waiter, try page(device, limit, now, database)))
        case .seen(let device): try see(device, now, database)
        case .register(let change, let topic, let authority, let outcome, let waiter):
            if let topic {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO topics (hash, name) VALUES (?, ?)",
                    arguments: [Int64(bitPattern: authority.hash(topic).rawValue), topic])
            }
            if let change { try store(change, database) }
            results.registrations.append((waiter, outcome))
        case .unregister(let change, let device, let topic, let waiter):
            try store(change, database)
            try database.execute(
                sql: "DELETE FROM messages WHERE device = ? AND topic = ?", arguments: [Data(device.bytes), topic])
            results.registrations.append((waiter, .ended))
        case .purge:
            try database.execute(
                sql: "DELETE FROM messages WHERE expires <= ?", arguments: [now.nanoseconds / 1_000_000_000])
            metrics.expired.increment(by: database.changesCount)
            let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
            metrics.storedBytes.set(try pages(database) * size)
        }
    }

    private func store(_ change: Registrations.Change, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO endings (device, topic, epoch, ended, registered) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                Data(change.key.device.bytes), Int64(bitPattern: change.key.topic.rawValue), change.ending.epoch,
                change.ending.ended, change.ending.isRegistered,
            ])
    }

    private func page(_ device: DeviceID, _ limit: Int, _ now: WallTime, _ database: Database) throws -> StoredPage {
        let statement = try database.cachedStatement(
            sql: """
                SELECT number, topic, id, type, priority, expires, collapse, at, payload FROM messages
                WHERE device = ? AND expires > ? ORDER BY priority DESC, number LIMIT ?
                """)
        var messages: [PushMessage] = []
        let rows = try Row.fetchCursor(
            statement, arguments: [Data(device.bytes), now.nanoseconds / 1_000_000_000, limit])
        while let row = try rows.next() {
            messages.append(
                PushMessage(
                    number: row[0], device: device, topic: row[1], id: row[2],
                    type: LinkPushType(rawValue: row[3]) ?? .alert, priority: row[4], expires: row[5],
                    collapse: row[6], at: WallTime(nanoseconds: row[7]), payload: Array(row[8] as Data)))
        }
        return StoredPage(messages: messages, isAll: messages.count < limit)
    }
}

private enum MessageSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("messages") { database in
            try database.execute(
                sql: """
                    CREATE TABLE messages (
                        number INTEGER PRIMARY KEY, device BLOB NOT NULL, topic TEXT NOT NULL, id TEXT NOT NULL,
                        type TEXT NOT NULL, priority INTEGER NOT NULL, expires INTEGER NOT NULL, collapse TEXT,
                        at INTEGER NOT NULL, payload BLOB NOT NULL);
                    CREATE INDEX messages_of_devices ON messages (device, topic);
                    CREATE INDEX messages_that_expire ON messages (expires);
                    CREATE TABLE endings (
                        device BLOB NOT NULL, topic INTEGER NOT NULL, epoch INTEGER NOT NULL, ended INTEGER NOT NULL,
                        registered INTEGER NOT NULL, PRIMARY KEY (device, topic)) WITHOUT ROWID;
                    CREATE TABLE topics (hash INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE devices (device BLOB PRIMARY KEY, seen INTEGER NOT NULL) WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}
