package import Model

// Events and effects in words, for whoever reads what a recording holds.
extension System {
    /// What people call an app: its identifier.
    package func name(of app: AppIndex) -> String {
        self.app(app)?.manifest.identifier.rawValue ?? "the unknown app \(app.rawValue)"
    }

    package func sentence(for event: Event) -> String {
        switch event {
        case .clockChanged: "the wall clock was set"
        case .booted: "the device booted"
        case .adopted(let found):
            "a daemon took over and found \(found.count { $0.pid != nil }) apps with processes"
        case .installed(let manifest): "\(manifest.identifier) was installed"
        case .command(let id, let command): "command \(id.rawValue): \(sentence(for: command))"
        case .request(let app, let id, let request):
            "\(name(of: app)) asked, as its request \(id.rawValue): \(Self.sentence(for: request))"
        case .timer: "a deadline passed"
        case .retired(let event): event.sentence
        case .processStarted(let app, _, let pid): "\(name(of: app)) was started as process \(pid)"
        case .launchFailed(let app, _, let failure):
            "\(name(of: app)) could not be started: \(failure.stage): \(failure.message)"
        case .connected(let app, _, let executed):
            "\(name(of: app)) connected" + (executed.map { ", having executed callback \($0.rawValue)" } ?? "")
        case .disconnected(let app, _): "the connection of \(name(of: app)) ended"
        case .callbackReturned(let app, _, let number): "callback \(number.rawValue) of \(name(of: app)) returned"
        case .mainThreadAnswered(let app, _): "the main thread of \(name(of: app)) answered"
        case .firstProcessEnded(let app, _, let status):
            "the first process of \(name(of: app)) ended \(Self.phrase(for: status))"
        case .allProcessesEnded(let app, _): "no process of \(name(of: app)) is left"
        case .processesCounted(let app, _, let count): "\(name(of: app)) has \(count) processes"
        case .tracerChecked(let app, _, let isTraced):
            "a debugger is \(isTraced ? "" : "not ")attached to \(name(of: app))"
        case .prepared(let app, _): "\(name(of: app)) is prepared for the freeze"
        case .frozen(let app, _): "\(name(of: app)) is frozen"
        case .verified(let app, _): "\(name(of: app)) is frozen, and nothing of it was pending"
        case .mechanism(let incarnation, let event): event.sentence(name: name(of: incarnation.app))
        case .service(let event): sentence(for: event)
        case .memoryConfigured(let budget, let source):
            "apps have \(budget.mebibytes) of memory together"
                + (source == .machine ? ", and share it with the machine" : "")
        case .memorySensed(let available): "\(available.mebibytes) of memory are available"
        case .footprintSampled(let app, _, let footprint): "\(name(of: app)) has \(footprint.sentence)"
        case .reclaimed(let app, _, let footprint):
            "what could be taken from \(name(of: app)) was taken; it has \(footprint.sentence)"
        case .endedForMemory(let ended, let available):
            "\(available.mebibytes) of memory were available, and ended at once were "
                + ended.map { name(of: $0.app) }.joined(separator: ", ")
        case .room(let event): sentence(for: event)
        case .sessionEvents(let app, let session, let authentication):
            "the URL session “\(session)” of \(name(of: app)) "
                + (authentication ? "has to say who it is" : "has come to its end")
        case .wishesRestored(let app, let wishes):
            "\(name(of: app)) wants what it wanted before the restart, \(wishes.tasks.count) tasks among it"
        case .habitsRestored(let memory): "the openings of \(memory.apps.count) apps are known from before the restart"
        case .conditionSensed(let condition): condition.sentence
        case .trafficSeen(let app, let purpose, let sent, let received, _, _):
            "\(app.map(name(of:)) ?? "the system") sent \(sent) bytes and received \(received) for \(purpose.phrase)"
        case .trafficCounted(let app, let purpose, let count):
            "\(name(of: app)) sent \(count.sent) bytes and received \(count.received) over its own connections, for "
                + purpose.phrase
                + (count.processor > .zero
                    ? ", and used \(count.processor.nanoseconds / 1_000_000) ms of a processor" : "")
        case .mappingsCounted(let app, _, let count, let largest):
            "\(name(of: app)) has \(count) mappings, the largest of \(largest.mebibytes)"
        case .purgeableCounted(let app, _, let count): "\(name(of: app)) has \(count) purgeable objects"
        }
    }

