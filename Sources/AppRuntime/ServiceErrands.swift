internal import Dispatch
internal import Synchronization

/// What frameworks are just saying to services, by names for people. An app that is suspended, or killed, before a
/// service has heard what it wants would lose that. So UIKit keeps it running meanwhile; no framework has to know UIKit
/// for it.
package final class ServiceErrands: Sendable {
    /// Called on any thread, in the order in which it happens; must not call back.
    package typealias Keeper = @Sendable (_ name: String, _ isOut: Bool) -> Void

    private struct State {
        var keeper: Keeper?
        var out: Set<String> = []
        /// How often `begin(_:)` was called for each name, without its end.
        var begun: [String: Int] = [:]
    }

    package static let shared = ServiceErrands()
    private let state = Mutex(State())

    package init() {}

    /// From now on this keeps the app running; it hears of what is out already.
    package func use(_ keeper: @escaping Keeper) {
        state.withLock { state in
            state.keeper = keeper
            for name in state.out.sorted() { keeper(name, true) }
        }
    }

    /// Something was asked, perhaps not for the first time; or everything is answered.
    package func set(_ name: String, isOut: Bool) {
        state.withLock { state in
            if isOut { state.out.insert(name) } else { state.out.remove(name) }
            state.keeper?(name, isOut)
        }
    }

    /// The app asked the system for something whose answer is still to be handed to its own code. As often as that
    /// happens, `settle(_:)` follows.
    package func begin(_ name: String) {
        state.withLock { state in
            state.begun[name, default: 0] += 1
            if state.begun[name] == 1 {
                state.out.insert(name)
                state.keeper?(name, true)
            }
        }
    }

    /// The answer was handed over: once the code that it resumed has had its turn, the app needs to run no longer.
    package func settle(_ name: String) {
        Turn.end { [self] in
            state.withLock { state in
                guard let count = state.begun[name] else { return }
                state.begun[name] = count > 1 ? count - 1 : nil
                if count == 1 {
                    state.out.remove(name)
                    state.keeper?(name, false)
                }
            }
        }
    }
}

/// Waits for the app's code that an answer resumes: a completion handler on the main queue, or a task that continues
/// in the background and returns to the main actor.
package enum Turn {
    private static let rounds = 2
    private static let isOnMainQueue = Mutex(false)

    /// Tasks run on the main queue alone, as in tests in virtual time.
    package static func staysOnMainQueue(_ stays: Bool) { isOnMainQueue.withLock { $0 = stays } }

    /// Calls `done` after that code has run, or waits for something else.
    package static func end(_ done: @escaping @Sendable () -> Void) { end(rounds, done) }

    private static func end(_ rounds: Int, _ done: @escaping @Sendable () -> Void) {
        guard rounds > 0 else { return done() }
        let next: @Sendable () -> Void = { DispatchQueue.main.async { end(rounds - 1, done) } }
        if isOnMainQueue.withLock(\.self) { next() } else { DispatchQueue.global().async(execute: next) }
    }
}
