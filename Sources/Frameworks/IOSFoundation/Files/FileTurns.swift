internal import Foundation
internal import Synchronization

/// Whose turn it is with which file, in this process.
final class FileTurns: @unchecked Sendable {
    /// A coordinator, or several with one purpose, which do not wait for each other.
    final class Owner: Sendable {
        private let name = Mutex(UUID().uuidString)

        var purpose: String {
            get { name.withLock { $0 } }
            set { name.withLock { $0 = newValue } }
        }
    }

    /// An item that is read or written.
    struct Claim {
        let id = UUID()
        let owner: Owner
        let path: [String]
        let writes: Bool
        /// With all that is in it.
        let takesWhole: Bool

        init(_ intent: NSFileAccessIntent, _ owner: Owner) {
            self.owner = owner
            path = intent.url.standardizedFileURL.resolvingSymlinksInPath().pathComponents
            writes = intent.writes
            takesWhole = intent.writing?.takesWhole ?? false
        }

        func keepsOut(_ other: Claim) -> Bool {
            guard writes || other.writes, owner !== other.owner, owner.purpose != other.owner.purpose else {
                return false
            }
            return path == other.path || takesWhole && other.path.starts(with: path)
                || other.takesWhole && path.starts(with: other.path)
        }
    }

    static let shared = FileTurns()

    // What is below is touched under this lock only: hence unchecked.
    private let lock = NSCondition()
    private var claims: [Claim] = []
    private var waiting: [ObjectIdentifier: Int] = [:]
    private var cancelled: Set<ObjectIdentifier> = []

    /// Waits until nobody is in the way; false if it was given up.
    func begin(_ new: [Claim]) -> Bool {
        guard let owner = new.first?.owner else { return true }
        let key = ObjectIdentifier(owner)
        lock.lock()
        defer { lock.unlock() }
        waiting[key, default: 0] += 1
        while !cancelled.contains(key), claims.contains(where: { held in new.contains { held.keepsOut($0) } }) {
            lock.wait()
        }
        let isCancelled = cancelled.contains(key)
        waiting[key, default: 1] -= 1
        if waiting[key] == 0 {
            waiting[key] = nil
            cancelled.remove(key)
        }
        if !isCancelled { claims += new }
        return !isCancelled
    }

    func end(_ old: [Claim]) {
        lock.withLock {
            claims.removeAll { claim in old.contains { $0.id == claim.id } }
            lock.broadcast()
        }
    }

    /// Who waits gives up. Without one it means nothing.
    func cancel(_ owner: Owner) {
        lock.withLock {
            guard waiting[ObjectIdentifier(owner)] != nil else { return }
            cancelled.insert(ObjectIdentifier(owner))
            lock.broadcast()
        }
    }
}
