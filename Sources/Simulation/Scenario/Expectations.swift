internal import Model
internal import PolicyCore

// Whether what a scenario expects is so.
extension ScenarioRun {
    /// What is wrong, in a sentence, and the log entry that made it so; `nil` when it is as expected.
    struct Finding {
        var text: String
        var entry: LogEntry?
    }

    func explain(_ expectation: Expectation) -> Finding? {
        switch expectation {
        case .state(let name, let state): explainState(name, state)
        case .scene(let name, let scene, let state): explainScene(name, scene, state)
        case .visible(let name, let isVisible): explainVisibility(name, isVisible)
        case .callbacks(let name, let kinds): explainCallbacks(name, kinds)
        case .accepted, .refused, .unanswered: explainAnswer(expectation)
        case .order(let patterns): explainOrder(patterns)
        case .never(let pattern):
            entries(pattern).first.map { Finding(text: "\(pattern.text) should never happen, and did", entry: $0) }
        case .count(let pattern, let count): explainCount(pattern, count)
        case .within(let first, let second, let shortest, let longest):
            explainTime(first, second, shortest, longest)
        case .reports(let name, let codes): explainReports(name, codes)
        case .reportSays(let name, let text): explainReport(name, text)
        case .noReports:
            device.reports.first.map { report in
                Finding(
                    text: "there should be no reports; \(device.name(of: report.app)): \(report.reason)",
                    entry: entry(report.sequence))
            }
        case .why(let name, let events): explainWhy(name, events)
        case .assertions(let name, let kinds): explainAssertions(name, kinds)
        case .requestRefused(let name, let text): explainRequest(name, text)
        case .launches(let name, let count): explainLaunches(name, count)
        case .expirations(let name, let tasks): explainExpirations(name, tasks)
        case .changes(let name, let changes): explainChanges(name, changes)
        case .priority(let name, let priority): explainPriority(name, priority)
        case .heard(let name, let words): explainHeard(name, words)
        case .payload(let name, let text): explainPayload(name, text)
        case .serviceAnswer(let name, let question, let text): explainAnswer(of: name, to: question, text)
        case .snapshots(let name, let count): explainSnapshots(name, count)
        case .atRest: explainUnrest()
        case .launchOptions(let name, let options): explainLaunchOptions(name, options)
        case .energy(let share, let least, let most): explainEnergy(share, least, most)
        case .opened(let name, let url, let source): explainURL(name, url, source)
        }
    }

    // MARK: Apps

    private func place(_ name: String) -> Int? { device.place(named: name) }

    /// The app's last entry of these events, or its last one.
    private func lastEntry(_ name: String, _ events: [LogEvent] = []) -> LogEntry? {
        guard let index = place(name).flatMap({ device.apps[$0].index }) else { return nil }
        return device.log.last { $0.app == index && (events.isEmpty || events.contains($0.event)) }
    }

    private func explainState(_ name: String, _ state: LifecycleState) -> Finding? {
        let found = place(name).map { device.state($0) } ?? .notRunning
        guard found != state else { return nil }
        return Finding(text: "\(name) should be \(state.name) and is \(found.name)", entry: lastEntry(name))
    }

    private func explainVisibility(_ name: String, _ isVisible: Bool) -> Finding? {
        let found = place(name).flatMap { device.apps[$0].index }.map { device.system.isVisible($0) } ?? false
        guard found != isVisible else { return nil }
        let (wanted, real) = isVisible ? ("on screen", "hidden") : ("hidden", "on screen")
        return Finding(text: "\(name) should be \(wanted) and is \(real)", entry: lastEntry(name))
    }

    private func explainCallbacks(_ name: String, _ kinds: [CallbackKind]) -> Finding? {
        let all = place(name).map { device.apps[$0].calls.map(\.kind) } ?? []
        let found = Array(all.dropFirst(comparedCalls[name] ?? 0))
        comparedCalls[name] = all.count
        guard found != kinds else { return nil }
        // What it heard in place of something else tells more than what came last.
        let common = zip(found, kinds).prefix { $0 == $1 }.count
        let calls = place(name).map { device.apps[$0].calls.suffix(found.count) } ?? []
        let odd = calls.dropFirst(common).prefix(1).map { LogEvent($0.callback) }
        return Finding(
            text: "\(name) should have heard \(list(kinds.map(\.name))) and heard \(list(found.map(\.name)))",
            entry: lastEntry(name, odd) ?? lastEntry(name))
    }

