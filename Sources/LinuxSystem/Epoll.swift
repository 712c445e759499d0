internal import CLinux
internal import Glibc

/// The corresponding C functions are `epoll_create1`, `epoll_ctl` and `epoll_wait`. What is ready is named by a token
/// that is never given twice, so a closed and reused descriptor cannot be mistaken for its predecessor.
@safe package final class Epoll {
    package struct Events: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: 0x001)
        package static let priority = Events(rawValue: 0x002)
        package static let writable = Events(rawValue: 0x004)
        package static let error = Events(rawValue: 0x008)
        package static let hangUp = Events(rawValue: 0x010)
        /// Tells of what is new alone, not of what is still there.
        package static let edge = Events(rawValue: 1 << 31)
    }

    package struct Ready: Hashable, Sendable {
        package let token: UInt64
        package let events: Events
    }

    private let descriptor: Descriptor
    private var buffer = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    package init() throws(SystemError) {
        descriptor = Descriptor(owning: try check("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
    }

    package func add(_ fd: CInt, _ events: Events, token: UInt64) throws(SystemError) {
        let epoll = descriptor.rawValue
        try check("epoll_ctl") { gr_epoll_ctl(epoll, EPOLL_CTL_ADD, fd, events.rawValue, token) }
    }

    package func modify(_ fd: CInt, _ events: Events, token: UInt64) throws(SystemError) {
        let epoll = descriptor.rawValue
        try check("epoll_ctl") { gr_epoll_ctl(epoll, EPOLL_CTL_MOD, fd, events.rawValue, token) }
    }

    package func remove(_ fd: CInt) { _ = gr_epoll_ctl(descriptor.rawValue, EPOLL_CTL_DEL, fd, 0, 0) }

    /// Waits; `nil` waits for ever. An interrupted wait returns nothing.
    package func wait(milliseconds: CInt?, _ ready: inout [Ready]) throws(SystemError) {
        ready.removeAll(keepingCapacity: true)
        let fd = descriptor.rawValue
        let limit = unsafe CInt(buffer.count)
        let count = unsafe buffer.withUnsafeMutableBufferPointer {
            unsafe $0.baseAddress.map { unsafe epoll_wait(fd, $0, limit, milliseconds ?? -1) } ?? 0
        }
        guard count >= 0 else {
            if Glibc.errno == EINTR { return }
            throw .last("epoll_wait")
        }
        for index in 0..<Int(count) {
            let event = unsafe buffer[index]
            ready.append(Ready(token: unsafe event.data.u64, events: Events(rawValue: unsafe event.events)))
        }
    }
}

/// The corresponding C function is `eventfd`: wakes a loop from another thread.
package final class EventFD: Sendable {
    package let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(
            owning: try check("eventfd") { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
    }

    package func signal() { _ = eventfd_write(descriptor.rawValue, 1) }

    package func drain() {
        var value: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor.rawValue, &value)
    }
}

/// The corresponding C functions are `timerfd_create` and `timerfd_settime`.
package final class TimerFD {
    package let descriptor: Descriptor
    private let clock: CInt

    /// A timer on the clock that goes on during sleep.
    package init() throws(SystemError) {
        clock = CLOCK_BOOTTIME
        let clock = clock
        descriptor = Descriptor(
            owning: try check("timerfd_create") { timerfd_create(clock, CInt(TFD_CLOEXEC | TFD_NONBLOCK)) })
    }

    /// A timer that becomes readable when somebody sets the wall clock.
    package init(detectingClockChanges: Void) throws(SystemError) {
        clock = CLOCK_REALTIME
        let clock = clock
        descriptor = Descriptor(
            owning: try check("timerfd_create") { timerfd_create(clock, CInt(TFD_CLOEXEC | TFD_NONBLOCK)) })
        try rearmClockChange()
    }

    package func rearmClockChange() throws(SystemError) {
        var value = itimerspec()
        // As far away as fits: only the cancellation is of interest.
        value.it_value.tv_sec = Int(Int32.max)
        let fd = descriptor.rawValue
        let flags = CInt(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
        try check("timerfd_settime") { unsafe timerfd_settime(fd, flags, &value, nil) }
    }

    /// Fires at a moment; `nil` disarms.
    package func arm(at nanoseconds: Int64?) throws(SystemError) {
        var value = itimerspec()
        if let nanoseconds {
            // Zero would disarm.
            let at = max(1, nanoseconds)
            value.it_value.tv_sec = Int(at / 1_000_000_000)
            value.it_value.tv_nsec = Int(at % 1_000_000_000)
        }
        let fd = descriptor.rawValue
        try check("timerfd_settime") { unsafe timerfd_settime(fd, CInt(TFD_TIMER_ABSTIME), &value, nil) }
    }

    /// True if the timer was cancelled because the clock was set.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        let fd = descriptor.rawValue
        let got = unsafe Glibc.read(fd, &count, 8)
        return got < 0 && Glibc.errno == ECANCELED
    }
}

/// The corresponding C function is `signalfd`; the signals are blocked for the process.
package final class SignalFD {
    package let descriptor: Descriptor

    package init(_ signals: [CInt]) throws(SystemError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let fd = try check("signalfd") {
            unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        descriptor = Descriptor(owning: fd)
    }

    /// The next signal that arrived.
    package func next() -> CInt? {
        var info = signalfd_siginfo()
        let fd = descriptor.rawValue
        let size = MemoryLayout<signalfd_siginfo>.size
        return unsafe Glibc.read(fd, &info, size) == size ? CInt(info.ssi_signo) : nil
    }
}
