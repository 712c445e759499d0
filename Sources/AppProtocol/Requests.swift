package import Model
package import PolicyCore
package import Wire

// What apps may say, with its limits and its errors: docs/PROTOCOL.md, section 2. The daemon and the simulated device
// of GreenroomTesting read it here, so that an app's test passes where the daemon agrees, and only there.

extension AppRequest {
    /// What an app asks of the Core by this method; `nil` where the method is the host's own affair.
    /// - Parameter now: what the wall clock shows.
    package init?(_ method: AppMethod, _ params: JSONValue, at now: WallTime) throws(RPCError) {
        switch method {
        case .openURL: self = .openURL(try params.url)
        case .canOpenURL: self = .canOpenURL(try params.url)
        case .beginTask: self = try params.beginTask
        case .endTask: self = .endTask(try params.task)
        case .backgroundTime: self = .backgroundTime
        case .provideSnapshots: self = .mechanism(.snapshots(.provide(try params.bool("provides"))))
        case .refreshSnapshot: self = .mechanism(.snapshots(.refresh))
        case .complete: self = try params.completion
        case .setFetchInterval: self = try params.fetchInterval
        case .submitTask: self = try params.taskRequest(at: now)
        case .cancelTask: self = try params.cancellation
        case .pendingTasks: self = .pendingTasks
        case .activateScene: self = .scene(.activate(try params.optionalScene, wish: try params.wish))
        case .destroyScene: self = .scene(.destroy(try params.scene))
        case .keepScreenOn: self = .keepScreenOn(try params.bool("keeps"))
        case .hello, .ping, .state, .snapshot, .ignoreSnapshot, .connect: return nil
        }
    }
}

extension JSONValue {
    /// A URL of a length that a person could have meant; it is journaled, logged and passed on.
    package var url: String {
        get throws(RPCError) {
            let text = try string("url")
            guard text.utf8.count <= 8192 else { throw .invalidParameter("url", "a URL has at most 8192 bytes") }
            return text
        }
    }

    /// What an app is to be opened for, if not for a URL.
    package var invitation: Invitation? {
        get throws(RPCError) {
            let (shortcut, activity) = (try optionalString("shortcut"), try optionalString("activity"))
            guard shortcut == nil || activity == nil else {
                throw .invalidParameter("activity", "an app is opened for a shortcut or for an activity, not for both")
            }
            guard let type = shortcut ?? activity else { return nil }
            guard !type.isEmpty else {
                throw .invalidParameter(shortcut == nil ? "activity" : "shortcut", "a type is not empty")
            }
            if shortcut != nil { return .shortcut(type: type) }
            return .activity(type: type, info: try optionalObject("info")?.object)
        }
    }

    // MARK: Scenes (2.10)

    /// The number of a scene's session.
    package var scene: SceneNumber {
        get throws(RPCError) { try Self.scene(try int("scene")) }
    }

    package var optionalScene: SceneNumber? {
        get throws(RPCError) {
            guard let number = try optionalNumber("scene") else { return nil }
            return try Self.scene(Int(exactly: number) ?? 0)
        }
    }

    private static func scene(_ number: Int) throws(RPCError) -> SceneNumber {
        guard let number = UInt32(exactly: number), number > 0 else {
            throw .invalidParameter("scene", "scenes are counted from 1")
        }
        return SceneNumber(number)
    }

    fileprivate var wish: UInt32 {
        get throws(RPCError) {
            guard let wish = UInt32(exactly: try optionalNumber("wish") ?? 0) else {
                throw .invalidParameter("wish", "a wish is a number below 2^32")
            }
            return wish
        }
    }

    // MARK: Task completion (2.6)

    /// The identifier that the app gave a task; zero is the one that names none.
    fileprivate var task: TaskID {
        get throws(RPCError) {
            let number = try int("task")
            guard number >= 0 else { throw .invalidParameter("task", "a task's identifier is not negative") }
            return TaskID(UInt64(number))
        }
    }

    fileprivate var beginTask: AppRequest {
        get throws(RPCError) {
            let task = try task
            guard task != .invalid else { throw .invalidParameter("task", "0 names no task: count from 1") }
            let name = try optionalString("name") ?? "background task \(task.rawValue)"
            guard name.utf8.count <= Limits.taskName else {
                throw .invalidParameter("name", "a task's name has at most \(Limits.taskName) bytes")
            }
            return .beginTask(task, name: name)
        }
    }

    // MARK: What apps are woken for (2.9)

    fileprivate var completion: AppRequest {
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

    fileprivate var fetchInterval: AppRequest {
        get throws(RPCError) {
            let seconds = try optionalNumber("seconds")
            guard seconds ?? 0 >= 0 else {
                throw .invalidParameter("seconds", "an interval is not negative; null is never")
            }
            return .setFetchInterval(BackgroundTaskRequest.fetchInterval(seconds))
        }
    }

    fileprivate func taskRequest(at now: WallTime) throws(RPCError) -> AppRequest {
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

    fileprivate var cancellation: AppRequest {
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
