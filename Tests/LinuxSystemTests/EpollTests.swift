import Glibc
import LinuxSystem
import Testing

@Suite("Waiting")
struct EpollTests {
    private let epoll: Epoll
    private var ready: [Epoll.Ready] = []

    init() throws { epoll = try Epoll() }

    @Test("What is ready is named by its token and by what can be done")
    mutating func tokens() throws {
        let (ours, theirs) = try UnixSocket.pair()
        try epoll.add(ours.rawValue, .readable, token: .max)
        try epoll.add(theirs.rawValue, [.readable, .writable], token: 5)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.map(\.token) == [5])
        #expect(ready.map(\.events) == [.writable])
        try theirs.writeAll([1])
        try epoll.modify(theirs.rawValue, [], token: 5)
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.map(\.token) == [.max])
        #expect(ready.map(\.events) == [.readable])
        epoll.remove(ours.rawValue)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
    }

    @Test("A number that is used again carries its new token")
    mutating func reusedNumber() throws {
        let (first, firstPeer) = try UnixSocket.pair()
        try epoll.add(first.rawValue, .readable, token: 1)
        try firstPeer.writeAll([1])
        let number = first.rawValue
        epoll.remove(number)
        let (second, secondPeer) = try UnixSocket.pair()
        // In place of the first, under its number.
        try #require(dup2(second.rawValue, number) == number)
        try epoll.add(number, .readable, token: 2)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
        try secondPeer.writeAll([1])
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.map(\.token) == [2])
        withExtendedLifetime((first, firstPeer, second)) {}
    }

    @Test("A peer that hangs up is reported without having been asked for")
    mutating func hangUp() throws {
        let (ours, theirs) = try UnixSocket.pair()
        try epoll.add(ours.rawValue, [], token: 9)
        _ = consume theirs
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.first?.events.contains(.hangUp) == true)
    }

    @Test("A signal from another thread wakes, once, however often it was given")
    mutating func eventFD() async throws {
        let event = try EventFD()
        try epoll.add(event.descriptor.rawValue, .readable, token: 3)
        await Task.detached { for _ in 0..<3 { event.signal() } }.value
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.map(\.token) == [3])
        event.drain()
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
    }

    @Test("A timer fires at its moment, at once when that has passed, and not at all when disarmed")
    mutating func timer() throws {
        let timer = try TimerFD()
        try epoll.add(timer.descriptor.rawValue, .readable, token: 4)
        let moment = Clock.boot() + 20_000_000
        try timer.arm(at: moment)
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.map(\.token) == [4])
        #expect(Clock.boot() >= moment)
        #expect(!timer.drain())
        for past in [0, -5, 1, Clock.boot()] {
            try timer.arm(at: past)
            try epoll.wait(milliseconds: 5000, &ready)
            #expect(ready.map(\.token) == [4])
            timer.drain()
        }
        try timer.arm(at: Clock.boot() + 3_600_000_000_000)
        try timer.arm(at: nil)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
    }

    @Test("The wait for a change of the wall clock waits")
    mutating func clockChanges() throws {
        let timer = try TimerFD(detectingClockChanges: ())
        try epoll.add(timer.descriptor.rawValue, .readable, token: 6)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
        #expect(!timer.drain())
        try timer.rearmClockChange()
    }

    @Test("A signal is something to read")
    mutating func signals() throws {
        // A test's thread is borrowed: what it blocks is given back.
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let signals = try SignalFD([SIGUSR1, SIGUSR2])
        try epoll.add(signals.descriptor.rawValue, .readable, token: 8)
        #expect(signals.next() == nil)
        #expect(raise(SIGUSR2) == 0)
        try epoll.wait(milliseconds: 5000, &ready)
        #expect(ready.map(\.token) == [8])
        #expect(signals.next() == SIGUSR2)
        #expect(signals.next() == nil)
    }

    @Test("A wait ends when its time is over")
    mutating func timeout() throws {
        let event = try EventFD()
        event.signal()
        try epoll.add(event.descriptor.rawValue, .readable, token: 1)
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.count == 1)
        event.drain()
        let before = Clock.monotonic()
        try epoll.wait(milliseconds: 20, &ready)
        #expect(ready.isEmpty)
        #expect(Clock.monotonic() - before >= 19_000_000)
    }
}
