internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

/// Log and reports on their way to the database, off the loop, and to those who follow the log.
final class RecordKeeper {
    private let store: Store
    private let workers: Workers
    private var batch: [Model.LogEntry] = []
    /// How much of the batch the followers know.
    private var told = 0
    private var isFlushPlanned = false
    private var isWriting = false
    private var identifiers: [String] = []
    private var followers: [ObjectIdentifier: (filter: String?, send: (Wire.LogEntry) -> Void)] = [:]
    private var written = 0
    /// Entries kept; what is older goes.
    private static let kept = 100_000
    /// Nanoseconds.
    private static let delay: Int64 = 20_000_000

    init(_ store: Store, _ workers: Workers) {
        self.store = store
        self.workers = workers
    }

    func name(_ app: AppIndex, _ identifier: String) {
        while identifiers.count <= Int(app.rawValue) { identifiers.append("") }
        identifiers[Int(app.rawValue)] = identifier
    }

    func append(_ entry: Model.LogEntry) { batch.append(entry) }

    func follow(_ owner: AnyObject, app: String?, _ send: @escaping (Wire.LogEntry) -> Void) {
        followers[ObjectIdentifier(owner)] = (app, send)
    }

    func unfollow(_ owner: AnyObject) { followers[ObjectIdentifier(owner)] = nil }

    /// Those who follow hear at once what this turn brought. The database can wait for a moment: writing would compete
    /// for the processor with the very app that is being switched to, and the journal has it all.
    func settle(_ loop: Loop) {
        tellFollowers()
        guard !batch.isEmpty, !isFlushPlanned else { return }
        isFlushPlanned = true
        loop.after(nanoseconds: Self.delay) { [weak self] in
            self?.isFlushPlanned = false
            self?.flushIfIdle()
        }
    }

    /// What comes while the disk is busy goes in one piece afterwards: one transaction for many entries.
    private func flushIfIdle() {
        if !isWriting { flush() }
    }

    private func tellFollowers() {
        let news = batch[told...]
        told = batch.count
        for follower in followers.values {
            for entry in news {
                let record = Self.record(entry, identifiers)
                if follower.filter == nil || follower.filter == record.app { follower.send(record) }
            }
        }
    }

    /// Hands what is not there yet to the database.
    func flush() {
        guard !batch.isEmpty else { return }
        tellFollowers()
        let entries = batch
        batch = []
        told = 0
        isWriting = true
        let identifiers = identifiers
        written += entries.count
        let prunes = written > 5_000
        if prunes { written = 0 }
        let store = store
        workers.run(.storage) {
            do {
                try store.appendLog(entries.map { Self.row($0, identifiers) })
                if prunes { try store.pruneLog(keeping: Self.kept) }
            } catch {
                Diagnostics.write("the log could not be written: \(error)")
            }
        } then: { [weak self] in
            self?.isWriting = false
        }
    }

    private static func record(_ entry: Model.LogEntry, _ identifiers: [String]) -> Wire.LogEntry {
        Wire.LogEntry(row(entry, identifiers))
    }

    private static func row(_ entry: Model.LogEntry, _ identifiers: [String]) -> LogRow {
        LogRow(
            seq: Int64(entry.sequence.rawValue), at: entry.at.nanoseconds / 1000,
            app: entry.app.map { identifiers[Int($0.rawValue)] }, event: entry.event.name,
            reason: entry.reason.sentence, cause: entry.cause.map { Int64($0.rawValue) },
            took: entry.took.map { $0.nanoseconds / 1000 })
    }
}

extension Wire.LogEntry {
    init(_ row: LogRow) {
        self.init(
            seq: Int(row.seq), at: WallTime(microseconds: row.at).iso8601, app: row.app, event: row.event,
            reason: row.reason, cause: row.cause.map { Int($0) }, took: row.took.map { Double($0) / 1e6 })
    }
}

/// What goes wrong inside the daemon itself, on its standard error.
enum Diagnostics {
    static func write(_ text: String) {
        let line = "\(WallTime(nanoseconds: Clock.wall()).iso8601) greenroomd: \(text)\n"
        StandardError.write(line)
    }
}
