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
        guard let question = question(method, params), let id = device?.request(question, place) else {
            DispatchQueue.main.async {
                MainActor.assumeIsolated { completion(.failure(.methodNotFound(method.rawValue))) }
            }
            return
        }
        device?.noteTask(question, place)
        completions[id] = completion
    }

    nonisolated func requestAndWait(
        _ method: AppMethod, _ params: JSONValue, seconds: Double
    ) -> Result<JSONValue, RPCError>? {
        onMainThread { code in
            code.question(method, params).flatMap { code.device?.answer($0, code.place) }.map(code.answer)
        }
    }

    nonisolated func stop() { onMainThread { $0.completions = [:] } }

    /// Virtual time stands while the app's code runs, so that whoever waits does not wait long.
    private nonisolated func onMainThread<Value: Sendable>(_ body: @MainActor @Sendable (AppCode) -> Value) -> Value {
        if Thread.isMainThread { return MainActor.assumeIsolated { body(self) } }
        return DispatchQueue.main.sync { MainActor.assumeIsolated { body(self) } }
    }

    private func question(_ method: AppMethod, _ params: JSONValue) -> AppRequest? {
        func task() -> TaskID? { params["task"]?.int.flatMap { UInt64(exactly: $0) }.map(TaskID.init) }
        switch method {
        case .openURL: return params["url"]?.string.map(AppRequest.openURL)
        case .canOpenURL: return params["url"]?.string.map(AppRequest.canOpenURL)
        case .beginTask:
            return task().map { task in
                .beginTask(task, name: params["name"]?.string ?? "background task \(task.rawValue)")
            }
        case .endTask: return task().map(AppRequest.endTask)
        case .backgroundTime: return .backgroundTime
        case .provideSnapshots: return params["provides"]?.bool.map(AppRequest.provideSnapshots)
        case .refreshSnapshot: return .refreshSnapshot
        case .hello, .ping, .state, .snapshot, .ignoreSnapshot: return nil
        }
    }

    func answer(_ reply: AppReply) -> Result<JSONValue, RPCError> {
        switch reply {
        case .done: .success(["opened": true])
        case .canOpen(let can): .success(["canOpen": .bool(can)])
        case .refused(let refusal): .failure(RPCError(.refused, refusal.sentence))
        case .taskBegan(let left), .remaining(let left): .success(["remaining": JSONValue(left?.seconds)])
        case .taskEnded, .noted: .success([:])
        }
    }
}
