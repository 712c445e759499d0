package import LinuxSystem
package import Wire

/// A daemon as the service sees it: docs/SERVICES.md.
package final class TestDaemon {
    private let listener: Descriptor
    private let epoll: Epoll
    package let peer: TestPeer
    /// What it said of itself.
    package let hello: JSONValue

    /// Waits for the service to come, and answers its `hello`.
    package init(_ listener: Descriptor, apps: [ServiceAppState] = [], _ conditions: ServiceConditions?) throws {
        self.listener = listener
        epoll = try Epoll()
        try epoll.add(listener.rawValue, .readable, token: 1)
        let id: RPCID
        (peer, id, hello) = try Self.greeted(listener, epoll)
        try peer.send(.response(id: id, result: ServiceGreeting(apps: apps, conditions: conditions).json))
    }

    /// The first one that is still there: a service that was killed has connected, too.
    private static func greeted(_ listener: Descriptor, _ epoll: Epoll) throws -> (TestPeer, RPCID, JSONValue) {
        for _ in 0..<8 {
            var ready: [Epoll.Ready] = []
            try epoll.wait(milliseconds: 20_000, &ready)
            guard let socket = try UnixSocket.accept(listener) else { break }
            let peer = try TestPeer(socket)
            guard
                let message = try? peer.take("hello", { if case .request(_, "hello", _) = $0 { true } else { false } }),
                case .request(let id, _, let params) = message, (try? peer.hear(milliseconds: 50)) != nil
            else { continue }
            return (peer, id, params)
        }
        throw TestPeer.Silence(waitedFor: "hello")
    }

    /// An app's end of a new connection.
    package func attach(
        _ app: String, _ container: String, user: Int64 = 0, modes: [String]? = nil, bundle: String = "",
        icon: String? = nil, extensions: [String: String] = [:]
    ) throws -> Descriptor {
        let (mine, its) = try UnixSocket.pair()
        let attach = ServiceAttach(
            app: app, process: 1, bundle: bundle, icon: icon, container: container, extensions: extensions, user: user,
            group: user)
        var params = attach.json.object ?? [:]
        if let modes { params["modes"] = .array(modes.map(JSONValue.string)) }
        try peer.ask("attach", .object(params), [its])
        return mine
    }

    package func tell(_ app: String, _ state: String, awaitsCall: Bool = false) throws {
        let state = ServiceAppState(app: app, process: 1, state: state, visible: false, awaitsCall: awaitsCall)
        try peer.send(.notification(method: "app", params: state.json))
    }

    package func tell(_ conditions: ServiceConditions) throws {
        try peer.send(.notification(method: "conditions", params: conditions.json))
    }

    /// An app that it is asked to wake.
    package func wake() throws -> (id: RPCID, params: JSONValue) { try order("wake") }

    /// What it is asked for next, of that name.
    package func order(_ name: String, within seconds: Double = 20) throws -> (id: RPCID, params: JSONValue) {
        let message = try peer.take(name, within: seconds) { message in
            if case .request(_, name, _) = message { true } else { false }
        }
        guard case .request(let id, _, let params) = message else { throw TestPeer.Closed() }
        return (id, params)
    }
}
