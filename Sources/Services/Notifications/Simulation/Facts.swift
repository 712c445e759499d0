internal import Model
internal import NotificationsCore

/// What the shell's database would hold, in memory.
struct Facts: Sendable {
    private var records: [NotificationStoredKey: NotificationStored] = [:]

    mutating func commit(_ effects: [NotificationEffect]) {
        for effect in effects {
            switch effect {
            case .store(let record): records[record.key] = record
            case .erase(let key): records[key] = nil
            default: continue
            }
        }
    }

    /// In the order of a hash table, which is any.
    var stored: StoredNotifications { StoredNotifications(Array(records.values)) }

    /// The message has come, and what it led to is durable.
    func hasSeen(_ push: PushID) -> Bool {
        records.values.contains { record in
            if case .seen(let seen) = record { seen.id == push } else { false }
        }
    }
}

extension NotificationEffect {
    /// It belongs to the transaction that comes first.
    var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}
