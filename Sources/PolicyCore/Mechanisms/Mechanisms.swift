package import Model

// The mechanisms, each listed once for every thing that it may have: what it is told, what it does, what apps ask of
// it, its state, and the moments at which it is called, in this order. Everything else of one is in its folder.

// MARK: What they are told, do and are asked

/// Told of an app's present process; news of one that is gone is dropped at the door.
package enum MechanismEvent: Hashable, Sendable {
    case sockets(Sockets.Event)
    case gpu(GPU.Event)
    case disk(Disk.Event)
    case locks(Locks.Event)
    case descriptors(Descriptors.Event)
    case inversions(Inversions.Event)

    var tag: UInt8 {
        switch self {
        case .sockets(let event): event.tag.rawValue
        case .gpu(let event): event.tag.rawValue
        case .disk(let event): event.tag.rawValue
        case .locks(let event): event.tag.rawValue
        case .descriptors(let event): event.tag.rawValue
        case .inversions(let event): event.tag.rawValue
        }
    }

    init?(blank tag: UInt8) {
        if let tag = Sockets.Event.Tag(rawValue: tag) {
            self = .sockets(Sockets.Event(blank: tag))
        } else if let tag = GPU.Event.Tag(rawValue: tag) {
            self = .gpu(GPU.Event(blank: tag))
        } else if let tag = Disk.Event.Tag(rawValue: tag) {
            self = .disk(Disk.Event(blank: tag))
        } else if let tag = Locks.Event.Tag(rawValue: tag) {
            self = .locks(Locks.Event(blank: tag))
        } else if let tag = Descriptors.Event.Tag(rawValue: tag) {
            self = .descriptors(Descriptors.Event(blank: tag))
        } else if let tag = Inversions.Event.Tag(rawValue: tag) {
            self = .inversions(Inversions.Event(blank: tag))
        } else {
            return nil
        }
    }

    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
        case .sockets(var event):
            try event.fields(&coder)
            self = .sockets(event)
        case .gpu(var event):
            try event.fields(&coder)
            self = .gpu(event)
        case .disk(var event):
            try event.fields(&coder)
            self = .disk(event)
        case .locks(var event):
            try event.fields(&coder)
            self = .locks(event)
        case .descriptors(var event):
            try event.fields(&coder)
            self = .descriptors(event)
        case .inversions(var event):
            try event.fields(&coder)
            self = .inversions(event)
        }
    }

    func sentence(name: String) -> String {
        switch self {
        case .sockets(let event): event.sentence(name: name)
        case .gpu(let event): event.sentence(name: name)
        case .disk(let event): event.sentence(name: name)
        case .locks(let event): event.sentence(name: name)
        case .descriptors(let event): event.sentence(name: name)
        case .inversions(let event): event.sentence(name: name)
        }
    }
}

/// Done to an app's present process.
package enum MechanismAction: Hashable, Sendable {
    case sockets(Sockets.Action)
    case snapshots(Snapshots.Action)

    var tag: UInt8 {
        switch self {
        case .sockets(let action): action.tag.rawValue
        case .snapshots(let action): action.tag.rawValue
        }
    }

    static var tags: [UInt8] {
        Sockets.Action.Tag.allCases.map(\.rawValue) + Snapshots.Action.Tag.allCases.map(\.rawValue)
    }

    /// For people.
    static func name(of tag: UInt8) -> String? {
        Sockets.Action.Tag(rawValue: tag).map { "\($0)" } ?? Snapshots.Action.Tag(rawValue: tag).map { "\($0)" }
    }

    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
        case .sockets(var action):
            try action.fields(&coder)
            self = .sockets(action)
        case .snapshots(var action):
            try action.fields(&coder)
            self = .snapshots(action)
        }
    }

    func sentence(name: String) -> String {
        switch self {
        case .sockets(let action): action.sentence(name: name)
        case .snapshots(let action): action.sentence(name: name)
        }
    }
}

/// What an app asks of a mechanism.
package enum MechanismRequest: Hashable, Sendable {
    case snapshots(Snapshots.Request)

    var tag: UInt8 {
        switch self {
        case .snapshots(let request): request.tag.rawValue
        }
    }

    init?(blank tag: UInt8) {
        guard let tag = Snapshots.Request.Tag(rawValue: tag) else { return nil }
        self = .snapshots(Snapshots.Request(blank: tag))
    }

    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
        case .snapshots(var request):
            try request.fields(&coder)
            self = .snapshots(request)
        }
    }

    var sentence: String {
        switch self {
        case .snapshots(let request): request.sentence
        }
    }
}

// MARK: Who takes it

extension System {
    mutating func handle(_ event: MechanismEvent, of incarnation: Incarnation) {
        guard let i = current(incarnation.app, incarnation.generation) else { return }
        switch event {
        case .sockets(let event): Sockets.handle(event, i, in: &self)
        case .gpu(let event): GPU.handle(event, i, in: &self)
        case .disk(let event): Disk.handle(event, i, in: &self)
        case .locks(let event): Locks.handle(event, i, in: &self)
        case .descriptors(let event): Descriptors.handle(event, i, in: &self)
        case .inversions(let event): Inversions.handle(event, i, in: &self)
        }
    }

    mutating func handle(_ request: MechanismRequest, _ i: Int, _ id: RequestID) {
        switch request {
        case .snapshots(let request): Snapshots.handle(request, i, id, in: &self)
        }
    }
}

// MARK: Moments

/// When the lifecycle calls the mechanisms.
enum Moment {
    /// It is on screen, or on its way there.
    case onScreen
    /// Its delegate has had the time to hide what is nobody's business.
    case leftScreen
    /// What it was woken for is done.
    case windowCompleted
    /// The suspension is confirmed.
    case suspended
    case thawed
    /// A deadline of a mechanism has passed.
    case deadline
}

