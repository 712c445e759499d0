internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// Where a transfer service has its sockets: in the system's folder while a system is up, else the stand-alone one's.
struct TransferPlace {
    let path: String
    /// Only the stand-alone service is a tool's to start.
    let isStandAlone: Bool

    init(_ context: CommandContext) throws(CommandFailure) {
        if let control = try Self.ofSystem(context) {
            path = FilePath(control).removingLastComponent().string
            isStandAlone = false
            return
        }
        isStandAlone = true
        let environment = context.environment
        if let chosen = environment["GREENROOM_TRANSFERS"], !chosen.isEmpty {
            let given = FilePath(chosen)
            path =
                (given.isAbsolute ? given : FilePath(context.workingDirectory).pushing(given))
                .lexicallyNormalized().string
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = "\(state)/greenroom-transfers"
        } else if let user = environment["HOME"], user.hasPrefix("/") {
            path = "\(user)/.local/state/greenroom-transfers"
        } else {
            throw .failed("there is no home folder to keep transfers in: set GREENROOM_TRANSFERS")
        }
    }

    var socket: String { "\(path)/control" }

    /// The socket of the system's own service, which the daemon starts if need be; `nil` where no system is up.
    private static func ofSystem(_ context: CommandContext) throws(CommandFailure) -> String? {
        let home = try context.home
        guard home.holdsSystem else { return nil }
        let answer = try ControlClient(home: home, patience: context.patience).request(.transfers)
        do throws(RPCError) {
            return try answer.string("path")
        } catch {
            throw .failed("the daemon's answer makes no sense: \(error.message)")
        }
    }
}

/// A conversation with the transfer service, which is started if it is not there.
final class TransferConnection {
    /// The service went away.
    struct Broken: Error {}

    private let descriptor: Descriptor
    private var framer = LineFramer()
    private var lastIdentifier: Int64 = 0
    /// Notifications that came while an answer was awaited.
    private var notes: [RPCMessage] = []

    private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    static func open(_ context: CommandContext) throws(CommandFailure) -> TransferConnection {
        let place = try TransferPlace(context)
        let limit = TimeLimit(in: max(context.patience, .seconds(5)))
        var service: PidFD?
        while true {
            do throws(SystemError) {
                let connection = TransferConnection(try UnixSocket.connect(to: place.socket))
                if (try? connection.ask("hello", ["protocol": 1, "role": "tool"])) != nil { return connection }
            } catch {
                guard [.noSuchFileOrDirectory, .connectionRefused, .connectionReset].contains(error.errno) else {
                    throw .failed("the transfer service cannot be reached: \(error)")
                }
            }
            guard !limit.isOver else {
                throw .noDaemon("no transfer service answers in \(place.path); \(place.path)/log may say why")
            }
            if service == nil, place.isStandAlone { service = try start(place, context) }
            // Another may have been first: then this one has ended.
            if service?.isDead ?? false { service = nil }
            // Its socket is there a moment before it listens.
            FolderWatch(place.path).wait(atMost: min(limit.left, .milliseconds(20)))
        }
    }

    private static func start(_ place: TransferPlace, _ context: CommandContext) throws(CommandFailure) -> PidFD {
        let chosen = context.environment["GREENROOM_TRANSFERD"] ?? ""
        let program = chosen.isEmpty ? try context.program("greenroom-transferd") : chosen
        var spawn = Spawn(
            path: program, arguments: [program, "--home", place.path],
            environment: context.environment.map { "\($0)=\($1)" }.sorted())
        do {
            try FileSystem.makeDirectory(place.path)
            let nothing = try Descriptor.open("/dev/null", .readWrite)
            let log = try Descriptor.open("\(place.path)/log", .append, create: 0o600)
            spawn.directory = "/"
            spawn.descriptors = [(nothing, 0), (log, 1), (log, 2)]
            return try spawn.start()
        } catch {
            throw .failed("\(program) cannot be started: \(error)")
        }
    }

    // MARK: Asking

    enum Failure: Error {
        case refused(RPCError)
        case broken
    }

    func ask(
        _ method: String, _ params: JSONValue, _ descriptors: [Descriptor] = []
    ) throws(Failure) -> JSONValue {
        lastIdentifier += 1
        let id = RPCID.int(lastIdentifier)
        do throws(SystemError) {
            var rest = RPCMessage.request(id: id, method: method, params: params).encoded()[...]
            if !descriptors.isEmpty {
                guard case .bytes(let count) = try descriptor.send(Array(rest), descriptors: descriptors) else {
                    throw SystemError("sendmsg", .connectionReset)
                }
                rest = rest.dropFirst(count)
            }
            try descriptor.writeAll(Array(rest))
        } catch {
            throw .broken
        }
        return try answer(to: id)
    }

    /// Sends a request whose answer is one of the messages that `next` gives.
    func begin(_ method: String, _ params: JSONValue) throws(Failure) -> RPCID {
        lastIdentifier += 1
        let id = RPCID.int(lastIdentifier)
        do throws(SystemError) {
            try descriptor.writeAll(RPCMessage.request(id: id, method: method, params: params).encoded())
        } catch {
            throw .broken
        }
        return id
    }

    private func answer(to id: RPCID) throws(Failure) -> JSONValue {
        while true {
            let message = try receive()
            switch message {
            case .response(let answered, let result) where answered == id: return result
            case .failure(let answered, let error) where answered == id || answered == nil: throw .refused(error)
            case .notification: notes.append(message)
            case .response, .failure, .request: continue
            }
        }
    }

    /// The next message, whatever it is.
    func next() throws(Failure) -> RPCMessage { notes.isEmpty ? try receive() : notes.removeFirst() }

    private func receive() throws(Failure) -> RPCMessage {
        while true {
            do {
                if let line = try framer.next() { return try RPCMessage.parse(line, limits: .answer) }
                var bytes: [UInt8] = []
                guard case .bytes = try descriptor.read(into: &bytes, upTo: 1 << 16) else { throw Broken() }
                framer.append(bytes)
            } catch {
                throw .broken
            }
        }
    }
}

extension CommandContext {
    /// Asks the transfer service one thing.
    func askTransfers(
        _ method: TransferToolMethod, _ params: JSONValue = [:], _ descriptors: [Descriptor] = []
    ) throws(CommandFailure) -> JSONValue {
        // One that ended at that very moment is started again.
        for _ in 0..<3 {
            do throws(TransferConnection.Failure) {
                let connection: TransferConnection
                do throws(CommandFailure) {
                    connection = try TransferConnection.open(self)
                } catch {
                    return try failed(error)
                }
                return try connection.ask(method.rawValue, params, descriptors)
            } catch {
                if case .refused(let refusal) = error { throw .failed(refusal.message) }
            }
        }
        throw .failed("the transfer service ends at every attempt")
    }

    private func failed(_ failure: CommandFailure) throws(TransferConnection.Failure) -> JSONValue {
        throw .refused(RPCError(.refused, failure.description))
    }
}
