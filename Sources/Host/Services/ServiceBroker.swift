internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// Brings apps and services together, and the Core's decisions to the services. It knows them by their declarations
/// alone.
final class ServiceBroker {
    private unowned let host: Host
    private var links: [ServiceLink] = []
    private var declared: [DeclaredService] = []
    private var faults: [DeclaredService.Fault] = []
    private var acceptor: Acceptor?
    /// What everybody is to see of an app, by the hold.
    private(set) var marks: [String: String] = [:]
    private(set) lazy var conditions = ServiceConditionsWatch(
        host, isHeard: { [unowned self] in links.contains { $0.service.hearsConditions && $0.connection != nil } },
        { [unowned self] in tellConditions($0) })
    /// Those that have yet to say who they are.
    private var strangers: [ObjectIdentifier: Connection] = [:]

    private static let mostStrangers = 64
    /// Nanoseconds for a hello.
    private static let patience: Int64 = 10_000_000_000
    /// Nanoseconds for an end in order.
    private static let longestEnd: Int64 = 2_000_000_000

    init(_ host: Host) { self.host = host }

    /// Reads what is declared, before the Core hears that the device has booted: apps are launched for services then.
    func declare(_ folders: [String]) {
        let read = DeclaredService.read(folders)
        (declared, faults) = (read.services, read.faults)
        for fault in faults { Diagnostics.write("\(fault.file) declares no service: \(fault.sentence)") }
        guard !declared.isEmpty || host.system.broker != nil else { return }
        host.post(.service(.declared(declared.map(\.declaration))))
    }

    /// Without a service nothing is made, and nothing costs anything.
    func begin() {
        guard host.system.broker != nil else { return }
        let registrations = ServiceRegistrations(host)
        links = declared.compactMap { service in
            host.system.broker?.index(of: service.declaration.name).map {
                ServiceLink(host, service, $0, registrations)
            }
        }
        for link in links { registrations.restore(link) }
        for link in links { marks.merge(link.service.marks) { first, _ in first } }
        guard !links.isEmpty else { return }
        do throws(SystemError) {
            let listener = try UnixSocket.listen(at: host.home.serviceSocket, mode: 0o600)
            acceptor = try Acceptor(listener, host.loop) { [unowned self] in accept($0) }
        } catch {
            Diagnostics.write("services cannot be listened to: \(error)")
        }
        for link in links {
            link.process.find()
            link.startIfNeeded()
        }
    }

    private func link(_ name: String) -> ServiceLink? { links.first { $0.service.declaration.name == name } }

    // MARK: Services

    private func accept(_ socket: Descriptor) {
        guard strangers.count < Self.mostStrangers, let connection = try? Connection(socket, host.loop) else { return }
        let key = ObjectIdentifier(connection)
        strangers[key] = connection
        connection.onClose = { [unowned self] in strangers[key] = nil }
        connection.onMessage = { [unowned self, unowned connection] in greet($0, from: connection) }
        host.loop.after(nanoseconds: Self.patience) { [weak self, weak connection] in
            // Another one may have its place in memory by now.
            if let self, let connection, strangers[key] === connection { connection.close() }
        }
    }

    private func greet(_ message: RPCMessage, from connection: Connection) {
        guard case .request(let id, let method, let params) = message else { return connection.close() }
        do throws(RPCError) {
            guard method == ServiceMethod.hello.rawValue else { throw RPCError(.outOfOrder, "say hello first") }
            guard try params.int("protocol") == protocolVersion else {
                throw RPCError(
                    .invalidRequest, "this daemon speaks protocol \(protocolVersion)",
                    data: ["supported": [.int(Int64(protocolVersion))]])
            }
            guard let link = link(try params.string("service")) else { throw RPCError(.unknownService) }
            let peer = UnixSocket.peerProcess(of: connection.socket)
            try refuseApps(connection.socket)
            // From here on it is the service's.
            strangers[ObjectIdentifier(connection)] = nil
            try link.greeted(connection, id, params, peer)
        } catch {
            connection.send(.failure(id: id, error))
            connection.close()
        }
    }

    /// An app of an ordinary user's system is that user as well.
    private func refuseApps(_ socket: Descriptor) throws(RPCError) {
        guard let peer = PeerProcess(of: socket) else {
            throw RPCError(.notYours, "the process that connected is gone")
        }
        guard host.mayBeTool(peer) else { throw RPCError(.notYours, "an app cannot be a service") }
    }

    // MARK: Apps

    /// A stream to a service, for an app.
    func connect(
        _ name: String, _ app: AppHost, _ generation: Generation,
        _ done: @escaping (Result<Descriptor, RPCError>) -> Void
    ) {
        guard let link = link(name) else {
            return done(.failure(RPCError(.unknown, "no service \(name.prefix(64)) is declared")))
        }
        link.connect(app, generation, done)
    }

    func forget(_ app: String) {
        for link in links { link.forget(app) }
    }

    // MARK: What the Core decided

    func perform(_ action: ServiceAction) {
        let index =
            switch action {
            case .answer(let index, _, _), .stop(let index, _, _), .ended(let index, _, _): index
            }
        links.first { $0.index == index }?.perform(action)
    }

    func note(_ effects: [Effect]) {
        guard !links.isEmpty else { return }
        conditions.look()
        for effect in effects {
            guard case .log(let entry) = effect.action, let app = entry.app else { continue }
            for link in links { link.note(entry, app) }
        }
    }

    private func tellConditions(_ conditions: ServiceConditions) {
        for link in links where link.service.hearsConditions { link.tell(.conditions, conditions.json) }
    }

    // MARK: Tools

    /// Tells a tool where a service listens, after the service has answered.
    func serve(_ name: String, _ done: @escaping (Result<JSONValue, RPCError>) -> Void) {
        guard let link = link(name), let socket = link.service.toolSocket else {
            return done(.failure(RPCError(.unknown, "no service \(name.prefix(64)) that tools speak to is declared")))
        }
        let path = host.home.serviceFolder(name) + "/" + socket
        link.whenAtWork { outcome in done(outcome.map { ["path": .string(path)] }) }
    }

    // MARK: Each other

    func relay(_ ask: ServiceAsk, to name: String, _ done: @escaping (Result<JSONValue, RPCError>) -> Void) {
        guard let link = link(name) else {
            return done(.failure(RPCError(.unknown, "no service \(name.prefix(64)) is declared")))
        }
        link.withService { outcome in
            switch outcome {
            case .success: link.request(.ask, ask.json, done)
            case .failure(let error): done(.failure(error))
            }
        }
    }

    // MARK: The end, and looking in

    func end() {
        acceptor = nil
        for link in links { link.process.end() }
    }

    /// All of them have the same two seconds.
    func waitForEnd() {
        let limit = Clock.monotonic() + Self.longestEnd
        for link in links {
            link.process.waitForEnd(milliseconds: CInt(clamping: max(0, limit - Clock.monotonic()) / 1_000_000))
        }
        FileSystem.remove(host.home.serviceSocket)
    }

    var info: JSONValue {
        let faulty = faults.map { fault in
            ServiceInfo(
                service: fault.file, state: "faulty", pid: nil, program: "", mode: nil, holds: [],
                trouble: fault.sentence)
        }
        return ["services": .array((links.map(\.info) + faulty).map(\.json))]
    }
}
