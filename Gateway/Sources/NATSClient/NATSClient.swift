internal import CNATS
internal import Dispatch
package import Model
internal import Synchronization

/// How to reach NATS.
package struct NATSSettings: Sendable {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`, with `USER:PASSWORD@` or `TOKEN@` before the host if need be.
    package var servers: [String]
    /// What the servers call this client.
    package var name: String
    /// A file with a user's credentials (JWT and key).
    package var credentials: String?
    /// A file with the certificates that the servers' certificates come from.
    package var authority: String?
    /// This client's own certificate and its key.
    package var certificate: (file: String, key: String)?

    package init(servers: [String], name: String) {
        self.servers = servers
        self.name = name
    }
}

/// A connection to a NATS cluster, which is made again when it breaks, to whichever server is there.
///
/// Nothing here waits. Answers and messages come on libnats's threads: what handles them must be quick, and hops to
/// where its state is.
package final class NATSClient: Sendable {
    package enum Event: Sendable {
        case connected
        case disconnected
    }

    private let connection: ConnectionHandle
    private let replies: Replies
    private let outbox: Outbox
    private let inbox: String
    private let connected: ConnectionWatch

    /// - Parameter event: told when the connection is there, and when it is not.
    package static func connect(
        _ settings: NATSSettings, event: @escaping @Sendable (Event) -> Void
    ) async throws(NATSError) -> NATSClient {
        let result = await withCheckedContinuation { continuation in
            // It waits for the first server.
            DispatchQueue(label: "greenroom.nats.connect").async {
                do throws(NATSError) {
                    continuation.resume(
                        returning: Result<NATSClient, NATSError>.success(try NATSClient(settings, event)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private init(_ settings: NATSSettings, _ event: @escaping @Sendable (Event) -> Void) throws(NATSError) {
        let queue = DispatchQueue(label: "greenroom.nats")
        let replies = Replies(queue)
        let watch = ConnectionWatch { isConnected in
            if !isConnected { replies.failAll(.disconnected) }
            event(isConnected ? .connected : .disconnected)
        }
        connection = try ConnectionHandle.connect(settings, watch)
        outbox = Outbox(connection, queue) { letter in
            if let request = letter.request { replies.answer(request, .failure(.disconnected)) }
        }
        self.replies = replies
        connected = watch
        inbox = "_INBOX.\(String(UInt64.random(in: .min ... .max), radix: 36))."
        let length = inbox.count
        try subscribe(inbox + "*") { message in
            guard let number = UInt64(message.subject.dropFirst(length)) else { return }
            replies.answer(number, message.status == 503 ? .failure(.noResponders) : .success(message))
        }
        if unsafe natsConnection_Status(connection.pointer) == NATS_CONN_STATUS_CONNECTED { watch.set(true) }
    }

    package var isConnected: Bool { connected.isConnected }

    /// Bytes of the longest message that the server takes.
    package var longestPayload: Int { max(65_536, Int(unsafe natsConnection_GetMaxPayload(connection.pointer))) }

    // MARK: Messages

    package func publish(_ payload: [UInt8], to subject: String) {
        guard isConnected else { return }
        _ = outbox.add(Outbox.Letter(subject: subject, payload: payload))
    }

    package func request(
        _ payload: [UInt8], to subject: String, headers: [(name: String, value: String)] = [],
        within timeout: Span, _ answer: @escaping @Sendable (Result<NATSMessage, NATSError>) -> Void
    ) {
        guard isConnected else { return answer(.failure(.disconnected)) }
        let number = replies.add(within: timeout, answer)
        let letter = Outbox.Letter(
            subject: subject, reply: inbox + "\(number)", headers: headers, payload: payload, request: number)
        if !outbox.add(letter) { replies.answer(number, .failure(.overloaded)) }
    }

    package func request(
        _ payload: [UInt8], to subject: String, within timeout: Span
    ) async throws(NATSError) -> NATSMessage {
        try await withCheckedContinuation { continuation in
            request(payload, to: subject, within: timeout) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The subscription ends with the connection.
    package func subscribe(
        _ subject: String, _ handler: @escaping @Sendable (NATSMessage) -> Void
    ) throws(NATSError) {
        try connection.subscribe(subject, Receiver(handler))
    }

    /// Sends what waits, then ends. Requests without an answer fail.
    package func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let connection = connection
            DispatchQueue(label: "greenroom.nats.close").async {
                _ = unsafe natsConnection_FlushTimeout(connection.pointer, 1000)
                unsafe natsConnection_Close(connection.pointer)
                continuation.resume()
            }
        }
        replies.failAll(.disconnected)
    }
}
