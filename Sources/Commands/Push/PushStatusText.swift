package import NotificationsWire

/// What `greenroom push status` prints.
package struct PushStatusText {
    private let status: NotificationStatus
    private let clock: Moment.Clock
    private let style: Style

    package init(_ status: NotificationStatus, _ clock: Moment.Clock, _ style: Style) {
        self.status = status
        self.clock = clock
        self.style = style
    }

    package var text: String {
        var text = ([link, keepAlive, presenter] + troubles).compactMap { $0 }.map { Visible.line($0) + "\n" }.joined()
        guard !status.apps.isEmpty else { return text + "no app has notifications\n" }
        text += apps.rendered(style)
        return text
    }

    private var link: String {
        let link = status.link
        let gateway = link.gateway ?? ""
        let since = link.since.map { ", since \(when($0))" } ?? ""
        return switch link.state {
        case .off where link.gateway == nil: "gateway: none is set (greenroom push gateway URL)"
        case .off: "gateway: \(gateway), not connected: no app is registered for pushes"
        case .waiting:
            "gateway: \(gateway), not connected\(since)" + (link.next.map { ", next attempt at \(when($0))" } ?? "")
        case .connecting: "gateway: \(gateway), connecting"
        case .connected:
            "gateway: \(gateway), connected" + (link.server.map { " to \($0)" } ?? "") + since
        }
    }

    private var troubles: [String] { status.link.trouble.map { ["the last connection ended: \($0)"] } ?? [] }

    private var keepAlive: String? {
        guard let seconds = status.link.keepAlive else { return nil }
        var text = "keep-alive: every \(Self.duration(seconds))"
        if let last = status.link.lastKeepAlive { text += ", answered at \(when(last))" }
        if let next = status.link.nextKeepAlive { text += ", next at \(when(next))" }
        return text
    }

    private var presenter: String {
        if let name = status.presenter.name { return "notifications are shown by \(name)" }
        return status.presenter.trouble ?? "notifications are kept and listed: nothing shows them"
    }

    private var apps: Table {
        var table = Table([
            ("APP", .left), ("ALLOWED", .left), ("BADGE", .right), ("PENDING", .right), ("SHOWN", .right),
            ("SILENT PUSHES", .left),
        ])
        for app in status.apps {
            table.add([
                Table.Cell(app.app), Table.Cell(Self.word(app.authorization)), Table.Cell("\(app.badge)"),
                Table.Cell("\(app.pending)"), Table.Cell("\(app.delivered)"), Table.Cell(app.silent.sentence),
            ])
        }
        return table
    }

    private static func word(_ authorization: NotificationAuthorization) -> String {
        switch authorization {
        case .notDetermined: "not asked"
        case .denied: "no"
        case .authorized: "yes"
        case .provisional: "quietly"
        }
    }

    private func when(_ seconds: Double) -> String { Moment(seconds: seconds).local(clock) }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e6).rounded())
        return whole % 60 == 0 ? "\(whole / 60) min" : whole < 120 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}
