internal import CUIKit

/// Memory of its own mapping, which can be handed over to the kernel to take if it needs it.
@safe struct PurgeableMemory: ~Copyable {
    private var base: UnsafeMutableRawPointer
    /// Of the mapping, in whole pages.
    private var size: Int
    /// Bytes of content. Behind them everything is zero.
    private(set) var length = 0
    /// For each unit of the content that holds anything, where; of use while the kernel has it.
    private var canaries: [UInt16] = []

    /// `nil` if there is no room.
    init?(capacity: Int) {
        let size = Self.wholePages(capacity)
        guard let base = unsafe cuikit_map(size) else { return nil }
        unsafe self.base = base
        self.size = size
    }

    deinit { unsafe cuikit_unmap(base, size) }

    /// At least one page, so that even empty content has an address.
    private static func wholePages(_ bytes: Int) -> Int {
        let page = cuikit_page_size()
        return max(1, (bytes + page - 1) / page) * page
    }

    var address: UInt { unsafe UInt(bitPattern: base) }

    /// Adds zeros or drops the end. The content may move. False, and nothing is changed, if there is no room.
    mutating func resize(to newLength: Int) -> Bool {
        if newLength > size {
            // Room for more of the same; pages that nobody writes to cost nothing.
            let (twice, needed) = (size * 2, Self.wholePages(newLength))
            guard remap(to: max(twice, needed)) || remap(to: needed) else { return false }
        } else if newLength < length {
            let kept = Self.wholePages(newLength)
            // Whole pages are dropped with their mapping, the rest of the last is zeroed.
            if kept < size, !remap(to: kept) { return false }
            let end = min(length, kept)
            if end > newLength {
                unsafe base.advanced(by: newLength).initializeMemory(
                    as: UInt8.self, repeating: 0, count: end - newLength)
            }
        }
        length = newLength
        return true
    }

    private mutating func remap(to newSize: Int) -> Bool {
        guard let moved = unsafe cuikit_remap(base, size, newSize) else { return false }
        unsafe base = moved
        size = newSize
        return true
    }

    /// Lets the kernel take any page from now on.
    mutating func handOver() {
        canaries = Array(repeating: 0, count: (length + Int(cuikit_unit) - 1) / Int(cuikit_unit))
        unsafe canaries.withUnsafeMutableBufferPointer { canaries in
            guard let first = canaries.baseAddress else { return }
            unsafe cuikit_hand_over(base.assumingMemoryBound(to: UInt8.self), length, size, first)
        }
    }

    /// Makes the kernel leave the pages alone. False if it has taken any.
    mutating func takeBack() -> Bool {
        let isWhole = unsafe canaries.withUnsafeBufferPointer { canaries in
            guard let first = canaries.baseAddress else { return true }
            return unsafe cuikit_take_back(base.assumingMemoryBound(to: UInt8.self), length, first)
        }
        canaries = []
        return isWhole
    }

    /// Whether the kernel, which may take any page, has taken none so far.
    var isWhole: Bool {
        unsafe canaries.withUnsafeBufferPointer { canaries in
            guard let first = canaries.baseAddress else { return true }
            return unsafe cuikit_is_whole(base.assumingMemoryBound(to: UInt8.self), length, first)
        }
    }
}
