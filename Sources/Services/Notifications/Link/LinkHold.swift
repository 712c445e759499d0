/// How the background pushes of a topic are kept back by the gateway.
package enum LinkHold<Time: Hashable & Sendable>: Hashable, Sendable {
    /// Each is sent at once, whatever else is said.
    case never
    /// Until then, unless something else goes over the connection before.
    case until(Time)
}
