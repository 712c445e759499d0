internal import Dispatch
internal import Synchronization
package import Wire

/// An app's end of the wire: a thread reads and parses, delegate methods run on the main thread, which answers itself.
///
/// The connection comes back by itself when the daemon has restarted; nobody above notices.
package final class AppConnection: Sendable {
    /// Calls the delegate's method and says what the daemon is to be told.
    package typealias Handler = @MainActor @Sendable (Callback) -> JSONValue
    package typealias Listener = @Sendable (AppNotification, JSONValue) -> Void

    /// What waits for the main thread.
    private enum Work: Sendable {
        case callback(Callback)
        case ping(RPCID)
        case complete(@MainActor @Sendable (Result<JSONValue, RPCError>) -> Void, Result<JSONValue, RPCError>)
    }

    private struct Output: Sendable {
        var socket: RawSocket?
        var epoch = 0
        var isStopped = false
    }

    private static let longestPause = 1000

    private let environment: LaunchEnvironment
    private let handler: Handler
    private let refused: @Sendable (RPCError, Bool) -> Void
    private let notified: Listener
    private let session: Mutex<Session>
    private let lastGreeting = Mutex<JSONValue?>(nil)
    // Taken before `session` where both are held, so that nothing overtakes `hello` on a new connection.
    private let output = Mutex(Output())
    @MainActor private var waiting: [(Work, epoch: Int)] = []
    @MainActor private var isWorking = false

    /// - Parameters:
    ///   - client: name and version of the app, for the daemon's log.
    ///   - handler: called on the main thread, callback after callback.
    ///   - refused: called on the reader thread when the daemon does not accept this process; `isFirst` says that it
    ///     never has.
    ///   - notified: called on the reader thread.
    package init(
        _ environment: LaunchEnvironment, client: String,
        refused: @escaping @Sendable (RPCError, _ isFirst: Bool) -> Void = { _, _ in },
        notified: @escaping Listener = { _, _ in },
        handler: @escaping Handler
    ) {
        self.environment = environment
        self.handler = handler
        self.refused = refused
        self.notified = notified
        session = Mutex(Session(client: client))
    }

    /// What the daemon last answered to `hello`; `nil` before its first answer.
    package var greeting: JSONValue? { lastGreeting.withLock { $0 } }

    /// Greets the daemon and begins to read. To be called once.
    package func start() {
        let first = environment.descriptor.map(RawSocket.init(owning:))
        // Here and not on the thread: the daemon's answer then overlaps with the rest of the app's start.
        let epoch = first.map(install)
        startThread { [self] in
            if let first, let epoch { serve(first, epoch) }
            reconnect()
        }
    }

    /// Ends the connection for good.
    package func stop() {
        output.withLock { output in
            output.isStopped = true
            output.socket?.shutDown()
        }
    }

    /// Asks the daemon; asks again after a reconnection if it has not answered.
    package func request(
        _ method: AppMethod, _ params: JSONValue = .null,
        completion: @escaping @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        send(session.withLock { ($0.request(method, params, .main(completion)), $0.epoch) })
    }

    /// Asks the daemon and blocks the calling thread, which may be the main thread. `nil` when the time is over.
    package func requestAndWait(
        _ method: AppMethod, _ params: JSONValue = .null, seconds: Double
    ) -> Result<JSONValue, RPCError>? {
        let waiter = Waiter<JSONValue>()
        send(session.withLock { ($0.request(method, params, .waiter(waiter)), $0.epoch) })
        return waiter.wait(seconds: seconds)
    }

    /// Asks the daemon for something that comes as a descriptor, and blocks the calling thread, which may be any
    /// but the one that reads. The caller owns it.
    package func requestDescriptor(
        _ method: AppMethod, _ params: JSONValue = .null, seconds: Double
    ) -> Result<CInt, RPCError>? {
        let waiter = Waiter<OwnedDescriptor>()
        send(session.withLock { ($0.request(method, params, .descriptor(waiter)), $0.epoch) })
        return waiter.wait(seconds: seconds)?.map { $0.duplicate() }
    }

    // MARK: Writing

    private func send(_ line: (bytes: [UInt8]?, epoch: Int)) {
        guard let bytes = line.bytes else { return }
        output.withLock { output in
            // If it fails, the reader sees the end of the connection as well and what counts is said again.
            if output.epoch == line.epoch { _ = output.socket?.send(bytes) }
        }
    }

    /// Makes the socket the one that is written to, `hello` first.
    private func install(_ socket: RawSocket) -> Int {
        output.withLock { output in
            let (hello, epoch) = session.withLock { ($0.connect(), $0.epoch) }
            _ = socket.send(hello)
            output.socket = socket
            output.epoch = epoch
            if output.isStopped { socket.shutDown() }
            return epoch
        }
    }

    // MARK: Reading

    /// Reads until the connection ends. True if the daemon had accepted it.
    @discardableResult
    private func serve(_ socket: RawSocket, _ epoch: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var framer = LineFramer()
        var isGreeted = false
        // Those that came and were not given to anybody yet; they come in the order of the answers that they belong to.
        var passengers: [OwnedDescriptor] = []
        while let count = socket.receive(into: &buffer, &passengers) {
            framer.append(buffer.span.extracting(0..<count))
            var work: [Work] = []
            do throws(WireError) {
                while let line = try framer.next() {
                    handle(session.withLock { $0.receive(line) }, epoch, &work, &isGreeted, &passengers)
                }
            } catch {
                // The daemon never sends such a line: something else is at the other end.
                socket.shutDown()
            }
            if !work.isEmpty { deliver(work, epoch) }
        }
        output.withLock { if $0.epoch == epoch { $0.socket = nil } }
        return isGreeted
    }

    private func handle(
        _ incoming: Session.Incoming, _ epoch: Int, _ work: inout [Work], _ isGreeted: inout Bool,
        _ passengers: inout [OwnedDescriptor]
    ) {
        switch incoming {
        case .callback(let callback): work.append(.callback(callback))
        case .ping(let id): work.append(.ping(id))
        case .answer(let bytes): send((bytes, epoch))
        case .complete(.main(let completion), let result): work.append(.complete(completion, result))
        case .complete(.waiter(let waiter), let result): waiter.give(result)
        case .complete(.descriptor(let waiter), .failure(let error)): waiter.give(.failure(error))
        case .complete(.descriptor(let waiter), .success):
            let passenger = passengers.isEmpty ? nil : passengers.removeFirst()
            let missing = RPCError(.internalError, "the daemon's answer came without its descriptor")
            waiter.give(passenger.map { .success($0) } ?? .failure(missing))
        case .greeted(let answer, let lines):
            isGreeted = true
            lastGreeting.withLock { $0 = answer }
            for line in lines { send((line, epoch)) }
        case .refused(let error): refused(error, greeting == nil)
        case .notified(let notification, let params): notified(notification, params)
        case .nothing: break
        }
    }

    private func reconnect() {
        guard let path = environment.socketPath else { return }
        var pause = 0
        while !output.withLock({ $0.isStopped }) {
            if let socket = RawSocket.connect(to: path), serve(socket, install(socket)) {
                pause = 0
                continue
            }
            // After a connection that was good the first attempt is made at once.
            pause = pause == 0 ? 10 : min(pause * 2, Self.longestPause)
            AppRuntime.pause(milliseconds: pause)
        }
    }

    // MARK: The main thread

    private func deliver(_ work: [Work], _ epoch: Int) {
        // One hop for all that came at once: a thaw brings two callbacks.
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { perform(work, epoch) }
        }
    }

    @MainActor private func perform(_ work: [Work], _ epoch: Int) {
        waiting += work.map { ($0, epoch) }
        // A delegate that runs the main queue itself must not be called again before it has returned.
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        while !waiting.isEmpty {
            let (next, epoch) = waiting.removeFirst()
            switch next {
            case .callback(let callback):
                let result = handler(callback)
                send(session.withLock { ($0.finish(callback, result), $0.epoch) })
            case .ping(let id): send((RPCMessage.response(id: id, result: [:]).encoded(), epoch))
            case .complete(let completion, let result): completion(result)
            }
        }
    }
}
