import ContractSuite
import Model
import ScenarioText
import Simulation
import Wire

/// A scenario on real processes: the same file that the simulator runs, its times shortened, its apps played by
/// Misbehaver, what it expects looked up from outside. What it expects at a moment must become true within the
/// device's latency.
final class RealScenario {
    private let scenario: Scenario
    private let scale: Double
    private let device: RealContractDevice
    /// When the scenario began, as if nothing had been late since.
    private var start: WallTime
    private var command: Ticket?
    private var comparedCalls: [String: Int] = [:]
    private(set) var failures: [String] = []

    /// The longest a background task may take on a real machine.
    private static let longestLimit = 6.0

    /// Between a decision, from which limits count, and the log's entry that the app was told. It does not become
    /// shorter with the limits.
    private static let telling = Model.Span.milliseconds(20)

    init(_ scenario: Scenario) throws {
        self.scenario = scenario
        let limit = scenario.profile.tasks?.limit.seconds ?? 0
        scale = min(1, limit > 0 ? Self.longestLimit / limit : 1)
        var profile = scenario.profile
        if var tasks = profile.tasks {
            tasks.limit = tasks.limit * scale
            tasks.windowLimit = tasks.windowLimit * scale
            tasks.notice = tasks.notice * scale
            profile.tasks = tasks
        }
        if var windows = profile.windows {
            windows.fetch = windows.fetch * scale
            windows.sessionEvents = windows.sessionEvents * scale
            windows.refresh = windows.refresh * scale
            windows.processing = windows.processing * scale
            windows.notice = windows.notice * scale
            profile.windows = windows
        }
        device = try RealContractDevice(profile)
        start = device.now
    }

    func run() {
        defer { device.end() }
        do throws(Breach) {
            for app in scenario.apps { try device.install(app.testApp(scale)) }
            // The simulator boots with its apps installed.
            try device.do(.reboot)
            start = device.now
            for step in scenario.steps {
                try reach(step.at)
                try perform(step)
            }
            try reach(max(scenario.duration ?? .zero, scenario.steps.last?.at ?? .zero))
            for expectation in scenario.expectations { try judge(expectation.value, line: expectation.line) }
        } catch {
            failures.append(error.description)
        }
    }

    /// Waits until it is time for the next step; what was late so far stays so.
    private func reach(_ moment: Model.Span) throws(Breach) {
        let due = start.nanoseconds + (moment * scale).nanoseconds
        let rest = due - device.now.nanoseconds
        if rest > 0 {
            try device.pass(Model.Span(nanoseconds: rest))
        } else {
            start = WallTime(nanoseconds: start.nanoseconds - rest)
        }
    }

    private func perform(_ step: Scenario.Step) throws(Breach) {
        switch step.action {
        case .input(let input): try perform(input)
        case .fault(let fault): try inject(fault)
        case .expect(let expectation): try judge(expectation, line: step.line)
        }
    }

    // MARK: What happens

    private func perform(_ input: Input) throws(Breach) {
        if case .app(let app, let action) = input {
            try device.order(app, action: (action * scale).phrase)
            return
        }
        guard let next = input.userCommand else { throw Breach("\(input) cannot be done on a real system") }
        // A person sees what came of one thing before doing the next.
        if let command { _ = try device.awaitReply(command, "the command before") }
        command = try device.begin(next)
    }

    private func inject(_ fault: Fault) throws(Breach) {
        switch fault {
        case .crash(let app, _): try device.order(app, action: AppAction.crash(signal: 11).phrase)
        case .exit(let app, let status): try device.order(app, action: AppAction.exit(status).phrase)
        case .debugger(let app, let isTraced): try device.setTraced(app, isTraced)
        case .killDaemon:
            try device.killDaemon()
            try device.awaitDaemon()
            command = nil
        default: throw Breach("\(fault) cannot befall a real system here")
        }
    }

    // MARK: What must be

    private func judge(_ expectation: Expectation, line: Int?) throws(Breach) {
        let patience = Patience(seconds: device.latency.seconds)
        while let wrong = try explain(expectation) {
            guard patience.isOver else {
                try device.pass(.milliseconds(10))
                continue
            }
            let log = try device.log().suffix(8).map { "\($0.app ?? "-") \($0.event.name)" }
            failures.append("line \(line ?? 0): \(wrong); the log ends with \(log.joined(separator: ", "))")
            return
        }
        if case .callbacks(let app, let kinds) = expectation { comparedCalls[app, default: 0] += kinds.count }
    }

