import Keeper
import LinuxSystem
import Testing

@Suite("When a daemon is started again")
struct RestartsTests {
    private static func life(_ status: ProcessStatus?, _ milliseconds: Int64 = 50, serves: Bool = true) -> Restarts.Life
    {
        Restarts.Life(status: status, milliseconds: milliseconds, hasServed: serves)
    }

    @Test("An end in order is the end of all")
    func order() {
        var restarts = Restarts(hasServed: true)
        #expect(restarts.next(after: Self.life(.exited(0))) == .end)
    }

    @Test(
        "What never served and ended by its own decision is not tried again",
        arguments: [ProcessStatus.exited(1), .exited(2), nil])
    func first(_ status: ProcessStatus?) {
        var restarts = Restarts(hasServed: false)
        #expect(restarts.next(after: Self.life(status, serves: false)) == .end)
    }

    @Test("What crashes before it ever served is tried five times")
    func crashesAtStart() {
        var restarts = Restarts(hasServed: false)
        for _ in 1...4 {
            guard case .start(let pause) = restarts.next(after: Self.life(.signaled(4), serves: false)) else {
                Issue.record("given up too early")
                return
            }
            #expect(pause < 100)
        }
        #expect(restarts.next(after: Self.life(.signaled(4), serves: false)) == .end)
    }

    @Test(
        "A system that served is never given up; the pauses grow to a minute, and the apps stop waiting for it",
        arguments: [ProcessStatus.signaled(4), .exited(1), nil])
    func crashLoop(_ status: ProcessStatus?) {
        var restarts = Restarts(hasServed: true)
        var pauses: [Int64] = []
        for number in 1...30 {
            guard case .start(let pause) = restarts.next(after: Self.life(status, 300, serves: false)) else {
                Issue.record("given up")
                return
            }
            pauses.append(pause)
            #expect(restarts.isTroubled == (number >= 6))
        }
        #expect(pauses.prefix(3) == [0, 0, 0], "one crash is mended at once")
        #expect(pauses == pauses.sorted())
        #expect(pauses.last == 60_000)
        // One that lives is trusted again.
        #expect(restarts.next(after: Self.life(.signaled(4), 20_000)) == .start(afterMilliseconds: 0))
        #expect(!restarts.isTroubled)
    }

    @Test("Whoever kills daemons that serve does not stop the apps: the next one comes within a second")
    func killed() {
        var restarts = Restarts(hasServed: false)
        for _ in 0..<100 {
            guard case .start(let pause) = restarts.next(after: Self.life(.signaled(9), 30)) else {
                Issue.record("given up")
                return
            }
            #expect(pause <= 1000)
        }
        #expect(!restarts.isTroubled)
        #expect(restarts.next(after: Self.life(.signaled(9), 300)) == .start(afterMilliseconds: 0))
    }
}
