internal import CSystemd
internal import Dispatch
internal import Glibc
internal import LinuxSystem

/// One connection to a bus from its begin to its end: libsystemd's `sd_bus` on a dispatch queue. It never blocks.
///
/// What libsystemd hands over is read at once and handled after it has returned, so a handler may do anything, even end
/// the connection.
///
/// Unchecked: used on its queue only.
@safe final class Link: @unchecked Sendable {
    /// What becomes of what comes. All of it is called on the queue.
    protocol Client: AnyObject {
        /// The bus has given the connection a name.
        func linkIsReady(_ link: Link, as name: String)
        /// A signal.
        func link(_ link: Link, heard signal: Incoming)
        /// A call; `token` names it for its answer, and is absent where nobody waits for one.
        func link(_ link: Link, asked call: Incoming, token: UInt64?)
        /// Said once, unless it was closed from here.
        func linkHasEnded(_ link: Link, _ error: DBusError)
    }

    /// Messages that are handled before others of the queue have their turn.
    private static let messagesPerTurn = 32
    /// Messages that wait for the bus to read them: a bus that is so far behind does not read.
    static let mostQueued: UInt64 = 1024
    static let mostPending = 1024
    /// Calls that have yet to be answered here, and the bytes that they keep.
    private static let (mostUnanswered, mostUnansweredBytes) = (256, 4 << 20)

    private enum Arrival {
        case message(Incoming, token: UInt64?)
        case answer(PendingCall, Result<[DBusValue], DBusError>)
    }

    let queue: DispatchQueue
    private weak var client: (any Client)?
    private(set) var bus: OpaquePointer?
    private var filter: OpaquePointer?
    private var arrivals: [Arrival] = []
    /// Calls of ours that have no answer yet.
    var pending: [UInt64: PendingCall] = [:]
    /// Calls to us that have no answer yet.
    var unanswered: [UInt64: UnansweredCall] = [:]
    var unansweredBytes = 0
    var lastNumber: UInt64 = 0
    private(set) var isReady = false
    /// What the bus calls itself: another one each time that it starts.
    private(set) var busIdentifier = ""
    private var oversize = OversizeGuard()

    private var watched: Descriptor?
    private var watchedNumber: CInt = -1
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var timer: (any DispatchSourceTimer)?
    private var isScheduled = false
    private var isInTurn = false

    /// Begins to connect. A socket that is not there yet is waited for without polling.
    init(
        to address: String, queue: DispatchQueue, takesDescriptors: Bool, client: any Client
    ) throws(DBusError) {
        (self.queue, self.client) = (queue, client)
        try unsafe check("sd_bus_new", sd_bus_new(&bus))
        do throws(DBusError) {
            guard unsafe sd_bus_set_address(bus, address) >= 0 else { throw .invalid("the address “\(address)”") }
            try unsafe check("sd_bus_set_bus_client", sd_bus_set_bus_client(bus, 1))
            try unsafe check("sd_bus_set_watch_bind", sd_bus_set_watch_bind(bus, 1))
            try unsafe check("sd_bus_negotiate_fds", sd_bus_negotiate_fds(bus, takesDescriptors ? 1 : 0))
            let own = unsafe Unmanaged.passUnretained(self).toOpaque()
            try unsafe check(
                "sd_bus_add_filter",
                sd_bus_add_filter(
                    bus, &filter,
                    { message, own, _ in
                        guard let message = unsafe message, let own = unsafe own else { return 0 }
                        return unsafe Unmanaged<Link>.fromOpaque(own).takeUnretainedValue().receive(message)
                    }, own))
            try unsafe check("connect", sd_bus_start(bus))
        } catch {
            release()
            throw error
        }
        schedule()
    }

    deinit { close() }

    var isOpen: Bool { unsafe bus != nil }
    /// How many messages were thrown away since they were too large.
    var discarded: Int { oversize.discarded }

    // MARK: Its end

    /// Whoever waits for an answer hears `.disconnected`, after this has returned.
    func close() {
        guard isOpen else { return }
        let left = pending.values.map(\.completion)
        release()
        if !left.isEmpty { queue.later { for completion in left { completion(.failure(.disconnected)) } } }
    }

    private func end(_ error: DBusError) {
        guard isOpen else { return }
        close()
        client?.linkHasEnded(self, error)
    }

    private func release() {
        reader?.cancel()
        writer?.cancel()
        timer?.cancel()
        (reader, writer, timer, watched, isReady) = (nil, nil, nil, nil, false)
        arrivals = []
        for call in pending.values { call.release() }
        pending = [:]
        for call in unanswered.values { call.release() }
        (unanswered, unansweredBytes) = ([:], 0)
        unsafe sd_bus_slot_unref(filter)
        // Without a flush, which would wait.
        unsafe sd_bus_close_unref(bus)
        unsafe (filter, bus) = (nil, nil)
    }

    // MARK: Its turns

    private func schedule() {
        guard !isScheduled, isOpen else { return }
        isScheduled = true
        queue.async { [weak self] in
            guard let self else { return }
            isScheduled = false
            turn()
        }
    }

    private func turn() {
        guard isOpen, !isInTurn else { return }
        isInTurn = true
        var left = Self.messagesPerTurn
        while isOpen, left > 0, hasWork() {
            left -= 1
            let result = unsafe sd_bus_process(bus, nil)
            deliver()
            guard isOpen else { break }
            if unsafe result < 0 || sd_bus_is_open(bus) <= 0 {
                end(Self.reason(result))
                break
            }
            if !isReady, unsafe sd_bus_is_ready(bus) > 0 { becomeReady() }
            if result == 0 {
                if isReady { oversize.readSome() }
                break
            }
        }
        isInTurn = false
        if left == 0 { schedule() }
        arrange()
    }

