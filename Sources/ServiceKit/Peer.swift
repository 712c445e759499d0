package import Dispatch
package import LinuxSystem
package import Wire

/// One connection: whole lines with the descriptors that came with them in, lines out. Everything happens on the
/// service's queue; what a peer may have waiting, in either direction, is bounded.
///
/// Unchecked: used on that queue only.
package final class Peer: @unchecked Sendable {
    /// Messages that one peer may have handled before others have their turn.
    private static let messagesPerTurn = 32
    /// Descriptors that came and belong to no message yet.
    private static let mostDescriptors = 16
    /// Bytes that wait for a peer at which nothing more of it is handled: who asks for much reads it, and asks on.
    private static let mostUnread = 65_536

    package let socket: Descriptor
    package let number: UInt64
    /// Whose it is, where the daemon said so.
    package var app: String?
    /// A tool has said `hello`.
    var hasGreeted = false
    private let queue: DispatchQueue
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var framer = LineFramer()
    private var output = OutgoingQueue()
    private var descriptors: [Descriptor] = []
    private var isScheduled = false
    private var waitsForRoom = false
    private var lastRequest: Int64 = 0
    private var answers: [Int64: (Result<JSONValue, RPCError>) -> Void] = [:]
    package private(set) var isOpen = true
    /// Nothing more is handled until this is `false` again: a message takes a worker's time, and its followers wait.
    package var isHeld = false { didSet { if oldValue, !isHeld { schedule() } } }
    package var onMessage: (RPCMessage, Descriptor?) -> Void = { _, _ in }
    /// An answer to what was not asked on this connection: to something with a number, asked on an earlier one.
    package var onAnswer: (Int64, Result<JSONValue, RPCError>) -> Void = { _, _ in }
    package var onClose: () -> Void = {}

    /// Which requests come with a descriptor.
    private let takesDescriptor: (String, JSONValue) -> Bool

    package init(
        _ socket: Descriptor, number: UInt64, queue: DispatchQueue,
        takesDescriptor: @escaping (String, JSONValue) -> Bool
    ) throws(SystemError) {
        self.socket = socket
        self.number = number
        self.takesDescriptor = takesDescriptor
        self.queue = queue
        try socket.setNonblocking(true)
        let reader = DispatchSource.makeReadSource(fileDescriptor: socket.rawValue, queue: queue)
        reader.setEventHandler { [weak self] in self?.receive() }
        // The socket stays open until nobody looks at it any more.
        reader.setCancelHandler { withExtendedLifetime(socket) {} }
        self.reader = reader
        reader.resume()
    }

    // MARK: Out

    package func send(_ message: RPCMessage) {
        guard isOpen else { return }
        do throws(WireError) {
            try output.append(message.encoded())
        } catch {
            // It does not read: to hold more for it would be its attack on everybody else.
            close()
            return
        }
        flush()
    }

    /// Asks the peer; the answer comes to `completion`, unless the connection ends before.
    ///
    /// - Parameter number: where what is asked has a number that outlives connections; a service gives one to all that
    ///   it asks, or to nothing.
    package func request(
        _ method: String, _ params: JSONValue, number: Int64? = nil,
        _ completion: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        lastRequest = number ?? lastRequest + 1
        answers[lastRequest] = completion
        send(.request(id: .int(lastRequest), method: method, params: params))
    }

    /// Whether much waits for it already: what can be left out is left out.
    package var isBehind: Bool { output.count > 16_384 }

    private func flush() {
        while isOpen, !output.isEmpty {
            do throws(SystemError) {
                guard case .bytes(let count) = try socket.send(output.pending) else { break }
                output.removeFirst(count)
            } catch {
                close()
                return
            }
        }
        if waitsForRoom, output.count < Self.mostUnread / 2 {
            waitsForRoom = false
            schedule()
        }
        if output.isEmpty || !isOpen {
            writer?.cancel()
            writer = nil
        } else if writer == nil {
            let source = DispatchSource.makeWriteSource(fileDescriptor: socket.rawValue, queue: queue)
            source.setEventHandler { [weak self] in self?.flush() }
            source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
            writer = source
            source.resume()
        }
    }

    // MARK: In

    /// Of a peer that is gone libdispatch tells once, whatever is still to be read: nothing is waited for before a read
    /// has found nothing.
    private func receive() {
        guard isOpen, !isScheduled, !isHeld, !waitsForRoom else { return pauseReading() }
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let (outcome, came) = try socket.receive(into: &bytes, upTo: 1 << 16)
            descriptors += came
            guard descriptors.count <= Self.mostDescriptors else {
                close()
                return
            }
            switch outcome {
            case .wouldBlock: return
            case .end: close()
            case .bytes:
                framer.append(bytes)
                handleLines()
                readOn()
            }
        } catch {
            close()
        }
    }

    private var readsOn = false

    /// The next piece, when others have had their turn.
    private func readOn() {
        guard isOpen, !readsOn else { return }
        readsOn = true
        queue.async { [weak self] in
            self?.readsOn = false
            self?.receive()
        }
    }

    private var isPaused = false

    private func pauseReading() {
        guard isOpen, !isPaused else { return }
        isPaused = true
        reader?.suspend()
    }

    private func schedule() {
        guard isOpen, !isScheduled else { return }
        isScheduled = true
        queue.async { [self] in
            isScheduled = false
            guard isOpen, !isHeld, !waitsForRoom else { return }
            handleLines()
            if isPaused, isOpen, !isHeld, !waitsForRoom, !isScheduled {
                isPaused = false
                reader?.resume()
                readOn()
            }
        }
    }

    private func handleLines() {
        for _ in 0..<Self.messagesPerTurn {
            guard isOpen, !isHeld else { return }
            guard output.count < Self.mostUnread else {
                waitsForRoom = true
                return
            }
            do throws(WireError) {
                guard let line = try framer.next() else { return }
                switch Result(catching: { () throws(RPCParseError) in try RPCMessage.parse(line) }) {
                case .success(let message): handle(message)
                case .failure(let error): send(error.answer)
                }
            } catch {
                send(.failure(id: nil, error.rpcError))
                close()
                return
            }
        }
        // More may be there: not now, so that others have their turn.
        schedule()
    }

    private func handle(_ message: RPCMessage) {
        switch message {
        case .response(.int(let id), let result): answered(id, .success(result))
        case .failure(.int(let id)?, let error): answered(id, .failure(error))
        case .response, .failure: break
        case .notification: onMessage(message, nil)
        case .request(_, let method, let params):
            let takes = !descriptors.isEmpty && takesDescriptor(method, params)
            let descriptor = takes ? descriptors.removeFirst() : nil
            onMessage(message, descriptor)
        }
    }

    private func answered(_ number: Int64, _ result: Result<JSONValue, RPCError>) {
        if let answer = answers.removeValue(forKey: number) { answer(result) } else { onAnswer(number, result) }
    }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        writer?.cancel()
        writer = nil
        // A source that is suspended cannot go.
        if isPaused { reader?.resume() }
        reader?.cancel()
        reader = nil
        answers = [:]
        descriptors = []
        // These closures may retain this peer, and the peer retains the socket.
        let onClose = onClose
        self.onClose = {}
        onMessage = { _, _ in }
        onAnswer = { _, _ in }
        onClose()
    }

    deinit {
        if isPaused { reader?.resume() }
        reader?.cancel()
        writer?.cancel()
    }
}
