package import ArgumentParser
internal import Wire

/// `greenroom default [SCHEME] [APP]`
package struct DefaultCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Say which app opens the URLs of a scheme, or choose it.",
        discussion: """
            An app that is installed claims schemes in its Info.plist or .desktop file. http, https and mailto have \
            no app until you choose one. Any other scheme has the app that was installed last, unless you choose.
            """)

    @Argument(help: "Such as https; without it all are listed.") var scheme: String?
    @Argument(help: "The app that opens them from now on.") var app: String?
    @Flag(help: "Take the choice back.") var none = false
    @OptionGroup var format: JSONOption

    package init() {}

    package func validate() throws {
        if none, app != nil { throw ValidationError("--none takes no app") }
        if none, scheme == nil { throw ValidationError("--none takes a scheme") }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        var params: JSONObject = [:]
        if let scheme { params["scheme"] = .string(Self.name(scheme)) }
        if none { params["none"] = .bool(true) }
        if let app { params["app"] = .string(try AppNames(client.apps()).identifier(for: app)) }
        let answer = try client.request(.defaultApp, params)
        guard !format.json else { return context.print(json: answer) }
        let info = try record(answer, SchemesInfo.self)
        guard !info.schemes.isEmpty else { return context.print("no installed app claims a scheme") }
        for line in info.schemes { context.print(Self.sentence(line)) }
    }

    /// People write `https:` and `https://` as well.
    private static func name(_ text: String) -> String {
        text.firstIndex(of: ":").map { String(text[..<$0]) } ?? text
    }

    private static func sentence(_ line: SchemesInfo.Scheme) -> String {
        let scheme = Visible.line(line.scheme)
        let others = line.claimants.filter { $0 != line.app }
        let choices = others.joined(separator: " or ")
        switch line.app {
        case let app?:
            let who = app + (line.isChosen ? ", which you chose" : others.isEmpty ? "" : ", which was installed last")
            return "\(scheme): \(who)" + (others.isEmpty ? "" : "; \(choices) could")
        case nil where others.isEmpty: return "\(scheme): no installed app claims it"
        case nil: return "\(scheme): no app yet; greenroom default \(scheme) APP chooses \(choices)"
        }
    }
}
