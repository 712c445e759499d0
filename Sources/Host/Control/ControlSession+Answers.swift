internal import AppProtocol
internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// How a tool's request is answered: now, when a command is done, or when somebody has looked.
extension ControlSession {
    func respond(_ id: RPCID, _ result: JSONValue) { connection.send(.response(id: id, result: result)) }

    func command(
        _ command: Command, _ id: RPCID, forgivesRepetition: Bool = false,
        _ result: @escaping (AppIndex?) -> JSONValue = { _ in [:] }
    ) {
        waiting += 1
        _ = host.command(command) { [weak self] answer in
            guard let self else { return }
            waiting -= 1
            switch answer {
            case .done(let app): respond(id, result(app))
            // What a tool repeats may have been done before the answer was lost: then nothing is left to do.
            case .refused where forgivesRepetition: respond(id, [:])
            case .refused(let refusal): connection.send(.failure(id: id, RPCError(refusal)))
            case .overtaken(let refusal): connection.send(.failure(id: id, RPCError(.ended, refusal.sentence)))
            }
        }
    }

    /// What outlasts a boot: the Core decides, the database follows, and then the tool is told. A daemon that dies
    /// between them finds in its recording what the database lacks (`Host.settle`).
    func keep(_ command: Command, _ id: RPCID, _ store: @escaping @Sendable () throws -> Void) {
        let end = outcome(id)
        _ = host.command(command) { [host] answer in
            switch answer {
            case .refused(let refusal): end(.failure(RPCError(refusal)))
            case .overtaken(let refusal): end(.failure(RPCError(.ended, refusal.sentence)))
            case .done:
                host.workers.run(.storage) {
                    Self.result {
                        try store()
                        return [:]
                    }
                } then: {
                    end($0)
                }
            }
        }
    }

    /// What a tool wants to know, on a lane, when it is its turn. For a tool that has left it is not looked up: others
    /// wait.
    func read(_ lane: Workers.Lane, _ id: RPCID, _ body: @escaping @Sendable () throws -> JSONValue) {
        let (presence, workers, end) = (presence, host.workers, outcome(id))
        host.toolReads.add { done in
            guard presence.isThere else { return false }
            workers.run(lane) { () -> (Result<JSONValue, RPCError>, Int64) in
                let began = Clock.threadTime()
                let result = Self.result(body)
                return (result, Clock.threadTime() - began)
            } then: { result, cost in
                done(cost)
                end(result)
            }
            return true
        }
    }

    static func result(_ body: () throws -> JSONValue) -> Result<JSONValue, RPCError> {
        do {
            return .success(try body())
        } catch let error as RPCError {
            return .failure(error)
        } catch {
            return .failure(RPCError(.internalError, "\(error)"))
        }
    }

    /// For an answer that is JSON already.
    func written(_ id: RPCID) -> ([UInt8]) -> Void {
        waiting += 1
        return { [weak self] json in
            guard let self else { return }
            waiting -= 1
            host.toolTurns.count { connection.send(RPCMessage.answer(id: id, written: json)) }
        }
    }

    func outcome(_ id: RPCID) -> (Result<JSONValue, RPCError>) -> Void {
        waiting += 1
        return { [weak self] outcome in
            guard let self else { return }
            waiting -= 1
            host.toolTurns.count {
                switch outcome {
                case .success(let result): respond(id, result)
                case .failure(let error): connection.send(.failure(id: id, error))
                }
            }
        }
    }
}