    private static func phrase(for status: ExitStatus) -> String {
        switch status {
        case .exited(let code): "with status \(code)"
        case .signaled(let signal): "by signal \(signal)"
        case .outOfMemory: "by the kernel, since no memory was left"
        case .unknown: "with an unknown status"
        }
    }

    private func sentence(for command: Command) -> String {
        switch command {
        case .open(let app, let role, _): "open \(name(of: app))" + (role == .primary ? "" : " as \(role.name)")
        case .openScene(let app, let scene, let role, _):
            "open \(scene.map { "scene \($0.rawValue)" } ?? "a new scene") of \(name(of: app))"
                + (role == .primary ? "" : " as \(role.name)")
        case .closeScene(let app, let scene, _): "close scene \(scene.rawValue) of \(name(of: app)) for good"
        case .openURL(let url, _): "open \(url)"
        case .home: "home"
        case .lock: "lock"
        case .unlock: "unlock"
        case .switcher(let isOpen, _): isOpen ? "open the switcher" : "close the switcher"
        case .close(let app, _): "close \(name(of: app))"
        case .restart(let app, _): "restart \(name(of: app))"
        case .exempt(let app, let isExempt):
            isExempt ? "exempt \(name(of: app))" : "end the exemption of \(name(of: app))"
        case .uninstall(let app): "uninstall \(name(of: app))"
        case .interrupt(let kind, _): "\(kind.phrase) comes in"
        case .dismiss(let kind, _): "dismiss \(kind.phrase)"
        case .accept(let kind, _): "accept \(kind.phrase)"
        case .endCall: "end the call"
        case .sleep: "sleep"
        case .wake: "wake"
        case .reboot: "reboot"
        case .shutDown: "shut down"
        case .warnMemory: "warn every app of low memory"
        case .simulate(let condition): "act as if \(condition.sentence)"
        case .endSimulation(let kind): "act no more as if \(kind.phrase) were another"
        case .changeSetting(let app, let key, let value):
            "set \(key) of \(name(of: app)) to \(value.map { "“\($0)”" } ?? "its default")"
        case .simulateFetch(let app, let launches, _):
            "fetch in the background with \(name(of: app))" + (launches ? ", launched for it" : "")
        case .allowRefresh(let app, let isAllowed):
            "\(isAllowed ? "allow" : "forbid") \(name(of: app)) to refresh in the background"
        case .pressMemory(let level): "act as if the memory pressure were \(level.name)"
        }
    }

    private static func sentence(for request: AppRequest) -> String {
        switch request {
        case .openURL(let url): "open \(url)"
        case .canOpenURL(let url): "whether \(url) can be opened"
        case .beginTask(let task, let name): "begin the background task \(task.rawValue), “\(name)”"
        case .endTask(let task): "end the background task \(task.rawValue)"
        case .mechanism(let request): request.sentence
        case .backgroundTime: "how long it may run in the background"
        case .complete(let window, let result): "window \(window.rawValue) is completed: \(result.name)"
        case .setFetchInterval(let interval):
            interval.map { "be fetched every \($0.seconds) s at most" } ?? "be fetched never"
        case .submitTask(let request): "do \(request.window.phrase)"
        case .cancelTask(let identifier): identifier.map { "cancel the task “\($0)”" } ?? "cancel all tasks"
        case .pendingTasks: "which tasks are pending"
        case .scene(.activate(let scene, _)): "show \(scene.map { "scene \($0.rawValue)" } ?? "a new scene")"
        case .scene(.destroy(let scene)): "close scene \(scene.rawValue) for good"
        case .keepScreenOn(let keeps): keeps ? "keep the screen on" : "let the screen go dark"
        }
    }

    // MARK: Effects

    package func sentence(for effect: Effect) -> String {
        let text = sentence(for: effect.action)
        return effect.cause.map { "\(text) (from entry \($0.rawValue))" } ?? text
    }

