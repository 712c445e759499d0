internal import AppProtocol
internal import AppRuntime
internal import Dispatch
internal import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
internal import Synchronization
internal import Wire

// What the app's code says to the system, on the main thread; from other threads it gets there in its turn.
extension AppCode: AppLink {
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
            // UIKit says so with this number.
            if method == .endTask, params["task"]?.int == 0 { strayEnds += 1 }
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
        onMainThread(within: seconds) { code in
            do throws(RPCError) {
                let question = try code.question(method, params)
                let reply = code.device?.answer(question, code.place).map(code.answer)
                // What changes something also happens.
                if case .submitTask = question { code.device?.request(question, code.place) }
                return reply
            } catch {
                return .failure(error)
            }
        } ?? nil
    }

    nonisolated func stop() {
        if Thread.isMainThread { return MainActor.assumeIsolated { completions = [:] } }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.completions = [:] } }
    }

    /// Virtual time stands while the app's code runs, so that whoever waits does not wait long; unless the main thread
    /// waits for the one that asks.
    ///
    /// - Parameter seconds: of real time; then the answer is `nil`.
    private nonisolated func onMainThread<Value: Sendable>(
        within seconds: Double, _ body: @escaping @MainActor @Sendable (AppCode) -> Value
    ) -> Value? {
        if Thread.isMainThread { return MainActor.assumeIsolated { body(self) } }
        let answer = Answer<Value>()
        DispatchQueue.main.async {
            MainActor.assumeIsolated { answer.value.withLock { $0 = body(self) } }
            answer.isThere.signal()
        }
        guard answer.isThere.wait(timeout: .now() + seconds) == .success else { return nil }
        return answer.value.withLock(\.self)
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let isThere = DispatchSemaphore(value: 0)
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
