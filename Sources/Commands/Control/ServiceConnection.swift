internal import LinuxSystem
internal import Model
internal import Wire

/// A service that tools speak to themselves: by which name, and how they begin.
struct ToolService {
    /// As it is declared.
    let name: String
    /// For people: “the notification service”.
    let title: String
    let hello: JSONValue
    /// The verb that shows what it does.
    let verb: String

    static let notifications = ToolService(
        name: "notifications", title: "the notification service", hello: ["protocol": 1, "role": "tool"],
        verb: "greenroom notifications")
    static let audio = ToolService(
        name: "audio", title: "the audio service", hello: ["protocol": 1], verb: "greenroom audio")
    static let location = ToolService(
        name: "location", title: "the location service", hello: ["protocol": 1], verb: "greenroom location")
}

/// A conversation with a service of the running system.
final class ServiceConnection {
    enum Failure: Error {
        case refused(RPCError)
        /// The service went away.
        case broken
        /// It takes connections and says nothing.
        case silent
    }

    private let descriptor: Descriptor
    private let service: ToolService
    private let path: String
    private let patience: Span
    private var framer = LineFramer()
    private var lastIdentifier: Int64 = 0

    private init(_ service: ToolService, _ path: String, _ patience: Span) throws(SystemError) {
        descriptor = try UnixSocket.connect(to: path, isNonblocking: true)
        self.service = service
        self.path = path
        self.patience = patience
    }

    /// The daemon starts the service if need be, and says where it listens.
    static func open(
        _ service: ToolService, _ context: CommandContext
    ) throws(CommandFailure) -> ServiceConnection {
        let answer = try context.client().request(.service, ["service": .string(service.name)])
        guard let path = answer["path"]?.string else {
            throw .failed("the daemon's answer cannot be read: it names no socket")
        }
        let patience = max(context.patience, .seconds(5))
        let limit = TimeLimit(in: patience)
        let watch = FolderWatch(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
        while true {
            switch connect(service, path, patience) {
            case .success(let connection): return connection
            case .failure(.refused(let refusal)): throw .failed(refusal.message)
            case .failure(.silent): throw .noDaemon(silence(service, path))
            // It has just ended, and the next one has yet to listen.
            case .failure(.broken): break
            }
            guard !limit.isOver else { throw .noDaemon(silence(service, path)) }
            watch.wait(atMost: min(limit.left, .milliseconds(50)))
        }
    }

    /// That of a service that runs; it is not started for this.
    static func present(_ service: ToolService, _ context: CommandContext) -> ServiceConnection? {
        guard let home = try? context.home else { return nil }
        let path = "\(home.servicesFolder)/\(service.name)/control"
        return Files.exists(path) ? try? connect(service, path, context.patience).get() : nil
    }

    private static func connect(
        _ service: ToolService, _ path: String, _ patience: Span
    ) -> Result<ServiceConnection, Failure> {
        guard let connection = try? ServiceConnection(service, path, patience) else { return .failure(.broken) }
        do throws(Failure) {
            _ = try connection.ask("hello", service.hello)
            return .success(connection)
        } catch {
            return .failure(error)
        }
    }

    private static func silence(_ service: ToolService, _ path: String) -> String {
        "\(service.title) does not answer at \(path); the file log beside it may say why"
    }

    var silence: CommandFailure { .noDaemon(Self.silence(service, path)) }

    // MARK: Asking

    func ask(_ method: String, _ params: JSONValue) throws(Failure) -> JSONValue {
        lastIdentifier += 1
        let id = RPCID.int(lastIdentifier)
        try send(.request(id: id, method: method, params: params))
        let limit = TimeLimit(in: patience)
        while true {
            switch try receive(limit) {
            case .response(let answered, let result) where answered == id: return result
            case .failure(let answered, let error) where answered == id || answered == nil: throw .refused(error)
            case .response, .failure, .notification, .request: continue
            }
        }
    }

    private func send(_ message: RPCMessage) throws(Failure) {
        var rest = message.encoded()[...]
        while !rest.isEmpty {
            switch try? descriptor.send(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock: guard Poll.waitToWrite(descriptor.rawValue, atMost: patience) else { throw .silent }
            case .end, nil: throw .broken
            }
        }
    }

    private func receive(_ limit: TimeLimit) throws(Failure) -> RPCMessage {
        while true {
            do {
                if let line = try framer.next() { return try RPCMessage.parse(line, limits: .answer) }
            } catch {
                throw .broken
            }
            guard Poll.wait(for: descriptor.rawValue, atMost: limit.left) || !limit.isOver else { throw .silent }
            var bytes: [UInt8] = []
            switch try? descriptor.read(into: &bytes, upTo: 1 << 16) {
            case .bytes: framer.append(bytes)
            case .wouldBlock: continue
            case .end, nil: throw .broken
            }
        }
    }
}

extension CommandContext {
    /// Asks a service one thing.
    ///
    /// - Parameter isRepeatable: asking twice does what asking once does.
    func ask(
        _ service: ToolService, _ method: String, _ params: JSONValue = [:], isRepeatable: Bool = true
    ) throws(CommandFailure) -> JSONValue {
        for _ in 0..<3 {
            let connection = try ServiceConnection.open(service, self)
            do throws(ServiceConnection.Failure) {
                return try connection.ask(method, params)
            } catch {
                switch error {
                case .refused(let refusal): throw .failed(refusal.message)
                case .silent: throw connection.silence
                case .broken where isRepeatable: continue
                case .broken:
                    throw .failed(
                        "\(service.title) ended before it answered: it may have done what was asked; "
                            + "\(service.verb) shows")
                }
            }
        }
        throw .failed("\(service.title) ends at every attempt")
    }
}
