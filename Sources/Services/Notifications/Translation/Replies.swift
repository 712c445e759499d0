internal import Model
package import NotificationsCore
internal import NotificationsWire
package import Wire

extension NotificationReply {
    /// What a list has room for: half of what may wait for a peer.
    private static let longestPage = Limits.waitingOutput / 2

    package func json(after: String?) -> JSONValue {
        switch self {
        case .done: [:]
        case .hello(let hello):
            NotificationGreeting(
                settings: NotificationSettingsInfo(hello.settings), badge: Int64(hello.badge), registered: hello.token
            ).json
        case .authorized(let granted): NotificationGranted(granted: granted).json
        case .settings(let settings): NotificationSettingsInfo(settings).json
        case .added(let dropped): NotificationAdded(dropped: dropped).json
        case .pending(let views):
            Self.page(views, after: after, { $0.request.identifier }, { NotificationRequestInfo($0.request) }) {
                NotificationPendingPage(requests: $0, more: $1).json
            }
        case .delivered(let views):
            Self.page(
                views.reversed(), after: after, { $0.notification.request.identifier },
                { NotificationInfo($0.notification) }
            ) { NotificationDeliveredPage(notifications: $0, more: $1).json }
        case .categories(let categories):
            NotificationCategories(categories: categories.map { NotificationCategoryInfo($0) }).json
        case .opening(let telling): NotificationOpening(told: telling.flatMap(NotificationDidReceive.init)).json
        case .token(let token): NotificationToken(token: token).json
        case .crossed(let count): NotificationCrossed(notifications: Int64(count)).json
        case .outcome(let text, _): NotificationName(id: text).json
        }
    }

    /// Those behind `after`, as many as have room.
    package static func page<View, Info: WireRecord>(
        _ views: [View], after: String?, _ name: (View) -> String, _ info: (View) -> Info,
        _ answer: ([Info], _ more: Bool) -> JSONValue
    ) -> JSONValue {
        var rest = views[...]
        if let after, let index = rest.firstIndex(where: { name($0) == after }) { rest = rest[(index + 1)...] }
        var page: [Info] = []
        var length = 0
        for view in rest {
            let next = info(view)
            length += next.json.encoded.count
            guard page.isEmpty || length <= longestPage else { return answer(page, true) }
            page.append(next)
        }
        return answer(page, false)
    }
}
