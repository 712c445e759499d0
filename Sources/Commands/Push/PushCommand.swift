package import ArgumentParser
internal import NotificationsWire
internal import SystemPackage
internal import Wire

/// `greenroom push`
package struct PushCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a push to an app; say why one waits, how the gateway is connected, and where it is.",
        discussion: """
            greenroom push APP payload.apns sends a push straight into this device, as if its gateway had sent it. The \
            file is what xcrun simctl push takes: a payload in JSON, and perhaps "Simulator Target Bundle", the app. \
            - reads it from standard input. docs/PUSH.md says how providers send.
            """,
        subcommands: [Send.self, Status.self, Why.self, Gateway.self], defaultSubcommand: Send.self)

    package init() {}

    package struct Send: Verb {
        package static let configuration = CommandConfiguration(abstract: "Send a push to an app of this device.")

        @Argument(
            help: "The app, unless the file names it, and the file with the payload; - is standard input.",
            completion: .file(extensions: ["apns", "json"]))
        var arguments: [String] = []

        @Option(help: "The type of the push; without it, background if nothing is shown, else alert.")
        var type: String?

        @Option(help: "10, 5 or 1.") var priority: Int64?

        @Option(name: .customLong("collapse-id"), help: "A later push with the same id replaces this one.")
        var collapse: String?

        @OptionGroup var format: JSONOption

        package init() {}

        package func validate() throws {
            guard (1...2).contains(arguments.count) else {
                throw ValidationError("give the app and a file with the payload: greenroom push APP payload.apns")
            }
            if let priority, ![1, 5, 10].contains(priority) { throw ValidationError("a priority is 10, 5 or 1") }
            if let collapse, !(1...64).contains(collapse.utf8.count) {
                throw ValidationError("a collapse id has 64 bytes at most")
            }
        }

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let payload = try PushFile(context.pushFile(arguments.last ?? ""), type: type)
            guard let named = arguments.count == 2 ? arguments[0] : payload.target else {
                throw .misuse("name the app, or put \"\(PushFile.targetKey)\" into the file: greenroom push APP FILE")
            }
            for remark in payload.remarks { context.note(remark) }
            let push = NotificationToolPush(
                app: try context.notificationApp(named), payload: payload.text, type: type, priority: priority,
                collapse: collapse)
            let answer = try context.askNotifications(.push, push.json, isRepeatable: false)
            guard !format.json else { return context.print(json: answer) }
            let id = try record(answer, NotificationName.self).id
            let line = answer["sentence"]?.string.map { "\(id): \($0)" } ?? id
            if answer["dropped"]?.bool == true { throw .failed(line) }
            context.print(Visible.line(line))
        }
    }

    package struct Status: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say how the gateway is connected, and what each app's pushes wait for.")
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let answer = try context.askNotifications(.status)
            guard !format.json else { return context.print(json: answer) }
            let status = try record(answer, NotificationStatus.self)
            context.write(PushStatusText(status, context.clock, context.style).text)
        }
    }

    package struct Why: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say in one sentence what became of an app's silent pushes, and what the last one waits for.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            let answer = try context.askNotifications(.why, NotificationApp(app: app).json)
            guard !format.json else { return context.print(json: answer) }
            context.print(Visible.line(try record(answer, NotificationExplanation.self).sentence))
        }
    }

    package struct Gateway: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say where pushes come from, or set it.",
            discussion: "greenroom pushgate init prints the URL and the file with the authority of a new gateway.")

        @Argument(help: "The gateway, as greenroom-push://HOST:PORT.") var url: String?
        @Option(help: "A file with the certificates to trust (PEM), in place of the machine's own.") var ca: String?
        @Flag(help: "Pushes come from nowhere.") var none = false
        @OptionGroup var format: JSONOption

        package init() {}

        package func validate() throws {
            if none, url != nil || ca != nil { throw ValidationError("--none takes nothing else") }
            if ca != nil, url == nil { throw ValidationError("--ca belongs to a URL") }
        }

        package func perform(in context: CommandContext) throws(CommandFailure) {
            guard url != nil || none else {
                let gateway = try record(context.askNotifications(.status), NotificationStatus.self).link.gateway
                guard !format.json else { return context.print(json: ["url": JSONValue(gateway)]) }
                return context.print(gateway.map(Visible.line) ?? "no gateway is set")
            }
            let file = ca.map { FilePath(context.workingDirectory).pushing(FilePath($0)).string }
            let answer = try context.askNotifications(.gateway, NotificationGateway(url: url, ca: file).json)
            guard !format.json else { return context.print(json: answer) }
            context.print(
                url.map { "pushes come from \(Visible.line($0)); greenroom push status says whether it answers" }
                    ?? "pushes come from nowhere")
        }
    }
}

extension CommandContext {
    fileprivate func pushFile(_ name: String) throws(CommandFailure) -> [UInt8] {
        let most = PushFile.longestFile + 1
        let path = FilePath(workingDirectory).pushing(FilePath(name)).string
        guard let bytes = name == "-" ? Files.rest(of: input, limit: most) : Files.bytes(path, limit: most) else {
            throw .failed("\(Visible.line(name)) cannot be read")
        }
        guard bytes.count < most else { throw .failed("\(Visible.line(name)) is too long for a payload") }
        return bytes
    }
}
