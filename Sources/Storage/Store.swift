import Foundation
import GRDB

/// What survives a restart: one SQLite database.
///
/// Every method is synchronous and durable when it returns, so it may wait for the device: call them from a worker
/// thread, never from the loop. They may be called from several threads; they take turns.
package final class Store: Sendable {
    package let path: String
    /// Where a damaged database was set aside when this one was opened in its place, for the user to be told.
    package let setAside: String?

    private let queue: DatabaseQueue
    private let makeRoom: @Sendable () -> Bool

    /// Opens the database, creating or migrating it. A damaged one is renamed to `….corrupt-N` and begun anew. On a
    /// full device `makeRoom` is asked for room, until it has none.
    package init(path: String, makeRoom: @escaping @Sendable () -> Bool = { false }) throws(StorageError) {
        self.path = path
        self.makeRoom = makeRoom
        do {
            queue = try Self.retrying(makeRoom) { () throws(StorageError) in try Self.open(path) }
            setAside = nil
        } catch .damaged {
            setAside = try Self.setAside(path)
            queue = try Self.retrying(makeRoom) { () throws(StorageError) in try Self.open(path) }
        }
    }

    private static func retrying<Result>(
        _ makeRoom: () -> Bool, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        while true {
            do throws(StorageError) {
                return try body()
            } catch {
                guard case .full = error, makeRoom() else { throw error }
            }
        }
    }

    /// Closes the file, which no method may use afterwards. Without it nothing is lost either.
    package func close() throws(StorageError) {
        do {
            try queue.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    // MARK: Access for the extensions

    func read<Result>(_ body: (Database) throws -> Result) throws(StorageError) -> Result {
        do {
            return try queue.read(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// One transaction: all of it is stored or nothing.
    func write<Result>(_ body: (Database) throws -> Result) throws(StorageError) -> Result {
        try Self.retrying(makeRoom) { () throws(StorageError) in
            do {
                return try queue.write(body)
            } catch {
                throw StorageError(error, path: path)
            }
        }
    }

    // MARK: Opening

    /// Whether SQLite can open it without waiting for a pipe.
    private static func isFileOrNothing(_ path: String) -> Bool {
        ["", "-wal", "-shm", "-journal"].allSatisfy { suffix in
            let target = URL(fileURLWithPath: path + suffix).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: target)
            guard let type = attributes?[.type] as? FileAttributeType else { return true }
            // SQLite refuses a folder at once.
            return type == .typeRegular || type == .typeDirectory
        }
    }

    private static func open(_ path: String) throws(StorageError) -> DatabaseQueue {
        guard isFileOrNothing(path) else { throw .damaged(path: path) }
        // SQLite gives its -wal and -shm files the mode of the database.
        if !FileManager.default.fileExists(atPath: path),
            !FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        {
            throw .cannotOpen(path: path, problem: "it cannot be created")
        }
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(2)
        configuration.label = "store"
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                // WAL's usual NORMAL may lose the last commits with the power; what was answered must be durable.
                try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -512")
            }
            try queue.read { database in
                let finding = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
                guard finding == "ok" else { throw StorageError.damaged(path: path) }
                guard try !Schema.migrator.hasBeenSuperseded(database) else {
                    throw StorageError.newerSchema(path: path)
                }
            }
            try Schema.migrator.migrate(queue)
            return queue
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static func setAside(_ path: String) throws(StorageError) -> String {
        let manager = FileManager.default
        let suffixes = ["-wal", "-shm", "-journal", ""]
        var number = 1
        while suffixes.contains(where: { manager.fileExists(atPath: "\(path).corrupt-\(number)\($0)") }) { number += 1 }
        do {
            // The database last: killed in between, the next start finds it damaged again and goes on.
            for suffix in suffixes where manager.fileExists(atPath: path + suffix) {
                try manager.moveItem(atPath: path + suffix, toPath: "\(path).corrupt-\(number)\(suffix)")
            }
        } catch {
            throw .cannotOpen(path: path, problem: "it is damaged and cannot be renamed")
        }
        return "\(path).corrupt-\(number)"
    }
}
