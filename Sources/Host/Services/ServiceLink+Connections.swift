internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// Connections between apps and the service.
extension ServiceLink {
    private static let mostOffered = 4
    /// Nanoseconds in which the service must accept a connection, as for its hello. This is less than the limit of any
    /// callback in which an app may wait for the connection.
    static let longestAnswer: Int64 = 5_000_000_000
    /// Nanoseconds in which the service must answer `ping`. No app waits for it, and the machine may be busy.
    static let longestPing: Int64 = 20_000_000_000
    /// Nanoseconds in which the service must answer `ping` if a tool waits for it.
    static let longestPingForTool: Int64 = 10_000_000_000
    /// Nanoseconds in which the service must answer `stop`. The Core waits for a shorter time.
    static let longestStop: Int64 = 10_000_000_000

    /// Hands the service one end of a new connection, and `done` the other.
    func connect(_ app: AppHost, _ generation: Generation, _ done: @escaping (Result<Descriptor, RPCError>) -> Void) {
        let installation = app.installation
        let attach = ServiceAttach(
            app: installation.identifier, process: Int64(generation.rawValue), name: installation.name,
            bundle: host.home.bundle(installation.identifier), icon: installation.icon,
            modes: installation.backgroundModes,
            container: host.home.container(installation.identifier), extensions: installation.extensions ?? [:],
            user: Int64(installation.uid ?? CurrentProcess.uid), group: Int64(installation.uid ?? CurrentProcess.gid))
        // Who asks without waiting for an answer would have the service read for nobody else.
        guard offered[app.index, default: 0] < Self.mostOffered else {
            return done(.failure(RPCError(.tooMuch, "\(Self.mostOffered) connections are being made: wait for one")))
        }
        offered[app.index, default: 0] += 1
        withService { [unowned self] outcome in
            let answered: (Result<Descriptor, RPCError>) -> Void = { [unowned self] in
                offered[app.index] = offered[app.index].flatMap { $0 > 1 ? $0 - 1 : nil }
                done($0)
            }
            switch outcome {
            case .failure(let error): answered(.failure(error))
            case .success:
                // What it begins now it may have to tell after the device was started anew.
                registrations.keep(installation.identifier, at: name) { [unowned self] in
                    handOver(attach, Incarnation(app.index, generation), answered)
                }
            }
        }
    }

    private func handOver(
        _ attach: ServiceAttach, _ incarnation: Incarnation, _ done: @escaping (Result<Descriptor, RPCError>) -> Void
    ) {
        guard let (mine, its) = try? UnixSocket.pair() else {
            return done(.failure(RPCError(.internalError, "no connection to the service can be made")))
        }
        // Before the service can speak of it.
        host.post(.service(.attached(index, incarnation)))
        tellState(incarnation.app)
        let asked = answerWatch.began(limit: Self.longestAnswer)
        request(.attach, attach.json, with: its) { [unowned self] answer in
            answerWatch.ended(asked)
            done(answer.map { _ in mine })
        }
    }

    /// Calls back when the service answers, for a tool that connects by itself. One that does not answer is replaced
    /// first. If a debugger holds it, it is not asked.
    func whenAtWork(attempts: Int = 3, _ ready: @escaping (Result<Void, RPCError>) -> Void) {
        withService { [weak self] outcome in
            guard let self, case .success(let connection) = outcome, !isTraced else {
                return ready(outcome.map { _ in })
            }
            sendPing(on: connection, limit: Self.longestPingForTool) { [weak self] answer in
                // Not answered, because the service is gone.
                guard case .failure(let error) = answer, error.code == .ended else { return ready(.success(())) }
                guard let self, attempts > 1 else { return ready(.failure(error)) }
                whenAtWork(attempts: attempts - 1, ready)
            }
        }
    }

    private var isTraced: Bool { process.present.map { ProcFS().tracer($0.pid) != nil } ?? false }

    /// The service answers nothing. Waiting apps receive an error, and the next request starts a new process. A
    /// service in a debugger may be at a breakpoint.
    func replaceSilent(after limit: Int64) {
        guard let connection, !host.isHalting else { return }
        if isTraced { return }
        process.kill()
        connection.close()
        trouble =
            "it answered nothing for \(limit / 1_000_000_000) seconds, and was ended: "
            + "\(log) may say why"
    }
}
