package import Model

/// What is kept of one of an app's scenes: its session.
package struct SceneSession: Hashable, Codable, Sendable {
    package var number: SceneNumber
    /// As the app has been told; without a process, `unattached`.
    package var state = SceneState.unattached
    /// Its place on the screen.
    package var role: ScreenRole?
    /// Memory is short: it is to go, and comes back when it is shown.
    var isToDisconnect = false
    /// It was closed: it hears that it disconnects, then the app that it is gone.
    package internal(set) var isDiscarded = false
    /// The app has heard of it, now or in an earlier process.
    var isKnown = false
    /// What the app called its wish to have it shown; zero: it has none.
    var wish: UInt32 = 0

    init(_ number: SceneNumber) { self.number = number }
}

/// The scenes of an app, the one that was shown last at the end.
package struct SceneTable: Hashable, Codable, Sendable {
    package private(set) var sessions: [SceneSession] = []
    /// The number that was given last.
    private(set) var last: UInt32 = 0

    /// More than a user could tell apart.
    package static let most = 32

    init() {}

    /// - Parameter closed: those that the app has yet to hear of that they are gone.
    init(restoring numbers: [SceneNumber], closed: [SceneNumber]) {
        for number in closed.suffix(Self.most) + numbers.suffix(Self.most) where place(of: number) == nil {
            var session = SceneSession(number)
            session.isKnown = true
            session.isDiscarded = !numbers.contains(number)
            sessions.append(session)
            last = max(last, number.rawValue)
        }
    }

    /// Those that a user could choose.
    var kept: [SceneSession] { sessions.filter { !$0.isDiscarded } }

    /// The scene that a user means who opens the app.
    var newest: SceneNumber? { sessions.last { !$0.isDiscarded }?.number }

    /// The app's chief place on the screen.
    var role: ScreenRole? {
        var chief: ScreenRole?
        for session in sessions {
            guard let role = session.role else { continue }
            if chief.map({ role.rawValue < $0.rawValue }) ?? true { chief = role }
        }
        return chief
    }

    func place(of number: SceneNumber) -> Int? { sessions.firstIndex { $0.number == number } }

    subscript(_ number: SceneNumber) -> SceneSession? { place(of: number).map { sessions[$0] } }

    func occupant(of role: ScreenRole) -> SceneNumber? { sessions.first { $0.role == role }?.number }

    /// `nil`: there are as many as may be.
    mutating func add() -> SceneNumber? {
        guard kept.count < Self.most, last < .max else { return nil }
        last += 1
        sessions.append(SceneSession(SceneNumber(last)))
        return SceneNumber(last)
    }

    /// It is the one that was shown last from now on; whoever was in its place is there no more.
    mutating func show(_ number: SceneNumber, as role: ScreenRole) {
        leave(role)
        guard let place = place(of: number) else { return }
        var session = sessions.remove(at: place)
        session.role = role
        session.isToDisconnect = false
        sessions.append(session)
    }

    mutating func change(_ number: SceneNumber, _ body: (inout SceneSession) -> Void) {
        if let place = place(of: number) { body(&sessions[place]) }
    }

    /// Changes the place of a scene that stays on the screen.
    mutating func move(from old: ScreenRole, to new: ScreenRole) {
        for place in sessions.indices where sessions[place].role == old { sessions[place].role = new }
    }

    /// `nil`: all that have one.
    mutating func leave(_ role: ScreenRole?) {
        for place in sessions.indices where role == nil || sessions[place].role == role { sessions[place].role = nil }
    }

    mutating func remove(_ number: SceneNumber) { sessions.removeAll { $0.number == number } }

    /// The process is gone, and what it was told with it. Who hears of a closed session is the next one.
    mutating func processEnded() {
        for place in sessions.indices {
            sessions[place].state = .unattached
            sessions[place].isToDisconnect = false
            sessions[place].wish = 0
        }
    }

    /// Scenes in the background that could go, those that were shown longest ago first.
    var idle: [SceneNumber] {
        sessions.filter { $0.state == .background && $0.role == nil && !$0.isToDisconnect && !$0.isDiscarded }
            .map(\.number)
    }

    /// False of what was read from a damaged file.
    var isSound: Bool {
        sessions.count <= 2 * Self.most && sessions.allSatisfy { $0.number.rawValue <= last }
            && Set(sessions.map(\.number)).count == sessions.count
            && Set(sessions.compactMap(\.role)).count == sessions.compactMap(\.role).count
    }
}
