/// Uses of all apps, each fading with the same half-life.
///
/// All of them fade at every switch, so they lie one after the other in few bytes, and what has faded away entirely is
/// passed over by the block.
struct FadingUses: Hashable, Sendable {
    /// What is left of a use after one switch, in parts of 2³².
    private let fading: UInt64
    /// By the place of the app's record; whole blocks. No half-life lets more than 1478 uses add up, below 2³¹.
    private var values: [UInt32] = []
    /// Whether anything is left in each block.
    private var isLive: [Bool] = []

    private static let block = 32

    init(fading: UInt64) { self.fading = fading }

    subscript(place: Int) -> UInt64 { UInt64(values[place]) }

    /// One switch later.
    mutating func fade() {
        for number in isLive.indices where isLive[number] {
            var rest: UInt32 = 0
            for place in number * Self.block..<(number + 1) * Self.block {
                let value = UInt32(truncatingIfNeeded: (UInt64(values[place]) &* fading) &>> 32)
                values[place] = value
                rest |= value
            }
            isLive[number] = rest != 0
        }
    }

    mutating func add(_ uses: UInt64, at place: Int) {
        values[place] &+= UInt32(clamping: uses)
        isLive[place / Self.block] = values[place] != 0 || isLive[place / Self.block]
    }

    /// Adds what is left of the uses of each, so many times.
    func weigh(_ weight: UInt64, into sums: inout [UInt64]) {
        for place in sums.indices { sums[place] &+= UInt64(values[place]) &* weight }
    }

    // MARK: Places

    /// Makes room for a new record at a place, of so many before.
    mutating func insert(at place: Int, of count: Int) {
        if count == values.count {
            values.append(contentsOf: repeatElement(0, count: Self.block))
            isLive.append(false)
        }
        guard place < count else { return }
        for later in stride(from: count, to: place, by: -1) { values[later] = values[later - 1] }
        values[place] = 0
        lookWhatIsLive()
    }

    /// The record at a place is gone, of so many before.
    mutating func remove(at place: Int, of count: Int) {
        for later in place..<count - 1 { values[later] = values[later + 1] }
        values[count - 1] = 0
        lookWhatIsLive()
    }

    private mutating func lookWhatIsLive() {
        for number in isLive.indices {
            isLive[number] = values[number * Self.block..<(number + 1) * Self.block].contains { $0 != 0 }
        }
    }
}
