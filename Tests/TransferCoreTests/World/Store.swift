import Model
import TransferCore

/// What a shell's database would hold.
struct Store {
    private var apps: [AppIdentifier: TransferRecord] = [:]
    private var sessions: [SessionID: TransferRecord] = [:]
    private(set) var tasks: [TransferID: TaskRecord] = [:]
    private(set) var offsets: [TransferID: Int64] = [:]
    private(set) var events: [SessionID: [EventNumber: EventRecord]] = [:]
    private var kept: [TransferFile: TransferRecord] = [:]
    private var counters: TransferRecord?

    mutating func commit(_ effects: [TransferEffect]) {
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
    var stored: StoredTransfers {
        var records = Array(apps.values) + Array(sessions.values) + Array(kept.values)
        records += tasks.values.map(TransferRecord.task)
        records += offsets.map { TransferRecord.offset($0.key, $0.value) }
        records += events.values.flatMap(\.values).map(TransferRecord.event)
        if let counters { records.append(counters) }
        return StoredTransfers(records)
    }

    var isEmpty: Bool { apps.isEmpty && sessions.isEmpty && tasks.isEmpty && kept.isEmpty && offsets.isEmpty }
}

extension TransferEffect {
    /// It belongs to the transaction that comes first.
    var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}

/// Random numbers of a seed (SplitMix64).
struct Dice {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { bound > 1 ? Int(next() % UInt64(bound)) : 0 }
    mutating func oneIn(_ number: Int) -> Bool { below(number) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
