internal import LinuxSystem
internal import Wire

/// One peer on a socket: whole lines in, bounded in number a turn, or handled in fair turns with others; lines out,
/// bounded in bytes.
final class Connection: TurnTaker {
    /// Messages that one peer may have handled in one turn of the loop; the rest waits for the next.
    private static let messagesPerTurn = 16

    let socket: Descriptor
    private let loop: Loop
    private var watch: Loop.Watch?
    private var framer = LineFramer()
    private var output = OutgoingQueue()
    private var isWaitingToWrite = false
    private var isScheduled = false
    /// Its turn is some time from now, and what it sent meanwhile would wake the loop again and again.
    private var isPaused = false
    private let turns: FairTurns<Connection>?
    private(set) var isOpen = true
    var onMessage: (RPCMessage) -> Void = { _ in }
    var onClose: () -> Void = {}

    /// - Parameter turns: of all those who are to be handled alike.
    init(_ socket: Descriptor, _ loop: Loop, _ turns: FairTurns<Connection>? = nil) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.turns = turns
        try socket.setNonblocking(true)
        // To close what an app sends can take as long as the app likes.
        socket.refuseDescriptors()
        try listen()
    }

    private func listen() throws(SystemError) {
        let events: Epoll.Events = isWaitingToWrite ? [.readable, .writable] : .readable
        watch = try loop.watch(socket.rawValue, events) { [weak self] events in self?.ready(events) }
    }

    func send(_ message: RPCMessage) { send(message.encoded()) }

    /// One write for all that is given; what the peer does not take now waits for it.
    func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        do throws(WireError) {
            try output.append(bytes)
        } catch {
            // It does not read: holding more for it would be its attack on everybody else.
            close()
            return
        }
        flush()
    }

    /// A message that a descriptor rides with. False where the peer has not read what came before: a descriptor belongs
    /// to the first byte of its message, and nothing waits with one.
    func send(_ message: RPCMessage, with descriptor: Descriptor) -> Bool {
        flush()
        guard isOpen, output.isEmpty else { return false }
        let bytes = message.encoded()
        guard case .bytes(let count)? = try? socket.send(bytes, descriptors: [descriptor]) else { return false }
        if count < bytes.count { send(Array(bytes[count...])) }
        return true
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        watch = nil
        let onClose = onClose
        self.onClose = {}
        onMessage = { _ in }
        onClose()
    }

    private func ready(_ events: Epoll.Events) {
        if events.contains(.writable) { flush() }
        guard isOpen, !isScheduled else { return pause() }
        if events.contains(.readable) || events.contains(.hangUp) || events.contains(.error) { receive() }
    }

    private func receive() {
        var bytes: [UInt8] = []
        let outcome: Descriptor.Transfer
        do throws(SystemError) {
            outcome = try socket.readAlone(into: &bytes, upTo: 1 << 16)
        } catch {
            close()
            return
        }
        switch outcome {
        case .wouldBlock: return
        case .end: close()
        case .bytes:
            framer.append(bytes)
            handleLines()
        }
    }

    /// More than this one peer has on its way only if it is set on that.
    private static let drained = 1 << 20

    /// What the peer has sent until now, for a peer that cannot send more (a frozen app). Others may hold its socket
    /// and send without end: what they send meanwhile is not waited for.
    func drain() {
        var left = min(socket.unread, Self.drained)
        while handleLine() {}
        while isOpen, left > 0 {
            var bytes: [UInt8] = []
            guard case .bytes(let count) = try? socket.readAlone(into: &bytes, upTo: min(left, 1 << 16)) else { break }
            left -= count
            framer.append(bytes)
            while handleLine() {}
        }
    }

    func takeTurn() -> Bool {
        isScheduled = handleLine()
        if !isScheduled { goOn() }
        return isScheduled
    }

    /// Also its end is for later: what it asked before that is handled.
    private func pause() {
        guard isOpen, turns != nil, !isWaitingToWrite else { return }
        watch = nil
        isPaused = true
    }

    private func goOn() {
        guard isPaused, isOpen else { return }
        isPaused = false
        do throws(SystemError) {
            try listen()
        } catch {
            close()
        }
    }

    private func handleLines() {
        if let turns {
            isScheduled = true
            return turns.add(self)
        }
        for _ in 0..<Self.messagesPerTurn where !handleLine() { return }
        // More may be there: not now, so that others have their turn, and nothing more is read until then.
        guard isOpen, !isScheduled else { return }
        isScheduled = true
        loop.soon { [weak self] in
            guard let self else { return }
            isScheduled = false
            if isOpen { handleLines() }
        }
    }

    /// Whether there may be more.
    private func handleLine() -> Bool {
        guard isOpen else { return false }
        do throws(WireError) {
            guard let line = try framer.next() else { return false }
            switch Result(catching: { () throws(RPCParseError) in try RPCMessage.parse(line) }) {
            case .success(let message): onMessage(message)
            case .failure(let error): send(error.answer)
            }
            return isOpen
        } catch {
            send(.failure(id: nil, error.rpcError))
            close()
            return false
        }
    }

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
        let mustWait = isOpen && !output.isEmpty
        guard mustWait != isWaitingToWrite else { return }
        isWaitingToWrite = mustWait
        // It reads again, or does not: that is to be seen at once.
        if isPaused {
            goOn()
        } else {
            try? watch?.change(mustWait ? [.readable, .writable] : .readable)
        }
    }
}