    private func explain(_ expectation: Expectation) throws(Breach) -> String? {
        switch expectation {
        case .state(let app, let state):
            let found = try device.look(at: app)
            return found.state == state ? nil : "\(app) should be \(state.name) and is \(found.state.name)"
        case .visible(let app, let isVisible):
            return try device.look(at: app).isVisible == isVisible ? nil : "\(app) should be visible: \(isVisible)"
        case .callbacks(let app, let kinds):
            let found = Array(try device.heard(by: app).map(\.kind).dropFirst(comparedCalls[app] ?? 0))
            return compare("\(app) should have heard", kinds.map(\.name), found.map(\.name))
        case .expirations(let app, let tasks):
            let found = device.said(by: app).filter { $0.hasPrefix("expired ") }
                .map { String($0.dropFirst(8)).replacing(" elsewhere", with: "") }
            return compare("the handlers called of \(app) should be", tasks, found)
        case .assertions(let app, let kinds):
            let held = try device.assertions(of: app)
            return compare("\(app) should run for", kinds.map(\.name).sorted(), held.sorted())
        case .reports(let app, let codes):
            return compare(
                "the reports about \(app) should be", codes.map { "\($0)" },
                try device.reports(about: app).map { "\($0.code.code)" })
        case .reportSays(let app, let text):
            let text = shortened(text)
            let last = try device.reports(about: app).last?.reason ?? "nothing"
            return last.contains(text) ? nil : "the report should say “\(text)” and says \(last)"
        case .noReports:
            for app in scenario.apps where try !device.reports(about: app.name).isEmpty { return "there is a report" }
            return nil
        case .launches(let app, let count):
            let births: [LogEvent] = [.launched, .launchedInBackground]
            let found = try device.log().count { $0.app == app && births.contains($0.event) }
            return found == count ? nil : "\(app) should have been launched \(count) times and was \(found)"
        case .snapshots(let app, let count):
            let found = device.said(by: app).count { $0 == "snapshot" }
            return found == count ? nil : "\(app) should have given \(count) snapshots and gave \(found)"
        case .atRest:
            for app in scenario.apps { if let unrest = try unrest(app.name) { return unrest } }
            return nil
        case .launchOptions(let app, let options): return try explainLaunch(app, options)
        case .accepted, .refused, .unanswered: return try explainAnswer(expectation)
        default: return try explainLog(expectation)
        }
    }

    private func compare(_ what: String, _ wanted: [String], _ found: [String]) -> String? {
        wanted == found ? nil : "\(what) \(wanted), and it is \(found)"
    }

    /// What launched an app into the background is not told to Swift code where Apple has no key for it: the log says
    /// it.
    private func explainLaunch(_ app: String, _ options: LaunchOptions) throws(Breach) -> String? {
        guard options.url == nil else { throw Breach("launch options with a URL cannot be looked up on a real system") }
        let births: [LogEvent] = [.launched, .launchedInBackground]
        let last = try device.log().last { $0.app == app && births.contains($0.event) }
        let phrase = options.service == .fetch ? WindowKind.fetch.phrase : nil
        guard options.service.isEmpty || phrase != nil else {
            throw Breach("a launch by \(options.service.keys) cannot be looked up on a real system")
        }
        let isRight = last?.event == (phrase == nil ? .launched : .launchedInBackground)
        guard isRight, phrase.map({ last?.reason.contains($0) ?? false }) ?? true else {
            return "\(app) should be launched by \(phrase ?? "the user"): \(last?.reason ?? "it was never launched")"
        }
        return nil
    }

    private func unrest(_ app: String) throws(Breach) -> String? {
        let found = try device.look(at: app)
        if found.state == .background, try device.assertions(of: app).isEmpty { return "\(app) runs on for nothing" }
        if found.state == .suspended, found.isVisible { return "\(app) is suspended on screen" }
        if found.state == .suspended, !found.isFrozen { return "\(app) is suspended, and the kernel runs it" }
        return found.state == .notRunning && found.processes > 0 ? "\(app) does not run and has processes" : nil
    }

    /// A report's sentence with the times that it names.
    private func shortened(_ text: String) -> String {
        text.replacing(/(\d+\.\d\d) seconds/) { match in
            "\((Model.Span.seconds(Double(match.1) ?? 0) * scale).twoDigits) seconds"
        }
    }

    private func explainAnswer(_ expectation: Expectation) throws(Breach) -> String? {
        guard let command else { return "no command was given" }
        let reply = try device.reply(to: command)
        switch (expectation, reply) {
        case (.accepted, .done?), (.unanswered, nil): return nil
        case (.refused(let text), .refused(let sentence)?), (.refused(let text), .overtaken(let sentence)?):
            return sentence.contains(text) ? nil : "it should be refused with “\(text)”: \(sentence)"
        default: return "\(expectation) should be, and it is \(reply.map { "\($0)" } ?? "not answered")"
        }
    }

    // MARK: The log

    private func matches(_ entry: Entry, _ pattern: LogPattern) -> Bool {
        entry.event == pattern.event && entry.app == pattern.app
            && (pattern.reason.map { entry.reason.contains($0) } ?? true)
    }

