package import Dispatch
internal import Synchronization
package import Wire

/// A program's end of the wire to a service. One thread reads; everything else happens on a serial queue, which also
/// writes, so that whatever asks the service for something waits for nothing.
///
/// The connection comes back by itself when the service has restarted. What has to be said again then, its owner knows.
// What is not behind the mutex is touched on `queue` only.
package final class ServiceStream: @unchecked Sendable {
    /// Identifies a request of the service on one connection.
    package struct Question: Sendable {
        package let id: RPCID
        package let connection: Int
    }

    /// What comes from the other end; the owner hears it on the queue.
    package enum News: Sendable {
        /// There is a connection: the owner greets the service.
        case connected
        case ended
        case asked(Question, method: String, params: JSONValue)
        case told(method: String, params: JSONValue)
        /// To the request with this number.
        case answered(Int64, Result<JSONValue, RPCError>)
        /// A line of ours was not readable.
        case complained(RPCError)
        /// There is no such service, and it is not tried again until the next `start`.
        case unavailable(RPCError)
    }

    /// What an attempt to connect came to.
    package enum Attempt: Sendable {
        case connected(RawSocket)
        /// It is tried again.
        case notNow
        case never(RPCError)
    }

    /// May block. `nil` when the stream is not wanted any more.
    package typealias Connector = @Sendable () -> Attempt?

    private struct Shared {
        var isReading = false
        var isStopped = false
    }

    private static let longestPause = 5000

    package let queue: DispatchQueue
    private let shared = Mutex(Shared())
    private let wake = DispatchSemaphore(value: 0)
    private var socket: RawSocket?
    /// Counts connections: what was meant for one is never written to a later one.
    private var connection = 0
    private var lastID: Int64 = 0

    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Begins to connect and to read, unless it has.
    package func start(_ connect: @escaping Connector, _ hear: @escaping @Sendable (News) -> Void) {
        let begins = shared.withLock { shared in
            guard !shared.isReading, !shared.isStopped else { return false }
            shared.isReading = true
            return true
        }
        if begins { startThread { self.read(connect, hear) } }
    }

    /// Ends the connection for good, as the end of the process would.
    package func stop() {
        shared.withLock { $0.isStopped = true }
        wake.signal()
        queue.async { self.socket?.shutDown() }
    }

    // MARK: On the queue

    package var isConnected: Bool { socket != nil }

    /// Whether there is a connection, and the other end of it is open.
    package var isOpen: Bool { socket.map { !$0.isHungUp } ?? false }

    /// Whether a connection will be made again where there is none.
    package var comesBack: Bool { shared.withLock { $0.isReading && !$0.isStopped } }

    /// A number for a request, never given before.
    package func nextID() -> Int64 {
        lastID += 1
        return lastID
    }

    /// Writes a line; it is lost if there is no connection.
    package func send(_ line: [UInt8], with passenger: OwnedDescriptor? = nil) { socket?.send(line, with: passenger) }

    /// Asks what belongs to this connection only, and is not asked again on the next one.
    package func ask(_ method: String, _ params: JSONValue) -> Int64 {
        let id = nextID()
        send(RPCMessage.request(id: .int(id), method: method, params: params).encoded())
        return id
    }

    /// Answers, unless the connection on which it was asked is gone: then the service asks again.
    package func answer(_ question: Question, _ result: Result<JSONValue, RPCError>) {
        guard question.connection == connection else { return }
        switch result {
        case .success(let result): send(RPCMessage.response(id: question.id, result: result).encoded())
        case .failure(let error): send(RPCMessage.failure(id: question.id, error).encoded())
        }
    }

    /// Something is wrong with this connection: the next one may be better.
    package func hangUp() { socket?.shutDown() }

    private func receive(_ line: [UInt8], _ connection: Int, _ hear: (News) -> Void) {
        guard connection == self.connection else { return }
        do throws(RPCParseError) {
            switch try RPCMessage.parse(line, limits: .answer) {
            case .request(let id, let method, let params):
                hear(.asked(Question(id: id, connection: connection), method: method, params: params))
            case .notification(let method, let params): hear(.told(method: method, params: params))
            case .response(.int(let number), let result): hear(.answered(number, .success(result)))
            case .failure(.int(let number)?, let error): hear(.answered(number, .failure(error)))
            case .failure(nil, let error): hear(.complained(error))
            // Ours are numbers.
            case .response(.string, _), .failure(.string?, _): break
            }
        } catch {
            send(error.answer.encoded())
        }
    }

    // MARK: The thread that reads

    private func read(_ connect: Connector, _ hear: @escaping @Sendable (News) -> Void) {
        var pause = 0
        while !shared.withLock({ $0.isStopped }), let attempt = connect() {
            switch attempt {
            case .connected(let socket):
                if serve(socket, hear) {
                    pause = 0
                    continue
                }
            case .notNow: break
            case .never(let error):
                // Whoever asks from now on starts it again.
                shared.withLock { $0.isReading = false }
                return queue.async { hear(.unavailable(error)) }
            }
            // After a connection that was good the first attempt is made at once.
            pause = pause == 0 ? 10 : min(pause * 2, Self.longestPause)
            _ = wake.wait(timeout: .now() + .milliseconds(pause))
        }
        shared.withLock { $0.isReading = false }
    }

    /// Reads until the connection ends. True if the service has said anything on it.
    private func serve(_ socket: RawSocket, _ hear: @escaping @Sendable (News) -> Void) -> Bool {
        let connection = queue.sync {
            self.connection += 1
            self.socket = socket
            if shared.withLock({ $0.isStopped }) { socket.shutDown() }
            hear(.connected)
            return self.connection
        }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var framer = LineFramer()
        var isGood = false
        // No service sends any.
        var passengers: [OwnedDescriptor] = []
        while let count = socket.receive(into: &buffer, &passengers) {
            passengers = []
            framer.append(buffer.span.extracting(0..<count))
            do throws(WireError) {
                while let line = try framer.next() {
                    isGood = true
                    queue.async { self.receive(line, connection, hear) }
                }
            } catch {
                // The service never sends such a line: something else is at the other end.
                socket.shutDown()
            }
        }
        queue.sync {
            self.socket = nil
            hear(.ended)
        }
        return isGood
    }
}
