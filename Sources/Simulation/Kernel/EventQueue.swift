internal import HeapModule
package import Model

/// What is to happen in virtual time, in the order of its moments; what falls on one moment, in the order in which it
/// was put in.
package struct EventQueue<Payload> {
    /// Small, since a heap moves its entries about: what is to happen lies apart.
    private struct Entry: Comparable {
        let at: Int64
        let sequence: UInt64
        let place: Int

        static func == (a: Entry, b: Entry) -> Bool { a.sequence == b.sequence }
        static func < (a: Entry, b: Entry) -> Bool { a.at == b.at ? a.sequence < b.sequence : a.at < b.at }
    }

    private var heap = Heap<Entry>()
    private var payloads: [Payload?] = []
    /// Places where nothing lies any more.
    private var free: [Int] = []
    private var nextSequence: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { heap.isEmpty }
    package var count: Int { heap.count }
    /// When the next event is due.
    package var next: Instant? { heap.min.map { Instant(nanoseconds: $0.at) } }

    package mutating func insert(_ payload: Payload, at moment: Instant) {
        let place = free.popLast() ?? payloads.count
        if place == payloads.count { payloads.append(payload) } else { payloads[place] = payload }
        heap.insert(Entry(at: moment.nanoseconds, sequence: nextSequence, place: place))
        nextSequence += 1
    }

    package mutating func popFirst() -> (at: Instant, payload: Payload)? {
        guard let first = heap.popMin(), let payload = payloads[first.place] else { return nil }
        payloads[first.place] = nil
        free.append(first.place)
        return (Instant(nanoseconds: first.at), payload)
    }
}
