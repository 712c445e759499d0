package import Model

/// A device as contracts see it: what its user does, what its apps do, what may befall it, and what can be seen of it
/// from outside. Each host of the Core has an adapter; none of them shares code with what decides.
package protocol ContractDevice: AnyObject {
    /// What is due is done within this time after it is due.
    var latency: Span { get }
    /// The time that the log counts by.
    var now: WallTime { get }

    func install(_ app: TestApp) throws(Breach)

    // MARK: Commands

    /// Gives a command as the tool does. One that waits is answered when what it asks for is true.
    func begin(_ command: UserCommand, waits: Bool) throws(Breach) -> Ticket
    /// `nil` while there is none yet.
    func reply(to ticket: Ticket) throws(Breach) -> Reply?

    // MARK: Time

    /// Lets things happen until a condition holds. Fails when that takes very much longer than it should.
    func wait(for what: String, until condition: () throws(Breach) -> Bool) throws(Breach)
    /// Lets time go by in which something must not happen; never a way to wait for what should.
    func pass(_ span: Span) throws(Breach)

    // MARK: What is

    func look(at app: String) throws(Breach) -> Look
    /// What the app's delegates were really called with, in the order of the calls; of all its processes, oldest first.
    func heard(by app: String) throws(Breach) -> [Heard]
    /// The log since the device booted.
    func log() throws(Breach) -> [Entry]
    func reports(about app: String) throws(Breach) -> [Report]
    /// Whether protected files can be read, as often as the app's delegates were really called for it.
    func protection(heardBy app: String) throws(Breach) -> [Bool]
    /// How many pictures of the screen it heard of.
    func screenshots(heardBy app: String) throws(Breach) -> Int
    /// The app that keeps the screen on, as the system says.
    func screenHolder() throws(Breach) -> String?

    // MARK: Apps

    /// The app does something by itself, as soon as its main thread gets to it.
    func order(_ app: String, _ deed: Deed) throws(Breach)
    /// What the app was answered last to `openURL` or `canOpenURL`.
    func answer(heardBy app: String) throws(Breach) -> Bool?
    /// The callbacks that the app's process holds return, those that it would hold from now on as well.
    func release(_ app: String) throws(Breach)
    /// Somebody sends the app's first process SIGKILL.
    func kill(_ app: String) throws(Breach)

    // MARK: The service `probe`

    // It guards a background mode of its own, `probe`, has the holds `playing`, with foreground priority, and
    // `watching`, and the window `news`. Another service, `ringer`, wants apps of the mode voip to be launched at boot
    // and again.

    /// What it does for the app, as the system says.
    func holds(of app: String) throws(Breach) -> [String]
    /// Whether it does what the app asked last; `nil` while it has answered nothing.
    func serviceAnswer(to app: String) throws(Breach) -> Bool?
    /// It has something to say to the app: whether that is allowed.
    func wakeByService(_ app: String) throws(Breach) -> Bool
    /// Somebody sends it SIGKILL; the system starts it again when it is needed.
    func killService() throws(Breach)
    /// It no longer answers when it is told to stop, or does so again.
    func stallService(_ isStalled: Bool) throws(Breach)

    // MARK: What befalls

    /// The daemon is gone, by SIGKILL. Another one comes, whether or not anybody waits for it.
    func killDaemon() throws(Breach)
    /// Returns once a daemon serves again.
    func awaitDaemon() throws(Breach)
    /// Somebody connects to where the app listens, and stays.
    func connectPeer(to app: String) throws(Breach)
    /// All who are connected to it leave.
    func disconnectPeers(from app: String) throws(Breach)
    /// Somebody freezes, or thaws, the app behind the system's back.
    func setFrozen(_ app: String, _ isFrozen: Bool) throws(Breach)
    /// A debugger is attached to the app from outside, or leaves.
    func setTraced(_ app: String, _ isTraced: Bool) throws(Breach)
}

/// An app, and how it behaves. The default behaves well and does nothing.
package struct TestApp: Hashable, Sendable {
    package enum Launch: Hashable, Sendable {
        case works
        /// In `didFinishLaunching`, with status 3.
        case exits
        /// In `didFinishLaunching`, by a segmentation fault.
        case crashes
        /// Its process runs and never says hello.
        case neverConnects
        /// The kernel does not execute it.
        case cannotBeExecuted
    }

    package var name: String
    package var kind: AppKind
    package var launch: Launch
    /// Delegate methods that do not return before the app is released.
    package var holds: [CallbackKind]
    /// Delegate methods that take so long.
    package var slow: [CallbackKind]
    package var slowness = Span.zero
    /// Of a plain program: SIGTERM.
    package var ignoresTermination: Bool
    /// It has a child, which stays when the first process ends.
    package var leavesChild: Bool
    package var exitsOnSuspend: Bool
    package var backgroundModes: BackgroundModes
    package var urlSchemes: [String]
    /// `BGTaskSchedulerPermittedIdentifiers`.
    package var taskIdentifiers: [String]
    /// Of a plain program: it draws and must not be frozen.
    package var isGraphical: Bool
    /// What it does by itself: from delegate methods, and `expiration`, to actions in the words of scenarios.
    package var script: [String: [String]]
    /// `UIApplicationSceneManifest`.
    package var scenes = SceneSupport.none

    package init(
        _ name: String, _ kind: AppKind = .application, launch: Launch = .works, holds: [CallbackKind] = [],
        slow: [CallbackKind] = [], by slowness: Span = .zero, ignoresTermination: Bool = false,
        leavesChild: Bool = false, exitsOnSuspend: Bool = false, backgroundModes: BackgroundModes = [],
        urlSchemes: [String] = [], taskIdentifiers: [String] = [], isGraphical: Bool = false,
        script: [String: [String]] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.launch = launch
        self.holds = holds
        self.slow = slow
        self.slowness = slowness
        self.ignoresTermination = ignoresTermination
        self.leavesChild = leavesChild
        self.exitsOnSuspend = exitsOnSuspend
        self.backgroundModes = backgroundModes
        self.urlSchemes = urlSchemes
        self.taskIdentifiers = taskIdentifiers
        self.isGraphical = isGraphical
        self.script = script
    }
}

