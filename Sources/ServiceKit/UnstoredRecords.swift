/// The records of a service that could not be stored, mostly because the disk is full. The service tries them again.
package struct UnstoredRecords<Key: Hashable, Record> {
    private var waiting: [Key: Record] = [:]
    /// Why the last attempt failed.
    private var problem = ""

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }
    package var keys: some Collection<Key> { waiting.keys }

    /// Only the newest record of a key is kept.
    ///
    /// - Returns: whether the problem is another one than before.
    package mutating func insert(_ record: Record, for key: Key, _ problem: String) -> Bool {
        waiting[key] = record
        defer { self.problem = problem }
        return problem != self.problem
    }

    package mutating func remove(_ key: Key) {
        waiting[key] = nil
        if waiting.isEmpty { problem = "" }
    }

    package mutating func takeAll() -> [Record] {
        defer { waiting = [:] }
        return Array(waiting.values)
    }

    /// The error for a peer whose request changed such a record.
    package var refusal: String {
        "the service could not store this (\(problem)): it is in force, and is stored as soon as the disk has room"
    }
}
