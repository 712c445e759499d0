internal import Synchronization
package import Wire

/// Which network the system says there is, for frameworks that wait for one and do not know UIKit. Any thread may ask.
package final class NetworkNews: Sendable {
    package typealias Network = ServiceConditions.Network

    private struct State {
        var network: Network?
        var lastToken = 0
        var observers: [Int: @Sendable () -> Void] = [:]
    }

    /// What the system tells this process.
    package static let shared = NetworkNews()
    private let state = Mutex(State())

    package init() {}

    /// `nil` until the system has said it, which it never does in a program that it did not start.
    package var network: Network? { state.withLock { $0.network } }

    /// The system says which network there is. Observers hear of it where it is another one.
    package func tell(_ network: Network?) {
        let observers = state.withLock { state in
            guard state.network != network else { return [@Sendable () -> Void]() }
            state.network = network
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls on the thread of the one that tells, until `ignore`.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastToken += 1
            state.observers[state.lastToken] = observer
            return state.lastToken
        }
    }

    package var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

    package func ignore(_ token: Int) { state.withLock { _ = $0.observers.removeValue(forKey: token) } }
}
