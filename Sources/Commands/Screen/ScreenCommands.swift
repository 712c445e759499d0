package import ArgumentParser
internal import Wire

/// `greenroom home`
package struct HomeCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "home", abstract: "Press the Home button.",
        discussion: "Returns when the front app's didEnterBackground has returned.")

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.home, ["wait": .bool(!waiting.noWait)])
    }
}

/// `greenroom lock`
package struct LockCommand: Verb {
    package static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the device.")

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.lock, ["wait": .bool(!waiting.noWait)])
    }
}

/// `greenroom unlock`
package struct UnlockCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the device.",
        discussion: "Returns when the front app is active again.")

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.unlock, ["wait": .bool(!waiting.noWait)])
    }
}

/// `greenroom switcher`
package struct SwitcherCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "switcher", abstract: "Open or close the app switcher.",
        discussion: "While it is open, `greenroom close APP` is a swipe up.")

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case open, close, toggle
    }

    @Argument(help: "What to do.")
    var action: Action = .open

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.switcher, ["action": .string(action.rawValue)])
        context.print("the switcher is \(answer["open"]?.bool == true ? "open" : "closed")")
    }
}

/// `greenroom close APP`
package struct CloseCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "close", abstract: "End an app, as the user does in the switcher.",
        discussion:
            "Returns when its process is gone. With --scene, one of its scenes is closed for good, and the app lives on."
    )

    @OptionGroup var target: AppArgument

    @Option(help: "One of its scenes, by its number in greenroom apps --json.")
    var scene: Int?

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var params: JSONObject = ["wait": .bool(!waiting.noWait)]
        if let scene { params["scene"] = .int(Int64(scene)) }
        _ = try context.client().request(.close, app: target.app, params)
    }
}

/// `greenroom restart APP`
package struct RestartCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Close an app and open it again.")

    @OptionGroup var target: AppArgument
    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.restart, app: target.app, ["wait": .bool(!waiting.noWait)])
        context.print(OpenCommand.sentence(answer))
    }
}