extension System {
    mutating func pass(_ moment: Moment, _ i: Int) {
        switch moment {
        case .onScreen: Sockets.onScreen(i, in: &self)
        case .leftScreen, .windowCompleted: Snapshots.take(i, in: &self)
        case .suspended: Sockets.suspended(i, in: &self)
        case .thawed: Sockets.thawed(i, in: &self)
        case .deadline: Sockets.deadline(i, in: &self)
        }
    }
}

// MARK: States

// What mechanisms keep of a process goes with it. A new one has its part here and in `App`.
extension App {
    mutating func clearMechanisms() {
        sockets = Sockets.State()
        toldLock = nil
        providesSnapshots = nil
        hasManyDescriptors = nil
        toldInversions = nil
    }

    /// Bytes of each app for them, whether it has something to do with them or not.
    static var mechanismLayout: [(name: String, bytes: Int)] {
        [("sockets", MemoryLayout<Sparse<Sockets.State>>.size), ("locks", MemoryLayout<Rare<String>>.size)]
    }

    /// It runs for a moment only, in which somebody waits for its answer.
    // Inlined, as all that is asked of one app: a call would copy it out of the table.
    @inline(__always)
    var mustAnswerSoon: Bool { sockets.phase != .none }

    /// The deadline of a mechanism that it may have while it stands still.
    @inline(__always)
    var deadlineOfStandstill: DeadlineKind? { process != .none && sockets.connections > 0 ? .sockets : nil }
}

extension System {
    @inline(__always)
    func mustAnswerSoon(_ i: Int) -> Bool {
        switch apps[i].sockets.phase {
        case .none: false
        case .busy, .quiet, .called: true
        }
    }

    /// What a mechanism finds wrong with an app; part of the invariants.
    func brokenMechanisms(_ i: Int) -> [String] {
        // Neither watched nor kept running by anything.
        guard mustAnswerSoon(i) || !apps[i].assertions.others.isEmpty else { return [] }
        return Sockets.broken(isWatched: mustAnswerSoon(i), i, in: self)
    }
}

extension System: SocketScope {
    subscript(sockets i: Int) -> Sockets.State {
        get { apps[i].sockets }
        set { apps[i].sockets = newValue }
    }

    func connectionLimit(_ i: Int) -> Span? { apps[i].manifest.connectionLimit }
}

extension System: LockScope {
    func toldLock(_ i: Int) -> String? { apps[i].toldLock }
    mutating func setToldLock(_ i: Int, _ name: String) { apps[i].toldLock = name }
}

extension System: DescriptorScope {
    func toldOfDescriptors(_ i: Int) -> Bool { apps[i].hasManyDescriptors == true }
    mutating func setToldOfDescriptors(_ i: Int, _ isTold: Bool) { apps[i].hasManyDescriptors = isTold ? true : nil }
}

extension System: InversionScope {
    func toldInversions(_ i: Int) -> [UInt64] { apps[i].toldInversions ?? [] }
    mutating func setToldInversions(_ i: Int, _ locks: [UInt64]) { apps[i].toldInversions = locks }
}

extension System: SnapshotScope {
    func providesSnapshots(_ i: Int) -> Bool { apps[i].providesSnapshots == true }
    mutating func setProvidesSnapshots(_ i: Int, _ provides: Bool) {
        apps[i].providesSnapshots = provides ? true : nil
    }
}

// MARK: What all of them may know and do

extension System: Scope {
    func process(_ i: Int) -> ProcessPhase { apps[i].process }
    func state(_ i: Int) -> LifecycleState { apps[i].state }
    func suspension(_ i: Int) -> SuspensionPhase { apps[i].suspension }
    func modes(_ i: Int) -> BackgroundModes { apps[i].manifest.backgroundModes }
    // Property by property, and inlined: what is asked of an app as a whole copies it out of the table.
    @inline(__always)
    func isPlain(_ i: Int) -> Bool {
        let kind = apps[i].process == .none ? apps[i].manifest.kind : apps[i].processKind
        return if case .plain = kind { true } else { false }
    }
    @inline(__always)
    func isSuspended(_ i: Int) -> Bool { if case .suspended = apps[i].state { true } else { false } }
    func isConnected(_ i: Int) -> Bool { apps[i].isConnected }
    func isEnding(_ i: Int) -> Bool { apps[i].$ending }
    func holds(_ i: Int, _ kind: AssertionKind) -> Bool { apps[i].assertions.holds(kind) }

    func isArmed(_ i: Int, _ kind: DeadlineKind) -> Bool {
        deadlines.instant(DeadlineSlot(app: apps[i].index, kind: kind)) != nil
    }
    @inline(__always)
    func isSettled(_ i: Int) -> Bool {
        apps[i].process == .alive && apps[i].outstanding.isEmpty && !apps[i].$ending
    }

    mutating func reconsider(_ i: Int) { touch(apps[i].index) }

    mutating func emit(_ i: Int, _ action: MechanismAction) {
        emit(.mechanism(Incarnation(apps[i].index, apps[i].generation), action), cause: apps[i].cause)
    }

    mutating func logBeginning(_ i: Int, _ event: LogEvent, _ reason: Reason) {
        apps[i].cause = log(i, event, reason, after: nil)
    }
}

extension System {
    /// Whoever else listens at its sockets does not matter then.
    package func isWokenByPeers(_ app: AppIndex) -> Bool {
        app.rawValue < apps.count && Sockets.isWoken(Int(app.rawValue), in: self)
    }
}
