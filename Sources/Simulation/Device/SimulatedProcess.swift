package import Model
package import PolicyCore

/// An app's process with its children: what is, whatever the Core believes.
package struct SimulatedProcess {
    package enum Freezer: UInt8 { case running, freezing, frozen }

    /// What the main thread does, one after another.
    enum MainItem {
        case callback(Callback)
        case block(Span?)
        case ping
        /// It answers a callback once more.
        case reply(CallbackNumber)
        case action(AppAction)
        case timer(UInt64)
        case expiration(Expiration)
        case conditions(DeviceConditions)
        case snapshot
        case windowExpiration(WindowID)
        /// What a service tells it.
        case service(ServiceWords)
    }

    /// A background task that it began and has not ended, as far as it knows.
    struct HeldTask: Hashable {
        let id: TaskID
        let name: String
        /// The system said so.
        var isGranted = false
        /// The round in which its expiration handler was last called.
        var round: UInt32 = 0
    }

    /// The item that the main thread is at.
    struct Work {
        /// When it will be done; `nil`: never, by itself.
        var ends: Instant?
        /// While frozen: what is left of it.
        var left: Span?
    }

    package let generation: Generation
    package let pid: Int32
    package let isPlain: Bool
    /// The launch was asked for; its outcome is not yet told.
    package internal(set) var isStarting = true
    package internal(set) var isConnected = false
    package internal(set) var freezer = Freezer.running
    package internal(set) var manners: Manners
    /// Pictures that it drew with the GPU; and what the daemon makes of them.
    var gpuUses = 0
    var gpuVisit: GPUVisit?
    /// What the kernel gives it.
    package internal(set) var priority = AppPriority.foreground

    /// How the first process ended, if it did; whether others are left.
    package internal(set) var status: ExitStatus?
    var othersLeft = false
    var hasToldFirst = false
    package internal(set) var isDying = false
    /// Somebody else let it run again; the system learns of it when it looks next.
    var isThawedFromOutside = false

    var main: [MainItem] = []
    var work: Work?
    /// Counts what the main thread began, so that a stale end of work is known as such.
    var workNumber: UInt32 = 0
    /// Counts connections: what was sent through one that broke is lost.
    var connection: UInt32 = 0
    /// When the last message arrives, or arrived, on either side.
    var lastToApp = Instant.zero
    var lastFromApp = Instant.zero
    /// Something that it said takes so long that nobody waited for it before calling the app suspended.
    var isLateToSpeak = false
    /// Counts thaws: what was asked for before one is not answered after it.
    var suspension: UInt32 = 0
    /// The socket's other end is there, and the process has to run to notice.
    var mustConnect = false
    var losesNextReply = false
    /// Timers that were due while it was frozen.
    var lateTimers: [MainItem] = []

    package internal(set) var received = CallbackNumber(0)
    package internal(set) var executed: CallbackNumber?
    /// Asked and not yet answered.
    package internal(set) var requests: [(id: RequestID, request: AppRequest)] = []
    var tasks: [HeldTask] = []
    /// What it was woken for, as it was told, and has not completed; and what it completed last.
    package internal(set) var windows: [OpenWindow] = []
    var completed: OpenWindow?
    /// Windows whose expiration handlers ran.
    var expiredWindows: Set<WindowID> = []
    var nextTask: UInt64 = 1
    /// It was told that its time in the background is over: it asks for no more.
    var isTimeOver = false
    /// It was asked for a picture, and the host waits; and whether a freeze does.
    var mustDraw = false
    var holdsFreeze = false
    /// What each service has told it under a number, by the service's place.
    var heard: [Int: Set<UInt64>] = [:]
    /// What it knows of the device.
    package internal(set) var conditions: DeviceConditions?
    /// What it has the world do.
    var transfers: [TrafficID] = []
    /// What the daemon has seen of them, and until when.
    var traffic: [WatchedTransfer] = []
    var trafficSeen = Instant.zero
    /// How often the daemon has checked since something moved.
    var idleTrafficChecks = 0
    /// The processor time of its app when its fetch began.
    var processorSeen = Span.zero
    /// What it does with the network, as the Core said last.
    var activity: Purpose?
    var works: [WorkID] = []
    var sockets = SimulatedSockets()
    var random: SplitMix64

    init(generation: Generation, pid: Int32, isPlain: Bool, manners: Manners, random: SplitMix64) {
        self.generation = generation
        self.pid = pid
        self.isPlain = isPlain
        self.manners = manners
        self.random = random
    }

    package var isGone: Bool { status != nil && !othersLeft }
    /// Its first process can execute something.
    package var canRun: Bool { status == nil && !isStarting && freezer != .frozen }
    package var isFrozen: Bool { freezer == .frozen }
    /// Callbacks that it has received and not yet executed.
    package var pendingCallbacks: [Callback] {
        main.compactMap { item in
            if case .callback(let callback) = item { callback } else { nil }
        }
    }
}

