package import ArgumentParser
internal import Wire

/// `greenroom status`
package struct StatusCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say what the system and its screen are doing.")

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.status)
        guard !format.json else { return context.print(json: answer) }
        let status = try record(answer, StatusInfo.self)
        context.print("Greenroom \(Visible.line(status.version)) in \(Visible.line(try context.home.path))")
        context.print("  daemon         pid \(status.pid), protocol \(status.protocolVersion)")
        context.print("  device         \(Visible.line(status.profile))\(status.asleep ? ", asleep" : "")")
        context.print("  screen         \(Visible.line(Self.screen(status)))")
        for marked in status.marked {
            context.print("  \(Visible.line("\(marked.app) \(marked.marks.joined(separator: ", "))"))")
        }
    }

    private static func screen(_ status: StatusInfo) -> String {
        var parts = [status.front.map { "\($0) in front" } ?? "home screen"]
        if status.switcher { parts.append("switcher open") }
        parts += status.interruptions.map { "\($0) over it" }
        if status.locked { parts.append("locked") }
        if status.protectedData == "unavailable" { parts.append("protected files out of reach") }
        if let app = status.keepsScreenOn { parts.append("kept on by \(app)") }
        return parts.joined(separator: ", ")
    }
}
