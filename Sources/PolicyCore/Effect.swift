package import Model

/// What the host is to do. For one event the effects leave in this order: log entries and actions in the order in
/// which they were decided, app by app in the order in which the event touched them; who gets less of the machine than
/// before after that; answers to tools last.
package struct Effect: Hashable, Sendable {
    package var action: Action
    /// The log entry that explains the effect; following `LogEntry.cause` from there gives the whole chain.
    package var cause: LogSequence?

    package init(_ action: Action, cause: LogSequence? = nil) {
        self.action = action
        self.cause = cause
    }
}

/// One thing to do. What is large and rare is `indirect`: effects are moved about at every event.
package enum Action: Hashable, Sendable {
    case log(LogEntry)
    indirect case report(ReportFacts)

    /// Starts the process and answers `processStarted` or `launchFailed`.
    case launch(AppIndex, Generation, isBackground: Bool)
    /// Sends callbacks in one write.
    case deliver(AppIndex, Generation, [Callback])
    /// Looks at a running app: its processes are counted; `pingsMainThread`: its main thread has to answer.
    case check(AppIndex, Generation, pingsMainThread: Bool)
    /// Finds out whether a debugger from outside the app's own group is attached; answers `tracerChecked`.
    case checkTracer(AppIndex, Generation)

    /// Runs the steps that services own before a freeze; answers `prepared`.
    case prepare(AppIndex, Generation)
    /// Answers `frozen` once the kernel confirms it.
    case freeze(AppIndex, Generation)
    /// Handles everything that the app sent before it froze, tells of a lock that it has, then answers `verified`.
    case verify(AppIndex, Generation)
    case thaw(AppIndex, Generation)
    /// From now on it has so much of processors and disks, or so little.
    case setPriority(AppIndex, Generation, AppPriority)

    /// SIGTERM to a plain program's processes.
    case askToEnd(AppIndex, Generation)
    /// SIGKILL to every process of the app; ends in `allProcessesEnded`.
    case kill(AppIndex, Generation)

    /// Finds out what the app has in memory; answers `footprintSampled`.
    case sample(AppIndex, Generation)
    /// Takes purgeable and clean memory of a frozen app, only purgeable memory of one that runs; answers `reclaimed`.
    case reclaim(AppIndex, Generation, isFrozen: Bool)
    /// Answers `memorySensed`.
    case senseMemory

    /// Measures the files of the apps that run; answers `measured`.
    case measureDisk
    /// Empties Library/Caches and tmp of an app that does not run; answers `emptied`, then `sensed`.
    case emptyCaches(AppIndex)

    /// Its expiration handlers are called.
    case expireTasks(AppIndex, Generation, Expiration)
    /// The time for what it was woken for is nearly over: its expiration handler is called.
    case expireWindow(AppIndex, Generation, WindowID, left: Span)
    /// Everything about the device that apps are told of. The app compares it with what it was told before, so to hear
    /// it twice does no harm.
    indirect case tellConditions(AppIndex, Generation, DeviceConditions)
    /// Something that a mechanism of its own does.
    case mechanism(Incarnation, MechanismAction)
    /// Something that a service is told.
    indirect case service(ServiceAction)
    case reply(AppIndex, RequestID, AppReply)
    case answer(CommandID, Answer)
    /// Everything is down; the daemon may leave.
    case halt
}

package enum AppReply: Hashable, Sendable {
    case done
    case canOpen(Bool)
    case refused(Refusal)
    /// `nil`: as long as it likes.
    case taskBegan(remaining: Span?)
    case taskEnded
    case remaining(Span?)
    case noted
    case pendingTasks([BackgroundTaskRequest])
    /// The scene that is to be shown.
    case scene(SceneNumber)
}

package enum Answer: Hashable, Sendable {
    case done(app: AppIndex?)
    case refused(Refusal)
    /// What was waited for can no longer happen.
    case overtaken(Refusal)
}

/// What would help against a refusal. How a person does that depends on what is at hand: tools say it in their own
/// words.
package enum Remedy: Hashable, Sendable {
    case listApps, unlock, wake
    case dismiss(InterruptionKind)
    case simulate(InterruptionKind)
}

