import GRDB

extension Store {
    // MARK: Log

    /// Appends entries in one transaction. One that is there already stays as it is, so a journal can be replayed.
    package func appendLog(_ rows: [LogRow]) throws(StorageError) {
        guard !rows.isEmpty else { return }
        try write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO log (seq, at, app, event, reason, cause, took) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """)
            for row in rows {
                try statement.execute(arguments: [
                    row.seq, row.at, row.app, row.event, row.reason, row.cause, row.took,
                ])
            }
        }
    }

    /// Entries with the newest last: the first `limit` after `after`, or the last `limit` of all.
    package func log(app: String? = nil, after: Int64? = nil, limit: Int) throws(StorageError) -> [LogRow] {
        let condition: SQL = if let app { "app = \(app)" } else { "TRUE" }
        return try read { database in
            if let after {
                let query: SQL =
                    "SELECT * FROM log WHERE \(condition) AND seq > \(after) ORDER BY seq LIMIT \(max(limit, 0))"
                return try Row.fetchAll(database, SQLRequest(literal: query)).map(LogRow.init)
            }
            let query: SQL = "SELECT * FROM log WHERE \(condition) ORDER BY seq DESC LIMIT \(max(limit, 0))"
            return try Row.fetchAll(database, SQLRequest(literal: query)).reversed().map(LogRow.init)
        }
    }

    package func entry(_ seq: Int64) throws(StorageError) -> LogRow? {
        try read { database in try Self.entry(seq, in: database) }
    }

    /// The entry and what led to it, back to the first cause or to what is pruned; at most 64.
    package func chain(from seq: Int64) throws(StorageError) -> [LogRow] {
        try read { database in
            var chain: [LogRow] = []
            var next: Int64? = seq
            while let seq = next, chain.count < 64, let row = try Self.entry(seq, in: database) {
                chain.append(row)
                // A cause is older than its effect; anything else would be a circle.
                next = row.cause.flatMap { $0 < seq ? $0 : nil }
            }
            return chain
        }
    }

    /// Removes all but the newest entries; whose cause goes says from then on that it has none.
    package func pruneLog(keeping count: Int) throws(StorageError) {
        try write { database in
            let oldest = try Int64.fetchOne(
                database, sql: "SELECT seq FROM log ORDER BY seq DESC LIMIT 1 OFFSET ?", arguments: [max(count, 0)])
            guard let oldest else { return }
            try Self.set("log.last", to: String(try Self.lastSeq(in: database)), in: database)
            try database.execute(sql: "DELETE FROM log WHERE seq <= ?", arguments: [oldest])
            try database.execute(sql: "UPDATE log SET cause = NULL WHERE cause <= ?", arguments: [oldest])
        }
    }

    /// The highest number that was ever given to an entry, 0 before the first.
    package func lastSeq() throws(StorageError) -> Int64 {
        try read { database in try Self.lastSeq(in: database) }
    }

    /// No log gets there in the life of a machine; one that counted on from the largest number would end its daemon.
    private static let largestSeq: Int64 = 1 << 60

    /// Removes what no daemon wrote; how many.
    package func removeImpossibleEntries() throws(StorageError) -> Int {
        try write { database in
            try database.execute(
                sql: "DELETE FROM log WHERE seq > ?1 OR seq < 0", arguments: [Self.largestSeq])
            return database.changesCount
        }
    }

    private static func lastSeq(in database: Database) throws -> Int64 {
        let present = try Int64.fetchOne(database, sql: "SELECT MAX(seq) FROM log")
        let pruned = try setting("log.last", in: database).flatMap(Int64.init)
        // What was pruned may be in a file that somebody wrote.
        return min(max(present ?? 0, pruned.flatMap { $0 <= largestSeq ? $0 : nil } ?? 0), largestSeq)
    }

    private static func entry(_ seq: Int64, in database: Database) throws -> LogRow? {
        try Row.fetchOne(database, sql: "SELECT * FROM log WHERE seq = ?", arguments: [seq]).map(LogRow.init)
    }

    // MARK: Reports

    package func saveReport(_ report: StoredReport) throws(StorageError) {
        let summary = report.summary
        try write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO reports (id, seq, app, at, namespace, code, reason, header, body)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    summary.id, summary.seq, summary.app, summary.at, summary.namespace, summary.code, summary.reason,
                    report.header, report.body,
                ])
        }
    }

    /// What there is, the newest last.
    package func reports(app: String? = nil) throws(StorageError) -> [ReportSummary] {
        let condition: SQL = if let app { "app = \(app)" } else { "TRUE" }
        return try read { database in
            let query: SQL = """
                SELECT id, seq, app, at, namespace, code, reason FROM reports WHERE \(condition) ORDER BY at, rowid
                """
            return try Row.fetchAll(database, SQLRequest(literal: query)).map(ReportSummary.init)
        }
    }

    package func report(_ id: String) throws(StorageError) -> StoredReport? {
        try read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM reports WHERE id = ?", arguments: [id]).map { row in
                StoredReport(summary: ReportSummary(row), header: row["header"], body: row["body"])
            }
        }
    }

    /// Removes all but the newest reports.
    package func pruneReports(keeping count: Int) throws(StorageError) {
        try write { database in
            try database.execute(
                sql: """
                    DELETE FROM reports WHERE rowid IN
                        (SELECT rowid FROM reports ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [max(count, 0)])
        }
    }
}

extension LogRow {
    fileprivate init(_ row: Row) {
        self.init(
            seq: row["seq"], at: row["at"], app: row["app"], event: row["event"], reason: row["reason"],
            cause: row["cause"], took: row["took"])
    }
}

extension ReportSummary {
    fileprivate init(_ row: Row) {
        self.init(
            id: row["id"], seq: row["seq"], app: row["app"], at: row["at"], namespace: row["namespace"],
            code: row["code"], reason: row["reason"])
    }
}
