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
}
