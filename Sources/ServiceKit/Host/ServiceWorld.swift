package import Model
package import ServiceCore
package import ServiceWire
package import Wire

/// What a service's own effects do, and where its own events come from: receivers, a sound server, the network. It is
/// used on the host's queue, and posts its events to the host.
package protocol ServiceWorld: AnyObject, SendableMetatype {
    associatedtype Policy: ServicePolicy
    associatedtype Translation: WireTranslation where Translation.Words == Policy.Words

    /// The background mode that guards the service.
    static var mode: String { get }

    /// The daemon is there for the first time, and may be asked.
    func begin(_ host: isolated ServiceHost<Self>)
    /// A daemon has greeted the service, the first one or another; after `begin`.
    func daemonIsThere(_ host: isolated ServiceHost<Self>)
    /// The daemon is gone, and answers nothing more.
    func daemonIsLost()
    /// The process ends.
    func end()

    func perform(_ effect: Policy.Words.Effect, _ host: isolated ServiceHost<Self>)

    /// The policy's answer to a request of the world itself (`requestOfWorld`).
    func answered(_ request: RequestID, _ result: Result<Policy.Words.Reply, Policy.Words.Refusal>)

    /// What a tool asks for, `hello` excepted.
    func answer(
        _ method: String, _ params: JSONValue, _ host: isolated ServiceHost<Self>
    ) throws(RPCError) -> ToolAnswer<Policy.Words>

    /// What the daemon said before this request must be heard first: its word comes by another way, and may come later.
    func needsDaemonsWord(for request: Policy.Words.Request, of connection: ConnectionID, _ policy: Policy) -> Bool
    /// What a peer reads for a reply.
    func result(of reply: Policy.Words.Reply) -> JSONValue

    /// An app connects. Its policy is told of it next.
    func attached(_ attach: ServiceAttach)
    /// An app is removed. Its policy is told of it next.
    func forgotten(_ app: String)
}

extension ServiceWorld {
    package func answered(_ request: RequestID, _ result: Result<Policy.Words.Reply, Policy.Words.Refusal>) {}
    package func daemonIsThere(_ host: isolated ServiceHost<Self>) {}
    package func daemonIsLost() {}

    package func needsDaemonsWord(
        for request: Policy.Words.Request, of connection: ConnectionID, _ policy: Policy
    ) -> Bool {
        false
    }

    package func result(of reply: Policy.Words.Reply) -> JSONValue { Translation.result(of: reply) }
    package func attached(_ attach: ServiceAttach) {}
    package func forgotten(_ app: String) {}
}

/// How a tool's request is answered.
package enum ToolAnswer<Words: ServiceWords> {
    case value(JSONValue)
    /// By the policy.
    case command(Words.Command)
}

/// How many peers a service serves.
package struct PeerLimits: Sendable {
    package var all = 1024
    /// Places that tools may take, so that apps have theirs.
    package var tools = 64
    /// An app needs one. More would be places that other apps lack.
    package var ofApp = 8

    package init() {}
}
