/// What ends a connection without the peer having said anything wrong in JSON.
package enum WireError: Error, Hashable, CustomStringConvertible {
    /// A line is longer than `Limits.lineLength`.
    case lineTooLong
    /// More than `Limits.waitingOutput` bytes wait for a peer that does not read.
    case peerTooSlow

    package var description: String {
        switch self {
        case .lineTooLong:
            "a line is longer than \(Limits.lineLength) bytes; send the data in smaller messages or through a file"
        case .peerTooSlow:
            "the peer does not read: more than \(Limits.waitingOutput) bytes wait for it; read the socket continuously"
        }
    }

    /// The answer that the peer gets, if it can be told.
    package var rpcError: RPCError { RPCError(.tooMuch, description) }
}

/// Cuts a byte stream into lines (`docs/PROTOCOL.md`, section 1). No I/O: bytes are put in, lines come out.
///
/// Every byte is looked at once, however the stream is cut into pieces.
package struct LineFramer: Sendable {
    private var queue = ByteQueue()
    /// Bytes from the front that are known to hold no newline.
    private var scanned = 0
    private var isBroken = false
    private let limit: Int

    package init(limit: Int = Limits.lineLength) { self.limit = limit }

    /// How much is kept: the beginning of a line, and lines not asked for yet.
    package var buffered: Int { queue.count }

    package mutating func append(_ bytes: Span<UInt8>) {
        if !isBroken { queue.append(bytes) }
    }

    package mutating func append(_ bytes: [UInt8]) {
        if !isBroken { queue.append(bytes) }
    }

    /// The next whole line without its newline, `nil` if more bytes are needed. Empty lines are skipped.
    ///
    /// Once a line was too long there is no telling where the next one begins: every later call throws again.
    package mutating func next() throws(WireError) -> [UInt8]? {
        if isBroken { throw .lineTooLong }
        while let end = newline() {
            guard end < limit else { throw tooLong() }
            guard end > 0 else {
                take(1)
                continue
            }
            let line = Array(queue.storage[queue.head..<queue.head + end])
            take(end + 1)
            return line
        }
        guard queue.count < limit else { throw tooLong() }
        return nil
    }

    /// Length of the first line, without its newline.
    private mutating func newline() -> Int? {
        let found = queue.firstIndex(of: UInt8(ascii: "\n"), from: scanned)
        if found == nil { scanned = queue.count }
        return found
    }

    private mutating func take(_ count: Int) {
        queue.removeFirst(count)
        scanned = 0
    }

    private mutating func tooLong() -> WireError {
        isBroken = true
        queue.removeAll()
        return .lineTooLong
    }
}
