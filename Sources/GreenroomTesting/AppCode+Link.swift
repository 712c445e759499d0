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
        device?.noteCompletion(question, place)
        completions[id] = completion
    }

    nonisolated func requestAndWait(
        _ method: AppMethod, _ params: JSONValue, seconds: Double
    ) -> Result<JSONValue, RPCError>? {
        onMainThread { code in
            guard let question = code.question(method, params) else { return nil }
            let reply = code.device?.answer(question, code.place).map(code.answer)
            // What changes something also happens.
            if case .submitTask = question { code.device?.request(question, code.place) }
            return reply
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
        case .provideSnapshots: return params["provides"]?.bool.map { .mechanism(.snapshots(.provide($0))) }
        case .refreshSnapshot: return .mechanism(.snapshots(.refresh))
        case .complete: return completion(params)
        case .setFetchInterval: return .setFetchInterval(BackgroundTaskRequest.fetchInterval(params["seconds"]?.number))
        case .submitTask: return taskRequest(params).map(AppRequest.submitTask)
        case .cancelTask: return .cancelTask(params["identifier"]?.string)
        case .pendingTasks: return .pendingTasks
        case .hello, .ping, .state, .snapshot, .ignoreSnapshot, .transfers: return nil
        }
    }

    func answer(_ reply: AppReply) -> Result<JSONValue, RPCError> {
        switch reply {
        case .done: .success(["opened": true])
        case .canOpen(let can): .success(["canOpen": .bool(can)])
        case .refused(.backgroundTask(let refusal)):
            .failure(RPCError(.refused, refusal.sentence, data: ["code": .string(refusal.code)]))
        case .refused(let refusal): .failure(RPCError(.refused, refusal.sentence))
        case .taskBegan(let left), .remaining(let left): .success(["remaining": JSONValue(left?.seconds)])
        case .taskEnded, .noted: .success([:])
        case .pendingTasks(let requests): .success(["tasks": .array(requests.map(message))])
        }
    }

    private func completion(_ params: JSONValue) -> AppRequest? {
        guard let window = params["window"]?.int.flatMap({ UInt64(exactly: $0) }) else { return nil }
        let result = WindowResult.allCases.first { $0.name == params["result"]?.string }
        return .complete(WindowID(window), result ?? .done)
    }

    private func taskRequest(_ params: JSONValue) -> BackgroundTaskRequest? {
        guard let identifier = params["identifier"]?.string, let now = wall,
            let kind = BackgroundTaskRequest.Kind.allCases.first(where: { $0.name == params["kind"]?.string })
        else { return nil }
        let earliest = BackgroundTaskRequest.earliest(after: params["after"]?.number, at: now)
        return BackgroundTaskRequest(
            identifier: identifier, kind: kind, earliest: earliest, needsNetwork: params["network"]?.bool ?? false,
            needsPower: params["power"]?.bool ?? false)
    }

    private func message(_ request: BackgroundTaskRequest) -> JSONValue {
        let after = wall.flatMap { request.secondsLeft(at: $0) }
        return [
            "identifier": .string(request.identifier), "kind": .string(request.kind.name), "after": JSONValue(after),
            "network": .bool(request.needsNetwork), "power": .bool(request.needsPower),
        ]
    }

    private var wall: WallTime? {
        device.map { WallTime(nanoseconds: $0.now.nanoseconds &+ $0.wallOffset) }
    }
}
