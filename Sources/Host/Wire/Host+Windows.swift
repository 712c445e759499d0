package import Model
package import PolicyCore
package import Wire

// What apps are woken for, on the wire: docs/PROTOCOL.md, 2.9.
extension Host {
    func expireWindow(_ index: AppIndex, _ generation: Generation, _ window: WindowID, left: Span) {
        process(index, generation)?.connection?.send(
            .notification(
                method: AppNotification.windowExpires.rawValue,
                params: [
                    "window": .int(Int64(clamping: window.rawValue)), "remaining": .double(max(0, left.seconds)),
                ]))
    }
}

extension JSONObject {
    /// What a callback says that opens a window.
    mutating func add(_ window: OpenWindow?) {
        guard let window else { return }
        self["window"] = .int(Int64(clamping: window.id.rawValue))
        switch window.kind {
        case .fetch: break
        case .transferEvents(let session, let authentication):
            self["session"] = .string(session)
            self["authentication"] = .bool(authentication)
        case .refresh(let identifier), .processing(let identifier):
            self["identifier"] = .string(identifier)
            self["kind"] = .string(window.kind.service.name)
        }
    }
}

extension JSONValue {
    package var completion: AppRequest {
        get throws(RPCError) {
            let number = try int("window")
            guard number > 0 else { throw .invalidParameter("window", "windows are counted from 1") }
            let text = try optionalString("result") ?? WindowResult.done.name
            guard let result = WindowResult.allCases.first(where: { $0.name == text }) else {
                throw .invalidParameter("result", "a result is newData, noData, failed or done")
            }
            return .complete(WindowID(UInt64(number)), result)
        }
    }

    package var fetchInterval: AppRequest {
        get throws(RPCError) {
            let seconds = try optionalNumber("seconds")
            guard seconds ?? 0 >= 0 else {
                throw .invalidParameter("seconds", "an interval is not negative; null is never")
            }
            return .setFetchInterval(BackgroundTaskRequest.fetchInterval(seconds))
        }
    }

    /// `now`: what the wall clock shows.
    package func taskRequest(at now: WallTime) throws(RPCError) -> AppRequest {
        let name = try string("kind")
        guard let kind = BackgroundTaskRequest.Kind.allCases.first(where: { $0.name == name }) else {
            throw .invalidParameter("kind", "a task is refresh or processing")
        }
        let earliest = BackgroundTaskRequest.earliest(after: try optionalNumber("after"), at: now)
        return .submitTask(
            BackgroundTaskRequest(
                identifier: try taskIdentifier, kind: kind, earliest: earliest,
                needsNetwork: try bool("network", default: false), needsPower: try bool("power", default: false)))
    }

    package var cancellation: AppRequest {
        get throws(RPCError) {
            let identifier = try optionalString("identifier")
            return .cancelTask(identifier == nil ? nil : try taskIdentifier)
        }
    }

    private var taskIdentifier: String {
        get throws(RPCError) {
            let identifier = try string("identifier")
            guard identifier.utf8.count <= Limits.windowIdentifier else {
                throw .invalidParameter("identifier", "an identifier has at most \(Limits.windowIdentifier) bytes")
            }
            return identifier
        }
    }
}

extension BackgroundTaskRequest {
    func json(at now: WallTime) -> JSONValue {
        [
            "identifier": .string(identifier), "kind": .string(kind.name), "after": JSONValue(secondsLeft(at: now)),
            "network": .bool(needsNetwork), "power": .bool(needsPower),
        ]
    }
}