    private func explainAssertions(_ name: String, _ kinds: [AssertionKind]) -> Finding? {
        let found = place(name).flatMap { device.known($0) }?.heldAssertions.map(\.kind) ?? []
        guard found.map(\.name).sorted() != kinds.map(\.name).sorted() else { return nil }
        return Finding(
            text: "\(name) should run for \(list(kinds.map(\.name))) and does for \(list(found.map(\.name)))",
            entry: lastEntry(name))
    }

    private func explainRequest(_ name: String, _ text: String) -> Finding? {
        guard let place = place(name), device.apps[place].hasReply else {
            return Finding(text: "\(name) should be refused with “\(text)” and has no answer")
        }
        guard let refusal = device.apps[place].refusal else {
            return Finding(text: "\(name) should be refused with “\(text)” and got what it asked for")
        }
        guard !refusal.contains(text) else { return nil }
        return Finding(text: "\(name) should be refused with “\(text)”: \(refusal)")
    }

    private func explainLaunches(_ name: String, _ count: Int) -> Finding? {
        let found = place(name).map { device.apps[$0].launches } ?? 0
        guard found != count else { return nil }
        return Finding(
            text: "\(name) should have been launched \(times(count)) and was \(times(found))",
            entry: lastEntry(name, [.launched, .launchedInBackground]))
    }

    private func explainExpirations(_ name: String, _ tasks: [String]) -> Finding? {
        let found = place(name).map { device.apps[$0].expirations } ?? []
        guard found != tasks else { return nil }
        return Finding(
            text: "\(name) should have had the expiration handlers of \(list(tasks)) called, and had those of "
                + "\(list(found))",
            entry: lastEntry(name, [.tasksExpired]))
    }

    private func explainHeard(_ name: String, _ words: [String]) -> Finding? {
        let all = place(name).map { device.apps[$0].heard } ?? []
        let found = Array(all.dropFirst(comparedWords[name] ?? 0))
        comparedWords[name] = all.count
        guard found != words else { return nil }
        return Finding(
            text: "services should have told \(name) \(list(words)), and told it \(list(found))",
            entry: lastEntry(name, [.windowCompleted, .handleServiceEvents, .didReceiveRemoteNotification]))
    }

    private func explainPayload(_ name: String, _ text: String) -> Finding? {
        let call = place(name).flatMap { device.apps[$0].calls.last { $0.kind == .handleServiceEvents } }
        guard case .service(let wake)? = call?.callback.window?.kind else {
            return Finding(text: "no service has called \(name)", entry: lastEntry(name, [.wakeRefused]))
        }
        guard !wake.payload.contains(text) else { return nil }
        return Finding(
            text: "\(name) should have been called with “\(text)” and was with “\(wake.payload)”",
            entry: lastEntry(name, [.handleServiceEvents, .didReceiveRemoteNotification]))
    }

    private func explainAnswer(of name: String, to question: String, _ text: String) -> Finding? {
        guard let answer = device.answer(of: name, to: question) else {
            return Finding(text: "\(name) does not understand the question “\(question)”")
        }
        guard !answer.contains(text) else { return nil }
        return Finding(text: "\(name) should answer “\(question)” with “\(text)”: \(answer)")
    }

    private func explainChanges(_ name: String, _ changes: [SystemChange]) -> Finding? {
        let all = place(name).map { device.apps[$0].changes } ?? []
        let found = Array(all.dropFirst(comparedChanges[name] ?? 0))
        comparedChanges[name] = all.count
        guard found != changes else { return nil }
        return Finding(
            text: "\(name) should have been told of \(list(changes.map(\.name))) and was told of "
                + list(found.map(\.name)), entry: lastEntry(name, [.toldOfChanges]))
    }

