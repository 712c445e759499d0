package import Wire

/// What an app says to the system: through a socket to the daemon, or to a simulated device in the same process. Any
/// thread may say it.
package protocol AppLink: AnyObject, Sendable {
    /// The answer to `hello`; `nil` before it has come.
    var greeting: JSONValue? { get }

    /// Asks the system; the completion comes later, never before this returns.
    func request(
        _ method: AppMethod, _ params: JSONValue,
        completion: @escaping @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void)

    /// Asks the system and waits for the answer on the calling thread. `nil` when the time is over.
    func requestAndWait(_ method: AppMethod, _ params: JSONValue, seconds: Double) -> Result<JSONValue, RPCError>?

    /// Asks the system for something that comes as a descriptor, and waits for it on the calling thread, which then
    /// owns it. `nil` when the time is over.
    func requestDescriptor(_ method: AppMethod, _ params: JSONValue, seconds: Double) -> Result<CInt, RPCError>?

    /// Ends it for good.
    func stop()
}

extension AppLink {
    /// A system in the same process has no descriptors to give.
    package func requestDescriptor(
        _ method: AppMethod, _ params: JSONValue, seconds: Double
    ) -> Result<CInt, RPCError>? {
        .failure(.methodNotFound(method.rawValue))
    }
}

extension AppConnection: AppLink {}
