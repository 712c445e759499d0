import Model
import PolicyCore
import Testing

extension ServiceDeclaration {
    /// Wants apps that await calls to run.
    static let calls = ServiceDeclaration(name: "calls", mode: .voip, launchesAtBoot: true, relaunches: true)
}

extension AppManifest {
    static func test(
        _ name: String, kind: AppKind = .application, modes: BackgroundModes = [], exitsOnSuspend: Bool = false,
        schemes: [String] = [], isFreezable: Bool = true, tasks: [String] = [],
        scenes: SceneSupport = .none, connectionLimit: Span? = nil
    ) -> AppManifest {
        // The names are literals of the tests.
        guard let identifier = AppIdentifier("org.example." + name) else { preconditionFailure("\(name) names no app") }
        return AppManifest(
            identifier: identifier, name: name, kind: kind, backgroundModes: modes, exitsOnSuspend: exitsOnSuspend,
            urlSchemes: schemes, isFreezable: isFreezable, taskIdentifiers: tasks, scenes: scenes,
            connectionLimit: connectionLimit)
    }
}

extension TestDevice {
    @discardableResult
    func installTest(
        _ name: String, kind: AppKind = .application, modes: BackgroundModes = [], exitsOnSuspend: Bool = false,
        schemes: [String] = [], isFreezable: Bool = true, tasks: [String] = [],
        scenes: SceneSupport = .none
    ) -> AppIndex {
        install(
            .test(
                name, kind: kind, modes: modes, exitsOnSuspend: exitsOnSuspend, schemes: schemes,
                isFreezable: isFreezable, tasks: tasks, scenes: scenes))
    }

    /// Changes how an app behaves from now on.
    func change(_ app: AppIndex, _ body: (inout Behaviour) -> Void) { body(&behaviours[Int(app.rawValue)]) }

    func process(_ app: AppIndex) -> FakeProcess? { processes[Int(app.rawValue)] }

    func state(_ app: AppIndex) -> LifecycleState { system.app(app)?.state ?? .notRunning }

    /// The delegate methods that ran since the last look.
    func takeCalls(_ app: AppIndex) -> [CallbackKind] {
        defer { calls[Int(app.rawValue)] = [] }
        return calls[Int(app.rawValue)]
    }

    /// The same by the names that the app hears, with the numbers of scenes.
    func takeWords(_ app: AppIndex) -> [String] {
        defer {
            calls[Int(app.rawValue)] = []
            launchOptions[Int(app.rawValue)] = []
        }
        return launchOptions[Int(app.rawValue)].map { callback in
            callback.scene.map { "\(callback.name) \($0.scene.rawValue)" } ?? callback.name
        }
    }

    /// What the log said of an app since the last look.
    func takeEvents(_ app: AppIndex) -> [LogEvent] {
        defer { log.removeAll { $0.app == app } }
        return log.filter { $0.app == app }.map(\.event)
    }

    @discardableResult
    func open(_ app: AppIndex, as role: ScreenRole = .primary) -> Answer? {
        perform(.open(app, role: role, wait: true))
    }

    @discardableResult
    func home() -> Answer? { perform(.home(wait: true)) }

    /// Opens and leaves the app, so that it is suspended, and forgets what was called.
    func suspend(_ app: AppIndex) {
        open(app)
        home()
        _ = takeCalls(app)
        _ = takeEvents(app)
    }

    /// The chain of causes from an entry back to its beginning, as `why` prints it.
    func chain(from entry: LogEntry) -> [LogEvent] {
        var events = [entry.event]
        var cause = entry.cause
        while let sequence = cause, let next = log.first(where: { $0.sequence == sequence }) {
            events.append(next.event)
            cause = next.cause
        }
        return events
    }

    func last(_ event: LogEvent, of app: AppIndex) throws -> LogEntry {
        try #require(log.last { $0.app == app && $0.event == event })
    }
}

/// Callback sequences as FACTS writes them.
enum Sequences {
    static let launch: [CallbackKind] = [.willFinishLaunching, .didFinishLaunching, .didBecomeActive]
    static let backgroundLaunch: [CallbackKind] = [.willFinishLaunching, .didFinishLaunching, .didEnterBackground]
    static let leave: [CallbackKind] = [.willResignActive, .didEnterBackground]
    static let comeBack: [CallbackKind] = [.willEnterForeground, .didBecomeActive]
}

extension TestDevice {
    /// What the app was called for last.
    func window(_ app: AppIndex) throws -> OpenWindow {
        try #require(launchOptions[Int(app.rawValue)].compactMap(\.window).last)
    }

    /// It calls the completion handler of that.
    @discardableResult
    func complete(_ app: AppIndex, _ result: WindowResult = .newData) throws -> AppReply? {
        request(app, .complete(try window(app).id, result))
    }

    func fetch(_ app: AppIndex, launches: Bool = false, wait: Bool = true) -> CommandID {
        let id = begin(.simulateFetch(app, launches: launches, wait: wait))
        run()
        return id
    }
}

/// Words that services guard.
extension BackgroundModes {
    static let (audio, location, voip): (BackgroundModes, BackgroundModes, BackgroundModes) = (
        "audio", "location", "voip"
    )
    static let remoteNotification: BackgroundModes = "remote-notification"
}

extension TestDevice {
    /// An app that can get this callback: one with tasks is not fetched.
    func installTest(_ name: String, for kind: CallbackKind) -> AppIndex {
        let tasks = kind == .performFetch ? [] : ["a"]
        return installTest(name, modes: [.processing, .fetch], schemes: ["test"], tasks: tasks)
    }
}
