internal import Dispatch
internal import Glibc
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

    /// The same as an attempt of a `ServiceStream`: never where there is no such service, or no system at all.
    package func attempt(_ service: String) -> ServiceStream.Attempt {
        guard hasSystem else {
            let sentence = "this process was not started by Greenroom, which has the service \(service)"
            return .never(RPCError(.unknown, sentence))
        }
        switch connect(service) {
        case .success(let number)? where number >= 0: return .connected(RawSocket(owning: number))
        case .failure(let error)? where error.code == .unknown || error.code == .methodNotFound: return .never(error)
        case .success, .failure, nil: return .notNow
        }
    }

    /// There is one, or there will be when the app has begun.
    private var hasSystem: Bool {
        state.withLock { $0.link != nil } || (unsafe getenv(AppEnvironment.app) != nil)
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
