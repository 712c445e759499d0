import Dispatch
import Host
import LinuxSystem
import Synchronization
import Testing

@Suite("Work beside the loop")
struct WorkersTests {
    private final class Order: Sendable {
        let words = Mutex<[String]>([])
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test("A checkpoint comes behind what storage was given before, and nobody who reads waits for it")
    func checkpoints() throws {
        let workers = try Workers(Loop())
        let order = Order()
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        workers.run(.storage) { order.add("log entries") }
        workers.checkpoint {
            order.add("checkpoint")
            hasBegun.signal()
            mayEnd.wait()
            order.add("written")
        }
        hasBegun.wait()
        let isRead = DispatchSemaphore(value: 0)
        workers.run(.storage) {
            order.add("read")
            isRead.signal()
        }
        isRead.wait()
        mayEnd.signal()
        // What ends the daemon waits for both.
        workers.finish(.storage)
        #expect(order.words.withLock { $0 } == ["log entries", "checkpoint", "read", "written"])
    }

    @Test("A list for a tool does not wait for a long look at memory")
    func lists() throws {
        let workers = try Workers(Loop())
        let (mayEnd, isListed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        workers.run(.slow) { mayEnd.wait() }
        workers.run(.lists) { isListed.signal() }
        #expect(isListed.wait(timeout: .now() + .seconds(30)) == .success)
        mayEnd.signal()
        workers.finish(.slow)
    }
}
