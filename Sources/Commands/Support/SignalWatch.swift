internal import Glibc
internal import Model
internal import Synchronization
internal import SystemPackage

/// Turns signals into something to wait for beside descriptors. A process has one at a time.
struct SignalWatch: ~Copyable {
    private let signals: [Int32]
    private let pipe: (read: FileDescriptor, write: FileDescriptor)?
    private var actionsBefore: [sigaction] = []

    /// One bit a signal. This and the pipe are all that a handler may touch.
    private static let arrived = Atomic<UInt64>(0)
    private static let doorbell = Atomic<Int32>(-1)

    init(_ signals: [Int32]) {
        self.signals = signals
        pipe = Self.makePipe()
        Self.arrived.store(0, ordering: .relaxed)
        Self.doorbell.store(pipe?.write.rawValue ?? -1, ordering: .relaxed)
        for signal in signals {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                let errnoBefore = errno
                SignalWatch.arrived.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
                var byte: UInt8 = 0
                unsafe write(SignalWatch.doorbell.load(ordering: .relaxed), &byte, 1)
                errno = errnoBefore
            }
            var before = sigaction()
            unsafe sigaction(signal, &action, &before)
            actionsBefore.append(before)
        }
    }

    deinit {
        for (signal, action) in zip(signals, actionsBefore) {
            var action = action
            unsafe sigaction(signal, &action, nil)
        }
        Self.doorbell.store(-1, ordering: .relaxed)
        try? pipe?.read.close()
        try? pipe?.write.close()
    }

    /// Neither end may block: a full pipe says all that it has to say.
    private static func makePipe() -> (read: FileDescriptor, write: FileDescriptor)? {
        guard let ends = try? FileDescriptor.pipe() else { return nil }
        for end in [ends.readEnd.rawValue, ends.writeEnd.rawValue] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
        return (ends.readEnd, ends.writeEnd)
    }

    struct Events {
        var readable: Set<Int32> = []
        var writable: Set<Int32> = []
        var signals: Set<Int32> = []
    }

    /// Waits until a descriptor is ready, a signal came, or the time is over. Negative descriptors are left out.
    func wait(reading: [Int32], writing: [Int32] = [], atMost time: Span? = nil) -> Events {
        let bell = pipe?.read.rawValue ?? -1
        var entries = (reading + [bell]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        entries += writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        var events = Events()
        if unsafe poll(&entries, nfds_t(entries.count), Poll.milliseconds(time)) > 0 {
            events.readable = Set(entries.prefix(reading.count).filter { $0.revents != 0 }.map(\.fd))
            events.writable = Set(entries.dropFirst(reading.count + 1).filter { $0.revents != 0 }.map(\.fd))
        }
        if let pipe { _ = try? Files.read(pipe.read, atMost: 64) }
        let bits = Self.arrived.exchange(0, ordering: .relaxed)
        events.signals = Set(signals.filter { bits & (1 << UInt64($0)) != 0 })
        return events
    }
}
