/// Names a window, for the life of a system: it is the number of the assertion that the window is.
package struct WindowID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: WindowID, b: WindowID) -> Bool { a.rawValue < b.rawValue }
}

/// What wakes an app for a while, until it says that it is done.
package enum WindowService: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// A background fetch (S9).
    case fetch = 1
    /// A background transfer has something to tell (S10).
    case sessionEvents
    /// Tasks of `BGTaskScheduler`.
    case refresh, processing
    /// A service that is a program of its own has something for the app.
    case service

    package var name: String { assertion.name }

    package var assertion: AssertionKind {
        switch self {
        case .fetch: .fetch
        case .sessionEvents: .sessionEvents
        case .refresh: .refresh
        case .processing: .processing
        case .service: .service
        }
    }

    package var callback: CallbackKind {
        switch self {
        case .fetch: .performFetch
        case .sessionEvents: .handleEventsForBackgroundURLSession
        case .refresh, .processing: .launchBackgroundTask
        case .service: .handleServiceEvents
        }
    }

    /// The app is told shortly before its time is over.
    package var hasExpirationHandler: Bool {
        switch self {
        case .fetch, .sessionEvents, .service: false
        case .refresh, .processing: true
        }
    }

    /// An app that the user closed in the switcher is left alone (FACTS, "Order of callbacks").
    package var isForUser: Bool { self != .sessionEvents }
}

/// What an app is woken for.
package enum WindowKind: Hashable, Sendable, Codable {
    case fetch
    /// Of the session with this identifier: all its transfers are done, or somebody has to say who he is.
    case sessionEvents(session: String, authentication: Bool)
    /// The task with this identifier.
    case refresh(String)
    case processing(String)
    indirect case service(ServiceWake)

    /// As checkpoints have them.
    private enum CodingKeys: String, CodingKey {
        case fetch, refresh, processing, service
        case sessionEvents = "transferEvents"
    }

    package var service: WindowService {
        switch self {
        case .fetch: .fetch
        case .sessionEvents: .sessionEvents
        case .refresh: .refresh
        case .processing: .processing
        case .service: .service
        }
    }

    /// Of the session or the task; `nil` for a fetch.
    package var identifier: String? {
        switch self {
        case .fetch: nil
        case .sessionEvents(let session, _): session
        case .refresh(let identifier), .processing(let identifier): identifier
        case .service(let wake): "\(wake.service).\(wake.window)"
        }
    }

    /// Two of a kind are one.
    package func isSame(as other: WindowKind) -> Bool {
        service == other.service && identifier == other.identifier
    }

    /// What the app does meanwhile, for people.
    package var phrase: String {
        switch self {
        case .fetch: "a background fetch"
        case .sessionEvents(let session, _): "the events of the URL session “\(session)”"
        case .refresh(let identifier): "the refresh task “\(identifier)”"
        case .processing(let identifier): "the processing task “\(identifier)”"
        case .service(let wake): wake.sentence
        }
    }
}

/// What an app says that a window came to.
package enum WindowResult: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Of a fetch (`UIBackgroundFetchResult`).
    case newData = 1
    case noData, failed
    /// Of what has no other result, or of a task that succeeded.
    case done

    package var name: String { "\(self)" }

    package var phrase: String {
        switch self {
        case .newData: "there was new data"
        case .noData: "there was no new data"
        case .failed: "it failed"
        case .done: "it is done"
        }
    }
}

/// A window, as the app is told of it.
package struct OpenWindow: Hashable, Sendable, Codable {
    package var id: WindowID
    package var kind: WindowKind

    package init(id: WindowID, kind: WindowKind) {
        self.id = id
        self.kind = kind
    }
}

/// An app that did not say in time that it is done.
package struct WindowEnd: Hashable, Sendable, Codable {
    package var kind: WindowKind
    package var allowed: Span

    package init(kind: WindowKind, allowed: Span) {
        self.kind = kind
        self.allowed = allowed
    }

    package var code: TerminationCode {
        switch kind.service {
        case .fetch: .fetchNotFinished
        case .sessionEvents: .sessionEventsNotFinished
        case .refresh, .processing, .service: .taskNotEnded
        }
    }

    func sentence(name: String) -> String {
        let whose =
            switch kind {
            case .fetch: "the completion handler of performFetchWithCompletionHandler"
            case .sessionEvents(let session, _):
                "the completion handler of handleEventsForBackgroundURLSession for “\(session)”"
            case .refresh(let task), .processing(let task): "setTaskCompleted of the background task “\(task)”"
            case .service(let wake): "complete for \(wake.sentence) (service \(wake.service))"
            }
        let advice =
            kind.service.hasExpirationHandler
            ? "call it when the work is done, and in the expiration handler at the latest"
            : "call it as soon as the work is done, also when that failed"
        return
            "\(kind.service.endName) not finished in time: \(name) did not call \(whose) within "
            + "\(allowed.twoDigits) seconds; \(advice)"
    }
}

