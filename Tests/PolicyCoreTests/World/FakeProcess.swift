import Model

/// How an app of a `TestDevice` behaves. The default behaves well.
struct Behaviour {
    var connects = true
    /// Delegate methods that do not return.
    var hangsIn: Set<CallbackKind> = []
    var answersPings = true
    var canFreeze = true
    var prepares = true
    /// What the host finds locked once it is frozen, and whether somebody needs it.
    var lock: (path: String, blocksOthers: Bool)?
    var isTraced = false
    /// The host's answer about a debugger is held back.
    var withholdsTracer = false
    var ignoresTermination = false
    var launchFailure: LaunchFailure?
    /// The host's word that the process runs is held back.
    var withholdsStart = false
    /// SIGKILL takes no effect, as in uninterruptible sleep.
    var cannotDie = false
    var processCount: Int32 = 1
    /// It listens, and never accepts.
    var ignoresPeers = false
    /// Other processes live on when the first one ends.
    var leavesOthers = false
}

/// A process (with its children) of a `TestDevice`: what is, and what the Core has been told of it.
struct FakeProcess {
    enum Freezer { case running, freezing, frozen }

    let generation: Generation
    let pid: Int32
    let isPlain: Bool
    /// The launch was asked for, its outcome is not yet told.
    var isStarting = true
    var isConnected = false
    var freezer = Freezer.running
    var priority = AppPriority.foreground

    var mustPrepare = false
    var mustVerify = false
    var mustAnswerPing = false
    var mustCount = false
    var mustCheckTracer = false
    var mustShowSockets = false
    var mustEnd = false
    var mustDie = false

    /// Where it listens; who is connected, and who waits to be.
    var listeners: [String] = []
    var connections: Int32 = 0
    var waiting: Int32 = 0
    var work = Span.zero
    /// The host answers in its place, or wakes it.
    var isGuarded = false
    var isWoken = false
    var refused: Int32 = 0

    /// How the first process ended, if it did; whether others are left.
    var status: ExitStatus?
    var othersLeft = false
    var toldFirst = false

    /// The app's side of the wire: what it received and has not yet executed.
    var queue: [Callback] = []
    var received = CallbackNumber(0)
    var executed: CallbackNumber?
    /// Results to send again: the delegate had returned before the repetition came.
    var repeatedAnswers: [CallbackNumber] = []

    var isGone: Bool { status != nil && !othersLeft }
    var isRunning: Bool { !isGone && freezer == .running }

    init(generation: Generation, pid: Int32, isPlain: Bool) {
        self.generation = generation
        self.pid = pid
        self.isPlain = isPlain
    }

    mutating func die(_ status: ExitStatus, leavingOthers: Bool = false) {
        if self.status == nil { self.status = status }
        othersLeft = leavingOthers
        // A process that ended holds no descriptor and answers nothing.
        queue = []
        repeatedAnswers = []
        mustAnswerPing = false
        listeners = []
        (connections, waiting) = (0, 0)
    }
}

/// Something that can happen next to a process.
struct Steps: OptionSet {
    let rawValue: UInt32
    static let start = Steps(rawValue: 1)
    static let connect = Steps(rawValue: 1 << 1)
    static let repeatAnswer = Steps(rawValue: 1 << 2)
    static let returnCallback = Steps(rawValue: 1 << 3)
    static let prepared = Steps(rawValue: 1 << 4)
    static let frozen = Steps(rawValue: 1 << 5)
    static let verified = Steps(rawValue: 1 << 6)
    static let tracer = Steps(rawValue: 1 << 7)
    static let ping = Steps(rawValue: 1 << 8)
    static let count = Steps(rawValue: 1 << 9)
    static let end = Steps(rawValue: 1 << 10)
    static let die = Steps(rawValue: 1 << 11)
    static let tellFirst = Steps(rawValue: 1 << 12)
    static let tellDisconnected = Steps(rawValue: 1 << 13)
    static let tellAll = Steps(rawValue: 1 << 14)
    static let peer = Steps(rawValue: 1 << 15)
    static let sockets = Steps(rawValue: 1 << 16)

    var first: Steps { Steps(rawValue: rawValue & (~rawValue &+ 1)) }

    func random(_ generator: inout SplitMix64) -> Steps {
        var rest = rawValue
        for _ in 0..<generator.below(rawValue.nonzeroBitCount) { rest &= rest &- 1 }
        return Steps(rawValue: rest).first
    }
}

extension FakeProcess {
    /// What can happen next, in the order in which a calm world does it.
    func steps(_ behaviour: Behaviour) -> Steps {
        var steps: Steps = []
        func add(_ step: Steps, _ condition: Bool) { if condition { steps.insert(step) } }
        add(.tracer, mustCheckTracer && !behaviour.withholdsTracer)
        if isStarting {
            add(.start, !behaviour.withholdsStart)
            return steps
        }
        if let first = queue.first { add(.returnCallback, isRunning && !behaviour.hangsIn.contains(first.kind)) }
        add(.connect, isRunning && status == nil && !isPlain && !isConnected && behaviour.connects)
        add(.repeatAnswer, isRunning && isConnected && !repeatedAnswers.isEmpty)
        add(.prepared, mustPrepare && behaviour.prepares)
        add(.frozen, freezer == .freezing && behaviour.canFreeze)
        add(.verified, mustVerify)
        add(.ping, mustAnswerPing && isRunning && isConnected && behaviour.answersPings)
        add(.count, mustCount && !isGone)
        add(.peer, freezer == .frozen && isGuarded && isWoken && waiting > 0)
        add(.sockets, mustShowSockets && !isGone)
        add(.end, mustEnd && isRunning && !behaviour.ignoresTermination)
        add(.die, mustDie && !isGone && !behaviour.cannotDie)
        add(.tellFirst, status != nil && !toldFirst)
        add(.tellDisconnected, status != nil && isConnected)
        add(.tellAll, isGone && toldFirst && !isConnected)
        return steps
    }
}

extension FakeProcess {
    mutating func accept(_ behaviour: Behaviour) {
        guard !behaviour.ignoresPeers else { return }
        connections += waiting
        waiting = 0
    }
}
