package import ArgumentParser
internal import NotificationsWire
package import Wire

/// `greenroom why APP`
package struct WhyCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Say why an app is in the state it is in, back to the first cause.")

    @OptionGroup var target: AppArgument
    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        let answer = try client.request(.why, app: target.app)
        let pushes = context.silentPushes(of: answer["app"]?.string ?? target.app, client)
        guard !format.json else { return context.print(json: Self.json(answer, pushes)) }
        let why = try record(answer, WhyAnswer.self)
        context.write(Explanation(why: why, name: why.name ?? why.app, clock: context.clock, pushes: pushes).text)
    }

    private static func json(_ answer: JSONValue, _ pushes: String?) -> JSONValue {
        guard let pushes, case .object(var object) = answer else { return answer }
        object["pushes"] = .string(pushes)
        return .object(object)
    }
}

extension CommandContext {
    /// What became of an app's silent pushes, if any came within the last hour or one waits. A service that does not
    /// run has none that waits, and is not started for this.
    fileprivate func silentPushes(of app: String, _ client: ControlClient) -> String? {
        guard let services = try? client.request(.services)["services"]?.array,
            services.contains(where: { $0["service"]?.string == "notifications" && $0["state"]?.string == "running" }),
            let answer = try? askNotifications(.status), let status = try? NotificationStatus(json: answer),
            let silent = status.apps.first(where: { $0.app == app })?.silent,
            silent.waitingSince != nil || silent.came > 0
        else { return nil }
        return silent.sentence
    }
}

/// The chain of causes in sentences.
package struct Explanation {
    private let why: WhyAnswer
    private let name: String
    private let clock: Moment.Clock
    private let pushes: String?

    /// - Parameter pushes: a sentence about its silent pushes.
    package init(why: WhyAnswer, name: String, clock: Moment.Clock, pushes: String? = nil) {
        self.why = why
        self.name = name
        self.clock = clock
        self.pushes = pushes
    }

    package var text: String {
        let name = Visible.line(name)
        guard let first = why.because.first else {
            return "\(name) is \(Self.phrase(why.state)). The log tells no more about it.\n" + wishes
        }
        var text = "\(name) is \(Self.phrase(why.state))"
        if let reason = first.reason { text += " because \(Visible.line(Hints.reason(reason)))" }
        text += ", since \(when(first.at)).\n"
        for (index, step) in why.because.dropFirst().enumerated() {
            let lead = index == 0 ? "That came from" : "which came from"
            text += "\(String(repeating: "  ", count: index))\(lead): \(sentence(step)), at \(when(step.at)).\n"
        }
        return text + wishes
    }

    /// What it waits to be woken for, and may be.
    private var wishes: String {
        let pushes = pushes.map { "Pushes: \(Visible.line($0)).\n" } ?? ""
        return why.waits.map { wish in
            let looked = wish.next.map { "looked at next \(when($0))" } ?? wish.changesWith.map { "looked at \($0)" }
            let missing = wish.missing.map { Visible.line(Hints.reason($0)) } ?? "nothing is missing"
            return "It waits for \(Visible.line(wish.what)): \(missing)" + (looked.map { "; \($0)" } ?? "") + ".\n"
        }.joined() + pushes
    }

    /// What the step says: what the app was told, or who did what.
    private func sentence(_ step: WhyAnswer.Step) -> String {
        let event = Self.phrase(event: step.event)
        guard let reason = step.reason else { return event ?? Visible.line(step.event) }
        let hinted = Visible.line(Hints.reason(reason))
        return event.map { "\($0), because \(hinted)" } ?? hinted
    }

    private func when(_ time: String) -> String {
        guard let moment = Moment(time) else { return Visible.line(time) }
        return "\(moment.local(clock)) (\(moment.past(clock)))"
    }

    private static func phrase(_ state: String) -> String {
        switch state {
        case "not-running": "not running"
        case "active": "active on the screen"
        case "inactive": "on the screen but inactive"
        case "background": "running in the background"
        default: Visible.line(state)
        }
    }

    /// Events that happen to an app; the others are told by their reasons alone ("the user pressed Home").
    private static func phrase(event: String) -> String? {
        switch event {
        case "launched": "it was launched"
        case "launchedInBackground": "it was launched into the background"
        case "suspended": "it was suspended"
        case "resumed": "it was resumed"
        case "terminated": "it was ended"
        case "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
            "didEnterBackground", "willEnterForeground", "willTerminate":
            "its \(event) was called"
        case "sceneWillConnect": "a scene of it was connected"
        case "sceneDidDisconnect": "a scene of it was disconnected"
        case "didDiscardScene": "a scene of it was discarded"
        case "sceneWillEnterForeground", "sceneDidBecomeActive", "sceneWillResignActive", "sceneDidEnterBackground":
            "its \(event) was called"
        case "performFetch": "its performFetchWithCompletionHandler was called"
        case "didReceiveRemoteNotification": "its didReceiveRemoteNotification was called"
        case "handleServiceEvents": "its handleServiceEvents was called"
        case "handleEventsForBackgroundURLSession": "its handleEventsForBackgroundURLSession was called"
        case "launchBackgroundTask": "a task of it was launched"
        case "openedURL": "it was given a URL"
        case "suspensionFailed": "it could not be suspended"
        case "serviceStopped": "a service that it used was stopped"
        default: nil
        }
    }
}
