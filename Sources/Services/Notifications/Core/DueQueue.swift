internal import HeapModule

/// Of keys that are due at the same time one comes first, in every process: after a restart all goes on as before.
protocol DueKeyed: Hashable, Sendable {
    func isBefore(_ other: Self) -> Bool
}

/// When each key is due, and which is next. A key that is postponed keeps its place in the heap until that is due.
struct DueQueue<Key: DueKeyed, Time: Comparable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let at: Time
        let order: UInt64
        let key: Key
        static func < (a: Entry, b: Entry) -> Bool {
            if a.at != b.at { return a.at < b.at }
            return a.key == b.key ? a.order < b.order : a.key.isBefore(b.key)
        }
        static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
    }

    private struct Slot: Sendable {
        var due: Time?
        /// The earliest entry of the heap.
        var queued: Entry
    }

    private var heap = Heap<Entry>()
    private var slots: [Key: Slot] = [:]
    private var order: UInt64 = 0

    /// For keys that are due.
    func time(_ key: Key) -> Time? { slots[key]?.due }

    mutating func set(_ key: Key, _ at: Time?) {
        guard let at else {
            slots[key]?.due = nil
            return
        }
        if let slot = slots[key], slot.queued.at <= at {
            slots[key]?.due = at
            return
        }
        order += 1
        let entry = Entry(at: at, order: order, key: key)
        heap.insert(entry)
        slots[key] = Slot(due: at, queued: entry)
    }

    mutating func next() -> Time? {
        settleTop()
        return heap.min?.at
    }

    mutating func pop(at now: Time) -> Key? {
        settleTop()
        guard let entry = heap.min, entry.at <= now else { return nil }
        heap.removeMin()
        slots[entry.key] = nil
        return entry.key
    }

    private mutating func settleTop() {
        while let entry = heap.min {
            guard let slot = slots[entry.key], slot.queued == entry else {
                heap.removeMin()
                continue
            }
            if slot.due == entry.at { return }
            heap.removeMin()
            slots[entry.key] = nil
            if let due = slot.due { set(entry.key, due) }
        }
    }
}
