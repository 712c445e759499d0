/// Which part of a process's memory the kernel goes through next. The kernel holds the memory during a call: a process
/// that is killed meanwhile gives nothing back before the call has ended. So calls are short, however much there is.
package struct PageOutPlan: Sendable {
    package struct Range: Hashable, Sendable {
        package var start: UInt
        package var length: Int

        package init(start: UInt, length: Int) {
            self.start = start
            self.length = length
        }
    }

    private let ranges: [Range]
    /// The next byte: its range, and its place in that.
    private var place = (range: 0, offset: 0)
    /// Bytes of the next call. Where little memory is behind the addresses, the kernel goes through many in no time.
    private var room = smallest
    /// The pieces of the call that is under way, each with the number of its range.
    private var pieces: [(range: Int, piece: Range)] = []

    package static let smallest = 1 << 20
    /// The kernel goes through less than 2 GiB in a call.
    private static let largest = 1 << 30
    /// Nanoseconds of a call: it may become longer below the first, and becomes shorter above the second.
    private static let (short, long): (Int64, Int64) = (500_000, 2_000_000)
    /// The kernel takes 1,024.
    private static let mostPieces = 512

    package init(_ ranges: [Range]) { self.ranges = ranges }

    /// - Returns: the pieces for the next call, or `nil` at the end.
    package mutating func next() -> [Range]? {
        pieces = []
        var (at, left) = (place, room)
        while at.range < ranges.count, pieces.count < Self.mostPieces, left > 0 {
            let range = ranges[at.range]
            let length = min(range.length - at.offset, left)
            pieces.append((at.range, Range(start: range.start + UInt(at.offset), length: length)))
            left -= length
            at.offset += length
            if at.offset >= range.length { at = (at.range + 1, 0) }
        }
        return pieces.isEmpty ? nil : pieces.map(\.piece)
    }

    /// The call has ended.
    ///
    /// - Parameters:
    ///   - done: so many bytes were gone through. The kernel stops at the first range that it cannot treat.
    ///   - took: nanoseconds.
    package mutating func note(done: Int, took: Int64) {
        var left = max(0, done)
        for (range, piece) in pieces {
            guard left >= piece.length else {
                // The rest of that range is no better.
                place = (range + 1, 0)
                return
            }
            left -= piece.length
            let offset = Int(piece.start - ranges[range].start) + piece.length
            place = offset >= ranges[range].length ? (range + 1, 0) : (range, offset)
        }
        if took < Self.short {
            room = min(room * 2, Self.largest)
        } else if took > Self.long {
            room = max(room / 2, Self.smallest)
        }
    }
}
