internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import Wire

// What tools are shown.
extension Service {
    private var now: Instant { Instant(nanoseconds: Clock.boot()) }

    // MARK: Lists

    /// The id of a request that waits for its time: no app's identifier has a slash.
    private static func name(_ app: AppIdentifier, _ view: PendingView) -> String {
        "\(app.rawValue)/\(view.request.identifier)"
    }

    func isPending(_ name: String) -> Bool {
        guard let app = AppIdentifier(String(name.prefix { $0 != "/" })) else { return false }
        return system.pending(of: app).contains { Self.name(app, $0) == name }
    }

    /// What tools call what an app calls so.
    func name(of identifier: String, _ app: AppIdentifier) -> String {
        let shown = system.delivered(of: app).last { $0.notification.request.identifier == identifier }
        return shown.map(\.id.name) ?? "\(app.rawValue)/\(identifier)"
    }

    func list(_ parameters: NotificationListParameters) throws(RPCError) -> NotificationList {
        let apps = parameters.app.map { name in system.apps.filter { $0.rawValue == name } } ?? system.apps
        var pending: [(app: AppIdentifier, view: PendingView)] = []
        var delivered: [(app: AppIdentifier, view: DeliveredView)] = []
        for app in apps {
            pending += system.pending(of: app).map { (app, $0) }
            delivered += system.delivered(of: app).map { (app, $0) }
        }
        pending.sort { ($0.view.due ?? .never, $0.app.rawValue) < ($1.view.due ?? .never, $1.app.rawValue) }
        delivered.sort { ($1.view.notification.date, $1.view.id) < ($0.view.notification.date, $0.view.id) }
        let entries =
            pending.map { entry($0.app, $0.view) } + delivered.map { entry($0.app, $0.view) }
        var rest = entries[...]
        if let after = parameters.after, let index = rest.firstIndex(where: { $0.id == after }) {
            rest = rest[(index + 1)...]
        }
        var list = NotificationList()
        var length = 0
        for entry in rest {
            length += entry.json.encoded.count
            guard list.notifications.isEmpty || length <= Limits.waitingOutput / 2 else {
                list.more = true
                break
            }
            list.notifications.append(entry)
        }
        return list
    }

    private func entry(_ app: AppIdentifier, _ view: PendingView) -> NotificationEntry {
        NotificationEntry(
            id: Self.name(app, view), app: app.rawValue, place: .pending, date: view.due?.wire,
            request: NotificationRequestInfo(view.request))
    }

    private func entry(_ app: AppIdentifier, _ view: DeliveredView) -> NotificationEntry {
        let (notification, content) = (view.notification, view.notification.request.content)
        let category = system.categories(of: app).first { $0.identifier == content.category }
        return NotificationEntry(
            id: view.id.name, app: app.rawValue, place: .delivered, date: notification.date.wire,
            due: notification.isLate ? notification.date.wire : nil,
            request: NotificationRequestInfo(notification.request),
            actions: category?.actions.map { NotificationActionInfo($0) } ?? [])
    }

    // MARK: Status

    var status: NotificationStatus {
        NotificationStatus(presenter: presenterStatus, link: linkStatus, apps: system.apps.map(status))
    }

    private var presenterStatus: NotificationPresenterStatus {
        guard case .ready(let daemon) = presenter.status else {
            return NotificationPresenterStatus(name: nil, trouble: presenter.status.description)
        }
        return NotificationPresenterStatus(name: [daemon.name, daemon.version].joined(separator: " "))
    }

    private var linkStatus: NotificationLinkStatus {
        let core = system.linkStatus(at: now)
        var status = NotificationLinkStatus(
            state: .off, gateway: gateway?.url, server: link.server, device: link.device,
            since: Double(link.stateSince) / 1e9, trouble: link.trouble, acknowledged: link.acknowledged,
            keepAlive: core.keepAlive?.seconds, lastKeepAlive: link.lastAnswer.map { Double($0) / 1e9 },
            nextKeepAlive: core.nextKeepAlive?.wire)
        switch link.state {
        case .off: status.state = .off
        case .connecting: status.state = .connecting
        case .connected: status.state = .connected
        case .waiting(let until):
            status.state = .waiting
            status.next = until.map { Double(Clock.wall() + ($0 - now).nanoseconds) / 1e9 }
            if until == nil { status.trouble = "there is no network" }
        }
        return status
    }

    private func status(_ app: AppIdentifier) -> NotificationAppStatus {
        let push = system.pushStatus(of: app, at: now)
        let settings = system.settings(of: app) ?? NotificationSettings()
        return NotificationAppStatus(
            app: app.rawValue,
            authorization: NotificationAuthorization(rawValue: settings.status.rawValue) ?? .notDetermined,
            token: system.token(of: app), badge: Int64(system.badge(of: app)),
            pending: Int64(system.pending(of: app).count), delivered: Int64(system.delivered(of: app).count),
            silent: NotificationSilentStatus(
                came: Int64(push?.came ?? 0), passed: Int64(push?.passed ?? 0),
                passedThisHour: Int64(push?.passed ?? 0), left: Int64(push?.left ?? 0),
                capacity: Int64(push?.capacity ?? 0), waitingSince: push?.heldSince?.wire, next: push?.nextAt?.wire,
                sentence: push?.sentence ?? ""))
    }

    func why(_ app: AppIdentifier) -> String {
        system.sentence(for: app, at: now) ?? "no push ever came for \(app.rawValue): it has never used notifications"
    }
}