    private func explainPriority(_ name: String, _ priority: AppPriority) -> Finding? {
        let found = place(name).flatMap { device.apps[$0].process?.priority }
        guard found != priority else { return nil }
        return Finding(
            text:
                "\(name) should have \(priority.name) priority and has \(found?.name ?? "none, since it does not run")",
            entry: lastEntry(name))
    }

    private func explainSnapshots(_ name: String, _ count: Int) -> Finding? {
        let found = place(name).map { device.apps[$0].snapshots } ?? 0
        guard found != count else { return nil }
        return Finding(
            text: "\(name) should have given a snapshot \(times(count)) and did \(times(found))", entry: lastEntry(name)
        )
    }

    private func explainLaunchOptions(_ name: String, _ options: LaunchOptions) -> Finding? {
        let launch = place(name).flatMap { device.apps[$0].calls.last { $0.kind == .didFinishLaunching } }
        guard let found = launch?.callback.options else {
            return Finding(text: "\(name) should be launched with \(options.text), and was never launched")
        }
        guard !found.are(options) else { return nil }
        return Finding(
            text: "\(name) should be launched with \(options.text) and was with \(found.text)",
            entry: lastEntry(name, [.didFinishLaunching]))
    }

    private func explainURL(_ name: String, _ url: String, _ source: String?) -> Finding? {
        let wanted = LaunchOptions(url: url, sourceApplication: source)
        let call = place(name).flatMap { device.apps[$0].calls.last { $0.kind == .openURL } }
        guard let found = call?.callback.options else {
            return Finding(
                text: "\(name) should be handed \(wanted.text), and was never handed a URL", entry: lastEntry(name))
        }
        guard found.url != url || found.sourceApplication != source else { return nil }
        return Finding(
            text: "\(name) should be handed \(wanted.text) and was handed \(found.text)",
            entry: lastEntry(name, [.openedURL]))
    }

    // MARK: Rest

    private func explainUnrest() -> Finding? {
        if !device.unanswered.isEmpty {
            return Finding(text: "everything should be at rest, and \(commands(device.unanswered.count)) not answered")
        }
        for place in device.apps.indices {
            guard let wrong = unrest(place) else { continue }
            let name = device.apps[place].script.name
            return Finding(text: "everything should be at rest, and \(name) \(wrong)", entry: lastEntry(name))
        }
        return nil
    }

    private func unrest(_ place: Int) -> String? {
        guard let app = device.known(place) else { return nil }
        let process = device.apps[place].process
        if (app.process == .none) != (process == nil) { return "is not what the system knows of it" }
        if app.process != .none, !app.outstanding.isEmpty || app.ending != nil { return "is in a callback or an end" }
        // A plain program that others wait for is let run.
        if process?.isPlain == true, device.isInTheWay(place) { return nil }
        if process?.sockets.grabsInput == true { return nil }
        if app.state == .background, app.heldAssertions.isEmpty { return "runs on without a reason" }
        if process?.isThawedFromOutside == true { return nil }
        if (app.state == .suspended) != (process?.isFrozen ?? false) {
            return "is \(app.state.name), and the kernel differs"
        }
        if app.state == .suspended, device.system.isVisible(app.index) { return "is suspended on screen" }
        return nil
    }

    // MARK: Answers

    private func explainAnswer(_ expectation: Expectation) -> Finding? {
        let answer = lastCommand.flatMap { device.answers[$0]?.answer }
        let said: String
        switch (expectation, answer) {
        case (.accepted, .done?), (.unanswered, nil): return nil
        case (.refused(let text), .refused(let refusal)?), (.refused(let text), .overtaken(let refusal)?):
            if refusal.sentence.contains(text) { return nil }
            said = "was refused: \(refusal.sentence)"
        case (_, .refused(let refusal)?), (_, .overtaken(let refusal)?): said = "was refused: \(refusal.sentence)"
        case (_, .done?): said = "was done"
        case (_, nil): said = lastCommand == nil ? "was never given" : "is not answered"
        }
        switch expectation {
        case .refused(let text): return Finding(text: "the command should be refused with “\(text)”; it \(said)")
        case .unanswered: return Finding(text: "the command should wait; it \(said)")
        default: return Finding(text: "the command should be done; it \(said)")
        }
    }

