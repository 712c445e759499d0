internal import Synchronization
package import Wire

/// An app's way to services that are programs of their own, for each framework that speaks to one.
package final class ServiceConnections: Sendable {
    package static let shared = ServiceConnections()
    private let link = Mutex<(any AppLink)?>(nil)

    package init() {}

    /// By this the app speaks to the system.
    package func use(_ link: any AppLink) { self.link.withLock { $0 = link } }

    /// A stream to the service, which the caller owns; the daemon may have to start it first. Waits so long, on any
    /// thread but the main one.
    package func connect(_ service: String, seconds: Double = 60) -> Result<CInt, RPCError>? {
        link.withLock { $0 }?.requestDescriptor(.connect, ["service": .string(service)], seconds: seconds)
    }
}