/// What a user does with a tool.
package enum UserCommand: Hashable, Sendable {
    case open(String, as: ScreenRole = .primary)
    /// One of its scenes; `nil`: a new one.
    case openScene(String, Int?, as: ScreenRole = .primary)
    case closeScene(String, Int)
    case openURL(String)
    case home, lock, unlock
    case switcher(isOpen: Bool)
    case close(String)
    case restart(String)
    case exempt(String, Bool)
    case uninstall(String)
    case interrupt(InterruptionKind)
    case dismiss(InterruptionKind)
    /// A call or an SMS.
    case accept(InterruptionKind)
    case endCall
    case memoryWarning
    case memoryPressure(MemoryLevel)
    case sleep, wake
    case reboot
    /// What would be fetched some time is fetched now; in a new process, or not.
    case fetch(String, launches: Bool)
    case allowRefresh(String, Bool)
    case screenshot
}

/// Names a command that was given.
package struct Ticket: Hashable, Sendable {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

package enum Reply: Hashable, Sendable {
    case done
    /// With a sentence that says why.
    case refused(String)
    /// It can no longer become true.
    case overtaken(String)
    /// The daemon that heard the command died before it answered.
    case lost
}

/// What an app does by itself.
package enum Deed: Hashable, Sendable {
    case openURL(String)
    case canOpenURL(String)
    case beginTask(String), endTask(String)
    /// Its main thread does nothing any more.
    case block
    case exit(Int32)
    /// By a segmentation fault.
    case crash
    /// It has so many children more, which only wait.
    case fork(Int32)
    /// It takes the exclusive lock on a file that all apps can reach, or waits for it beside all else that it does.
    case lock(String)
    /// It draws a picture with the GPU.
    case draw
    /// It asks the service `probe` for this, or to end it.
    case use(String), leave(String)
    /// It waits for others to connect, at a place whose name ends in `listener`.
    case listen
    /// It calls the completion handler of what it was woken for; once more, if it has.
    case complete(WindowService, WindowResult)
    /// The least time between fetches; `nil`: never.
    case setFetchInterval(Span?)
    /// It asks for a task that needs nothing.
    case submitTask(BackgroundTaskRequest.Kind, String)
    /// It wants a scene to be shown, `nil`: a new one; or closes one.
    case activateScene(Int?), destroyScene(Int)
    /// It sets `isIdleTimerDisabled`.
    case keepScreenOn(Bool)
}

/// An app at a moment.
package struct Look: Hashable, Sendable {
    /// As the system says.
    package var state: LifecycleState
    package var isVisible: Bool
    package var pid: Int32?
    /// As the kernel says.
    package var processes: Int
    package var isFrozen: Bool
    /// It has a file locked.
    package var isLocking: Bool
    package var isListening: Bool
    /// The kernel gives it less of the processors than others have.
    package var isSlowed: Bool
    /// A plain program: it is past its start, and a SIGTERM finds it prepared.
    package var isReady: Bool
    /// A plain program: a SIGTERM came.
    package var wasAskedToEnd: Bool

    package init(
        state: LifecycleState, isVisible: Bool, pid: Int32?, processes: Int, isFrozen: Bool, isLocking: Bool,
        isListening: Bool, isSlowed: Bool, isReady: Bool, wasAskedToEnd: Bool
    ) {
        self.state = state
        self.isVisible = isVisible
        self.pid = pid
        self.processes = processes
        self.isFrozen = isFrozen
        self.isLocking = isLocking
        self.isListening = isListening
        self.isSlowed = isSlowed
        self.isReady = isReady
        self.wasAskedToEnd = wasAskedToEnd
    }
}

/// A call of a delegate method.
package struct Heard: Hashable, Sendable {
    package var kind: CallbackKind
    package var at: WallTime
    /// Of `openURL`: what it was given.
    package var url: String?
    package var source: String?
    /// What becomes of which scene.
    package var scene: SceneCall?

    package init(
        _ kind: CallbackKind, at: WallTime, url: String? = nil, source: String? = nil, scene: SceneCall? = nil
    ) {
        self.kind = kind
        self.at = at
        self.url = url
        self.source = source
        self.scene = scene
    }
}

/// A log entry as the tool prints it.
package struct Entry: Hashable, Sendable {
    package var number: UInt64
    package var at: WallTime
    package var app: String?
    package var event: LogEvent
    package var reason: String
    package var cause: UInt64?

    package init(number: UInt64, at: WallTime, app: String?, event: LogEvent, reason: String, cause: UInt64?) {
        self.number = number
        self.at = at
        self.app = app
        self.event = event
        self.reason = reason
        self.cause = cause
    }
}

package struct Report: Hashable, Sendable {
    package var code: TerminationCode
    package var reason: String

    package init(code: TerminationCode, reason: String) {
        self.code = code
        self.reason = reason
    }
}