    // MARK: The log

    private func entries(_ pattern: LogPattern) -> [LogEntry] { device.log.filter { matches($0, pattern) } }

    private func matches(_ entry: LogEntry, _ pattern: LogPattern) -> Bool {
        guard entry.event == pattern.event, entry.app.map({ device.name(of: $0) }) == pattern.app else { return false }
        return pattern.reason.map { entry.reason.sentence.contains($0) } ?? true
    }

    private func explainOrder(_ patterns: [LogPattern]) -> Finding? {
        var rest = device.log[...]
        var last: LogEntry?
        for (number, pattern) in patterns.enumerated() {
            guard let place = rest.firstIndex(where: { matches($0, pattern) }) else {
                let after = number > 0 ? " after \(patterns[number - 1].text)" : ""
                guard let early = entries(pattern).last else {
                    return Finding(text: "\(pattern.text) should come\(after), and never does", entry: last)
                }
                return Finding(text: "\(pattern.text) should come\(after), and came before it only", entry: early)
            }
            last = rest[place]
            rest = rest[(place + 1)...]
        }
        return nil
    }

    private func explainCount(_ pattern: LogPattern, _ count: Int) -> Finding? {
        let found = entries(pattern)
        guard found.count != count else { return nil }
        return Finding(
            text: "\(pattern.text) should come \(times(count)) and came \(times(found.count))", entry: found.last)
    }

    private func explainTime(
        _ first: LogPattern, _ second: LogPattern, _ shortest: Span, _ longest: Span
    ) -> Finding? {
        guard let begin = device.log.lastIndex(where: { matches($0, first) }) else {
            return Finding(text: "\(first.text) should come before \(second.text), and does not come at all")
        }
        guard let end = device.log[(begin + 1)...].firstIndex(where: { matches($0, second) }) else {
            return Finding(
                text: "\(second.text) should come after \(first.text), and does not", entry: device.log[begin])
        }
        let span = device.logTimes[end] - device.logTimes[begin]
        guard span < shortest || span > longest else { return nil }
        return Finding(
            text: "\(second.text) should come \(shortest.text) to \(longest.text) after \(first.text) and comes after "
                + span.text, entry: device.log[end])
    }

    private func explainWhy(_ name: String, _ events: [LogEvent]) -> Finding? {
        guard let last = lastEntry(name) else {
            return Finding(text: "\(name) should be explained by \(list(events.map(\.name))); the log does not know it")
        }
        let found = chain(to: last).map(\.event)
        var rest = found[...]
        for event in events {
            guard let place = rest.firstIndex(of: event) else {
                return Finding(
                    text: "\(name) should be explained by \(list(events.map(\.name))) and is by "
                        + list(found.map(\.name)), entry: last)
            }
            rest = rest[(place + 1)...]
        }
        return nil
    }

    // MARK: Reports

    private func reports(_ name: String) -> [ReportFacts] {
        device.reports.filter { device.name(of: $0.app) == name }
    }

    private func explainReports(_ name: String, _ codes: [UInt64]) -> Finding? {
        let found = reports(name).map(\.code.code)
        guard found != codes else { return nil }
        return Finding(
            text: "the reports about \(name) should be \(list(codes.map(Self.hexadecimal))) and are "
                + list(found.map(Self.hexadecimal)), entry: lastEntry(name, [.terminated, .suspensionFailed]))
    }

    private func explainReport(_ name: String, _ text: String) -> Finding? {
        guard let last = reports(name).last else {
            return Finding(
                text: "a report about \(name) should say “\(text)”, and there is none", entry: lastEntry(name))
        }
        guard !last.reason.contains(text) else { return nil }
        return Finding(
            text: "the report about \(name) should say “\(text)” and says: \(last.reason)", entry: entry(last.sequence))
    }

    private static func hexadecimal(_ code: UInt64) -> String { "0x" + String(code, radix: 16) }

    private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    private func commands(_ count: Int) -> String { count == 1 ? "a command is" : "\(count) commands are" }

    private func list(_ words: [String]) -> String { words.isEmpty ? "nothing" : words.joined(separator: ", ") }
}
