internal import AppRuntime

/// An app's way to the transfer service: the daemon starts it, connects it with the app, and hands over the other end.
final class SystemConnector: ServiceConnector {
    /// The service knows the app: the daemon has told it.
    var introduction: (app: String, container: String)? { nil }

    func connect() -> ServiceSocket? {
        // The daemon may have to start the service first, and may be restarting itself.
        guard case .success(let number)? = ServiceConnections.shared.connect("transfers"),
            number >= 0
        else {
            return nil
        }
        return ServiceSocket(owning: number)
    }
}
