package import Model

/// The notifications of a machine: a value that turns events into effects.
package struct NotificationSystem: Sendable {
    package let rules: NotificationRules
    /// What `init(restoring:)` could not use.
    package private(set) var damaged: [DamagedRecord] = []

    /// - Parameter boot: names the start of the machine that instants count from (`/proc/sys/kernel/random/boot_id`).
    package init(rules: NotificationRules = NotificationRules(), boot: String) {
        self.rules = rules
    }

    /// What a dead process had stored. Nothing is shown before `clockChanged`.
    package init(
        restoring stored: StoredNotifications, rules: NotificationRules = NotificationRules(), boot: String
    ) {
        self.init(rules: rules, boot: boot)
    }

    package mutating func handle(_ event: NotificationEvent, at instant: Instant) -> [NotificationEffect] { [] }

    /// When the shell has to send `timer` at the latest.
    package mutating func nextDeadline() -> Instant? { nil }

    /// What must hold after every event; a text names what does not.
    package func brokenInvariants() -> [String] { [] }

    // For tools.

    /// Those that ever connected.
    package var apps: [AppIdentifier] { [] }
    package func pending(of app: AppIdentifier) -> [PendingView] { [] }
    package func delivered(of app: AppIdentifier) -> [DeliveredView] { [] }
    package func settings(of app: AppIdentifier) -> NotificationSettings? { nil }
    package func badge(of app: AppIdentifier) -> Int { 0 }
    /// Whose a notification is, which is on the screen or in a list.
    package func app(of id: NotificationID) -> AppIdentifier? { nil }
    package func pushStatus(of app: AppIdentifier, at instant: Instant) -> PushStatus? { nil }
    package func linkStatus(at instant: Instant) -> LinkStatus { LinkStatus() }
    /// In one sentence with numbers: how many silent pushes came, how many were let through, why one waits, and what
    /// would let it through. `nil`: no push ever came for it.
    package func sentence(for app: AppIdentifier, at instant: Instant) -> String? { nil }

    /// Nothing will come to pass without an event, and nobody is attached.
    package var isIdle: Bool { true }
}

/// Where an app stands with silent pushes.
package struct PushStatus: Hashable, Sendable {
    package var isRegistered: Bool
    package var came: Int
    package var passed: Int
    /// Of `capacity`.
    package var left: Int
    package var capacity: Int
    package var nextAt: WallTime?
    package var heldSince: WallTime?
    package var sentence: String
}

package struct LinkStatus: Hashable, Sendable {
    package var isUp = false
    package var network: String?
    package var keepAlive: Span?
    package var nextKeepAlive: WallTime?
    /// One was sent, and its answer is to come.
    package var isAsking = false
    package var registered = 0

    package init() {}
}