// A process is large. What is done at every step is done in place: to take it out of its app, or to read through the
// optional, copies it.
extension SimulatedProcess {
    mutating func ask<Answer>(_ question: (borrowing SimulatedProcess) -> Answer) -> Answer { question(self) }

    /// How long something takes, and the step that it ends in.
    mutating func draw(_ cost: Costs.Range, _ step: (SimulatedProcess) -> ProcessStep) -> (Span, ProcessStep) {
        let delay = random.draw(cost)
        return (delay, step(self))
    }

    /// When a step comes that is due at a moment: a socket hands over in order what goes through it.
    mutating func schedule(_ way: ProcessStep.Way, _ moment: Instant) -> (Generation, Instant) {
        switch way {
        case .toApp:
            lastToApp = max(moment, lastToApp)
            return (generation, lastToApp)
        case .fromApp:
            lastFromApp = max(moment, lastFromApp)
            return (generation, lastFromApp)
        case .none: return (generation, moment)
        }
    }

    /// What its main thread begins with, if it is free and may run.
    mutating func nextItem() -> (item: MainItem, generation: Generation)? {
        guard canRun, work == nil, let item = main.first else { return nil }
        return (item, generation)
    }

    /// Takes the first item off its main thread.
    mutating func takeItem() -> (item: MainItem, isConnected: Bool)? {
        guard status == nil, !main.isEmpty else { return nil }
        return (main.removeFirst(), isConnected)
    }
}

/// What the device remembers of an app, whether or not it runs.
package struct SimulatedApp {
    package let script: AppScript
    /// Its number in the present system; `nil` while it is not installed.
    package internal(set) var index: AppIndex?
    package internal(set) var process: SimulatedProcess?
    /// Whether a service does what it asked last.
    package internal(set) var serviceAnswer: Bool?
    /// What services told it, the first first.
    package internal(set) var heard: [String] = []
    /// How it behaves from its next launch on, and in the present process.
    package internal(set) var manners: Manners
    /// Processes that were born.
    package internal(set) var launches = 0
    /// Launches that were asked for.
    var attempts = 0
    /// The delegate methods that really ran.
    package internal(set) var calls: [Call] = []
    /// The names of the tasks whose expiration handlers ran.
    package internal(set) var expirations: [String] = []
    /// Pictures that it gave.
    package internal(set) var snapshots = 0
    /// What it heard of the device's changes, one after another.
    package internal(set) var changes: [SystemChange] = []
    /// What it heard of protected files.
    package internal(set) var protection: [ProtectedData] = []
    /// Whether the last request to the system or a service has a reply, and why it was refused.
    package internal(set) var hasReply = false
    package internal(set) var lastReply: AppReply?
    package internal(set) var refusal: String?
    /// How its last process ended.
    package internal(set) var lastStatus: ExitStatus?
    var program: (any Program)?

    package struct Call: Hashable, Sendable {
        package var kind: CallbackKind
        package var at: Instant
        package var callback: Callback
    }
}
