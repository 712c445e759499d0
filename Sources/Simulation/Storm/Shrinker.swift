internal import Model
internal import PolicyCore

/// Makes a failing scenario smaller as long as it fails in the same way: fewer steps, fewer apps, plainer apps.
package struct Shrinker {
    /// What counts as the same failure: its text without names, numbers and times.
    private let signature: String
    private var best: Scenario
    private var runs = 0
    private let limit: Int
    private let models: ServiceModels

    /// - Parameter limit: how many runs it may take.
    package static func shrink(
        _ scenario: Scenario, limit: Int = 2_000, models: ServiceModels = ServiceModels()
    ) -> Scenario {
        guard let failure = ScenarioRun(scenario, models: models).run().first else { return scenario }
        var shrinker = Shrinker(scenario, failure, limit: limit, models)
        shrinker.cutEnd(after: failure.at)
        var size = 0
        repeat {
            size = shrinker.size
            shrinker.shrinkSteps()
            shrinker.shrinkApps()
            shrinker.simplify()
        } while shrinker.size < size && shrinker.runs < limit
        return shrinker.best
    }

    private init(_ scenario: Scenario, _ failure: ScenarioRun.Failure, limit: Int, _ models: ServiceModels) {
        self.models = models
        best = scenario
        signature = Self.signature(failure.text)
        self.limit = limit
    }

    private var size: Int { best.steps.count + best.apps.count * 3 + best.apps.reduce(0) { $0 + $1.complexity } }

    package static func signature(_ text: String) -> String {
        text.split(separator: " ").filter { word in !word.contains(where: \.isNumber) }.joined(separator: " ")
    }

    /// Keeps the candidate if it still fails so.
    private mutating func keep(_ candidate: Scenario) -> Bool {
        guard candidate != best, runs < limit else { return false }
        runs += 1
        guard let failure = ScenarioRun(candidate, models: models).run().first,
            Self.signature(failure.text) == signature
        else {
            return false
        }
        best = candidate
        return true
    }

    private mutating func change(_ body: (inout Scenario) -> Void) -> Bool {
        var candidate = best
        body(&candidate)
        return keep(candidate)
    }

    /// What comes after the failure has no part in it.
    private mutating func cutEnd(after moment: Span) {
        _ = change { scenario in
            scenario.steps.removeAll { $0.at > moment }
            scenario.duration = moment + .seconds(100)
        }
        _ = change { $0.rates = FaultRates() }
    }

    /// Delta debugging: leaves out ever smaller runs of steps.
    private mutating func shrinkSteps() {
        var length = max(1, best.steps.count / 2)
        while length > 0, runs < limit {
            var start = 0
            while start < best.steps.count, runs < limit {
                let end = min(start + length, best.steps.count)
                if !change({ $0.steps.removeSubrange(start..<end) }) { start = end }
            }
            length /= 2
        }
    }

    private mutating func shrinkApps() {
        for number in best.apps.indices.reversed() where best.apps.count > 1 {
            _ = change { scenario in
                let name = scenario.apps[number].name
                scenario.apps.remove(at: number)
                scenario.steps.removeAll { $0.action.appName == name }
            }
        }
    }

    private mutating func simplify() {
        for number in best.services.indices.reversed() {
            _ = change { scenario in
                let name = scenario.services[number].declaration.name
                scenario.services.remove(at: number)
                scenario.steps.removeAll { $0.action.serviceName == name }
                for app in scenario.apps.indices { scenario.apps[app].forget(service: name) }
            }
        }
        for number in best.apps.indices {
            _ = change { $0.apps[number].reactions = [:] }
            _ = change { $0.apps[number].hears = [:] }
            _ = change { $0.apps[number].callbackTimes = [:] }
            for kind in CallbackKind.allCases {
                if best.apps[number].reactions[kind] != nil { _ = change { $0.apps[number].reactions[kind] = nil } }
                if best.apps[number].callbackTimes[kind] != nil {
                    _ = change { $0.apps[number].callbackTimes[kind] = nil }
                }
            }
            let plain = AppScript(name: "", manifest: best.apps[number].manifest)
            _ = change { $0.apps[number].startup = plain.startup }
            _ = change { $0.apps[number].manifest.backgroundModes = [] }
            _ = change { $0.apps[number].manifest.exitsOnSuspend = false }
            _ = change { $0.apps[number].manifest.isFreezable = true }
            _ = change { $0.apps[number].manifest.urlSchemes = [] }
            _ = change { $0.apps[number].manifest.taskIdentifiers = [] }
            _ = change { $0.apps[number].manifest.scenes = .none }
            _ = change { $0.apps[number].manifest.connectionLimit = nil }
        }
        if best.profile != .linux { _ = change { $0.profile = .linux } }
        roundTimes()
    }

    /// Whole seconds read better, and long pauses seldom matter.
    private mutating func roundTimes() {
        _ = change { scenario in
            for number in scenario.steps.indices { scenario.steps[number].at = .seconds(Double(number * 10)) }
            scenario.duration = .seconds(Double(scenario.steps.count * 10 + 100))
        }
        _ = change { scenario in
            for number in scenario.steps.indices {
                let at = scenario.steps[number].at.nanoseconds
                scenario.steps[number].at = .milliseconds(at / 1_000_000)
            }
        }
        if let first = best.steps.first?.at, first > .seconds(1) {
            _ = change { scenario in
                for number in scenario.steps.indices {
                    let at = scenario.steps[number].at
                    scenario.steps[number].at = Span(nanoseconds: at.nanoseconds - first.nanoseconds)
                }
                scenario.duration = scenario.duration.map { Span(nanoseconds: $0.nanoseconds - first.nanoseconds) }
            }
        }
    }
}

