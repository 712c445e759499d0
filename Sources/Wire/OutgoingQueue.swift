/// Bytes that wait until a peer reads them (`docs/PROTOCOL.md`, section 1). No I/O: the owner writes `pending` to the
/// socket and says how much went.
package struct OutgoingQueue: Sendable {
    private var queue = ByteQueue()
    private let limit: Int

    package init(limit: Int = Limits.waitingOutput) { self.limit = limit }

    package var count: Int { queue.count }
    package var isEmpty: Bool { queue.isEmpty }

    /// Adds a message. It is refused if more than the limit waits already, so one long answer to a peer that reads
    /// always goes through, and no more than the limit and one line is ever held.
    package mutating func append(_ message: [UInt8]) throws(WireError) {
        guard message.count <= Limits.lineLength else { throw .lineTooLong }
        guard queue.count < limit else { throw .peerTooSlow }
        queue.append(message)
    }

    /// What is to be written, oldest first.
    package var pending: ArraySlice<UInt8> { queue.storage[queue.head...] }

    /// The first `count` bytes of `pending` went to the peer.
    package mutating func removeFirst(_ count: Int) { queue.removeFirst(count) }
}
