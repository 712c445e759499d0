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
            case .refused(let error): .failed(Hints.sentence(error))
            case .unreachable(let failure): failure
            }
        }
    }

    private let home: GreenroomHome
    private let patience: Model.Span
    private let silence: Model.Span
    private(set) var connection: ControlConnection?
    /// Notifications that came before the last answer: a subscription begins while it is still being made.
    private(set) var early: [RPCMessage] = []

    /// A daemon that dies at every request must not keep a command for ever.
    private static let mostRepetitions = 20
    /// A listening socket can begin to accept without a trace in the folder.
    private static let retryInterval = Model.Span.milliseconds(50)

    /// `silence`: how long a daemon that accepts may say nothing. A command can take longer, as long as the daemon
    /// answers what it can answer at once.
    package init(home: GreenroomHome, patience: Model.Span, silence: Model.Span = .seconds(10)) {
        self.home = home
        self.patience = patience
        self.silence = silence
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
            switch exchange(method, params, connection) {
            case .answer(let result): return result
            case .no(let error): throw failure(error)
            case .silence:
                self.connection = nil
                throw .unreachable(silent)
            case .end:
                self.connection = nil
                params["retry"] = true
            }
        }
        throw .unreachable(.noDaemon("the daemon in \(home.path) ends at every attempt; \(home.daemonLog) says why"))
    }

    private enum Outcome {
        case answer(JSONValue)
        case no(RPCError)
        /// The daemon is there and says nothing.
        case silence
        case end
    }

    private func exchange(_ method: ControlMethod, _ params: JSONObject, _ connection: ControlConnection) -> Outcome {
        do throws(ControlConnection.Broken) {
            return try answer(to: connection.send(method, params), connection)
        } catch {
            // Whoever closes a connection may have said why.
            guard case .failure(nil, let error)? = try? connection.receive(silentAtMost: .zero) else { return .end }
            return .no(error)
        }
    }

    private func answer(to id: RPCID, _ connection: ControlConnection) throws(ControlConnection.Broken) -> Outcome {
        early = []
        let half = Model.Span(nanoseconds: silence.nanoseconds / 2)
        var wasAsked = false
        while true {
            guard let message = try connection.receive(silentAtMost: half) else {
                guard !wasAsked else { return .silence }
                // An app may keep the command waiting; this waits for nobody.
                _ = try connection.send(.status, [:])
                wasAsked = true
                continue
            }
            wasAsked = false
            switch message {
            case .response(let answered, let result) where answered == id: return .answer(result)
            case .failure(let answered, let error) where answered == id || answered == nil: return .no(error)
            case .notification: early.append(message)
            case .response, .failure, .request: continue
            }
        }
    }

    /// The supervisor answers while there is no daemon.
    private func failure(_ error: RPCError) -> Failure {
        error.code == .noDaemon ? .unreachable(.noDaemon(error.message)) : .refused(error)
    }

    private var silent: CommandFailure {
        let name = home.daemon.flatMap { $0.isAlive ? "the daemon (pid \($0.pid))" : nil } ?? "the daemon"
        return .noDaemon(
            "\(name) of \(home.path) takes connections and does not answer; \(home.daemonLog) may say why. "
                + "greenroom thaw --force lets the apps run, greenroom down --force ends everything")
    }

    /// The connection, made within the patience if a system is known to be there.
    func open() throws(Failure) -> ControlConnection {
        if let connection { return connection }
        let limit = TimeLimit(in: patience)
        let watch = FolderWatch(home.path)
        while true {
            do throws(SystemError) {
                let opened = try ControlConnection(path: home.controlSocket, atMost: max(limit.left, .milliseconds(1)))
                connection = opened
                return opened
            } catch {
                let passing: [Errno] = [.noSuchFileOrDirectory, .connectionRefused, .connectionReset]
                // So many wait for a daemon that accepts nobody that there is no room for more.
                let isFull = error.errno == .resourceTemporarilyUnavailable
                guard isFull || passing.contains(error.errno) else {
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
        ControlClient(home: try home, patience: patience, silence: silence)
    }
}