extension AppScript {
    fileprivate var complexity: Int {
        reactions.count + callbackTimes.count + manifest.backgroundModes.keys.count + manifest.urlSchemes.count
            + (manifest.scenes == .none ? 0 : 1) + (manifest.exitsOnSuspend ? 1 : 0) + (manifest.isFreezable ? 0 : 1)
            + (manifest.connectionLimit == nil ? 0 : 1)
    }
}

extension Scenario.Action {
    /// The app that it is about.
    package var appName: String? {
        switch self {
        case .input(let input): input.appName
        case .fault(let fault): fault.appName
        case .expect: nil
        }
    }
}

extension Scenario.Action {
    /// The service that it is about.
    package var serviceName: String? {
        switch self {
        case .input(.wakeByService(_, let part)): part.service
        case .input(.tellService(let name, _)): name
        case .input(.app(_, let action)): action.serviceName
        case .fault(.killService(let name)), .fault(.stallService(let name, _)): name
        default: nil
        }
    }
}

extension AppScript {
    /// There is no such service any more: nobody speaks of it.
    fileprivate mutating func forget(service name: String) {
        reactions = reactions.mapValues { $0.filter { $0.serviceName != name } }.filter { !$0.value.isEmpty }
        hears = hears.mapValues { $0.filter { $0.serviceName != name } }.filter { !$0.value.isEmpty }
        expirations.removeAll { $0.serviceName == name }
    }
}

extension AppAction {
    /// The service that it asks.
    package var serviceName: String? {
        switch self {
        case .use(let part), .leave(let part): part.service
        case .ask(let service, _): service
        case .after(_, let action): action.serviceName
        default: nil
        }
    }
}

extension Input {
    package var appName: String? {
        switch self {
        case .open(let name, _), .openScene(let name, _, _), .closeScene(let name, _), .close(let name),
            .restart(let name), .exempt(let name, _), .install(let name),
            .uninstall(let name), .app(let name, _), .setting(let name, _, _), .connect(let name, _),
            .callMethod(let name), .fetch(let name, _), .allowRefresh(let name, _), .sessionEvents(let name, _, _),
            .wakeByService(let name, _):
            name
        case .openURL, .home, .lock, .unlock, .switcher, .interrupt, .dismiss, .accept, .endCall, .sleep, .wake,
            .reboot,
            .shutDown, .boot, .setClock, .memoryWarning, .memoryPressure, .network, .battery, .locale, .timeZone,
            .brightness, .screens, .tellService, .lowPower, .thermalState, .orientation,
            .changeStore, .screenshot, .newDay:
            nil
        }
    }
}

extension Fault {
    package var appName: String? {
        switch self {
        case .crash(let name, _), .starve(let name), .exit(let name, _), .hang(let name, _),
            .freezeMainThread(let name),
            .recover(let name), .disconnect(let name), .loseReply(let name), .delayReplies(let name, _),
            .unfreezable(let name, _), .ignoreTermination(let name, _), .leaveOthers(let name, _),
            .endOthers(let name), .debugger(let name, _), .fork(let name, _), .thaw(let name),
            .launchFails(let name, _), .ignorePeers(let name, _):
            name
        case .diskFull, .networkDown, .killDaemon, .killDaemonWithin, .killService, .stallService: nil
        }
    }
}
