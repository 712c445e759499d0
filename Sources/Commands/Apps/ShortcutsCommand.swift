package import ArgumentParser
internal import Wire

/// `greenroom shortcuts APP`
package struct ShortcutsCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "shortcuts", abstract: "What an app can be opened for, as the home screen of iOS shows it.",
        discussion: """
            Those of UIApplicationShortcutItems in the app's Info.plist, then those that it sets while it runs \
            (UIApplication.shortcutItems). greenroom open APP --shortcut TYPE chooses one.
            """)

    @OptionGroup var target: AppArgument
    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.shortcuts, app: target.app)
        if format.json { return context.print(json: answer) }
        let shortcuts = answer["shortcuts"]?.array ?? []
        guard !shortcuts.isEmpty else { return context.print("\(Visible.line(target.app)) has no shortcuts") }
        var table = Table([("TYPE", .left), ("TITLE", .left), ("SUBTITLE", .left)])
        for shortcut in shortcuts {
            table.add(["type", "title", "subtitle"].map { Table.Cell(shortcut[$0]?.string ?? "") })
        }
        context.write(table.rendered(context.style))
    }
}
