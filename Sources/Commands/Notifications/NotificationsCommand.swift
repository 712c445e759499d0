package import ArgumentParser
internal import Model
internal import NotificationsWire
internal import Wire

/// `greenroom notifications`
package struct NotificationsCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "List notifications; show one, act on one or dismiss one; allow or deny an app's.",
        subcommands: [List.self, Show.self, Act.self, Dismiss.self, Allow.self, Deny.self, Region.self],
        defaultSubcommand: List.self)

    package init() {}

    struct Name: ParsableArguments {
        @Argument(help: "The notification's id, as greenroom notifications shows it.")
        var id: String
    }

    package struct List: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "List what is pending, the soonest first, and what is shown, by app and thread, the newest first."
        )

        @Argument(help: "Only this app's.", completion: .custom { _, _, _ in Completions.apps() }) var app: String?
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            var wanted: String?
            if let app { wanted = try context.client().filter(app) }
            var all: [NotificationEntry] = []
            var page: NotificationList
            repeat {
                let params = NotificationListParameters(app: wanted, after: all.last?.id)
                let answer = try context.askNotifications(.list, params.json)
                page = try record(answer, NotificationList.self)
                all += page.notifications
            } while page.more && !page.notifications.isEmpty
            guard !format.json else { return context.print(json: NotificationEntry.json(of: all)) }
            context.write(NotificationsCommand.rendered(all, context.clock, context.style))
        }
    }

    package struct Show: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Show a notification as if the app had asked for it.",
            discussion: "Prints its id. One with the same --id replaces it.")

        @OptionGroup var target: AppArgument
        @Option(help: "The first line.") var title = ""
        @Option(help: "The second line.") var subtitle = ""
        @Option(help: "The text.") var body = ""
        @Option(help: "The number on the app's icon; 0 removes it.") var badge: Int64?
        @Option(help: "The name of a sound, or default.") var sound: String?
        @Option(help: "The category, which has the actions.") var category = ""
        @Option(help: "The thread that it belongs to.") var thread = ""
        @Option(help: "Its name in the app.") var id: String?
        @Option(help: "Show it after so many seconds.") var after: Double?
        @OptionGroup var format: JSONOption

        package init() {}

        package func validate() throws {
            guard !title.isEmpty || !body.isEmpty || badge != nil else {
                throw ValidationError("give a --title, a --body or a --badge")
            }
            if let after, !(after > 0 && after.isFinite) {
                throw ValidationError("--after wants a number of seconds, more than 0")
            }
        }

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            let content = NotificationContentInfo(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                thread: thread)
            let request = NotificationRequestInfo(
                identifier: id ?? "greenroom-\(context.clock.now().nanoseconds)", content: content,
                trigger: after.map { .interval(seconds: $0, repeats: false) })
            let answer = try context.askNotifications(.show, NotificationShow(app: app, request: request).json)
            guard !format.json else { return context.print(json: answer) }
            context.print(Visible.line(try record(answer, NotificationName.self).id))
        }
    }

    package struct Act: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Do what a tap does: open a notification, or choose one of its actions.")

        @OptionGroup var name: Name
        @Option(help: "The identifier of an action of its category; without one it is opened.") var action: String?
        @Option(help: "What is typed, of an action that asks for text.") var text: String?
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let act = NotificationAct(id: name.id, action: action, text: text)
            // A tap is told to the app once.
            try context.order(.act, act.json, format, isRepeatable: false)
        }
    }

    package struct Dismiss: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Dismiss a notification that is shown, as the user does.")
        @OptionGroup var name: Name
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.dismiss, NotificationName(id: name.id).json, format, isRepeatable: false)
        }
    }

    package struct Allow: Verb {
        package static let configuration = CommandConfiguration(abstract: "Allow an app's notifications.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            try context.order(.allow, NotificationApp(app: app).json, format)
            if !format.json { context.print("notifications of \(Visible.line(app)) are allowed") }
        }
    }

    package struct Deny: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Deny an app its notifications: what it asks for is accepted and not shown.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            try context.order(.deny, NotificationApp(app: app).json, format)
            if !format.json { context.print("notifications of \(Visible.line(app)) are denied") }
        }
    }

    package struct Region: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say that the device has entered or left a region of an app, as the location service does.",
            discussion: "Prints how many of the app's notifications waited for that.")
        @OptionGroup var target: AppArgument
        @Argument(help: "The region's identifier, as in the app's trigger.") var region: String
        @Flag(help: "The device has left it.") var left = false
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            let crossing = NotificationCrossing(app: app, region: region, entered: !left)
            let answer = try context.askNotifications(.region, crossing.json, isRepeatable: false)
            guard !format.json else { return context.print(json: answer) }
            context.print("\(try record(answer, NotificationCrossed.self).notifications)")
        }
    }
}

extension Moment {
    /// Seconds since 1970, as services write times.
    init(seconds: Double) { self.init(WallTime(nanoseconds: Span.seconds(seconds).nanoseconds)) }
}

extension CommandContext {
    /// The identifier of the app that a person named.
    func notificationApp(_ name: String) throws(CommandFailure) -> String {
        try AppNames(client().apps()).identifier(for: name)
    }

    func askNotifications(
        _ method: NotificationToolMethod, _ params: JSONValue = [:], isRepeatable: Bool = true
    ) throws(CommandFailure) -> JSONValue {
        try ask(.notifications, method.rawValue, params, isRepeatable: isRepeatable)
    }

    /// Something that has no answer but that it is done.
    fileprivate func order(
        _ method: NotificationToolMethod, _ params: JSONValue, _ format: JSONOption, isRepeatable: Bool = true
    ) throws(CommandFailure) {
        let answer = try askNotifications(method, params, isRepeatable: isRepeatable)
        if format.json { print(json: answer) }
    }
}
