package import AudioModel
package import Model

/// What silences a session that was not asked.
package enum Interrupter: Hashable, Comparable, Sendable, Codable {
    case call
    /// An alarm, or somebody who tests an app.
    case person
    /// Another app's session.
    case session(AppIdentifier)
    case outsider(pid: Int32)

    init(_ party: PartyID) {
        switch party {
        case .app(let app): self = .session(app)
        case .outsider(let pid): self = .outsider(pid: pid)
        }
    }

    private var order: (Int, String, Int32) {
        switch self {
        case .call: (0, "", 0)
        case .person: (1, "", 0)
        case .session(let app): (2, app.rawValue, 0)
        case .outsider(let pid): (3, "", pid)
        }
    }

    package static func < (a: Interrupter, b: Interrupter) -> Bool { a.order < b.order }
}

package struct Interruption: Hashable, Sendable, Codable {
    /// Of whom; a later process of the app was never interrupted.
    package var process: Int64
    package var by: Set<Interrupter>
    /// It sounded when that began: it may go on.
    package var wasPlaying: Bool

    package init(process: Int64, by: Set<Interrupter>, wasPlaying: Bool) {
        (self.process, self.by, self.wasPlaying) = (process, by, wasPlaying)
    }
}

/// Whether an app's session is in force.
package struct Session: Hashable, Sendable {
    package enum Activity: Hashable, Sendable {
        /// Valid transitions are to: active.
        case inactive
        /// Valid transitions are to: inactive, interrupted.
        case active
        /// Valid transitions are to: inactive (it is over, or nobody will say so), active (the app insists, and
        /// nothing that goes before it is under way).
        case interrupted(Interruption)
    }

    package enum Transition: Hashable, Sendable {
        case activated
        case deactivated
        case interrupted(by: Interrupter, process: Int64, wasPlaying: Bool)
        case released(Interrupter)
    }

    package var settings = AudioSettings()
    package private(set) var activity = Activity.inactive
    package var overridesToSpeaker = false

    package init() {}

    package var isActive: Bool { activity == .active }

    package var interruption: Interruption? {
        if case .interrupted(let interruption) = activity { interruption } else { nil }
    }

    /// What the change means for the app; `nil`: the session is not in a state for it.
    package enum Outcome: Hashable, Sendable {
        case changed
        /// It was interrupted already; one more does so.
        case added
        /// Others still do.
        case remains
        /// Nobody interrupts it any more.
        case over(wasPlaying: Bool)
    }

    @discardableResult
    package mutating func apply(_ transition: Transition) -> Outcome? {
        switch (transition, activity) {
        case (.activated, .inactive), (.activated, .interrupted): activity = .active
        case (.activated, .active), (.deactivated, .inactive): return nil
        case (.deactivated, .active), (.deactivated, .interrupted): activity = .inactive
        case (.interrupted(let interrupter, let process, let wasPlaying), .active):
            activity = .interrupted(Interruption(process: process, by: [interrupter], wasPlaying: wasPlaying))
        case (.interrupted(let interrupter, _, _), .interrupted(var interruption)):
            interruption.by.insert(interrupter)
            activity = .interrupted(interruption)
            return .added
        case (.interrupted, .inactive), (.released, .inactive), (.released, .active): return nil
        case (.released(let interrupter), .interrupted(var interruption)):
            guard interruption.by.remove(interrupter) != nil else { return nil }
            guard interruption.by.isEmpty else {
                activity = .interrupted(interruption)
                return .remains
            }
            activity = .inactive
            return .over(wasPlaying: interruption.wasPlaying)
        }
        return .changed
    }

    /// As a process of the service before this one had it.
    mutating func restore(_ interruption: Interruption) { activity = .interrupted(interruption) }
}
