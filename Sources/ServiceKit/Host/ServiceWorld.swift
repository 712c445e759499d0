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
    /// The process ends.
    func end()

    func perform(_ effect: Policy.Words.Effect, _ host: isolated ServiceHost<Self>)

    /// What a tool asks for, `hello` excepted.
    func answer(
        _ method: String, _ params: JSONValue, _ host: isolated ServiceHost<Self>
    ) throws(RPCError) -> ToolAnswer<Policy.Words>

    /// An app connects. Its policy is told of it next.
    func attached(_ attach: ServiceAttach)
    /// An app is removed. Its policy is told of it next.
    func forgotten(_ app: String)
}

extension ServiceWorld {
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
