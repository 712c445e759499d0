internal import Model
package import NotificationsWire
internal import Wire

// For people.
extension NotificationsCommand {
    package static func rendered(
        _ entries: [NotificationEntry], _ clock: Moment.Clock, _ style: Style
    ) -> String {
        guard !entries.isEmpty else { return "there are no notifications\n" }
        let hasThreads = entries.contains { !$0.thread.isEmpty }
        let columns = ["ID", "APP"] + (hasThreads ? ["THREAD"] : []) + ["STATE", "WHEN", "TEXT"]
        var table = Table(columns.map { ($0, .left) })
        for entry in grouped(entries) {
            let state = entry.place == .pending ? "pending" : entry.due == nil ? "shown" : "shown late"
            table.add(
                [Table.Cell(entry.id), Table.Cell(entry.app)] + (hasThreads ? [Table.Cell(entry.thread)] : []) + [
                    Table.Cell(state), Table.Cell(when(entry, clock)), Table.Cell(text(entry)),
                ])
        }
        return table.rendered(style)
    }

    /// What is pending stays in its order. What is shown of an app and a thread stands together, the group with the
    /// newest one first.
    private static func grouped(_ entries: [NotificationEntry]) -> [NotificationEntry] {
        struct Group: Hashable {
            let app, thread: String
        }
        var groups: [Group: [NotificationEntry]] = [:]
        var order: [Group] = []
        for entry in entries where entry.place == .delivered {
            let group = Group(app: entry.app, thread: entry.thread)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(entry)
        }
        return entries.filter { $0.place == .pending } + order.flatMap { groups[$0] ?? [] }
    }

    private static func when(_ entry: NotificationEntry, _ clock: Moment.Clock) -> String {
        if let date = entry.due ?? entry.date { return Moment(seconds: date).local(clock) }
        return switch entry.request.trigger {
        case .region(let region, _): "at \(region.identifier)"
        case .interval, .calendar, .push, nil: ""
        }
    }

    private static func text(_ entry: NotificationEntry) -> String {
        let content = entry.request.content
        let lines = [content.title, content.subtitle, content.body].filter { !$0.isEmpty }
        guard lines.isEmpty else { return lines.joined(separator: ": ") }
        return content.badge.map { "badge \($0)" } ?? ""
    }
}
