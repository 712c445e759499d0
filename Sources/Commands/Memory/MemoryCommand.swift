package import ArgumentParser
internal import Model
package import Wire

/// `greenroom memory`
package struct MemoryCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "memory", abstract: "Say what memory there is, who has it, and who would go next.",
        discussion: """
            Dirty memory is what only the app can give back; purgeable and clean memory is taken without asking. NEXT \
            is the order in which apps that are not on screen would end if memory ran out; greenroom why APP tells \
            afterwards why one did.
            """)

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.memory)
        guard !format.json else { return context.print(json: answer) }
        context.write(Self.rendered(try record(answer, MemoryInfo.self), context.style))
    }

    package static func rendered(_ info: MemoryInfo, _ style: Style) -> String {
        var text = "\(info.available.mebibytes) of \(info.budget.mebibytes) available, pressure \(info.level)"
        if let simulated = info.simulated { text += " (\(simulated) is simulated)" }
        guard !info.apps.isEmpty else { return Visible.line(text) + "\nno app runs\n" }
        var table = Table([
            ("APP", .left), ("STATE", .left), ("DIRTY", .right), ("PURGEABLE", .right), ("CLEAN", .right),
            ("LIMIT", .right), ("NEXT", .right),
        ])
        for app in info.apps.sorted(by: { ($0.next ?? .max, $1.dirty) < ($1.next ?? .max, $0.dirty) }) {
            table.add([
                Table.Cell(app.app), Table.Cell(app.state), Table.Cell(app.dirty.mebibytes),
                Table.Cell(app.purgeable.mebibytes), Table.Cell(app.clean.mebibytes),
                Table.Cell(app.limit.map(\.mebibytes) ?? ""), Table.Cell(app.next.map(String.init) ?? "on screen"),
            ])
        }
        return Visible.line(text) + "\n" + table.rendered(style)
    }
}