    package func sentence(for entry: LogEntry) -> String {
        var text = "entry \(entry.sequence.rawValue): "
        if let app = entry.app { text += "\(name(of: app)) " }
        text += "\(entry.event.name), because \(entry.reason.sentence)"
        if let took = entry.took { text += ", took \(took.seconds) s" }
        return text
    }

    private func sentence(for action: Action) -> String {
        switch action {
        case .log(let entry): "\(sentence(for: entry)), at \(entry.at.iso8601)"
        case .report(let facts): "a report on \(name(of: facts.app)): \(facts.reason)"
        case .launch(let app, let generation, let isBackground):
            "launch \(name(of: app))\(isBackground ? " into the background" : "") as its process "
                + "\(generation.rawValue)"
        case .deliver(let app, _, let callbacks):
            "deliver to \(name(of: app)): "
                + callbacks.map { "\($0.number.rawValue) \($0.name)" }.joined(separator: ", ")
        case .check(let app, _, let pings): "look at \(name(of: app))\(pings ? " and its main thread" : "")"
        case .checkTracer(let app, _): "check for a debugger attached to \(name(of: app))"
        case .prepare(let app, _): "prepare \(name(of: app)) for the freeze"
        case .freeze(let app, _): "freeze \(name(of: app))"
        case .verify(let app, _): "verify that \(name(of: app)) is frozen"
        case .thaw(let app, _): "thaw \(name(of: app))"
        case .setPriority(let app, _, let priority): "give \(name(of: app)) \(priority.name) priority"
        case .mechanism(let incarnation, let action): action.sentence(name: name(of: incarnation.app))
        case .service(let action): sentence(for: action)
        case .askToEnd(let app, _): "ask \(name(of: app)) to end"
        case .kill(let app, _): "kill \(name(of: app))"
        case .sample(let app, _): "look at the memory of \(name(of: app))"
        case .reclaim(let app, _, _): "take what can be taken of the memory of \(name(of: app))"
        case .senseMemory: "look at what memory is available"
        case .measureDisk: "measure what the apps that run have on the disk"
        case .emptyCaches(let app): "empty Library/Caches and tmp of \(name(of: app))"
        case .expireTasks(let app, _, let expiration):
            "call the expiration handlers of \(name(of: app)) for its tasks "
                + expiration.tasks.map { "\($0.rawValue)" }.joined(separator: ", ")
                + ", with \(expiration.left.seconds) s left"
        case .expireWindow(let app, _, let window, let left):
            "call the expiration handler of \(name(of: app)) for window \(window.rawValue), with \(left.seconds) s left"
        case .tellConditions(let app, _, let conditions):
            "tell \(name(of: app)) of the device: locale \(conditions.locale), time zone \(conditions.timeZone), network "
                + conditions.network.name
        case .reply(let app, let id, let reply):
            "reply to request \(id.rawValue) of \(name(of: app)): \(Self.sentence(for: reply))"
        case .answer(let id, let answer): "answer command \(id.rawValue): \(sentence(for: answer))"
        case .halt: "halt"
        }
    }

    private static func sentence(for reply: AppReply) -> String {
        switch reply {
        case .done: "done"
        case .canOpen(let can): can ? "yes" : "no"
        case .refused(let refusal): "refused, \(refusal.sentence)"
        case .taskBegan(let left), .remaining(let left): left.map { "\($0.seconds) s are left" } ?? "without a limit"
        case .taskEnded: "ended"
        case .noted: "noted"
        case .pendingTasks(let requests):
            requests.isEmpty ? "no tasks" : "the tasks " + requests.map(\.identifier).joined(separator: ", ")
        case .scene(let scene): "scene \(scene.rawValue)"
        }
    }

    private func sentence(for answer: Answer) -> String {
        switch answer {
        case .done(let app): app.map { "done, \(name(of: $0))" } ?? "done"
        case .refused(let refusal): "refused, \(refusal.sentence)"
        case .overtaken(let refusal): "overtaken, \(refusal.sentence)"
        }
    }
}
