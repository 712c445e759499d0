package import LinuxSystem
package import Wire

/// A peer on a socket. It reads whole lines at the peer's pace, and writes lines up to a number of bytes.
package final class Connection: TurnTaker {
    /// Messages that one peer may have handled in one turn of the loop; the rest waits for the next.
    private static let messagesPerTurn = 16

    /// How quickly its messages are handled.
    package enum Pace {
        /// A few in each turn of the loop.
        case everyTurn
        /// A few in each turn, while it has processor time left.
        case within(Allowance)
        /// One after the other with all others that have the same turns.
        case inTurns(FairTurns<Connection>)
    }

    let socket: Descriptor
    private let loop: Loop
    private var watch: Loop.Watch?
    private var framer = LineFramer()
    private var output = OutgoingQueue()
    private var isWaitingToWrite = false
    private var isScheduled = false
    /// Its turn is some time from now, and what it sent meanwhile would wake the loop again and again.
    private var isPaused = false
    private let pace: Pace
    private(set) var isOpen = true
    package var onMessage: (RPCMessage) -> Void = { _ in }
    var onClose: () -> Void = {}

    package init(_ socket: Descriptor, _ loop: Loop, _ pace: Pace = .everyTurn) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.pace = pace
        try socket.setNonblocking(true)
        // To close what an app sends can take as long as the app likes.
        socket.refuseDescriptors()
        watch = try beginWatch(.readable)
    }

    private func beginWatch(_ events: Epoll.Events) throws(SystemError) -> Loop.Watch {
        try loop.watch(socket.rawValue, events) { [weak self] events in self?.ready(events) }
    }

    /// Watches the socket for the events that the connection waits for. If it waits for none, it has no watch, because
    /// the kernel reports the end of a peer to every watch.
    private func adjustWatch() {
        guard isOpen else { return }
        var events: Epoll.Events = isPaused ? [] : .readable
        if isWaitingToWrite { events.insert(.writable) }
        do throws(SystemError) {
            if events.isEmpty {
                watch = nil
            } else if let watch {
                try watch.change(events)
            } else {
                watch = try beginWatch(events)
            }
        } catch {
            close()
        }
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
        if case .inTurns(let turns) = pace {
            turns.count { act(on: events) }
        } else {
            act(on: events)
        }
    }

    private func act(on events: Epoll.Events) {
        // A write to a peer that is gone fails, and closes the connection. Otherwise the kernel reports the end again.
        if events.contains(.writable) || events.contains(.hangUp) || events.contains(.error) { flush() }
        guard isOpen else { return }
        guard !isScheduled else { return pause() }
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

    package func takeTurn() -> Bool {
        isScheduled = handleLine()
        if !isScheduled { goOn() }
        return isScheduled
    }

    /// Also its end is for later: what it asked before that is handled.
    private func pause() {
        guard !isPaused else { return }
        isPaused = true
        adjustWatch()
    }

    private func goOn() {
        guard isPaused else { return }
        isPaused = false
        adjustWatch()
    }

    private func handleLines() {
        switch pace {
        case .everyTurn:
            if handleSome() { handleMore(in: 0) }
        case .within(let allowance):
            let workedBefore = Clock.threadTime()
            let hasMore = handleSome()
            allowance.fill(at: Clock.monotonic())
            allowance.spend(Clock.threadTime() - workedBefore)
            if allowance.isSpent {
                pause()
                handleMore(in: min(Self.longestPause, allowance.pause(until: Self.share)))
            } else if hasMore {
                handleMore(in: 0)
            }
        case .inTurns(let turns):
            isScheduled = true
            turns.add(self)
        }
    }

    /// A peer that has used up its allowance continues once it has this many nanoseconds.
    private static let share: Int64 = 2_000_000
    /// The longest pause, also after few messages that took the daemon long.
    private static let longestPause: Int64 = 1_000_000_000

    /// Handles a few messages.
    ///
    /// - Returns: whether more may be there, which wait so that other peers have their turn.
    private func handleSome() -> Bool {
        for _ in 0..<Self.messagesPerTurn where !handleLine() { return false }
        return true
    }

    /// Handles further messages after a pause, in which the connection reads nothing.
    private func handleMore(in nanoseconds: Int64) {
        guard isOpen, !isScheduled else { return }
        isScheduled = true
        let next = { [weak self] in
            guard let self else { return }
            isScheduled = false
            goOn()
            if isOpen { handleLines() }
        }
        if nanoseconds > 0 {
            loop.after(nanoseconds: nanoseconds, next)
        } else {
            loop.soon(next)
        }
    }

    /// Whether there may be more.
    private func handleLine() -> Bool {
        guard isOpen else { return false }
        do throws(WireError) {
            guard let line = try framer.next() else { return false }
            loop.messageCount &+= 1
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
        adjustWatch()
    }
}
