internal import Synchronization

/// What services that are programs of their own have for the app: each framework registers for the one that it speaks
/// to.
package final class ServiceEvents: Sendable {
    package struct Event: Sendable {
        /// The service, what it is about, and what it says.
        package let service: String
        package let kind: String
        package let payload: String

        package init(service: String, kind: String, payload: String) {
            self.service = service
            self.kind = kind
            self.payload = payload
        }
    }

    /// What it came to, where that matters to the system.
    package enum Result: String, Sendable {
        case done, newData, noData, failed
    }

    /// Called on the main thread; the closure that it gets is called, on any thread, when the app is done with it.
    package typealias Handler = @Sendable (Event, @escaping @Sendable (Result) -> Void) -> Void

    /// The app's end of the wire to the service, where it has one.
    package typealias Link = @Sendable () -> (any ServiceLink)?

    package static let shared = ServiceEvents()
    private let handlers = Mutex<[String: (link: Link, handler: Handler)]>([:])

    package init() {}

    package func register(_ service: String, through link: @escaping Link, _ handler: @escaping Handler) {
        handlers.withLock { $0[service] = (link, handler) }
    }

    /// What the app has answered is on its way to the service before the app is done.
    ///
    /// - Returns: whether somebody handles it.
    package func handle(_ event: Event, _ done: @escaping @Sendable (Result) -> Void) -> Bool {
        guard let (link, handler) = handlers.withLock({ $0[event.service] }) else { return false }
        handler(event) { result in
            if let link = link() { link.settle { done(result) } } else { done(result) }
        }
        return true
    }
}
