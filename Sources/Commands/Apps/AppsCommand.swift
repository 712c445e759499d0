package import ArgumentParser
internal import Model
package import Wire

/// `greenroom apps`
package struct AppsCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "List the installed apps and what each does.",
        discussion:
            "MEMORY is an app's dirty memory, by which the system chooses the next to end: greenroom memory says more.")

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().allApps()
        guard !format.json else { return context.print(json: answer) }
        let apps = try records(answer, AppInfo.self)
        guard !apps.isEmpty else { return context.print("no apps are installed: greenroom install PATH") }
        context.write(AppsTable(clock: context.clock).rendered(apps, context.style))
    }
}

/// What people see of the apps.
package struct AppsTable {
    private let clock: Moment.Clock

    package init(clock: Moment.Clock) { self.clock = clock }

    package func rendered(_ apps: [AppInfo], _ style: Style) -> String {
        var table = Table([
            ("", .left), ("NAME", .left), ("STATE", .left), ("SINCE", .left), ("PID", .right), ("MEMORY", .right),
            ("IDENTIFIER", .left), ("WHY IT MAY RUN", .left),
        ])
        for app in apps {
            let (symbol, stateInk) = Self.look(app.state)
            let ink = app.marks.isEmpty ? stateInk : .red
            table.add([
                Table.Cell(symbol, ink), Table.Cell(app.name, app.front ? .bold : nil), Table.Cell(state(app), ink),
                Table.Cell(app.since.flatMap(Moment.init)?.past(clock) ?? ""),
                Table.Cell(app.pid.map(String.init) ?? ""),
                // Dirty memory, as `greenroom memory` shows it: by it victims are chosen.
                Table.Cell(app.memory.dirty.map { Int64($0).mebibytes } ?? ""),
                Table.Cell(app.app, .dim), Table.Cell(entitlement(app)),
            ])
        }
        return table.rendered(style)
    }

    private func state(_ app: AppInfo) -> String {
        let role = app.role.flatMap { $0 == "primary" ? nil : " (\($0))" } ?? ""
        return ([app.state + role] + app.marks).joined(separator: ", ")
    }

    private func entitlement(_ app: AppInfo) -> String {
        if app.visible { return "on screen" }
        return app.assertions.map { $0.name.isEmpty || $0.name == $0.kind ? $0.kind : "\($0.kind) “\($0.name)”" }
            .joined(separator: ", ")
    }

    private static func look(_ state: String) -> (String, Style.Ink?) {
        switch state {
        case "active": ("●", .green)
        case "inactive": ("◐", .yellow)
        case "background": ("▶", .cyan)
        case "suspended": ("❄", .blue)
        default: ("○", .dim)
        }
    }
}
