package import LinuxSystem

/// The one thread that decides and acts: an epoll loop with timers, and workers for what is slow.
package final class Loop {
    /// A descriptor that is watched; cancelled when let go.
    package final class Watch {
        fileprivate let fd: CInt
        fileprivate let token: UInt64
        private weak var loop: Loop?

        fileprivate init(fd: CInt, token: UInt64, loop: Loop) {
            self.fd = fd
            self.token = token
            self.loop = loop
        }

        deinit { cancel() }

        func change(_ events: Epoll.Events) throws(SystemError) { try loop?.epoll.modify(fd, events, token: token) }

        package func cancel() { loop?.forget(self) }
    }

    private let epoll: Epoll
    private let timer: TimerFD
    private var handlers: [UInt64: (Epoll.Events) -> Void] = [:]
    private var nextToken: UInt64 = 1
    private var timers: [(at: Int64, id: UInt64, action: () -> Void)] = []
    private var armedAt: Int64?
    /// Messages of all peers, since the process began.
    var messageCount: UInt64 = 0
    private var ready: [Epoll.Ready] = []
    private var again: [() -> Void] = []
    package private(set) var isStopped = false
    private var failure: SystemError?
    /// `nil`: the kernel gives none.
    package private(set) lazy var groupEvents = try? GroupEvents(self)

    package init() throws(SystemError) {
        epoll = try Epoll()
        timer = try TimerFD()
        try epoll.add(timer.descriptor.rawValue, .readable, token: 0)
    }

    package func watch(
        _ fd: CInt, _ events: Epoll.Events, _ handler: @escaping (Epoll.Events) -> Void
    ) throws(SystemError) -> Watch {
        let token = nextToken
        nextToken += 1
        try epoll.add(fd, events, token: token)
        handlers[token] = handler
        return Watch(fd: fd, token: token, loop: self)
    }

    private func forget(_ watch: Watch) {
        // A descriptor closed before its watch may be another one by now: the token decides.
        guard handlers.removeValue(forKey: watch.token) != nil else { return }
        epoll.remove(watch.fd)
    }

    /// Calls once, after so long.
    @discardableResult
    package func after(nanoseconds: Int64, _ action: @escaping () -> Void) -> UInt64 {
        let id = nextToken
        nextToken += 1
        let at = Clock.boot() + nanoseconds
        timers.insert((at, id, action), at: place(of: at))
        return id
    }

    /// Takes back what `after` was to call.
    package func forget(timer id: UInt64) { timers.removeAll { $0.id == id } }

    /// Behind all that are not later: found by halves, since ten thousand apps may have one each.
    private func place(of at: Int64) -> Int {
        var (low, high) = (0, timers.count)
        while low < high {
            let middle = low + (high - low) / 2
            if timers[middle].at > at { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Calls in the next turn, after everything that is ready now: for work left over by a bound.
    package func soon(_ action: @escaping () -> Void) { again.append(action) }

    package func stop() { isStopped = true }

    /// Ends the loop with this error, in this turn: without what failed it is not worth going on.
    package func fail(_ error: SystemError) { failure = failure ?? error }

    /// Waits for something to happen, handles it, and calls `settle`, which says when the policy wants the timer.
    package func run(_ settle: () -> Int64?) throws(SystemError) {
        while !isStopped {
            if let failure { throw failure }
            try arm(settle())
            if isStopped { return }
            try epoll.wait(milliseconds: again.isEmpty ? nil : 0, &ready)
            let leftOver = again
            again = []
            for action in leftOver { action() }
            for event in ready {
                if event.token == 0 {
                    timer.drain()
                    armedAt = nil
                } else {
                    handlers[event.token]?(event.events)
                }
            }
            runTimers()
        }
    }

    private func runTimers() {
        guard let first = timers.first, first.at <= Clock.boot() else { return }
        let now = Clock.boot()
        let due = timers.prefix { $0.at <= now }
        timers.removeFirst(due.count)
        for timer in due { timer.action() }
    }

    private func arm(_ deadline: Int64?) throws(SystemError) {
        let next = [deadline, timers.first?.at].compactMap { $0 }.min()
        guard next != armedAt else { return }
        armedAt = next
        try timer.arm(at: next)
    }
}
