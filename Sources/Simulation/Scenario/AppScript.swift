package import Model
internal import PolicyCore

/// An app as a scenario describes it: what is installed, how long things take it, and what it does when it is told
/// something. The default behaves well and does nothing.
package struct AppScript: Hashable, Sendable {
    /// What the scenario calls it.
    package var name: String
    package var manifest: AppManifest
    /// From the birth of the process to its `hello`.
    package var startup = AppScript.standardStartup
    /// How long each delegate method takes; 2 ms where nothing is said.
    package var callbackTimes: [CallbackKind: Span] = [:]
    /// What it does when a delegate method has been called, before that returns.
    package var reactions: [CallbackKind: [AppAction]] = [:]
    /// What it does when a service tells it something, by the words.
    package var hears: [String: [AppAction]] = [:]
    /// What its expiration handlers do, each time that some are called.
    package var expirations: [AppAction] = []
    /// What it has in memory when it runs.
    package var footprint = Footprint()
    /// How it behaves at the beginning.
    package var manners = Manners()

    package init(name: String, manifest: AppManifest) {
        self.name = name
        self.manifest = manifest
    }

    package static let standardStartup = Span.milliseconds(120)

    package struct Footprint: Hashable, Sendable {
        package var dirtyBytes: Int64 = 20_000_000
        package var purgeableBytes: Int64 = 0
        package var cleanBytes: Int64 = 10_000_000
        /// Dirty memory that it frees at a memory warning.
        package var releasableBytes: Int64 = 0

        package init() {}
    }
}

/// Something that an app does by itself.
package enum AppAction: Hashable, Sendable {
    /// It begins a background task by this name, and ends the one that it has had longest by that name.
    case beginTask(String)
    case endTask(String)
    /// It ends the task that is none: its handler captured the identifier too early.
    case endInvalidTask
    /// It reads `backgroundTimeRemaining`.
    case askBackgroundTime
    case openURL(String)
    case canOpenURL(String)
    /// It wants a scene to be shown, `nil`: a new one; or closes one.
    case activateScene(SceneNumber?)
    case destroyScene(SceneNumber)
    /// Its first process ends with this status.
    case exit(Int32)
    case crash(signal: Int32)
    /// Its main thread does nothing else for so long, not even answer.
    case block(Span)
    /// It has so many processes from now on.
    case fork(Int32)
    /// It uses a processor for so long, beside the main thread.
    case work(Span)
    case transfer(bytes: Int64)
    case allocate(bytes: Int64)
    /// It writes so much to the disk, into `Library/Caches` or elsewhere in its container.
    case write(bytes: Int64, isCache: Bool)
    /// It takes the exclusive lock on a file, or waits for it beside all else that it does. A name that begins with `~`
    /// is one of its own container's.
    case lock(String)
    case unlock(String)
    /// It waits for others to connect there.
    case listen(String)
    /// It has the keyboard of its X display for itself from now on, or no longer.
    case grabInput(Bool)
    /// It has pictures of itself to give from now on, or no longer; or another one than when it left the screen.
    case provideSnapshots(Bool)
    case refreshSnapshot
    /// It draws a picture.
    case useGPU
    /// It calls the completion handler of what it was woken for: the oldest such window, or, once more, the last one.
    case complete(WindowService, WindowResult)
    /// The least time between fetches; `nil`: never.
    case setFetchInterval(Span?)
    /// It asks for a task, not before so much time has passed.
    case submitTask(BackgroundTaskRequest.Kind, String, after: Span?, needs: TaskNeed?)
    /// `nil`: all of them.
    case cancelTask(String?)
    /// It asks a service to do something for it, or to end that.
    case use(ServicePart)
    case leave(ServicePart)
    /// It says something to a service that runs by the logic of a real one.
    case ask(String, String)
    /// Later, on a timer: in a suspended app it fires when that runs again.
    indirect case after(Span, AppAction)
}

/// What a processing task waits for.
package enum TaskNeed: String, Hashable, Sendable, CaseIterable {
    case network, power
}

/// How an app behaves towards the system.
package struct Manners: Hashable, Sendable {
    package var connects = true
    /// Delegate methods that do not return.
    package var hangsIn: Set<CallbackKind> = []
    package var answersPings = true
    package var isTraced = false
    package var ignoresTermination = false
    /// Other processes of it live on when the first one ends.
    package var leavesOthers = false
    package var processCount: Int32 = 1
    /// A process of it is in a state in which the kernel cannot stop it.
    package var canFreeze = true
    package var launchFailure: LaunchFailure?
    /// Replies come so much later.
    package var replyDelay = Span.zero
    /// It listens, and never accepts.
    package var ignoresPeers = false

    package init() {}
}
