import GRDB

extension Store {
    /// Installs an app or replaces its manifest; exemption, uid and the time of installation outlast a replacement.
    package func saveApp(_ identifier: String, manifest: String, at time: Int64) throws(StorageError) {
        try write { database in
            try database.execute(
                sql: """
                    INSERT INTO apps (identifier, manifest, installedAt, updatedAt) VALUES (?, ?, ?, ?)
                    ON CONFLICT (identifier) DO UPDATE SET manifest = excluded.manifest, updatedAt = excluded.updatedAt
                    """,
                arguments: [identifier, manifest, time, time])
            try Self.set(Self.removal + identifier, to: nil, in: database)
        }
    }

    /// Forgets an app whose files are still there, and remembers that until `endRemoval`, or until it is installed
    /// again. With its data its uid is kept as well: another app must never own that container.
    package func beginRemoval(of identifier: String, keepingData: Bool) throws(StorageError) {
        try write { database in
            try database.execute(sql: "DELETE FROM apps WHERE identifier = ?", arguments: [identifier])
            if !keepingData { try database.execute(sql: "DELETE FROM uids WHERE app = ?", arguments: [identifier]) }
            try Self.set(Self.removal + identifier, to: keepingData ? "keep" : "all", in: database)
        }
    }

    /// Its files are gone, or nobody's any more.
    package func endRemoval(of identifier: String) throws(StorageError) {
        try set(Self.removal + identifier, to: nil)
    }

    /// The removals that were begun and not ended.
    package func removals() throws(StorageError) -> [(app: String, keepsData: Bool)] {
        try settings(beginning: Self.removal).sorted { $0.key < $1.key }.map { key, value in
            (String(key.dropFirst(Self.removal.count)), value == "keep")
        }
    }

    private static let removal = "removal."

    /// All installed apps by identifier.
    package func apps() throws(StorageError) -> [StoredApp] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT apps.*, uid FROM apps LEFT JOIN uids ON app = identifier ORDER BY identifier"
            ).map { row in
                StoredApp(
                    identifier: row["identifier"], manifest: row["manifest"], uid: row["uid"],
                    installedAt: row["installedAt"], updatedAt: row["updatedAt"], isExempt: row["isExempt"])
            }
        }
    }

    /// Says whether the app exists.
    @discardableResult
    package func setExempt(_ identifier: String, _ isExempt: Bool) throws(StorageError) -> Bool {
        try write { database in
            try database.execute(
                sql: "UPDATE apps SET isExempt = ? WHERE identifier = ?", arguments: [isExempt, identifier])
            return database.changesCount > 0
        }
    }

    /// The uid of an app's container: the one that it has, else a free one of the range.
    ///
    /// Uids are handed out in turn, so that one that became free is used again as late as possible. `taken` are
    /// uids that own files although the store does not know them, as after its loss.
    package func allocateUID(
        base: UInt32, count: UInt32, for app: String, avoiding taken: Set<UInt32> = []
    ) throws(StorageError) -> UInt32 {
        try write { database in
            if let uid = try UInt32.fetchOne(database, sql: "SELECT uid FROM uids WHERE app = ?", arguments: [app]) {
                return uid
            }
            let last = try Self.setting("uid.last", in: database).flatMap(UInt32.init)
            let start = last.map { $0 >= base && $0 - base < count ? $0 - base + 1 : 0 } ?? 0
            for step in 0..<count {
                let uid = base + (start + step) % count
                // One look in the index: to read all that are used takes the longer, the more apps there are.
                guard !taken.contains(uid),
                    try Int.fetchOne(database, sql: "SELECT 1 FROM uids WHERE uid = ?", arguments: [uid]) == nil
                else { continue }
                try database.execute(sql: "INSERT INTO uids (app, uid) VALUES (?, ?)", arguments: [app, uid])
                try Self.set("uid.last", to: String(uid), in: database)
                return uid
            }
            throw StorageError.noUIDLeft(base: base, count: count)
        }
    }

    // MARK: Settings

    package func setting(_ key: String) throws(StorageError) -> String? {
        try read { database in try Self.setting(key, in: database) }
    }

    /// All settings whose keys begin so.
    package func settings(beginning prefix: String) throws(StorageError) -> [String: String] {
        try read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT key, value FROM settings WHERE substr(key, 1, ?) = ?",
                arguments: [prefix.count, prefix])
            return Dictionary(rows.map { ($0["key"], $0["value"]) }) { first, _ in first }
        }
    }

    /// Sets a setting; nil removes it.
    package func set(_ key: String, to value: String?) throws(StorageError) {
        try write { database in try Self.set(key, to: value, in: database) }
    }

    static func setting(_ key: String, in database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT value FROM settings WHERE key = ?", arguments: [key])
    }

    static func set(_ key: String, to value: String?, in database: Database) throws {
        if let value {
            try database.execute(
                sql: "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", arguments: [key, value])
        } else {
            try database.execute(sql: "DELETE FROM settings WHERE key = ?", arguments: [key])
        }
    }
}