extension WindowService {
    var endName: String {
        switch self {
        case .fetch: "background fetch"
        case .sessionEvents: "background URL session"
        case .refresh, .processing: "background task"
        case .service: "background event"
        }
    }
}

/// What an app asks `BGTaskScheduler` for.
package struct BackgroundTaskRequest: Hashable, Sendable, Codable {
    package enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case refresh = 1
        case processing

        package var name: String { "\(self)" }
    }

    package var identifier: String
    package var kind: Kind
    /// Not before.
    package var earliest: WallTime?
    package var needsNetwork: Bool
    package var needsPower: Bool

    package init(
        identifier: String, kind: Kind, earliest: WallTime? = nil, needsNetwork: Bool = false, needsPower: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliest = earliest
        self.needsNetwork = needsNetwork
        self.needsPower = needsPower
    }

    package var window: WindowKind {
        switch kind {
        case .refresh: .refresh(identifier)
        case .processing: .processing(identifier)
        }
    }

    /// The moment that is so many seconds away, as an app says it: the past is no condition, and what is further away
    /// than a century is never, as `Date.distantFuture` and infinity are.
    package static func earliest(after seconds: Double?, at now: WallTime) -> WallTime? {
        guard let seconds, seconds > 0 else { return nil }
        return seconds < century ? now + .seconds(seconds) : .never
    }

    /// The same for the app; what never begins is further away than any date.
    package func secondsLeft(at now: WallTime) -> Double? {
        earliest.map { $0 == .never ? Self.century * 20 : ($0 - now).seconds }
    }

    /// The same for an interval; `nil`: never, as is a century.
    package static func fetchInterval(_ seconds: Double?) -> Span? {
        guard let seconds, seconds <= century else { return nil }
        return .seconds(max(0, seconds))
    }

    private static let century: Double = 3_155_760_000

    /// Bytes of an identifier, of a task or of a session.
    package static let longestIdentifier = 256
}

/// Why a request to `BGTaskScheduler` is refused.
package enum BackgroundTaskRefusal: Hashable, Sendable, Codable {
    case notPermitted(identifier: String)
    case missingMode(key: String)
    case tooMany(BackgroundTaskRequest.Kind, limit: Int)
    case unavailable(profile: String)
    /// The user does not want it to run in the background.
    case refreshIsOff

    package var sentence: String {
        switch self {
        case .notPermitted(let identifier):
            "“\(identifier)” is not among the BGTaskSchedulerPermittedIdentifiers of Info.plist: add it there"
        case .missingMode(let key): "add \(key) to UIBackgroundModes in Info.plist to schedule such tasks"
        case .tooMany(let kind, let limit):
            "an app may have \(limit) \(kind.name) \(limit == 1 ? "request" : "requests") waiting: cancel one first"
        case .unavailable(let profile): "a device of profile \(profile) runs nothing in the background"
        case .refreshIsOff: "the user has switched background refresh off for it"
        }
    }

    /// Its case of `BGTaskScheduler.Error.Code`.
    package var code: String {
        switch self {
        case .notPermitted, .missingMode: "notPermitted"
        case .tooMany: "tooManyPendingTaskRequests"
        case .unavailable, .refreshIsOff: "unavailable"
        }
    }
}

extension Span {
    /// For people: whole minutes, or seconds where there are no whole ones.
    var minutes: String {
        let minute: Int64 = 60_000_000_000
        guard nanoseconds >= minute, nanoseconds.isMultiple(of: minute) else { return "\(twoDigits) seconds" }
        return nanoseconds == minute ? "1 minute" : "\(nanoseconds / minute) minutes"
    }
}

/// What an app wants of the time in which it does not run. It outlives the device's restart.
package struct WakeWishes: Hashable, Sendable, Codable {
    /// Between fetches; `nil`: never.
    package var interval: Span?
    package var tasks: [BackgroundTaskRequest]
    /// The sessions of its scenes, the one that was shown last at the end.
    package var scenes: [SceneNumber]
    /// Those of which it has yet to hear that they are gone.
    package var closedScenes: [SceneNumber]

    package init(
        interval: Span? = nil, tasks: [BackgroundTaskRequest] = [], scenes: [SceneNumber] = [],
        closedScenes: [SceneNumber] = []
    ) {
        self.interval = interval
        self.tasks = tasks
        self.scenes = scenes
        self.closedScenes = closedScenes
    }

    /// A database from before there were scenes says nothing of them.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        interval = try values.decodeIfPresent(Span.self, forKey: .interval)
        tasks = try values.decode([BackgroundTaskRequest].self, forKey: .tasks)
        scenes = try values.decodeIfPresent([SceneNumber].self, forKey: .scenes) ?? []
        closedScenes = try values.decodeIfPresent([SceneNumber].self, forKey: .closedScenes) ?? []
    }

    /// Whether there are scenes to keep.
    package var hasScenes: Bool { !scenes.isEmpty || !closedScenes.isEmpty }

    package var isEmpty: Bool { interval == nil && tasks.isEmpty && !hasScenes }
}
