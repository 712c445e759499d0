/// Bytes that are appended at the end and taken from the front, both in amortised constant time.
struct ByteQueue: Sendable {
    private(set) var storage: [UInt8] = []
    /// Index of the first byte not yet taken.
    private(set) var head = 0

    /// Below this much the buffer is kept for the next message; above, its memory is given back once it is empty.
    private static let kept = 64 * 1024

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: Span<UInt8>) {
        // Pointer to hand over a span as a whole; the array copies it before the closure returns.
        unsafe bytes.withUnsafeBufferPointer { unsafe storage.append(contentsOf: $0) }
    }

    mutating func append(_ bytes: [UInt8]) { storage.append(contentsOf: bytes) }

    /// Where the byte is, counted from the front, at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let bytes = storage.span
        var index = head + start
        while index < bytes.count {
            if bytes[index] == byte { return index - head }
            index += 1
        }
        return nil
    }

    mutating func removeFirst(_ count: Int) {
        head += min(max(count, 0), self.count)
        if head == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= Self.kept)
            head = 0
        } else if head > Self.kept, head > storage.count / 2 {
            storage.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        storage = []
        head = 0
    }
}
