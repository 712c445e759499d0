internal import HeapModule
internal import Model

/// What is looked at when its time comes.
enum DueKey: Hashable, Sendable {
    case task(TransferID)
    case session(SessionID)
    case app(AppIdentifier)
    case kept(TransferFile)
}

/// When each key is due, and which is next. A key that is postponed keeps its place in the heap until that is due, so
/// that a sign of life every millisecond costs a comparison.
struct DueQueue: Sendable {
    private struct Entry: Comparable {
        let at: Instant
        let order: UInt64
        let key: DueKey
        static func < (a: Entry, b: Entry) -> Bool { (a.at, a.order) < (b.at, b.order) }
        static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
    }

    private struct Slot: Sendable {
        var due: Instant?
        /// The earliest entry of the heap.
        var queued: Entry
    }

    private var heap = Heap<Entry>()
    private var slots: [DueKey: Slot] = [:]
    private var order: UInt64 = 0

    func instant(_ key: DueKey) -> Instant? { slots[key]?.due }

    mutating func set(_ key: DueKey, _ at: Instant?) {
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

    mutating func next() -> Instant? {
        settleTop()
        return heap.min?.at
    }

    mutating func pop(at now: Instant) -> DueKey? {
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
