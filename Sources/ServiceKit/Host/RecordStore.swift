package import ServiceCore

/// One change of what outlives the process.
package enum RecordChange<Words: ServiceWords>: Hashable, Sendable {
    case store(Words.Record)
    case erase(Words.RecordKey)

    package var key: Words.RecordKey {
        switch self {
        case .store(let record): Words.key(of: record)
        case .erase(let key): key
        }
    }
}

/// Where the records of a service lie. Only the host uses it, from one thread at a time.
package protocol RecordStore<Words>: Sendable {
    associatedtype Words: ServiceWords

    /// - Parameter report: called with a sentence for each record that cannot be read.
    func load(_ report: (String) -> Void) -> [Words.Record]

    /// Durable as the strongest of them asks for, when it returns. After an error any of them may be stored.
    func commit(_ changes: [RecordChange<Words>]) throws
}

/// The changes that could not be stored, mostly because the disk is full. The host tries them again.
struct Unstored<Words: ServiceWords>: Sendable {
    private(set) var changes: [Words.RecordKey: RecordChange<Words>] = [:]
    /// Why the last attempt failed.
    private(set) var problem = ""

    var isEmpty: Bool { changes.isEmpty }

    /// Whether a request would be answered with success although a loss of power undoes what it changed.
    var hasPromised: Bool { changes.keys.contains { Words.durability(of: $0) == .power } }

    /// Only the newest change of a record is kept.
    ///
    /// - Returns: whether the problem is another one than before.
    mutating func insert(_ some: [RecordChange<Words>], _ problem: String) -> Bool {
        for change in some { changes[change.key] = change }
        defer { self.problem = problem }
        return problem != self.problem
    }

    mutating func takeAll() -> [RecordChange<Words>] {
        defer { changes = [:] }
        return Array(changes.values)
    }

    /// Newer ones of the same records are stored.
    mutating func remove(_ some: [RecordChange<Words>]) {
        for change in some { changes[change.key] = nil }
        if changes.isEmpty { problem = "" }
    }

    /// The sentence for a peer whose request changed such a record.
    var refusal: String {
        "the service could not store this (\(problem)): it is in force, and is stored as soon as the disk has room"
    }
}
