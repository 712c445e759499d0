internal import Model
internal import TransferCore

/// What the service owes to apps, kept beside it: a task that is durable is there until its app has dealt with its end,
/// whatever dies in between, and no end is told anew after that.
struct Ledger {
    /// Durable tasks, and whose they are; ended ones, until the app has dealt with that.
    private var owed: [TransferID: SessionID] = [:]
    private var ended: Set<TransferID> = []
    private(set) var broken: [String] = []

    mutating func note(_ effect: TransferEffect, _ facts: Facts) {
        switch effect {
        case .store(.task(let task)):
            if ended.contains(task.id) { broken.append("the task \(task.id.rawValue) is there again after its end") }
            owed[task.id] = task.session
        case .erase(.task(let id)):
            let session = owed.removeValue(forKey: id)
            ended.insert(id)
            // Of a session that is gone nobody waits for anything.
            guard let session else { break }
            let left = facts.events[session]?.values.contains { $0.task == id } ?? false
            if left { broken.append("the task \(id.rawValue) is forgotten, and its app has yet to be told of it") }
        default: break
        }
    }
}