/// Why something is not done, as a value; the sentence says what to do instead.
package enum Refusal: Error, Hashable, Sendable {
    case unknownApp
    case notRunning(String)
    case deviceLocked, deviceAsleep
    case interrupted(InterruptionKind)
    case noHandler(scheme: String)
    case malformedURL(String)
    case notInForeground
    case roleUnavailable(ScreenRole, profile: String)
    case noSuchInterruption(InterruptionKind)
    case cannotAccept(InterruptionKind)
    case noCall
    case shuttingDown
    case missingBackgroundMode(String)
    case task(TaskRefusal)
    case takesNoSettings(String)
    case tooManySettings(String, limit: Int)
    case leftTheScreen(String)
    case ended(String)
    case backgroundTask(BackgroundTaskRefusal)
    case notWoken(String, WakeObstacle)
    /// Apps open one another too often.
    case tooManyURLs(limit: Int32, within: Span)
    case takesNoFetch(String)
    case noScenes(String)
    case oneScene(String)
    case unknownScene(String, SceneNumber)
    case tooManyScenes(String, limit: Int32)

    /// What the user would have to do first.
    package var remedy: Remedy? {
        switch self {
        case .unknownApp: .listApps
        case .deviceLocked: .unlock
        case .deviceAsleep: .wake
        case .interrupted(let kind): .dismiss(kind)
        case .noSuchInterruption(let kind): .simulate(kind)
        default: nil
        }
    }

    package var sentence: String {
        switch self {
        case .unknownApp: "no such app is installed"
        case .notRunning(let name): "\(name) is not running"
        case .deviceLocked: "the device is locked"
        case .deviceAsleep: "the device is asleep"
        case .interrupted(let kind):
            "\(kind.phrase) lies over the screen: dismiss or accept it first"
        case .noHandler(let scheme):
            "no installed app is registered for \(scheme): install one that names the scheme in CFBundleURLTypes, or choose "
                + "one that claims it with greenroom default"
        case .malformedURL(let url): "\(url) is not a URL with a scheme"
        case .notInForeground: "only an app on screen may open a URL"
        case .roleUnavailable(let role, let profile): "a device of profile \(profile) has no \(role.name) app"
        case .noSuchInterruption(let kind):
            "there is no \(kind.name) on the screen"
        case .cannotAccept(let kind): "\(kind.phrase) can only be dismissed"
        case .noCall: "there is no call in progress"
        case .shuttingDown: "the system is shutting down"
        case .missingBackgroundMode(let key): "add \(key) to UIBackgroundModes in Info.plist to use this service"
        case .task(let refusal): refusal.sentence
        case .takesNoSettings(let name): "\(name) is a plain program: what it can be told is in its own configuration"
        case .tooManySettings(let name, let limit):
            "\(name) has \(limit) settings that were set outside of it, and can have no more: take one back first"
        case .leftTheScreen(let name): "\(name) left the screen before it was done"
        case .ended(let sentence): sentence
        case .backgroundTask(let refusal): refusal.sentence
        case .notWoken(let name, let obstacle): "\(name) is not woken: \(obstacle.sentence)"
        case .tooManyURLs(let limit, let span):
            "apps opened URLs and scenes \(limit) times within \(span.twoDigits) seconds: open this one when the user asks for it"
        case .takesNoFetch(let name): "\(name) is a plain program: nobody in it could be told to fetch"
        case .noScenes(let name):
            "\(name) has no scenes: an app has some whose Info.plist has UIApplicationSceneManifest"
        case .oneScene(let name):
            "\(name) has one scene: set UIApplicationSupportsMultipleScenes in UIApplicationSceneManifest of its Info.plist"
        case .unknownScene(let name, let number):
            "\(name) has no scene \(number.rawValue): greenroom apps --json lists its scenes"
        case .tooManyScenes(let name, let limit): "\(name) has \(limit) scenes: close one first"
        }
    }
}

/// What the Core knows for a report; the host adds what the kernel knows.
package struct ReportFacts: Hashable, Sendable {
    /// The log entry that the report belongs to; also makes its identifier.
    package var sequence: LogSequence
    package var app: AppIndex
    package var pid: Int32?
    package var at: WallTime
    package var code: TerminationCode
    package var reason: String
    package var state: LifecycleState
    package var isVisible: Bool
    /// For an exceeded limit: its name, what was allowed and what it took.
    package var limit: String?
    package var allowed: Span?
    package var elapsed: Span?
    package var launchedAt: WallTime?
    /// For an end for memory: what it was decided by.
    package var memory: MemoryEnd?
    /// True when the report describes an end, false for a fault that the app survives.
    package var isTermination: Bool
}
