internal import CNATS
internal import Dispatch
internal import Synchronization

/// What is to be sent, in its order. libnats may wait for the socket when it sends; who sends does not wait.
final class Outbox: Sendable {
    struct Letter: Sendable {
        var subject: String
        var reply: String?
        var headers: [(name: String, value: String)] = []
        var payload: [UInt8]
        /// The request that this is, if it is one.
        var request: UInt64?
    }

    private struct State: Sendable {
        var letters: [Letter] = []
        var bytes = 0
        var isScheduled = false
    }

    private static let mostBytes = 64 << 20

    private let connection: ConnectionHandle
    private let queue: DispatchQueue
    private let failed: @Sendable (Letter) -> Void
    private let state = Mutex(State())

    /// - Parameter failed: told of each letter that was not sent.
    init(_ connection: ConnectionHandle, _ queue: DispatchQueue, failed: @escaping @Sendable (Letter) -> Void) {
        self.connection = connection
        self.queue = queue
        self.failed = failed
    }

    /// `false`: too much waits.
    func add(_ letter: Letter) -> Bool {
        let (isAdded, schedules) = state.withLock { state in
            guard state.bytes + letter.payload.count <= Self.mostBytes else { return (false, false) }
            state.bytes += letter.payload.count
            state.letters.append(letter)
            let schedules = !state.isScheduled
            state.isScheduled = true
            return (true, schedules)
        }
        if schedules { queue.async { self.drain() } }
        return isAdded
    }

    private func drain() {
        while true {
            let letters = state.withLock { state in
                defer { (state.letters, state.bytes) = ([], 0) }
                if state.letters.isEmpty { state.isScheduled = false }
                return state.letters
            }
            if letters.isEmpty { return }
            for letter in letters where !send(letter) { failed(letter) }
        }
    }

    private func send(_ letter: Letter) -> Bool {
        let count = CInt(clamping: letter.payload.count)
        let status = unsafe letter.payload.withUnsafeBytes { bytes in
            let data = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            if letter.headers.isEmpty {
                guard let reply = letter.reply else {
                    return unsafe natsConnection_Publish(connection.pointer, letter.subject, data, count)
                }
                return unsafe natsConnection_PublishRequest(connection.pointer, letter.subject, reply, data, count)
            }
            return unsafe sendWithHeaders(letter, data, count)
        }
        return status == NATS_OK
    }

    @unsafe private func sendWithHeaders(
        _ letter: Letter, _ data: UnsafePointer<CChar>?, _ count: CInt
    ) -> natsStatus {
        var message: OpaquePointer?
        var status = unsafe natsMsg_Create(&message, letter.subject, letter.reply, data, count)
        for header in letter.headers where status == NATS_OK {
            status = unsafe natsMsgHeader_Set(message, header.name, header.value)
        }
        if status == NATS_OK { status = unsafe natsConnection_PublishMsg(connection.pointer, message) }
        unsafe natsMsg_Destroy(message)
        return status
    }
}
