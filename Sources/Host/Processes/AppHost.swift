internal import LinuxSystem
internal import Model
internal import Wire

/// What the host holds of one app: its installation, and its process while there is one.
final class AppHost {
    let index: AppIndex
    var installation: Installation
    private(set) var process: AppProcess?

    init(index: AppIndex, installation: Installation) {
        self.index = index
        self.installation = installation
    }

    func begin(_ process: AppProcess) { self.process = process }

    func end() {
        process?.box.remove()
        // The holder ends with the terminal, a moment from now; somebody has to collect it.
        if let holder = process?.holder, let watch = process?.holderWatch { lastHolder = (holder, watch) }
        process = nil
    }

    private var lastHolder: (process: PidFD, watch: Loop.Watch)?

    /// It was collected. Who is dead stays readable: its watch would wake the loop for ever.
    func forget(holder: PidFD) {
        if lastHolder?.process === holder { lastHolder = nil }
    }
}

/// A process of an app, from its birth to the end of the last one of its group.
final class AppProcess {
    let generation: Generation
    let box: any ProcessBox
    /// The first process, or the oldest found at adoption.
    var first: PidFD?
    var firstWatch: Loop.Watch?
    /// The first process is dead, and nobody has said yet how it ended.
    var awaitsStatus = false
    var connection: Connection?
    /// Callbacks that were sent and not answered, oldest first: only these may be answered.
    var awaited: [UInt64] = []
    var hasSaidHello = false
    /// The app's messages have a tenth of a processor, so that the daemon serves others beside any app.
    let messageTime = Allowance(burst: 100_000_000, adding: 1, of: 10, at: Clock.monotonic())
    /// Requests of the app that the Core has not answered yet.
    var requests: [UInt64: RPCID] = [:]
    /// When its end was asked for, while that is not there.
    var killedAt: Int64?
    /// Whether the host asked for a freeze that the kernel has not confirmed.
    var awaitsFreeze = false
    /// Counts what begins and ends a stand-still: what was found before is worth nothing after.
    var verification = 0
    var pings: UInt64 = 0
    /// Until its main thread is looked at, which was asked.
    var inversionTimer: UInt64?
    let snapshot = SnapshotStep()
    /// Processor time when its end was decided.
    var usedAtEnd: Int64?
    /// Processor time when its sockets were last looked at.
    var socketWork: Int64?
    /// The last call over a message bus for which it was woken.
    var calledFor: Int?
    /// The terminal's master: with it a holder that dies can be replaced.
    var terminalMaster: Descriptor?
    var holder: PidFD?
    var holderWatch: Loop.Watch?
    let startedAt: WallTime
    /// Where its share of processors and disks is written; known when it is first needed.
    var shares: GroupShares?
    var isInBackground = false
    /// How often it began to run there.
    var backgroundStays = 0
    /// It is looked at soon, whether it stays.
    var awaitsSharing = false
    /// Whether some of its processes may be in the group that all in the background share.
    var mayShareBackground = false
    var gpu = GPUBaseline()
    /// Its processes since it was frozen: a group in which nothing runs gains none.
    var standing: [CInt]?
    /// What the Core wants of it, and what is done before it runs again.
    var owedPriority: AppPriority?
    /// Opened when it may be needed soon.
    var ownKillSwitch: KillSwitch?

    init(generation: Generation, box: any ProcessBox, startedAt: WallTime) {
        self.generation = generation
        self.box = box
        self.startedAt = startedAt
    }

    /// It stands still: of its descriptors those stay that tell of its end.
    func rest() {
        box.rest()
        shares = nil
    }

    var processes: [CInt] { standing ?? box.processes() }

    /// The kernel says that nothing of it runs.
    func stands() {
        // Whoever stopped it by signals may be overruled by others.
        standing = box is CgroupBox ? box.processes() : nil
    }
}
