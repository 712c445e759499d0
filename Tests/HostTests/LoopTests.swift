import Host
import LinuxSystem
import Testing

@Suite("The loop")
struct LoopTests {
    @Test("Timers fire in the order of their moments, not of their making")
    func timers() throws {
        let loop = try Loop()
        var fired: [Int] = []
        loop.after(nanoseconds: 300_000_000) {
            fired.append(3)
            loop.stop()
        }
        loop.after(nanoseconds: 100_000_000) { fired.append(1) }
        loop.after(nanoseconds: 200_000_000) { fired.append(2) }
        try loop.run { nil }
        #expect(fired == [1, 2, 3])
    }

    @Test("A timer that is taken back does not fire, and the others do")
    func forgotten() throws {
        let loop = try Loop()
        var fired: [Int] = []
        let first = loop.after(nanoseconds: 1_000_000) { fired.append(1) }
        loop.after(nanoseconds: 2_000_000) {
            fired.append(2)
            loop.stop()
        }
        loop.forget(timer: first)
        try loop.run { nil }
        #expect(fired == [2])
    }

    @Test("A watch that is cancelled while its event waits is not called")
    func cancelled() throws {
        let loop = try Loop()
        let (first, second) = (try EventFD(), try EventFD())
        var calls: [String] = []
        var watches: [String: Loop.Watch] = [:]
        // Whichever is called first cancels the other, whose event is in the same batch.
        watches["first"] = try loop.watch(first.descriptor.rawValue, .readable) { _ in
            calls.append("first")
            watches["second"] = nil
            loop.soon { loop.stop() }
            first.drain()
        }
        watches["second"] = try loop.watch(second.descriptor.rawValue, .readable) { _ in
            calls.append("second")
            watches["first"] = nil
            loop.soon { loop.stop() }
            second.drain()
        }
        first.signal()
        second.signal()
        try loop.run { nil }
        #expect(calls.count == 1)
    }
}
