internal import LinuxSystem
package import Model
internal import SystemPackage
package import Wire

/// Speaks with the daemon as tools do: waits for one that restarts, and repeats what it had not answered.
package final class ControlClient {
    package enum Failure: Error {
        /// The daemon's own no.
        case refused(RPCError)
        /// There was nobody to ask.
        case unreachable(CommandFailure)

        package var command: CommandFailure {
            switch self {
            case .refused(let error): .failed(error.message)
            case .unreachable(let failure): failure
            }
        }
    }

    private let home: GreenroomHome
    private let patience: Model.Span
    private(set) var connection: ControlConnection?
    /// Notifications that came before the last answer: a subscription begins while it is still being made.
    private(set) var early: [RPCMessage] = []

    /// A daemon that dies at every request must not keep a command for ever.
    private static let mostRepetitions = 20
    /// A listening socket can begin to accept without a trace in the folder.
    private static let retryInterval = Model.Span.milliseconds(50)

    package init(home: GreenroomHome, patience: Model.Span) {
        self.home = home
        self.patience = patience
    }

    /// Asks and waits for the answer.
    package func request(_ method: ControlMethod, _ params: JSONObject = [:]) throws(CommandFailure) -> JSONValue {
        do {
            return try ask(method, params)
        } catch {
            throw error.command
        }
    }

    /// As `request`, with the daemon's error as it came.
    package func ask(_ method: ControlMethod, _ params: JSONObject = [:]) throws(Failure) -> JSONValue {
        var params = params
        for _ in 0..<Self.mostRepetitions {
            let connection = try open()
            let outcome: Result<JSONValue, RPCError>
            do throws(ControlConnection.Broken) {
                outcome = try answer(connection.send(method, params), connection)
            } catch {
                self.connection = nil
                params["retry"] = true
                continue
            }
            switch outcome {
            case .success(let result): return result
            case .failure(let error): throw .refused(error)
            }
        }
        throw .unreachable(.noDaemon("the daemon in \(home.path) ends at every attempt; \(home.daemonLog) says why"))
    }

    private func answer(
        _ id: RPCID, _ connection: ControlConnection
    ) throws(ControlConnection.Broken) -> Result<JSONValue, RPCError> {
        early = []
        while true {
            let message = try connection.receive()
            switch message {
            case .response(let answered, let result) where answered == id: return .success(result)
            case .failure(let answered, let error) where answered == id || answered == nil: return .failure(error)
            case .notification: early.append(message)
            case .response, .failure, .request: continue
            }
        }
    }

    /// The connection, made within the patience if a system is known to be there.
    func open() throws(Failure) -> ControlConnection {
        if let connection { return connection }
        let limit = TimeLimit(in: patience)
        let watch = FolderWatch(home.path)
        while true {
            do throws(SystemError) {
                let opened = try ControlConnection(path: home.controlSocket)
                connection = opened
                return opened
            } catch {
                guard [.noSuchFileOrDirectory, .connectionRefused, .connectionReset].contains(error.errno) else {
                    throw .unreachable(.failed("the daemon cannot be reached: \(error)"))
                }
            }
            guard home.holdsSystem else { throw .unreachable(home.notRunning) }
            guard !limit.isOver else {
                throw .unreachable(
                    .noDaemon(
                        "no daemon answers in \(home.path): greenroom up starts one, "
                            + "greenroom thaw lets the apps run without"))
            }
            watch.wait(atMost: min(limit.left, Self.retryInterval))
        }
    }

    func forget() { connection = nil }
}

extension CommandContext {
    /// A client for the system of this environment.
    package func client() throws(CommandFailure) -> ControlClient {
        ControlClient(home: try home, patience: patience)
    }
}
