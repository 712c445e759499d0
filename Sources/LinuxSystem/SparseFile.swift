internal import CLinux
internal import Glibc
internal import SystemPackage

// Files whose size says nothing of what is in them: whoever may write to one may have it begin anew behind terabytes
// of nothing.
extension Descriptor {
    /// Frees the blocks of the first `length` bytes; the offsets of the rest stay.
    package func punchHole(upTo length: Int64) throws(SystemError) {
        let fd = rawValue
        try check("fallocate") { gr_punch_hole(fd, length) }
    }

    /// The next part of the file that holds data, from an offset on; `nil` behind the last one. Where the file system
    /// knows no holes, all of the file is data.
    package func nextData(from offset: Int64) throws(SystemError) -> Range<Int64>? {
        let fd = rawValue
        let start: Int64
        do throws(SystemError) {
            start = try check("lseek") { gr_next_data(fd, offset) }
        } catch {
            switch error.errno {
            case .noSuchAddressOrDevice: return nil
            case .invalidArgument:
                let size = try status().size
                return offset < size ? offset..<size : nil
            default: throw error
            }
        }
        // It may have been cut off in between.
        guard let end = try? check("lseek", { gr_next_hole(fd, start) }), end > start else { return nil }
        return start..<end
    }

    /// From where on the file holds as much data as `limit`, or less if there is less: to the next 4 KiB. What lies
    /// between is measured, not read, and as little of it as will do.
    package func start(ofLast limit: Int64, size: Int64) throws(SystemError) -> Int64 {
        /// Whether more than the limit is there from an offset on.
        func exceeds(_ offset: Int64) throws(SystemError) -> Bool {
            var (sum, place): (Int64, Int64) = (0, offset)
            while sum <= limit, place < size, let data = try nextData(from: place) {
                sum += min(data.upperBound, size) - min(data.lowerBound, size)
                place = data.upperBound
            }
            return sum > limit
        }
        guard size > limit, try exceeds(0) else { return 0 }
        // There is not more than the limit behind `high`, and more behind `low`.
        var window = limit
        while window < size, try !exceeds(size - window) { window = window > size / 2 ? size : window * 2 }
        var (low, high) = (max(0, size - window), max(0, size - window / 2))
        while high - low > 4096 {
            let middle = low + (high - low) / 2
            if try exceeds(middle) { low = middle } else { high = middle }
        }
        return high
    }

    /// Gives back what an append-only file holds beyond its last part: all but `keeping` bytes, wherever they lie, and
    /// blocks that were reserved for nothing.
    package func trim(keeping limit: Int64) throws(SystemError) {
        let size = try status().size
        let start = try start(ofLast: limit, size: size)
        if start > 0 { try punchHole(upTo: start) }
        guard try status().allocated > 2 * limit else { return }
        // Somebody reserved blocks: between the data, or behind the end.
        let fd = rawValue
        var place: Int64 = 0
        for _ in 0..<10_000 {
            let data = try nextData(from: place)
            let end = data?.lowerBound ?? size
            if end > place { try check("fallocate") { gr_punch(fd, place, end - place) } }
            guard let data else { break }
            place = data.upperBound
        }
        // Blocks behind the end go with a truncation, also with one to the size that the file has.
        if try status().allocated > 2 * limit { try truncate(to: try status().size) }
    }
}
