internal import HeapModule

/// Numbered slots, each due at one moment at most, in nanoseconds. A slot that is armed anew keeps its old place in the
/// heap until that is due: the heap has at most two entries a slot in the steady state and nothing is searched.
struct SlotQueue: Sendable {
    private struct Entry: Comparable {
        let at: Int64
        let slot: UInt32
        static func < (a: Entry, b: Entry) -> Bool { a.at == b.at ? a.slot < b.slot : a.at < b.at }
    }

    private var heap = Heap<Entry>()
    /// When each slot is due; `none` when it is not armed.
    private var due: [Int64] = []
    /// The earliest heap entry of each slot.
    private var queued: [Int64] = []
    private(set) var armedCount = 0

    /// No moment; half as large as an optional one.
    private static let none = Int64.min

    /// What each slot takes, armed or not.
    static let bytesOfSlot = 2 * MemoryLayout<Int64>.size

    var count: Int { due.count }

    mutating func add(_ slots: Int) {
        for _ in 0..<slots {
            due.append(Self.none)
            queued.append(Self.none)
        }
    }

    @inline(__always)
    subscript(number: Int) -> Int64? {
        let at = due[number]
        return at == Self.none ? nil : at
    }

    mutating func arm(_ number: Int, at moment: Int64) {
        let at = max(moment, Self.none + 1)
        if due[number] == Self.none { armedCount += 1 }
        due[number] = at
        if queued[number] != Self.none, queued[number] <= at { return }
        queued[number] = at
        heap.insert(Entry(at: at, slot: UInt32(number)))
    }

    mutating func disarm(_ number: Int) {
        guard due[number] != Self.none else { return }
        due[number] = Self.none
        armedCount -= 1
    }

    /// The earliest moment at which one is due.
    mutating func next() -> Int64? {
        settleTop()
        return heap.min?.at
    }

    /// Disarms and returns the earliest slot that is due, and since when.
    mutating func popDue(at now: Int64) -> (number: Int, due: Int64)? {
        settleTop()
        guard let entry = heap.min, entry.at <= now else { return nil }
        heap.removeMin()
        queued[Int(entry.slot)] = Self.none
        due[Int(entry.slot)] = Self.none
        armedCount -= 1
        return (Int(entry.slot), entry.at)
    }

    /// Drops entries at the top that were cancelled, and moves back those that were postponed.
    private mutating func settleTop() {
        while let entry = heap.min {
            let number = Int(entry.slot)
            if due[number] == entry.at, queued[number] == entry.at { return }
            heap.removeMin()
            // A second entry of a slot that was armed for an earlier moment: the earlier one stands for it.
            guard queued[number] == entry.at else { continue }
            queued[number] = due[number]
            if due[number] != Self.none { heap.insert(Entry(at: due[number], slot: entry.slot)) }
        }
    }
}
