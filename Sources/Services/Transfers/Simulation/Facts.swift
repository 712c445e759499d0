internal import Model
package import TransferCore

/// What the shell's database would hold, in memory.
package struct Facts: Sendable {
    private var apps: [AppIdentifier: TransferRecord] = [:]
    private var sessions: [SessionID: TransferRecord] = [:]
    package private(set) var tasks: [TransferID: TaskRecord] = [:]
    package private(set) var offsets: [TransferID: Int64] = [:]
    package private(set) var events: [SessionID: [EventNumber: EventRecord]] = [:]
    private var kept: [TransferFile: TransferRecord] = [:]
    private var counters: TransferRecord?

    package init() {}

    package mutating func commit(_ effects: [TransferEffect]) {
        for effect in effects {
            switch effect {
            case .store(let record): store(record)
            case .erase(let key): erase(key)
            default: continue
            }
        }
    }

    private mutating func store(_ record: TransferRecord) {
        switch record {
        case .app(let app): apps[app.app] = record
        case .session(let session): sessions[session.id] = record
        case .task(let task): tasks[task.id] = task
        case .event(let event): events[event.session, default: [:]][event.number] = event
        case .kept(let file): kept[file.resumeData.file] = record
        case .offset(let id, let offset): offsets[id] = offset
        case .counters: counters = record
        }
    }

    private mutating func erase(_ key: TransferRecordKey) {
        switch key {
        case .app(let app): apps[app] = nil
        case .session(let id): sessions[id] = nil
        case .task(let id):
            tasks[id] = nil
            offsets[id] = nil
        case .event(let session, let number): events[session]?[number] = nil
        case .kept(let file): kept[file] = nil
        }
    }

    /// In the order of a hash table, which is any.
    package var stored: StoredTransfers {
        var records = Array(apps.values) + Array(sessions.values) + Array(kept.values)
        records += tasks.values.map(TransferRecord.task)
        records += offsets.map { TransferRecord.offset($0.key, $0.value) }
        records += events.values.flatMap(\.values).map(TransferRecord.event)
        if let counters { records.append(counters) }
        return StoredTransfers(records)
    }

    package var isEmpty: Bool {
        apps.isEmpty && sessions.isEmpty && tasks.isEmpty && kept.isEmpty && offsets.isEmpty
    }
}

extension TransferEffect {
    /// It belongs to the transaction that comes first.
    package var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}
