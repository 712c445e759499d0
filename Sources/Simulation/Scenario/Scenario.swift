package import Model

/// A device, its apps, what happens to them in virtual time, and what must be true then: everything that a run needs,
/// so that a run can be written down, repeated and made smaller. `docs/SCENARIOS.md` describes its form as a file.
package struct Scenario: Hashable, Sendable {
    package var name: String
    /// Requirements that it shows, for example `L4`.
    package var rows: [String] = []
    package var profile: DeviceProfile
    package var seed: UInt64 = 1
    /// Bytes for all apps together; `nil`: memory does not matter.
    package var memory: Int64?
    /// Bytes that the disk of the apps' files has; `nil`: room on it does not matter.
    package var disk: Int64?
    package var apps: [AppScript] = []
    package var services: [ServiceScript] = []
    /// In the order of their moments.
    package var steps: [Step] = []
    package var rates = FaultRates()
    /// How long it runs, at least to its last step.
    package var duration: Span?
    /// What must be true of the whole run.
    package var expectations: [Placed<Expectation>] = []

    package init(name: String, profile: DeviceProfile) {
        self.name = name
        self.profile = profile
    }
}

extension Scenario {
    /// The same, wherever it was written.
    package var withoutLines: Scenario {
        var scenario = self
        for place in steps.indices { scenario.steps[place].line = nil }
        for place in expectations.indices { scenario.expectations[place].line = nil }
        return scenario
    }
}

/// A value and the line of the file that it comes from.
package struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var line: Int?

    package init(_ value: Value, line: Int? = nil) {
        self.value = value
        self.line = line
    }
}

extension Scenario {
    /// Something that happens at a moment, or must be true then.
    package struct Step: Hashable, Sendable {
        /// Since the device booted.
        package var at: Span
        package var action: Action
        package var line: Int?

        package init(at: Span, _ action: Action, line: Int? = nil) {
            self.at = at
            self.action = action
            self.line = line
        }
    }

    package enum Action: Hashable, Sendable {
        case input(Input)
        case fault(Fault)
        case expect(Expectation)
    }
}

/// What people, apps and surroundings do. Apps are named as the scenario names them.
package enum Input: Hashable, Sendable {
    case open(String, role: ScreenRole)
    /// One scene of an app; `nil`: a new one.
    case openScene(String, SceneNumber?, role: ScreenRole)
    /// The user closes a scene for good.
    case closeScene(String, SceneNumber)
    case openURL(String)
    case home, lock, unlock
    case switcher(isOpen: Bool)
    case close(String)
    case restart(String)
    case exempt(String, Bool)
    case install(String)
    case uninstall(String)
    case interrupt(InterruptionKind)
    case dismiss(InterruptionKind)
    case accept(InterruptionKind)
    case endCall
    case sleep, wake
    case reboot
    /// Takes the system down; `boot` starts it again.
    case shutDown, boot
    /// An app does something by itself, if it runs.
    case app(String, AppAction)
    case memoryWarning
    /// Act as if memory were so short; `normal` ends it.
    case memoryPressure(MemoryLevel)
    /// Somebody sets the wall clock forward, or back.
    case setClock(by: Span)
    /// The wall clock is set forward to the next midnight, where the device is.
    case newDay
    case network(NetworkKind)
    case battery(BatteryReading)
    case locale(String)
    /// Seconds east of Greenwich.
    case timeZone(String, offset: Int32)
    /// Percent.
    case brightness(Int32)
    /// Beside the device's own.
    case screens(Int32)
    /// The user saves power, or no longer.
    case lowPower(Bool)
    case thermalState(ThermalState)
    case orientation(Orientation)
    /// The user takes a picture of the screen.
    case screenshot
    /// Somebody changes what apps share under this name.
    case changeStore(String)
    /// The user changes a setting of an app, outside of the app.
    case setting(String, key: String, value: String?)
    /// Somebody connects to the app, and leaves so long after he was answered.
    case connect(String, lasting: Span)
    /// Another process calls a method of the app over the message bus.
    case callMethod(String)
    /// Fetches now what would be fetched some time; in a new process, or not.
    case fetch(String, launches: Bool)
    /// The user lets the app refresh in the background, or no longer.
    case allowRefresh(String, Bool)
    /// A background URL session of the app has something to tell.
    case sessionEvents(String, session: String, authentication: Bool)
    /// A service has something to say to the app, by a window of its declaration.
    case wakeByService(String, ServicePart)
    /// A person, or another machine, says something to a service that runs by the logic of a real one.
    case tellService(String, String)
}

