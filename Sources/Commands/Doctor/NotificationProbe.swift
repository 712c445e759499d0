internal import NotificationsWire
internal import Wire

/// Whether people see notifications: a desktop's notification daemon shows them.
struct NotificationProbe {
    private static let mechanism = "notifications on screen"
    private static let instead = "they are kept, and greenroom notifications lists them"
    private static let cost = "the user sees none of them by itself; a notification daemon, such as dunst, shows them"

    let context: CommandContext

    /// - Parameter isUp: a system runs, whose service knows.
    func finding(isUp: Bool) -> DoctorFinding {
        guard isUp, let answer = try? context.askNotifications(.status),
            let status = try? NotificationStatus(json: answer)
        else { return withoutService }
        guard let name = status.presenter.name else { return missing(status.presenter.trouble ?? "none is there") }
        return DoctorFinding(mechanism: Self.mechanism, status: .ok, detail: "shown by \(name)")
    }

    /// Without a system only the way to one can be seen.
    private var withoutService: DoctorFinding {
        let environment = context.environment
        let hasAddress = !(environment["DBUS_SESSION_BUS_ADDRESS"] ?? "").isEmpty
        let hasSocket = (environment["XDG_RUNTIME_DIR"]).map { Files.isSocket("\($0)/bus") } ?? false
        guard hasAddress || hasSocket else { return missing("there is no D-Bus session bus") }
        return DoctorFinding(
            mechanism: Self.mechanism, status: .ok,
            detail: "there is a D-Bus session bus; greenroom push status names what shows them while a system runs")
    }

    private func missing(_ detail: String) -> DoctorFinding {
        DoctorFinding(
            mechanism: Self.mechanism, status: .replaced, detail: detail, instead: Self.instead, cost: Self.cost)
    }
}
