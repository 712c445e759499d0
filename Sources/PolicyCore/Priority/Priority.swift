internal import Model

// Who is hidden gives way to who is not (R14). All that is on screen is equal (M2), and whoever has a limit of ours
// running is not slowed by us: a callback late for want of a processor would end the app.
extension System {
    /// What an app should have; `nil` while it stays as it is. What is frozen, or about to be, wants nothing, so that
    /// the way back to the screen has nothing to undo.
    @inline(__always)
    func priority(_ i: Int) -> AppPriority? {
        switch apps[i].process {
        case .none, .starting: return nil
        case .connecting, .launching: return presence(i) == .hidden ? .timed : .foreground
        case .alive: break
        }
        if presence(i) != .hidden || apps[i].state.isForeground { return .foreground }
        let isHeld = !apps[i].assertions.others.isEmpty
        if isHeld, apps[i].assertions.isPerceived { return .foreground }
        if apps[i].$ending || !apps[i].outstanding.isEmpty { return .timed }
        if case .expiring = apps[i].tasks.clock, !apps[i].tasks.isEmpty { return .timed }
        // Somebody waits for its answer, or it has little time.
        if mustAnswerSoon(i) { return .timed }
        if !apps[i].windows.isEmpty, apps[i].windows.areTimed { return .timed }
        if isHeld, apps[i].assertions.claimedPriority == .timed { return .timed }
        return apps[i].suspension.isUnderWay ? nil : .background
    }

    /// What it was last given.
    @inline(__always)
    func given(_ i: Int) -> AppPriority {
        if let given = apps[i].givenPriority { given } else { .foreground }
    }

    /// Before an app is moved: what it is to do, it does with all that it is due.
    mutating func raisePriority(_ i: Int) {
        if let wanted = priority(i), wanted.rank > given(i).rank { give(i, wanted) }
    }

    /// After it was moved.
    mutating func settlePriority(_ i: Int) {
        if let wanted = priority(i), wanted.rank != given(i).rank { give(i, wanted) }
    }

    /// What is being killed has to give back what it holds, for which it needs a processor.
    mutating func hurryEnd(_ i: Int) {
        if apps[i].priority == .background, apps[i].process != .starting { give(i, .timed) }
    }

    /// A new daemon cannot know whether the old one had come to it.
    mutating func repeatPriority(_ i: Int) { give(i, apps[i].priority) }

    private mutating func give(_ i: Int, _ priority: AppPriority) {
        apps[i].givenPriority = priority
        emit(.setPriority(apps[i].index, apps[i].generation, priority), cause: apps[i].cause)
    }
}

extension AppPriority {
    // Compared at every step; the comparison that all modules have is a call through a table.
    @inline(__always)
    var rank: UInt8 {
        switch self {
        case .background: 1
        case .timed: 2
        case .foreground: 3
        }
    }
}

extension AssertionTable {
    /// The user notices it although it is not on screen: by ear, or in a window that the Core knows nothing of.
    var isPerceived: Bool {
        others.contains { assertion in
            assertion.kind.isPerceived || assertion.claim?.priority == .foreground
        }
    }
}

extension BackgroundTasks {
    /// Their expiration handlers were called, and have little time.
    var areExpiring: Bool {
        if case .expiring = clock, !isEmpty { true } else { false }
    }
}

extension Windows {
    /// The app has seconds for what it was woken for. Who processes has minutes, and may take them.
    var areTimed: Bool { held.contains { $0.kind.service != .processing } }
}
