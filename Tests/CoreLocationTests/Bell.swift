import Dispatch
import LocationModel
import Synchronization

/// What happens in a test, in its order.
final class Bell<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[Value], Never>)] = []
    }

    private let state = Mutex(State())

    func ring(_ value: Value) {
        state.withLock { state in
            state.values.append(value)
            let values = state.values
            state.waiters.removeAll { waiter in
                guard values.count >= waiter.count else { return false }
                waiter.continuation.resume(returning: values)
                return true
            }
        }
    }

    var all: [Value] { state.withLock { $0.values } }

    /// All of it, when so much has happened.
    func first(_ count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                guard state.values.count < count else { return continuation.resume(returning: state.values) }
                state.waiters.append((count, continuation))
            }
        }
    }
}

/// What was asked of the main thread so far has been done when this returns.
func mainThreadIsDone() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

/// A fix on the prime meridian; a thousandth of a degree is 111 metres.
func fix(_ latitude: Double, accuracy: Double = 5, at time: Double = 1_000) -> Fix {
    Fix(Coordinate(latitude, 0), accuracy: accuracy, time: time, source: .gps)
}

extension Region {
    static func home(_ identifier: String = "home") -> Region {
        Region(identifier, center: Coordinate(50, 8), radius: 100)
    }
}
