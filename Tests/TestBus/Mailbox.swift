internal import Dispatch
internal import Synchronization

/// What happens on other threads, in its order, for a test that waits for it.
package final class Mailbox<Value: Sendable>: Sendable {
    package struct Empty: Error, CustomStringConvertible {
        package let description = "nothing came within 20 seconds"

        package init() {}
    }

    private let values = Mutex<[Value]>([])
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    package func post(_ value: Value) {
        values.withLock { $0.append(value) }
        count.signal()
    }

    package func next() throws -> Value {
        guard count.wait(timeout: .now() + .seconds(20)) == .success else { throw Empty() }
        return values.withLock { $0.removeFirst() }
    }

    /// What has come and was not taken.
    package var rest: [Value] { values.withLock { $0 } }
}
