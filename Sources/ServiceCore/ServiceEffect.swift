package import Model

/// What the host is to do, in this order. `store` and `erase` come first: the host commits them before it performs any
/// of the others.
package enum ServiceEffect<Words: ServiceWords>: Hashable, Sendable {
    case store(Words.Record)
    case erase(Words.RecordKey)

    // Apps, tools and other services that wait for an answer.
    case reply(RequestID, Words.Reply)
    case refuse(RequestID, Words.Refusal)

    // Apps.
    /// Answered by `answered`. It waits in the app's connection while that does not read.
    case tell(ConnectionID, NewsNumber, Words.News)
    case notify(ConnectionID, Words.Notice)

    // The daemon.
    /// Answered by `held`.
    case hold(AppIdentifier, process: Int64, Words.Hold, because: String)
    case drop(AppIdentifier, process: Int64, Words.Hold, because: String)
    case stopped(OrderID)
    /// Answered by `woken`. The number comes back with that, and the payload with the app's callback.
    case wake(AppIdentifier, upTo: NewsNumber, Words.Window, because: String, payload: String)
    /// A sentence of the service about an app, for `greenroom why`.
    case note(AppIdentifier, String)

    // Other services.
    /// Answered by `replied`.
    case ask(service: String, Words.Question)

    /// What this service alone does in its world.
    case own(Words.Effect)

    package var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}
