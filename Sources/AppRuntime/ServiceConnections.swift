internal import Dispatch
internal import Synchronization
package import Wire

/// An app's way to services that are programs of their own, for each framework that speaks to one.
package final class ServiceConnections: Sendable {
    private struct State {
        var link: (any AppLink)?
        var waiting: [DispatchSemaphore] = []
    }

    package static let shared = ServiceConnections()
    private let state = Mutex(State())

    package init() {}

    /// By this the app speaks to the system.
    package func use(_ link: any AppLink) {
        let waiting = state.withLock { state in
            state.link = link
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.signal() }
    }

    /// A stream to the service, which the caller owns; the daemon may have to start it first. Waits so long, on any
    /// thread but the main one: also for the app's own beginning, where something wants a service before that.
    package func connect(_ service: String, seconds: Double = 60) -> Result<CInt, RPCError>? {
        link(within: seconds)?.requestDescriptor(.connect, ["service": .string(service)], seconds: seconds)
    }

    private func link(within seconds: Double) -> (any AppLink)? {
        let arrival = DispatchSemaphore(value: 0)
        let present = state.withLock { state in
            if state.link == nil { state.waiting.append(arrival) }
            return state.link
        }
        if let present { return present }
        _ = arrival.wait(timeout: .now() + seconds)
        return state.withLock { state in
            state.waiting.removeAll { $0 === arrival }
            return state.link
        }
    }
}
