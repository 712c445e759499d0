package import ArgumentParser
internal import Glibc
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

    @Flag(help: "Update it every second, until Ctrl-C.")
    var follow = false

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        try show(in: context)
        while follow {
            _ = poll(nil, 0, 1000)
            try show(in: context)
        }
    }

    private func show(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().allMemory()
        guard !format.json else { return context.print(json: answer) }
        let text = Self.rendered(try record(answer, MemoryInfo.self), context.style)
        // Over what was there, so that it does not flicker; what is left of it goes.
        let isLive = follow && context.outputIsTerminal
        context.write(isLive ? "\u{1b}[H" + text.replacingLineEnds("\u{1b}[K\n") + "\u{1b}[J" : text)
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
        return Visible.line(text) + "\n" + table.rendered(style) + warnings(info)
            + (info.killPath.map(Self.sentence) ?? "")
    }

    /// Of what costs more than it holds, before it ends the app.
    private static func warnings(_ info: MemoryInfo) -> String {
        let many = info.apps.filter { $0.tinyMappings ?? 0 > Int(MemoryRules.manyTinyMappings) }
        return many.map { app in
            "\n"
                + Visible.line(
                    "\(app.app) maps \(app.tinyMappings ?? 0) pieces of files below 16 KB: each costs a mapping, and too "
                        + "many of them end an app. Keep what is small in one file, and map that.") + "\n"
        }.joined()
    }

    /// How ready the daemon is.
    private static func sentence(_ path: MemoryInfo.KillPath) -> String {
        func took(_ passage: MemoryInfo.Passage) -> String {
            "\(passage.kills) in \((passage.nanoseconds + 999) / 1000) µs with \(passage.allocations) allocations"
        }
        let last = path.last.map { "; last \(took($0))" } ?? ""
        return "\nready to end \(path.ready) at once, rehearsed: \(took(path.rehearsal))\(last)\n"
    }
}

extension String {
    fileprivate func replacingLineEnds(_ end: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
    }
}