/// What goes wrong.
package enum Fault: Hashable, Sendable {
    case crash(String, signal: Int32)
    /// The kernel ends its first process, since no memory is left.
    case starve(String)
    case exit(String, status: Int32)
    /// From now on a delegate method of the app does not return.
    case hang(String, CallbackKind)
    /// Its main thread answers nothing any more, and no delegate method returns.
    case freezeMainThread(String)
    /// It behaves again; what hangs goes on.
    case recover(String)
    /// The app's connection breaks; it comes back at once.
    case disconnect(String)
    /// The next reply of the app is lost with its connection.
    case loseReply(String)
    /// Replies of the app come so much later.
    case delayReplies(String, Span)
    /// A process of the app is in a state in which the kernel cannot stop it; or no longer.
    case unfreezable(String, Bool)
    case ignoreTermination(String, Bool)
    case leaveOthers(String, Bool)
    /// The processes that the first one left behind end.
    case endOthers(String)
    /// It no longer accepts connections; or does again.
    case ignorePeers(String, Bool)
    /// A debugger is attached, or gone.
    case debugger(String, Bool)
    case fork(String, Int32)
    /// Somebody thaws the app behind the system's back.
    case thaw(String)
    /// Nothing can be written: apps cannot be launched.
    case diskFull(Bool)
    /// The app's executable is gone, or back.
    case launchFails(String, Bool)
    /// The network is dead, or back.
    case networkDown(Bool)
    /// The daemon is killed now and is back after a while.
    case killDaemon(downFor: Span)
    /// The daemon is killed within its next event, after so many effects.
    case killDaemonWithin(effects: Int, downFor: Span)
    /// Its process is gone; the daemon starts it again when somebody needs it.
    case killService(String)
    /// It does not stop when it is told to; or does again.
    case stallService(String, Bool)
}

/// Faults that come by themselves, until the last step: how often in a thousand opportunities, drawn from the
/// scenario's seed.
package struct FaultRates: Hashable, Sendable {
    /// Of callbacks.
    package var crash = 0
    package var hang = 0
    package var lateReply = 0
    package var lostReply = 0
    package var repeatedReply = 0
    /// Of freezes.
    package var lastWord = 0
    /// Of launches.
    package var launchFailure = 0
    /// Of events.
    package var daemonCrash = 0

    package init() {}

    package var isEmpty: Bool { self == FaultRates() }
}

/// What must be true: at a step's moment, or of the whole run.
package enum Expectation: Hashable, Sendable {
    case state(String, LifecycleState)
    /// Where a scene of the app is, as the app has heard.
    case scene(String, SceneNumber, SceneState)
    /// On screen, whether or not something lies over it.
    case visible(String, Bool)
    /// The delegate methods called since the last such expectation about the app, exactly these.
    case callbacks(String, [CallbackKind])
    /// The last input was answered with success.
    case accepted
    /// The last input was refused, or could no longer become true; the sentence contains this.
    case refused(String)
    case unanswered
    /// The log holds these, in this order, perhaps with others between.
    case order([LogPattern])
    case never(LogPattern)
    case count(LogPattern, Int)
    /// After the last entry of the first kind comes one of the second: not before the shortest, not after the longest
    /// time.
    case within(LogPattern, LogPattern, atLeast: Span, atMost: Span)
    /// Reports about the app so far, by their codes, for example `0x8badf00d`; exactly these.
    case reports(String, [UInt64])
    /// The last report about the app says this.
    case reportSays(String, String)
    case noReports
    /// The causes of the app's last log entry, back to the first: these come in this order.
    case why(String, [LogEvent])
    /// Names of the services and exemptions that let the app run.
    case assertions(String, [AssertionKind])
    /// The app's reply to its last request was a refusal that contains this.
    case requestRefused(String, String)
    /// Processes of the app since it was installed.
    case launches(String, Int)
    /// The names of the tasks whose expiration handlers were called so far, in their order.
    case expirations(String, [String])
    /// What services have told the app since the last such expectation about it.
    case heard(String, [String])
    /// What a service had to say when it called the app last has this in it.
    case payload(String, String)
    /// A service that runs by the logic of a real one would answer a tool's question so, or with this in it.
    case serviceAnswer(String, question: String, String)
    /// Pictures that the app gave so far.
    case snapshots(String, Int)
    /// The changes of the device that the app heard of since the last such expectation about it, exactly these.
    case changes(String, [SystemChange])
    /// What the machine gives it while others want it too.
    case priority(String, AppPriority)
    /// Nothing is under way: no command waits, every app is where the one rule wants it, and the kernel agrees.
    case atRest
    /// What the energy account says of a share, between bounds; `nil`: at most is not said.
    case energy(EnergyShare, atLeast: Energy, atMost: Energy?)
    /// What the app's last launch was told: exactly these, but for a notification, whose text has that in it.
    case launchOptions(String, LaunchOptions)
    /// The URL of the last `openURL` that the app heard, and the identifier of the app that opened it; `nil`: the user.
    case opened(String, url: String, source: String?)
}

/// A share of the energy account (`EnergyAccount`).
package struct EnergyShare: Hashable, Sendable {
    package enum Owner: Hashable, Sendable {
        case app(String)
        /// Charged to no app.
        case system
        /// The whole account.
        case device
    }

    package var owner: Owner
    /// `nil`: all of them.
    package var purpose: Purpose?
    /// `nil`: all of them.
    package var part: EnergyPart?

    package init(_ owner: Owner, for purpose: Purpose? = nil, by part: EnergyPart? = nil) {
        self.owner = owner
        self.purpose = purpose
        self.part = part
    }
}

/// Log entries: of an app, or of the device where none is named.
package struct LogPattern: Hashable, Sendable {
    package var app: String?
    package var event: LogEvent
    /// A part of the entry's sentence.
    package var reason: String?

    package init(app: String? = nil, event: LogEvent, reason: String? = nil) {
        self.app = app
        self.event = event
        self.reason = reason
    }
}
