package import Model

/// What tools and tests read.
extension NotificationSystem {
    /// Those that ever connected.
    package var apps: [AppIdentifier] { entries.keys.inOrder }

    /// In the order in which they are due.
    package func pending(of app: AppIdentifier) -> [PendingView] {
        let offset = wallOffset ?? .zero
        let sorted = (entries[app]?.pending ?? []).sorted { $0.isSooner(than: $1, offset: offset) }
        return sorted.map { entry in
            let due = entry.record.due ?? entry.record.dueInstant.map { WallTime(nanoseconds: $0.nanoseconds) + offset }
            return PendingView(request: entry.record.request, due: due)
        }
    }

    /// The latest last.
    package func delivered(of app: AppIdentifier) -> [DeliveredView] {
        (entries[app]?.delivered ?? []).compactMap { shown[$0] }.filter(\.isListed)
            .map { DeliveredView(id: $0.id, notification: $0.notification) }
    }

    package func settings(of app: AppIdentifier) -> NotificationSettings? { entries[app]?.record.settings }
    package func badge(of app: AppIdentifier) -> Int { entries[app]?.record.badge ?? 0 }
    package func token(of app: AppIdentifier) -> String? { entries[app]?.record.token }
    package func categories(of app: AppIdentifier) -> [NotificationCategory] { entries[app]?.categories ?? [] }
    /// Whose a notification is, which is on the screen or in a list.
    package func app(of id: NotificationID) -> AppIdentifier? { shown[id]?.app }
    /// As it was presented last, for a screen that is there only now; without a sound.
    package func presentation(of id: NotificationID) -> Presentation? {
        shown[id].map { presentation($0, hasBanner: true, sound: nil) }
    }

    /// What the app is to be told, and has not answered.
    package func tellings(of app: AppIdentifier) -> [Telling] {
        (entries[app]?.tellings ?? []).map(\.record.telling)
    }

    package func linkStatus(at instant: Instant) -> LinkStatus {
        var status = LinkStatus()
        status.registered = registered.count
        guard link.isUp else { return status }
        status.isUp = true
        status.network = link.network
        status.keepAlive = min(link.interval, link.longest)
        status.isAsking = link.askedAt != nil
        let later = max(now, instant)
        status.nextKeepAlive = link.nextInstant(conditions).map {
            WallTime(nanoseconds: max($0, later).nanoseconds) + (wallOffset ?? .zero)
        }
        return status
    }

    /// Nothing will come to pass without an event, nobody is attached, and no provider can reach an app.
    package var isIdle: Bool {
        connections.isEmpty && telling.isEmpty && held.isEmpty && mutations.isEmpty && waiting.isEmpty
            && registered.isEmpty && placed.isEmpty
    }
}

/// Where an app stands with silent pushes.
package struct PushStatus: Hashable, Sendable {
    package var isRegistered: Bool
    /// In the last hour.
    package var came: Int
    package var passed: Int
    /// Of `capacity`.
    package var left: Int
    package var capacity: Int
    /// When there is one more.
    package var nextAt: WallTime?
    package var heldSince: WallTime?
    /// How many came and went, why one waits, and what would let it through.
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
