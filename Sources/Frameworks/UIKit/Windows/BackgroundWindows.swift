internal import AppRuntime
internal import Synchronization
internal import Wire

/// What the system woke the app for and waits to hear of. Completion handlers may be called on any thread; what counts
/// is the first call.
package final class BackgroundWindows: Sendable {
    private struct State: Sendable {
        var link: (any AppLink)?
        /// Windows that are open, with what they are for.
        var open: [Int: String] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    func attach(_ link: (any AppLink)?) {
        state.withLock { state in
            state.link = link
            if link == nil { state.open = [:] }
        }
    }

    func open(_ window: Int, for what: String) { state.withLock { $0.open[window] = what } }

    func complete(_ window: Int, _ what: String, _ result: String) {
        let (link, isOpen) = state.withLock { ($0.link, $0.open.removeValue(forKey: window) != nil) }
        guard isOpen else {
            if link != nil {
                ApplicationLauncher.complain("the completion handler of \(what) was called more than once")
            }
            return
        }
        Departure.prepare()
        link?.request(.complete, ["window": .int(Int64(window)), "result": .string(result)]) { _ in }
    }
}
