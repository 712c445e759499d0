/// What waits to be written in one transaction. An answer that a message is accepted waits for that transaction, unless
/// its device acknowledges it first: then it need not be written at all.
package struct PendingWrites<Waiter, Job> {
    package enum Entry {
        case insert(PushMessage, Superseding, Waiter)
        /// A message that was delivered before it was written took the place of others, which have to go.
        case supersede(PushMessage, Superseding)
        case delete(Int64)
        case job(Job)
        case nothing
    }

    private var entries: [Entry] = []
    /// Where the messages are that have not been written, by their numbers.
    private var inserts: [Int64: Int] = [:]
    private var bytes = 0
    private let limit: (messages: Int, bytes: Int)

    package init(messages: Int = 50_000, bytes: Int = 64 * 1024 * 1024) { limit = (messages, bytes) }

    package var isEmpty: Bool { entries.isEmpty }

    /// `false`: the disk does not keep up, and the message is not accepted.
    package mutating func insert(_ message: PushMessage, _ superseding: Superseding, _ waiter: Waiter) -> Bool {
        guard inserts.count < limit.messages, bytes + message.payload.count <= limit.bytes else { return false }
        bytes += message.payload.count
        inserts[message.number] = entries.count
        entries.append(.insert(message, superseding, waiter))
        return true
    }

    /// The device has it. Gives back what waited for it to be written.
    package mutating func delete(_ number: Int64) -> Waiter? {
        guard let index = inserts.removeValue(forKey: number),
            case .insert(let message, let superseding, let waiter) = entries[index]
        else {
            entries.append(.delete(number))
            return nil
        }
        bytes -= message.payload.count
        entries[index] = superseding == .nothing ? .nothing : .supersede(message, superseding)
        return waiter
    }

    package mutating func append(_ job: Job) { entries.append(.job(job)) }

    /// Everything, in its order. What comes later is for the next transaction.
    package mutating func take() -> [Entry] {
        let taken = entries
        entries = []
        inserts = [:]
        bytes = 0
        return taken
    }
}

extension PendingWrites: Sendable where Waiter: Sendable, Job: Sendable {}
extension PendingWrites.Entry: Sendable where Waiter: Sendable, Job: Sendable {}