    private func explainLog(_ expectation: Expectation) throws(Breach) -> String? {
        let log = try device.log()
        switch expectation {
        case .never(let pattern): return log.contains { matches($0, pattern) } ? "\(pattern.text) happened" : nil
        case .count(let pattern, let count):
            let found = log.count { matches($0, pattern) }
            return found == count ? nil : "\(pattern.text) should come \(count) times and came \(found)"
        case .order(let patterns):
            var rest = log[...]
            for pattern in patterns {
                guard let place = rest.firstIndex(where: { matches($0, pattern) }) else {
                    return "\(pattern.text) should come in its place"
                }
                rest = rest[(place + 1)...]
            }
            return nil
        case .within(let first, let second, let shortest, let longest):
            guard let begin = log.last(where: { matches($0, first) }),
                let end = log.first(where: { $0.number > begin.number && matches($0, second) })
            else { return "\(second.text) should come after \(first.text)" }
            let span = Model.Span(nanoseconds: end.at.nanoseconds - begin.at.nanoseconds)
            guard span + Self.telling < shortest * scale || span > longest * scale + device.latency else { return nil }
            return "\(second.text) came \(span.seconds) s after \(first.text)"
        default: throw Breach("\(expectation) cannot be looked up on a real system")
        }
    }
}

extension Model.Span {
    fileprivate static func * (span: Model.Span, factor: Double) -> Model.Span {
        Model.Span(nanoseconds: Int64(Double(span.nanoseconds) * factor))
    }
}

extension AppAction {
    /// The same in another time.
    fileprivate static func * (action: AppAction, factor: Double) -> AppAction {
        switch action {
        case .block(let span): .block(span * factor)
        case .after(let span, let action): .after(span * factor, action * factor)
        case .beginTask, .endTask, .endInvalidTask, .askBackgroundTime, .openURL, .canOpenURL, .exit,
            .activateScene, .destroyScene, .crash, .fork, .work, .transfer, .allocate, .write, .lock, .unlock, .listen,
            .grabInput,
            .provideSnapshots,
            .refreshSnapshot, .useGPU, .complete, .cancelTask, .use, .leave, .ask:
            action
        case .setFetchInterval(let interval): .setFetchInterval(interval.map { $0 * factor })
        case .submitTask(let kind, let identifier, let span, let need):
            .submitTask(kind, identifier, after: span.map { $0 * factor }, needs: need)
        }
    }
}

extension AppScript {
    fileprivate func testApp(_ scale: Double) -> TestApp {
        var script: [String: [String]] = [:]
        for (kind, actions) in reactions { script[kind.name] = actions.map { ($0 * scale).phrase } }
        script["expiration"] = expirations.map { ($0 * scale).phrase }
        return TestApp(
            name, manifest.kind, slow: Array(callbackTimes.keys), by: (callbackTimes.values.first ?? .zero) * scale,
            exitsOnSuspend: manifest.exitsOnSuspend, backgroundModes: manifest.backgroundModes,
            urlSchemes: manifest.urlSchemes, taskIdentifiers: manifest.taskIdentifiers, script: script)
    }
}

extension Input {
    /// What a user does with the tool.
    fileprivate var userCommand: UserCommand? {
        switch self {
        case .open(let app, let role): .open(app, as: role)
        case .openScene(let app, let scene, let role): .openScene(app, scene.map { Int($0.rawValue) }, as: role)
        case .closeScene(let app, let scene): .closeScene(app, Int(scene.rawValue))
        case .openURL(let url): .openURL(url)
        case .home: .home
        case .lock: .lock
        case .unlock: .unlock
        case .switcher(let isOpen): .switcher(isOpen: isOpen)
        case .close(let app): .close(app)
        case .restart(let app): .restart(app)
        case .exempt(let app, let isExempt): .exempt(app, isExempt)
        case .interrupt(let kind): .interrupt(kind)
        case .dismiss(let kind): .dismiss(kind)
        case .accept(let kind): .accept(kind)
        case .endCall: .endCall
        case .sleep: .sleep
        case .wake: .wake
        case .reboot: .reboot
        case .memoryWarning: .memoryWarning
        case .screenshot: .screenshot
        case .fetch(let app, let launches): .fetch(app, launches: launches)
        case .allowRefresh(let app, let isAllowed): .allowRefresh(app, isAllowed)
        case .install, .uninstall, .shutDown, .boot, .app, .memoryPressure, .setClock, .network, .battery, .locale,
            .timeZone, .brightness, .screens, .lowPower, .thermalState, .orientation, .changeStore, .setting, .connect,
            .callMethod,
            .newDay, .sessionEvents, .wakeByService, .tellService:
            nil
        }
    }
}