    /// Whether libsystemd has something to read, to write or to give up.
    private func hasWork() -> Bool {
        guard isReady else { return true }
        switch oversize.look(at: watchedNumber) {
        case .admitted: return true
        case .discarding: return false
        case .empty:
            var queued: UInt64 = 0
            _ = unsafe sd_bus_get_n_queued_write(bus, &queued)
            return queued > 0 || deadline() <= UInt64(Clock.monotonic() / 1000)
        }
    }

    private static func reason(_ result: CInt) -> DBusError {
        do throws(DBusError) {
            try check("D-Bus", result)
            return .disconnected
        } catch {
            return error
        }
    }

    private func becomeReady() {
        var name: UnsafePointer<CChar>?
        guard unsafe sd_bus_get_unique_name(bus, &name) >= 0, let name = unsafe name else { return }
        isReady = true
        var identifier = sd_id128_t()
        if unsafe sd_bus_get_bus_id(bus, &identifier) >= 0 {
            busIdentifier = unsafe withUnsafeBytes(of: identifier) { bytes in
                unsafe bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        }
        unsafe client?.linkIsReady(self, as: String(cString: name))
    }

    /// When libsystemd wants to be called at the latest, in microseconds of the monotonic clock.
    private func deadline() -> UInt64 {
        var deadline = UInt64.max
        return unsafe sd_bus_get_timeout(bus, &deadline) >= 0 ? deadline : .max
    }

    /// Watches what libsystemd now waits for.
    func arrange() {
        guard isOpen, !isInTurn else { return }
        let number = unsafe sd_bus_get_fd(bus)
        guard number >= 0 else { return end(.disconnected) }
        // While it connects it may wait for one file after another, under the same number.
        if number != watchedNumber || watched == nil || !isReady, !watch(number) { return end(.disconnected) }
        let events = unsafe sd_bus_get_events(bus)
        if events & CInt(POLLOUT) == 0 {
            writer?.cancel()
            writer = nil
        } else if writer == nil, let watched {
            let writer = DispatchSource.makeWriteSource(fileDescriptor: watched.rawValue, queue: queue)
            writer.setEventHandler { [weak self] in self?.turn() }
            writer.setCancelHandler { withExtendedLifetime(watched) {} }
            self.writer = writer
            writer.resume()
        }
        arm(deadline())
    }

    /// A duplicate is watched, so that libsystemd may close its own whenever it likes.
    private func watch(_ number: CInt) -> Bool {
        guard let descriptor = try? Descriptor(borrowing: number).duplicate() else { return false }
        reader?.cancel()
        writer?.cancel()
        writer = nil
        let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        reader.setEventHandler { [weak self] in self?.turn() }
        reader.setCancelHandler { withExtendedLifetime(descriptor) {} }
        (self.reader, watched, watchedNumber) = (reader, descriptor, number)
        reader.resume()
        return true
    }

    private func arm(_ deadline: UInt64) {
        guard deadline != .max else {
            timer?.schedule(deadline: .distantFuture)
            return
        }
        let now = UInt64(Clock.monotonic() / 1000)
        guard deadline > now else { return schedule() }
        let timer = self.timer ?? DispatchSource.makeTimerSource(queue: queue)
        if self.timer == nil {
            timer.setEventHandler { [weak self] in self?.turn() }
            timer.resume()
            self.timer = timer
        }
        let pause = min(deadline - now, UInt64(Int32.max))
        timer.schedule(deadline: .now() + .microseconds(Int(pause)), leeway: .milliseconds(1))
    }

    // MARK: In

    /// 1 where the message is dealt with.
    private func receive(_ message: OpaquePointer) -> CInt {
        oversize.sawMessage()
        guard let incoming = unsafe Incoming(message) else { return 1 }
        switch incoming.kind {
        case .signal: arrivals.append(.message(incoming, token: nil))
        case .call:
            // libsystemd answers whether there is somebody.
            if incoming.interface == "org.freedesktop.DBus.Peer" { return 0 }
            guard incoming.expectsAnswer else {
                arrivals.append(.message(incoming, token: nil))
                break
            }
            guard unanswered.count < Self.mostUnanswered, unansweredBytes < Self.mostUnansweredBytes else {
                unsafe reply(to: message, .failure(.tooMany))
                break
            }
            lastNumber += 1
            unanswered[lastNumber] = unsafe UnansweredCall(message, bytes: incoming.bytes)
            unansweredBytes += incoming.bytes
            arrivals.append(.message(incoming, token: lastNumber))
        case .answer, .error: break
        }
        return 1
    }

    func answered(_ call: PendingCall, _ message: OpaquePointer) {
        oversize.sawMessage()
        guard pending.removeValue(forKey: call.number) != nil, let incoming = unsafe Incoming(message) else { return }
        arrivals.append(
            .answer(call, incoming.result(asked: call.destination, isLate: Clock.monotonic() >= call.deadline)))
    }

    private func deliver() {
        while isOpen, !arrivals.isEmpty {
            let all = arrivals
            arrivals = []
            for arrival in all {
                switch arrival {
                case .answer(let call, let result):
                    call.release()
                    call.completion(result)
                case .message(let message, let token):
                    guard isOpen else { continue }
                    if message.kind == .call {
                        client?.link(self, asked: message, token: token)
                    } else {
                        client?.link(self, heard: message)
                    }
                }
            }
        }
    }
}
