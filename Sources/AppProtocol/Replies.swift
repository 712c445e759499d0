package import Model
package import PolicyCore
package import Wire

extension AppReply {
    /// What the app hears.
    /// - Parameter now: what the wall clock shows.
    package func message(at now: WallTime) -> Result<JSONValue, RPCError> {
        switch self {
        case .done: .success(["opened": true])
        case .canOpen(let can): .success(["canOpen": .bool(can)])
        case .refused(let refusal): .failure(RPCError(refusal))
        case .taskBegan(let left), .remaining(let left): .success(["remaining": JSONValue(left?.seconds)])
        case .pendingTasks(let requests): .success(["tasks": .array(requests.map { $0.json(at: now) })])
        case .taskEnded, .noted: .success([:])
        case .scene(let scene): .success(["scene": .int(Int64(scene.rawValue))])
        }
    }
}

extension RPCError {
    package init(_ refusal: PolicyCore.Refusal) {
        let code: Code
        switch refusal {
        case .unknownApp, .noHandler: code = .unknown
        case .malformedURL: code = .invalidParams
        default: code = .refused
        }
        if case .backgroundTask(let refused) = refusal {
            self.init(code, refusal.sentence, data: ["code": .string(refused.code)])
        } else {
            self.init(code, refusal.sentence, data: refusal.remedy.map(Self.data) ?? .null)
        }
    }
}

extension RPCError {
    private static func data(_ remedy: Remedy) -> JSONValue {
        switch remedy {
        case .listApps: ["remedy": "listApps"]
        case .unlock: ["remedy": "unlock"]
        case .wake: ["remedy": "wake"]
        case .dismiss(let kind): ["remedy": "dismiss", "interruption": .string(kind.name)]
        case .simulate(let kind): ["remedy": "simulate", "interruption": .string(kind.name)]
        }
    }
}

extension BackgroundTaskRequest {
    fileprivate func json(at now: WallTime) -> JSONValue {
        [
            "identifier": .string(identifier), "kind": .string(kind.name), "after": JSONValue(secondsLeft(at: now)),
            "network": .bool(needsNetwork), "power": .bool(needsPower),
        ]
    }
}
