internal import Model

/// What a mechanism sees of the system: its moment and its rules, facts about the app that it is called for, and what
/// it may do about it. Its own state comes by a scope of its own, which refines this one; the apps, the screen and
/// other mechanisms are out of its reach. Apps are named by their places.
protocol Scope {
    var now: Instant { get }
    var profile: DeviceProfile { get }

    // MARK: Facts

    func process(_ i: Int) -> ProcessPhase
    func state(_ i: Int) -> LifecycleState
    func suspension(_ i: Int) -> SuspensionPhase
    func presence(_ i: Int) -> Screen.Presence
    func modes(_ i: Int) -> BackgroundModes
    func isPlain(_ i: Int) -> Bool
    func isConnected(_ i: Int) -> Bool
    /// An end of it is decided.
    func isEnding(_ i: Int) -> Bool
    func holds(_ i: Int, _ kind: AssertionKind) -> Bool
    func isArmed(_ i: Int, _ kind: DeadlineKind) -> Bool
    /// Its launch is over, no callback is under way and no end.
    func isSettled(_ i: Int) -> Bool

    // MARK: Decisions

    @discardableResult
    mutating func take(_ i: Int, _ kind: AssertionKind, name: String, lasting: Span?) -> AssertionID
    mutating func drop(_ i: Int, _ kind: AssertionKind)
    mutating func arm(_ i: Int, _ kind: DeadlineKind, after span: Span)
    mutating func disarm(_ i: Int, _ kind: DeadlineKind)
    /// The one rule looks at it again before the event is over.
    mutating func reconsider(_ i: Int)
    mutating func end(_ i: Int, _ reason: EndReason)
    /// It runs again if it stood still.
    mutating func resume(_ i: Int, _ reason: Reason)
    /// Its suspension failed at this attempt, and is tried again after a pause.
    mutating func tryAgain(_ i: Int, after attempt: UInt8)

    // MARK: Words

    mutating func emit(_ i: Int, _ action: MechanismAction)
    mutating func reply(_ i: Int, _ id: RequestID, _ reply: AppReply)
    mutating func log(_ i: Int, _ event: LogEvent, _ reason: Reason)
    /// Nothing that the app did before is the cause.
    mutating func logBeginning(_ i: Int, _ event: LogEvent, _ reason: Reason)
    /// Reports what the last entry tells of, and what the app survives.
    mutating func reportFault(_ i: Int, _ code: TerminationCode, _ reason: Reason)
}

extension SuspensionPhase {
    /// The kernel says that it stands still, whether or not that is confirmed.
    var isStandstill: Bool {
        switch self {
        case .verifying, .confirmed: true
        // It runs again, or will.
        case .none, .preparing, .freezing, .waiting: false
        }
    }

    /// Which attempt is under way.
    var attempt: UInt8? {
        switch self {
        case .preparing(let attempt), .freezing(let attempt), .verifying(let attempt), .waiting(let attempt): attempt
        case .none, .confirmed: nil
        }
    }
}
