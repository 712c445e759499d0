internal import AppRuntime

/// An app's way to the transfer service: the daemon starts it, connects it with the app, and hands over the other end.
final class SystemConnector: ServiceConnector {
    /// The service knows the app: the daemon has told it.
    var introduction: (app: String, container: String)? { nil }

    func connect() -> RawSocket? {
        // The daemon may have to start the service first, and may be restarting itself.
        guard case .connected(let socket) = ServiceConnections.shared.attempt("transfers") else { return nil }
        return socket
    }
}
