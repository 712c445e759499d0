package import ArgumentParser
package import Wire

/// `greenroom fetch`
package struct FetchCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Say which apps are fetched in the background, when next, and why then.",
        discussion: """
            For each app with the background mode fetch: what it asked for, when it is likely to be opened, when it \
            will be fetched and what that waits for, and what the fetches of the past were good for. Requests to \
            BGTaskScheduler are there too. greenroom simulate fetch APP fetches now.
            """)

    @Argument(help: "Only this app.", completion: .custom { _, _, _ in Completions.apps() }) var app: String?
    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        let answer = try client.request(.fetch)
        var infos = try records(answer, FetchInfo.self)
        if let app {
            let wanted = try client.filter(app)
            infos = infos.filter { $0.app == wanted }
        }
        guard !format.json else { return context.print(json: app == nil ? answer : FetchInfo.json(of: infos)) }
        guard !infos.isEmpty else {
            return context.print(
                app.map { "\(Visible.line($0)) is not fetched: its Info.plist lacks fetch in UIBackgroundModes" }
                    ?? "no app is fetched: none has fetch in its UIBackgroundModes")
        }
        context.write(infos.map { Self.text($0, context.clock) }.joined(separator: "\n"))
    }

    package static func text(_ info: FetchInfo, _ clock: Moment.Clock) -> String {
        var lines = [Visible.line("\(info.name) (\(info.app)): \(interval(info))")]
        func when(_ text: String?) -> String {
            text.flatMap { text in Moment(text).map { "\($0.local(clock)) (\($0.age(clock)))" } } ?? "?"
        }
        func wait(_ missing: String?, _ next: String?, _ change: String?) -> String {
            let looked = next.map { "looked at next \(when($0))" } ?? change.map { "looked at \($0)" }
            return (missing ?? "nothing is missing") + (looked.map { "; \($0)" } ?? "")
        }
        if let wanted = info.wanted { lines.append("  next: \(when(wanted))") }
        lines.append("  waits: " + Visible.line(wait(info.missing, info.next, info.changesWith)))
        if let reason = info.reason, reason != info.missing { lines.append("  plan: " + Visible.line(reason)) }
        for task in info.tasks {
            lines.append(
                Visible.line(
                    "  \(task.kind) task \(task.identifier): \(wait(task.missing, task.next, task.changesWith))"))
        }
        if !info.expected.isEmpty {
            let hours = info.expected.sorted { $0.chance > $1.chance }.prefix(6).map { opening in
                "\(when(opening.from)) \(Int(opening.chance * 100 + 0.5)) %"
            }
            lines.append("  expected to be opened: " + hours.joined(separator: ", "))
        }
        for decision in info.decisions.suffix(8) {
            lines.append("  \(when(decision.began)): \(Visible.line(verdict(decision)))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func interval(_ info: FetchInfo) -> String {
        guard info.isAllowed else { return "not allowed to refresh in the background" }
        guard let interval = info.interval else { return "never asked to be fetched" }
        return interval == 0 ? "as often as it is worth it" : "every \(Int(interval)) s at most"
    }

    private static func verdict(_ decision: FetchInfo.Decision) -> String {
        let what = decision.result ?? "under way"
        let verdict =
            switch decision.verdict {
            case "hit": "opened \(Int(decision.openedAfter ?? 0)) s later"
            case "wasted": "not opened while it was fresh"
            case "pending": "not opened yet"
            default: decision.verdict
            }
        let cost = decision.joules.map { ", \(Double(Int($0 * 10 + 0.5)) / 10) J" } ?? ""
        let bytes = decision.sent.map { $0 &+ (decision.received ?? 0) }.map { ", \(($0 &+ 500) / 1000) kB" } ?? ""
        return
            "\(what), \(verdict) (\(Double(Int(decision.expected * 10 + 0.5)) / 10) openings expected\(cost)\(bytes))"
    }
}

/// `greenroom refresh APP`
package struct RefreshCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Let an app refresh in the background, or no longer.",
        discussion: "The app hears of it, and finds it in UIApplication.backgroundRefreshStatus.")

    @OptionGroup var target: AppArgument
    @Flag(help: "It is not fetched any more, and cannot ask BGTaskScheduler for tasks.") var off = false

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.refresh, app: target.app, ["allowed": .bool(!off)])
        let what = off ? "may not refresh in the background any more" : "may refresh in the background"
        context.print("\(Visible.line(target.app)) \(what)")
    }
}

struct SimulateFetch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "The app is fetched in the background now.",
        discussion: """
            It is thawed, or launched into the background, and its performFetchWithCompletionHandler is called. \
            Returns when it has called the completion handler, or its time is over; greenroom fetch says what came of it.
            """)

    @OptionGroup var target: AppArgument
    @Flag(help: "In a new process: one that is there is ended first.") var launch = false
    @OptionGroup var waiting: WaitOption

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(
            .simulate, app: target.app,
            ["event": .string(SimulatedEvent.fetch.rawValue), "launch": .bool(launch), "wait": .bool(!waiting.noWait)])
    }
}
