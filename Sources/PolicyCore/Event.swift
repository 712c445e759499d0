package import Model

/// Everything that the Core can be told. What is not here cannot influence a decision.
package enum Event: Hashable, Sendable {
    // The device.
    /// Wall clock minus boot clock: at start and whenever somebody sets the clock.
    case clockChanged(wallOffset: Int64)
    case booted
    /// The daemon starts again and says what it found of every app that the Core believes to have a process,
    /// and of every other app that has one.
    case adopted([AdoptedApp])

    // The inventory.
    indirect case installed(AppManifest)
    case command(CommandID, Command)

    // Processes.
    case processStarted(AppIndex, Generation, pid: Int32)
    case launchFailed(AppIndex, Generation, LaunchFailure)
    case connected(AppIndex, Generation, executed: CallbackNumber?)
    case disconnected(AppIndex, Generation)
    case callbackReturned(AppIndex, Generation, CallbackNumber)
    case mainThreadAnswered(AppIndex, Generation)
    /// The first process ended; others of the app may live on.
    case firstProcessEnded(AppIndex, Generation, ExitStatus)
    /// No process of the app is left.
    case allProcessesEnded(AppIndex, Generation)
    case processesCounted(AppIndex, Generation, Int32)
    case tracerChecked(AppIndex, Generation, isTraced: Bool)

    // Suspension.
    case prepared(AppIndex, Generation)
    case frozen(AppIndex, Generation)
    case verified(AppIndex, Generation)

    /// What mechanisms of their own see of an app.
    case mechanism(Incarnation, MechanismEvent)

    /// What services say that are programs of their own.
    indirect case service(ServiceEvent)

    // Memory.
    /// Bytes for all apps together; zero: no policy for memory.
    case memoryConfigured(budget: Int64, source: MemorySource = .budget)
    /// Bytes of the budget that nobody has. Told when it crosses a mark, and when it was asked for.
    case memorySensed(available: Int64)
    case footprintSampled(AppIndex, Generation, Footprint)
    /// What could be taken was taken; what the app has now.
    case reclaimed(AppIndex, Generation, Footprint)
    /// When the host saw so little available it ended these at once, in the order that the Core had given: asking takes
    /// memory.
    case endedForMemory([Incarnation], available: Int64)
    /// The most mappings that a process of the app has, and the bytes of its largest one. Told when they are many.
    case mappingsCounted(AppIndex, Generation, Int32, largest: Int64)
    /// The most purgeable objects that a process of the app has: mappings of which the kernel may take pages. Told when
    /// they are many.
    case purgeableCounted(AppIndex, Generation, Int32)

    /// The machine says so, at the daemon's start and at every change.
    case conditionSensed(Condition)

    /// News of the room on the disk.
    indirect case room(DiskEvent)

    // Energy.
    /// Bytes of an app, or of the system itself, flowed between two moments of the boot clock. Told in the order of the
    /// ends.
    case trafficSeen(AppIndex?, Purpose, sent: Int64, received: Int64, from: Instant, to: Instant)
    /// The same of an app's own sockets, counted at its processes; the purpose is what `System.activity(of:)` said in
    /// that time. Told when there is something, when the activity changes, and when the app freezes or ends; of a fetch
    /// that ended also when it moved nothing. Of a fetch it says the processor time as well.
    indirect case trafficCounted(AppIndex, Purpose, CountedTraffic)
    /// A background URL session of the app has come to its end, or somebody has to say who he is. Not told of a session
    /// to which a running process of the app is attached.
    case sessionEvents(AppIndex, session: String, authentication: Bool)

    /// What the app asked for before the device was restarted.
    case wishesRestored(AppIndex, WakeWishes)
    /// What the planner of fetches had learned before the restart.
    indirect case habitsRestored(FetchMemory)

    // Services and requests of apps.
    case request(AppIndex, RequestID, AppRequest)

    /// A deadline has passed.
    case timer

    /// An event that only recordings of earlier versions contain. The policy ignores it.
    indirect case retired(RetiredEvent)
}

/// What a user asks for. Apps are named by index: the host resolves identifiers first.
package enum Command: Hashable, Sendable {
    case open(AppIndex, role: ScreenRole, wait: Bool)
    /// One scene of it; `nil`: a new one.
    case openScene(AppIndex, SceneNumber?, role: ScreenRole, wait: Bool)
    /// The user closes one scene for good.
    case closeScene(AppIndex, SceneNumber, wait: Bool)
    case openURL(String, wait: Bool)
    case home(wait: Bool)
    case lock(wait: Bool)
    case unlock(wait: Bool)
    case switcher(isOpen: Bool, wait: Bool)
    case close(AppIndex, wait: Bool)
    case restart(AppIndex, wait: Bool)
    case exempt(AppIndex, Bool)
    case uninstall(AppIndex)
    case interrupt(InterruptionKind, wait: Bool)
    case dismiss(InterruptionKind, wait: Bool)
    case accept(InterruptionKind, wait: Bool)
    case endCall(wait: Bool)
    case sleep(wait: Bool)
    case wake(wait: Bool)
    case reboot
    case shutDown
    /// Every app that runs gets a memory warning.
    case warnMemory
    /// Acts as if memory were so short, until it is `normal` again.
    case pressMemory(MemoryLevel)
    /// Acts as if the machine said so, until `endSimulation`.
    case simulate(Condition)
    case endSimulation(SystemChange)
    /// The user changes a setting of an app, outside of the app; `nil` is the app's own default.
    case changeSetting(AppIndex, key: String, value: String?)
    /// Fetches now what would be fetched some time; `launches`: in a new process.
    case simulateFetch(AppIndex, launches: Bool, wait: Bool)
    /// The user allows the app to refresh in the background, or no longer.
    case allowRefresh(AppIndex, Bool)
}

/// What an app asks for; an app speaks only of itself.
package enum AppRequest: Hashable, Sendable {
    case openURL(String)
    case canOpenURL(String)
    /// The app names its tasks itself, so that it need not wait for an answer.
    case beginTask(TaskID, name: String)
    case endTask(TaskID)
    /// How long its tasks may still take.
    case backgroundTime
    case mechanism(MechanismRequest)
    /// What it was woken for is done.
    case complete(WindowID, WindowResult)
    /// The least time between fetches; `nil`: never.
    case setFetchInterval(Span?)
    case submitTask(BackgroundTaskRequest)
    /// `nil`: all that it has asked for.
    case cancelTask(String?)
    case pendingTasks
    case scene(SceneRequest)
    /// The screen is to stay on while the app is active.
    case keepScreenOn(Bool)
}

/// What an app wants of its scenes.
package enum SceneRequest: Hashable, Sendable {
    /// Shown; `nil`: a new one. The app has a name for its wish, and zero for none.
    case activate(SceneNumber?, wish: UInt32)
    /// Closed for good.
    case destroy(SceneNumber)
}

/// What a starting daemon found of an app.
package struct AdoptedApp: Hashable, Sendable {
    package var app: AppIndex
    /// The first process, or the oldest that is left; `nil` when none is.
    package var pid: Int32?
    package var isFrozen: Bool
    /// How the first process ended, if it did.
    package var status: ExitStatus?

    package init(app: AppIndex, pid: Int32?, isFrozen: Bool, status: ExitStatus?) {
        self.app = app
        self.pid = pid
        self.isFrozen = isFrozen
        self.status = status
    }
}
