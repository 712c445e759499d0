internal import Model

/// What lies on the screen. Apps have roles; the system's own surfaces (home, lock screen, switcher, the call's screen)
/// are always there and never victims (M4).
struct Screen: Hashable, Codable {
    /// By role; an array because a checkpoint must have the same bytes every time.
    private var occupants: [AppIndex?] = ScreenRole.allCases.map { _ in nil }
    private(set) var interruptions: [InterruptionKind] = []
    var isSwitcherOpen = false
    var isLocked = false
    var isAsleep = false
    /// The call that the user accepted; its screen hides every app while `isCallShown`.
    var hasCall = false
    var isCallShown = false

    init() {}

    /// Checkpoints of earlier versions have one more place, for an app that covered another app.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        occupants = try values.decode([AppIndex?].self, forKey: .occupants)
        if occupants.count == ScreenRole.allCases.count + 1 { occupants.removeLast() }
        interruptions = try values.decode([InterruptionKind].self, forKey: .interruptions)
        isSwitcherOpen = try values.decode(Bool.self, forKey: .isSwitcherOpen)
        isLocked = try values.decode(Bool.self, forKey: .isLocked)
        isAsleep = try values.decode(Bool.self, forKey: .isAsleep)
        hasCall = try values.decode(Bool.self, forKey: .hasCall)
        isCallShown = try values.decode(Bool.self, forKey: .isCallShown)
    }

    /// False of what was read from a damaged file.
    var isWhole: Bool { occupants.count == ScreenRole.allCases.count }

    /// How much of an app the user sees.
    enum Presence: Hashable {
        case hidden, inactive, active
    }

    mutating func place(_ app: AppIndex, as role: ScreenRole) -> AppIndex? {
        let before = self[role]
        occupants[Int(role.rawValue)] = app
        return before == app ? nil : before
    }

    mutating func remove(_ role: ScreenRole) { occupants[Int(role.rawValue)] = nil }

    subscript(_ role: ScreenRole) -> AppIndex? { occupants[Int(role.rawValue)] }

    mutating func clear() -> [AppIndex] {
        let apps = inOrder
        for place in occupants.indices { occupants[place] = nil }
        return apps
    }

    /// The apps on screen, in the order of their roles.
    var inOrder: [AppIndex] { occupants.compactMap { $0 } }

    var isOccupied: Bool { occupants.contains { $0 != nil } }

    var front: AppIndex? { self[.primary] }

    /// A secondary app has no primary app to its side.
    var hasLoneSecondary: Bool { self[.primary] == nil && self[.secondary] != nil }

    /// Puts the secondary app in the primary app's place, which is free.
    mutating func promoteSecondary() -> AppIndex? {
        guard hasLoneSecondary, let app = self[.secondary] else { return nil }
        occupants[Int(ScreenRole.primary.rawValue)] = app
        remove(.secondary)
        return app
    }

    /// The lock screen covers the switcher, which does not come back with the unlocking.
    mutating func lock() {
        isLocked = true
        isSwitcherOpen = false
    }

    mutating func begin(_ kind: InterruptionKind) {
        if !interruptions.contains(kind) { interruptions.append(kind) }
    }

    mutating func end(_ kind: InterruptionKind) -> Bool {
        guard let index = interruptions.firstIndex(of: kind) else { return false }
        interruptions.remove(at: index)
        return true
    }
}

extension System {
    /// The primary app has ended, or has gone elsewhere: the secondary app takes the whole screen. It was on the screen
    /// before, so it receives no callback.
    mutating func fillScreen() {
        guard let app = screen.promoteSecondary() else { return }
        let i = Int(app.rawValue)
        if apps[i].$scenes {
            apps[i].changeScenes { $0.move(from: .secondary, to: .primary) }
            apps[i].role = apps[i].scenes?.role
        } else {
            apps[i].role = .primary
        }
    }

    @inline(__always)
    func presence(_ i: Int) -> Screen.Presence { presence(inRole: apps[i].role) }

    // Inlined: it is asked at every step, and a call would hand the whole system on.
    @inline(__always)
    func presence(inRole role: ScreenRole?) -> Screen.Presence {
        guard role != nil, !screen.isCallShown else { return .hidden }
        if screen.isLocked || screen.isAsleep {
            return profile.locking == .sendsToBackground ? .hidden : .inactive
        }
        return screen.isSwitcherOpen || !screen.interruptions.isEmpty ? .inactive : .active
    }
}
