package import Dispatch
package import LinuxSystem
package import Wire

/// A service's way to the daemon that started it (docs/SERVICES.md): says hello, states what it holds, and does it
/// again when the daemon died and another is there.
///
/// Unchecked: used on its queue only.
package final class BrokerConnection: @unchecked Sendable {
    /// What a service makes of what the daemon tells it. All of it is called on the queue.
    package protocol Client: AnyObject {
        /// What `hello` states; made anew for each daemon.
        var holds: [JSONValue] { get }
        func greeted(_ greeting: ServiceGreeting)
        /// The daemon is gone. Another one follows, or the system is down.
        func lost()
        func told(_ news: ServiceNews, _ params: JSONValue)
        /// Answered once.
        func ordered(
            _ order: ServiceOrder, _ params: JSONValue, _ descriptor: Descriptor?,
            _ answer: @escaping @Sendable (Result<JSONValue, RPCError>) -> Void)
    }

    private let name: String
    private let socket: String
    /// What it must not forget lies here.
    package let folder: String
    private let queue: DispatchQueue
    private weak var client: (any Client)?
    private var peer: Peer?
    private var hasGreeted = false
    private var hasEnded = false
    private var attempts = 0
    private var lostAt: Int64 = 0

    /// Milliseconds between two attempts to reach a daemon: a new one is there within some of them.
    private static let (shortestPause, longestPause, rarePause) = (10, 1000, 3000)
    /// Nanoseconds after which another daemon is hardly going to come.
    private static let patience: Int64 = 60_000_000_000

    /// `nil` where no daemon has started this process.
    package convenience init?(_ queue: DispatchQueue) {
        guard let name = CurrentProcess.environment(ServiceEnvironment.name),
            let socket = CurrentProcess.environment(ServiceEnvironment.socket),
            let folder = CurrentProcess.environment(ServiceEnvironment.folder)
        else { return nil }
        self.init(queue, name: name, socket: socket, folder: folder)
    }

    /// - Parameters:
    ///   - socket: the path at which the daemon listens for services.
    ///   - folder: what the service must not forget lies there.
    package init(_ queue: DispatchQueue, name: String, socket: String, folder: String) {
        (self.name, self.socket, self.folder, self.queue) = (name, socket, folder, queue)
    }

    package var isConnected: Bool { hasGreeted }

    package func begin(_ client: any Client) {
        self.client = client
        lostAt = Clock.boot()
        connect()
    }

    package func end() {
        hasEnded = true
        peer?.close()
    }

    /// Asks the daemon. Not answered when the daemon dies: nobody knows what became of it.
    package func request(
        _ method: ServiceMethod, _ params: JSONValue,
        _ completion: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        if hasGreeted { peer?.request(method.rawValue, params, completion) }
    }

    /// Asks another service, that its declaration names. Not answered when the daemon dies.
    package func ask(
        _ service: String, _ method: String, _ params: JSONValue,
        _ completion: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        request(.ask, ServiceAsk(service: service, method: method, params: params).json, completion)
    }

    package func tell(_ notice: ServiceNotice, _ params: JSONValue) {
        if hasGreeted { peer?.send(.notification(method: notice.rawValue, params: params)) }
    }

    // MARK: It comes and goes

    private func connect() {
        guard !hasEnded, peer == nil else { return }
        attempts += 1
        guard let socket = try? UnixSocket.connect(to: socket, isNonblocking: true),
            let peer = try? Peer(
                socket, number: 0, queue: queue, takesDescriptor: { name, _ in name == ServiceOrder.attach.rawValue })
        else { return tryAgain() }
        self.peer = peer
        peer.onMessage = { [weak self] in self?.receive($0, $1) }
        peer.onClose = { [weak self] in self?.closed() }
        let hello: JSONValue = [
            "protocol": .int(Int64(protocolVersion)), "service": .string(name), "holds": .array(client?.holds ?? []),
        ]
        peer.request(ServiceMethod.hello.rawValue, hello) { [weak self, weak peer] answer in
            guard let self, let peer else { return }
            do throws(RPCError) {
                let greeting = try ServiceGreeting(json: answer.get())
                (hasGreeted, attempts) = (true, 0)
                client?.greeted(greeting)
                askForMore(greeting)
            } catch {
                StandardError.write("\(name): the daemon refuses the service: \(error.message)\n")
                peer.close()
            }
        }
    }

    /// A page at a time, each when the one before was read.
    private func askForMore(_ page: ServiceGreeting) {
        guard page.more, let last = page.apps.last else { return }
        request(.apps, ["after": .string(last.app)]) { [weak self] answer in
            guard let self, let next = try? answer.get(), let page = try? ServiceGreeting(json: next) else { return }
            for state in page.apps { client?.told(.app, state.json) }
            askForMore(page)
        }
    }

    private func closed() {
        let had = hasGreeted
        (peer, hasGreeted) = (nil, false)
        guard !hasEnded else { return }
        if had {
            lostAt = Clock.boot()
            client?.lost()
        }
        tryAgain()
    }

    private func tryAgain() {
        let pause =
            Clock.boot() - lostAt > Self.patience
            ? Self.rarePause : min(Self.longestPause, Self.shortestPause << min(attempts, 10))
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in self?.connect() }
    }

    private func receive(_ message: RPCMessage, _ descriptor: Descriptor?) {
        switch message {
        case .notification(let name, let params):
            if let news = ServiceNews(rawValue: name) { client?.told(news, params) }
        case .request(let id, ServiceOrder.ping, _): peer?.send(.response(id: id, result: [:]))
        case .request(let id, let name, let params):
            guard let order = ServiceOrder(rawValue: name) else {
                peer?.send(.failure(id: id, .methodNotFound(name)))
                return
            }
            client?.ordered(order, params, descriptor) { [weak peer] result in
                switch result {
                case .success(let value): peer?.send(.response(id: id, result: value))
                case .failure(let error): peer?.send(.failure(id: id, error))
                }
            }
        case .response, .failure: break
        }
    }
}
