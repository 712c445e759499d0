internal import AppProtocol
internal import AppRuntime
internal import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
internal import Wire

// What the app's code says to the system, on the main thread; from other threads it gets there in its turn.
extension AppCode: AppLink {
    nonisolated var greeting: JSONValue? {
        onMainThread { code in
            (code.device?.profile).map { profile in
                [
                    "profile": .string(profile.name), "options": ["multitasking": .bool(profile.hasMultitasking)],
                ]
            }
        }
    }

    nonisolated func request(_ method: AppMethod, _ params: JSONValue, completion: @escaping Completion) {
        guard Thread.isMainThread else {
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.ask(method, params, completion) }
            }
            return
        }
        MainActor.assumeIsolated { ask(method, params, completion) }
    }

    private func ask(_ method: AppMethod, _ params: JSONValue, _ completion: @escaping Completion) {
        do throws(RPCError) {
            let question = try question(method, params)
            guard let id = device?.request(question, place) else { throw .methodNotFound(method.rawValue) }
            device?.noteTask(question, place)
            device?.noteCompletion(question, place)
            completions[id] = completion
        } catch {
            DispatchQueue.main.async {
                MainActor.assumeIsolated { completion(.failure(error)) }
            }
        }
    }

    nonisolated func requestAndWait(
        _ method: AppMethod, _ params: JSONValue, seconds: Double
    ) -> Result<JSONValue, RPCError>? {
        onMainThread { code in
            do throws(RPCError) {
                let question = try code.question(method, params)
                let reply = code.device?.answer(question, code.place).map(code.answer)
                // What changes something also happens.
                if case .submitTask = question { code.device?.request(question, code.place) }
                return reply
            } catch {
                return .failure(error)
            }
        }
    }

    nonisolated func stop() { onMainThread { $0.completions = [:] } }

    /// Virtual time stands while the app's code runs, so that whoever waits does not wait long.
    private nonisolated func onMainThread<Value: Sendable>(_ body: @MainActor @Sendable (AppCode) -> Value) -> Value {
        if Thread.isMainThread { return MainActor.assumeIsolated { body(self) } }
        return DispatchQueue.main.sync { MainActor.assumeIsolated { body(self) } }
    }

    private func question(_ method: AppMethod, _ params: JSONValue) throws(RPCError) -> AppRequest {
        guard let wall, let question = try AppRequest(method, params, at: wall) else {
            throw .methodNotFound(method.rawValue)
        }
        return question
    }

    func answer(_ reply: AppReply) -> Result<JSONValue, RPCError> {
        reply.message(at: wall ?? WallTime(nanoseconds: 0))
    }

    private var wall: WallTime? {
        device.map { WallTime(nanoseconds: $0.now.nanoseconds &+ $0.wallOffset) }
    }
}
