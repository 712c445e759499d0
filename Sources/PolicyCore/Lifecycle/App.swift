package import Model

/// What the Core knows of one app. `package` reads only: the `System` alone changes it.
package struct App: Hashable, Codable, Sendable {
    package let index: AppIndex
    @Constant package internal(set) var manifest: AppManifest
    package internal(set) var isInstalled = true
    package internal(set) var isExempt = false

    package internal(set) var state: LifecycleState = .notRunning
    package internal(set) var since: WallTime
    package internal(set) var role: ScreenRole?
    package internal(set) var assertions = AssertionTable()
    /// The assertion that the log names as the reason for running in the background.
    var keptBy: AssertionKind?
    var tasks = BackgroundTasks()
    /// `nil`: it has none.
    @Rare package internal(set) var scenes: SceneTable? = nil

    package internal(set) var generation = Generation(0)
    /// What the present process is; the manifest may have been replaced since it was launched.
    var processKind = AppKind.application
    package internal(set) var process: ProcessPhase = .none
    package internal(set) var pid: Int32?
    package internal(set) var isConnected = false
    package internal(set) var launchedAt: WallTime?
    /// When the clock of the launch began to run; not wall time, which somebody may set meanwhile.
    var launchBegan: Instant?
    /// Why it is launched, or will be next, for the log.
    @Rare var launchReason: Reason? = nil
    @Sparse var launch = LaunchOptions.none
    var isBackgroundLaunch = false
    /// URLs to hand over when the app is next on its way to the screen, the oldest first.
    var pendingURLs: [LaunchOptions] = []

    var lastCallback = CallbackNumber(0)
    package internal(set) var outstanding: [OutstandingCallback] = []
    /// The last entry of the launch or the callbacks under way. What the user does meanwhile is the cause of what comes
    /// after them, not of them.
    var callCause: LogSequence?
    package internal(set) var suspension: SuspensionPhase = .none
    /// The file for whose lock it was not suspended, so that each is told of once. Checkpoints did not always say.
    @Rare var toldLock: String? = nil
    /// Locks that the log has named, because its main thread waited for them.
    @Rare var toldInversions: [UInt64]? = nil
    @Sparse var sockets = Sockets.State()
    /// What its process was woken for.
    var windows = Windows()
    @Sparse package internal(set) var wake = WakeState()
    /// Its process has pictures of itself to give; `nil`: it has said nothing of it.
    var providesSnapshots: Bool?
    /// The log has told that it has many descriptors; `nil`: it has few.
    var hasManyDescriptors: Bool?
    @Rare package internal(set) var ending: Ending? = nil
    var check: CheckPhase = .idle
    /// Set while the host checks for a debugger.
    @Rare var exceeded: ExceededLimit? = nil
    /// How long it took when a limit was last exceeded.
    @Rare var lastElapsed: Span? = nil
    /// The first process's status, once it ended.
    @Rare var firstStatus: ExitStatus? = nil

    /// What it was last given; `nil`: nothing yet, so all that any app has. Checkpoints did not always say.
    var givenPriority: AppPriority?
    package var priority: AppPriority { givenPriority ?? .foreground }

    package internal(set) var memory = AppMemory()

    /// What it did of late that is in the log whenever it likes; `nil`: nothing.
    @Rare var asked: RateCount? = nil

    /// The entry that tells how it came to be as it is.
    package internal(set) var lastEntry: LogSequence?
    /// The last entry of this app's log, or what set it moving: the cause of the next one.
    package internal(set) var cause: LogSequence?

    init(index: AppIndex, manifest: AppManifest, since: WallTime) {
        self.index = index
        _manifest = Constant(wrappedValue: manifest)
        self.since = since
    }

    mutating func changeScenes(_ body: (inout SceneTable) -> Void) { _scenes.change(body) }

    package var heldAssertions: [Assertion] { assertions.held }
    // Inlined, because calling it would copy the whole app out of the table (seen in profiles).
    @inline(__always)
    package var isPlain: Bool { (process == .none ? manifest.kind : processKind) == .plain }

    /// Callbacks can be called: the launch is over and no end is under way.
    @inline(__always)
    var isSettled: Bool { process == .alive && outstanding.isEmpty && ending == nil }
}

package enum ProcessPhase: UInt8, Hashable, Codable, Sendable {
    case none
    /// The host was asked to start it.
    case starting
    /// It runs and has yet to say hello.
    case connecting
    /// Its launch callbacks are under way.
    case launching
    case alive
}

package struct OutstandingCallback: Hashable, Codable, Sendable {
    package var callback: Callback
    /// Its clock runs from here: its sending, or the return of the one before.
    package var began: Instant
}

package enum SuspensionPhase: Hashable, Codable, Sendable {
    /// Valid transitions are to: preparing.
    case none
    /// Valid transitions are to: freezing, waiting, none.
    case preparing(attempt: UInt8)
    /// Valid transitions are to: verifying, waiting, none.
    case freezing(attempt: UInt8)
    /// Valid transitions are to: confirmed, waiting, freezing (asked again after the daemon's death), none.
    case verifying(attempt: UInt8)
    /// The kernel says frozen, and nothing was pending. Valid transitions are to: none.
    case confirmed
    /// An attempt failed; the next one comes later. Valid transitions are to: preparing, none.
    case waiting(attempt: UInt8)

    /// The host may have the app frozen.
    var isUnderWay: Bool {
        switch self {
        case .none, .waiting: false
        case .preparing, .freezing, .verifying, .confirmed: true
        }
    }
}

package struct Ending: Hashable, Codable, Sendable {
    package enum Phase: UInt8, Hashable, Codable, Sendable {
        /// Leaves the screen, hears `willTerminate`.
        case leaving
        /// SIGTERM was sent to a plain program.
        case asked
        case killing
    }
    package var reason: EndReason
    package var phase: Phase
    /// The last entry of what led to the end.
    var cause: LogSequence?
    /// Launch it again when it is gone.
    var relaunches = false
    /// What it is launched with then. A checkpoint from before there were any says nothing of it.
    var notification: LaunchNotification?
    /// The state that it had when its end was decided, for the report.
    var state: LifecycleState
    /// `nil` for an end that nobody decided, and for one that an older daemon did.
    var decidedAt: Instant?
}

/// Looking at a running app.
enum CheckPhase: Hashable, Codable, Sendable {
    case idle
    /// The deadline is the next look.
    case scheduled
    /// The main thread was asked; the deadline is its limit.
    case waiting(since: Instant)
}

struct ExceededLimit: Hashable, Codable, Sendable {
    var limit: Limit
    var allowed: Span
    var elapsed: Span
}
