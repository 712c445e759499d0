internal import Dispatch
internal import Synchronization
internal import Wire

/// The tasks of `BGTaskScheduler` in this process: who is called for which, and which are under way. Here, and not in
/// the framework, since the callback comes to UIKit and the handlers are in BackgroundTasks, which know nothing of each
/// other.
package final class BackgroundLaunches: Sendable {
    /// A task that the system launches.
    package struct Launch: Sendable, Hashable {
        package let identifier: String
        /// `refresh` or `processing`.
        package let kind: String
        package let window: Int

        package init(identifier: String, kind: String, window: Int) {
            self.identifier = identifier
            self.kind = kind
            self.window = window
        }
    }

    package typealias Handler = @Sendable (Launch) -> Void

    package enum Registration: Sendable {
        case registered, tooLate, twice
    }

    private struct State: Sendable {
        var link: (any AppLink)?
        var isLaunched = false
        var handlers: [String: Handler] = [:]
        /// What to call when a task's time is nearly over, by its window; `nil`: nothing yet.
        var expirations: [Int: (@Sendable () -> Void)?] = [:]
        var expired: Set<Int> = []
        var sessions: [String?: SessionAction] = [:]
    }

    /// Takes the events of a background URL session of this name, before the app's delegate is asked.
    package typealias SessionAction = @Sendable (String) async -> Void

    private let state = Mutex(State())

    /// One for a process, as its main queue.
    package static let shared = BackgroundLaunches()

    package init() {}

    /// From now on this is the system, and nothing of the one before is left; `nil`: there is none any more.
    package func attach(_ link: (any AppLink)?) {
        state.withLock { state in
            state = State()
            state.link = link
        }
    }

    package var link: (any AppLink)? { state.withLock { $0.link } }

    /// `didFinishLaunching` has returned: who is not registered by now, is not.
    package func finishLaunching() { state.withLock { $0.isLaunched = true } }

    package func register(_ identifier: String, _ handler: @escaping Handler) -> Registration {
        state.withLock { state in
            if state.isLaunched { return .tooLate }
            guard state.handlers[identifier] == nil else { return .twice }
            state.handlers[identifier] = handler
            return .registered
        }
    }

    /// - Parameter session: `nil`: any that no other action takes.
    package func take(session: String?, _ action: @escaping SessionAction) {
        state.withLock { $0.sessions[session] = action }
    }

    package func action(for session: String) -> SessionAction? {
        state.withLock { $0.sessions[session] ?? $0.sessions[nil] }
    }

    /// The system launches a task; false if nobody registered for it.
    package func launch(_ launch: Launch) -> Bool {
        let handler = state.withLock { state in
            let handler = state.handlers[launch.identifier]
            if handler != nil { state.expirations[launch.window] = .some(nil) }
            return handler
        }
        guard let handler else {
            tell(launch.window, "failed")
            return false
        }
        handler(launch)
        return true
    }

    /// What to call when the task's time is nearly over; at once if it is.
    package func setExpiration(_ window: Int, _ expiration: (@Sendable () -> Void)?) {
        let isOver = state.withLock { state in
            guard state.expirations[window] != nil else { return false }
            state.expirations[window] = .some(expiration)
            return state.expired.contains(window)
        }
        if isOver, let expiration { DispatchQueue.main.async(execute: expiration) }
    }

    /// The system says so; it may say so twice. On the main thread.
    package func expire(_ window: Int) {
        let expiration = state.withLock { state -> (@Sendable () -> Void)? in
            guard let known = state.expirations[window], state.expired.insert(window).inserted else { return nil }
            return known
        }
        expiration?()
    }

    /// The task is done; what was said before stays.
    package func complete(_ window: Int, success: Bool) {
        let isNew = state.withLock { state in
            state.expired.remove(window)
            return state.expirations.removeValue(forKey: window) != nil
        }
        if isNew { tell(window, success ? "done" : "failed") }
    }

    private func tell(_ window: Int, _ result: String) {
        Departure.prepare()
        link?.request(.complete, ["window": .int(Int64(window)), "result": .string(result)]) { _ in }
    }
}
