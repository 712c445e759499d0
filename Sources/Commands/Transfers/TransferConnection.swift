internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import TransferWire
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

    /// What is said of a service that says nothing.
    var silence: String {
        "the transfer service in \(path) takes connections and does not answer; \(path)/pid names its process, and "
            + "\(path)/log may say why"
    }

    /// The socket of the system's own service, which the daemon starts if need be; `nil` where no system is up.
    private static func ofSystem(_ context: CommandContext) throws(CommandFailure) -> String? {
        let home = try context.home
        guard home.holdsSystem else { return nil }
        let answer = try context.client().request(.service, ["service": "transfers"])
        do throws(RPCError) {
            return try answer.string("path")
        } catch {
            throw .failed("the daemon's answer makes no sense: \(error.message)")
        }
    }
}

/// A conversation with the transfer service, which is started if it is not there.
final class TransferConnection {
    enum Failure: Error {
        case refused(RPCError)
        /// The service went away.
        case broken
        /// It is there, takes connections, and says nothing.
        case silent
    }

    private let descriptor: Descriptor
    private let place: TransferPlace
    private let patience: Span
    private var framer = LineFramer()
    private var lastIdentifier: Int64 = 0
    /// Notifications that came while an answer was awaited.
    private var notes: [RPCMessage] = []

    /// An answer that does not come within so many times the patience does not come.
    private static let longestAnswer: Int64 = 12

    private init(_ place: TransferPlace, _ patience: Span) throws(SystemError) {
        descriptor = try UnixSocket.connect(to: place.socket, isNonblocking: true)
        self.place = place
        self.patience = patience
    }

    static func open(_ context: CommandContext) throws(CommandFailure) -> TransferConnection {
        let place = try TransferPlace(context)
        let patience = max(context.patience, .seconds(5))
        let limit = TimeLimit(in: patience)
        var service: PidFD?
        while true {
            switch connect(place, patience, within: limit.left) {
            case .success(let connection): return connection
            case .failure(let error) where error.errno == .timedOut: throw .noDaemon(place.silence)
            case .failure(let error):
                guard error.isPassing else { throw .failed("the transfer service cannot be reached: \(error)") }
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

    private static func connect(
        _ place: TransferPlace, _ patience: Span, within time: Span
    ) -> Result<TransferConnection, SystemError> {
        do throws(SystemError) {
            let connection = try TransferConnection(place, patience)
            do throws(Failure) {
                let id = try connection.begin("hello", ["protocol": 1, "role": "tool"])
                _ = try connection.answer(to: id, within: time)
                return .success(connection)
            } catch {
                if case .silent = error { throw SystemError("hello", .timedOut) }
                throw SystemError("hello", .connectionReset)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Whether the service answers anybody: this conversation may wait for something that takes its time.
    private var isServed: Bool {
        if case .success = Self.connect(place, patience, within: patience) { true } else { false }
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

    /// - Parameter takesTime: it is answered when the service has read a file, however large, or not at all.
    func ask(
        _ method: String, _ params: JSONValue, _ descriptors: [Descriptor] = [], takesTime: Bool = false
    ) throws(Failure) -> JSONValue {
        let id = try begin(method, params, descriptors)
        var waits: Int64 = 0
        while true {
            do throws(Failure) {
                return try answer(to: id, within: patience)
            } catch {
                guard case .silent = error, isServed else { throw error }
                waits += 1
                if waits >= Self.longestAnswer, !takesTime { throw .silent }
            }
        }
    }

    /// Sends a request whose answer is one of the messages that `next` gives.
    func begin(
        _ method: String, _ params: JSONValue, _ descriptors: [Descriptor] = []
    ) throws(Failure) -> RPCID {
        lastIdentifier += 1
        let id = RPCID.int(lastIdentifier)
        var rest = RPCMessage.request(id: id, method: method, params: params).encoded()[...]
        var descriptors = descriptors
        while !rest.isEmpty {
            let sent: Descriptor.Transfer?
            do throws(SystemError) {
                sent =
                    descriptors.isEmpty
                    ? try descriptor.send(rest) : try descriptor.send(Array(rest), descriptors: descriptors)
            } catch {
                throw .broken
            }
            switch sent {
            case .bytes(let count):
                rest = rest.dropFirst(count)
                descriptors = []
            case .wouldBlock: if !Poll.waitToWrite(descriptor.rawValue, atMost: patience) { throw .silent }
            case .end, nil: throw .broken
            }
        }
        return id
    }

    private func answer(to id: RPCID, within time: Span) throws(Failure) -> JSONValue {
        let limit = TimeLimit(in: time)
        while true {
            let message = try receive(within: limit.left)
            switch message {
            case .response(let answered, let result) where answered == id: return result
            case .failure(let answered, let error) where answered == id || answered == nil: throw .refused(error)
            case .notification: notes.append(message)
            case .response, .failure, .request: continue
            }
        }
    }

    /// The next message, whatever it is: what is waited for may take days, as long as the service is there.
    func next() throws(Failure) -> RPCMessage {
        guard notes.isEmpty else { return notes.removeFirst() }
        while true {
            do throws(Failure) {
                return try receive(within: patience)
            } catch {
                guard case .silent = error, isServed else { throw error }
            }
        }
    }

    private func receive(within time: Span) throws(Failure) -> RPCMessage {
        let limit = TimeLimit(in: time)
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

extension SystemError {
    /// The service is about to be there, or has too many who wait for it.
    fileprivate var isPassing: Bool {
        [.noSuchFileOrDirectory, .connectionRefused, .connectionReset, .resourceTemporarilyUnavailable].contains(errno)
    }
}

extension CommandContext {
    /// Asks the transfer service one thing.
    func askTransfers(
        _ method: TransferToolMethod, _ params: JSONValue = [:], _ descriptors: [Descriptor] = [],
        takesTime: Bool = false
    ) throws(CommandFailure) -> JSONValue {
        // One that ended at that very moment is started again.
        for _ in 0..<3 {
            let connection = try TransferConnection.open(self)
            do throws(TransferConnection.Failure) {
                return try connection.ask(method.rawValue, params, descriptors, takesTime: takesTime)
            } catch {
                switch error {
                case .refused(let refusal): throw .failed(refusal.message)
                case .silent: throw .noDaemon(try TransferPlace(self).silence)
                case .broken: continue
                }
            }
        }
        throw .failed("the transfer service ends at every attempt")
    }
}
