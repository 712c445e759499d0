internal import Model
internal import NotificationsCore

/// What a person sees of notifications, by the newest last: it is the desktop's, and outlives the service.
struct SimulatedScreen: Sendable {
    struct Shown: Hashable {
        let presentation: Presentation
        /// When the banner goes by itself; `nil`: there is none.
        let bannerEnds: Instant?
    }

    private static let bannerTime = Span.seconds(5)

    private var shown: [Shown] = []
    /// All that ever was, for people who ask.
    private(set) var history: [Presentation] = []
    private(set) var sounds: [String] = []
    private(set) var badges: [AppIdentifier: Int] = [:]

    mutating func present(_ presentation: Presentation, at now: Instant) {
        withdraw(presentation.id)
        let ends = presentation.hasBanner ? now + Self.bannerTime : nil
        shown.append(Shown(presentation: presentation, bannerEnds: ends))
        history.append(presentation)
        if let sound = presentation.sound { sounds.append(sound) }
    }

    mutating func withdraw(_ id: NotificationID) { shown.removeAll { $0.presentation.id == id } }

    mutating func play(_ sound: String) { sounds.append(sound) }

    mutating func setBadge(_ count: Int, of app: AppIdentifier) { badges[app] = count == 0 ? nil : count }

    mutating func keep(_ isKept: (NotificationID) -> Bool) { shown.removeAll { !isKept($0.presentation.id) } }

    /// The oldest first.
    var visible: [Presentation] { shown.map(\.presentation) }

    /// What a person takes for the one that is meant: the newest, or the newest of that identifier.
    func newest(of app: AppIdentifier, _ identifier: String?) -> Presentation? {
        shown.last { entry in
            let request = entry.presentation.notification.request
            return entry.presentation.app == app && (identifier.map { $0 == request.identifier } ?? true)
        }?.presentation
    }

    var nextEnd: Instant? { shown.compactMap(\.bannerEnds).min() }

    /// Banners that have gone by themselves. What is in a list stays there.
    mutating func takeEnded(at now: Instant) -> [NotificationID] {
        var ended: [NotificationID] = []
        for (place, entry) in shown.enumerated() {
            guard let ends = entry.bannerEnds, ends <= now else { continue }
            ended.append(entry.presentation.id)
            shown[place] = Shown(presentation: entry.presentation, bannerEnds: nil)
        }
        return ended
    }
}
