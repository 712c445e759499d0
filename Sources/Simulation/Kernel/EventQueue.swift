internal import HeapModule
package import Model

/// What is to happen in virtual time, in the order of its moments; what falls on one moment, in the order in which it
/// was put in.
package struct EventQueue<Payload> {
    private struct Entry: Comparable {
        let at: Instant
        let sequence: UInt64
        let payload: Payload

        static func == (a: Entry, b: Entry) -> Bool { a.at == b.at && a.sequence == b.sequence }
        static func < (a: Entry, b: Entry) -> Bool { (a.at, a.sequence) < (b.at, b.sequence) }
    }

    private var heap = Heap<Entry>()
    private var nextSequence: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { heap.isEmpty }
    package var count: Int { heap.count }
    /// When the next event is due.
    package var next: Instant? { heap.min?.at }

    package mutating func insert(_ payload: Payload, at moment: Instant) {
        heap.insert(Entry(at: moment, sequence: nextSequence, payload: payload))
        nextSequence += 1
    }

    package mutating func popFirst() -> (at: Instant, payload: Payload)? {
        heap.popMin().map { ($0.at, $0.payload) }
    }
}
