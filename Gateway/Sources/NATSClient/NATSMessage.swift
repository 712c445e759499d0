internal import CNATS

/// A message that came.
package struct NATSMessage: Hashable, Sendable {
    package let subject: String
    /// Where an answer is expected.
    package let reply: String?
    package let payload: [UInt8]
    /// What a server says about a request instead of an answer: 404, for example.
    let status: Int?
    /// The message's place in its stream, of one that was read from it.
    package let sequence: UInt64?
    /// The subject under which a stream has it, of one that the stream sends on.
    package let streamSubject: String?

    /// As JetStream's leader gives it.
    init(subject: String, sequence: UInt64, payload: [UInt8]) {
        self.subject = subject
        self.sequence = sequence
        self.payload = payload
        (reply, status, streamSubject) = (nil, nil, nil)
    }

    /// Copies what libnats will release.
    @unsafe init(_ message: OpaquePointer) {
        subject = unsafe String(cString: natsMsg_GetSubject(message))
        reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
        let count = Int(unsafe natsMsg_GetDataLength(message))
        if count > 0, let data = unsafe natsMsg_GetData(message) {
            payload = unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
        } else {
            payload = []
        }
        status = unsafe Self.header("Status", message).flatMap { Int($0) }
        sequence = unsafe Self.header("Nats-Sequence", message).flatMap { UInt64($0) }
        streamSubject = unsafe Self.header("Nats-Subject", message)
    }

    @unsafe private static func header(_ name: String, _ message: OpaquePointer) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK, let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}
