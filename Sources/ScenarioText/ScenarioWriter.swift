internal import Model
package import Simulation

/// Writes scenarios in the form that `ScenarioReader` reads back to an equal value, but for the lines.
package enum ScenarioWriter {
    /// `header`: comment lines before the scenario.
    package static func text(of scenario: Scenario, header: [String] = []) -> String {
        var lines = header.map(comment)
        lines.append("name: \(YAML.text(scenario.name))")
        if !scenario.rows.isEmpty { lines.append("rows: \(YAML.list(scenario.rows))") }
        lines.append("device: \(device(scenario.profile))")
        lines.append("seed: \(scenario.seed)")
        if let memory = scenario.memory { lines.append("memory: \(ByteCount.text(memory))") }
        if let disk = scenario.disk { lines.append("disk: \(ByteCount.text(disk))") }
        if let duration = scenario.duration { lines.append("duration: \(duration.text)") }
        if !scenario.rates.isEmpty {
            let rates = FaultRates.keys.filter { scenario.rates[keyPath: $1] != 0 }
            lines.append("rates: " + YAML.mapping(rates.map { ($0, "\(scenario.rates[keyPath: $1])") }))
        }
        if !scenario.apps.isEmpty {
            lines.append("apps:")
            for app in scenario.apps { lines += self.app(app) }
        }
        if !scenario.services.isEmpty {
            lines.append("services:")
            for service in scenario.services { lines += self.service(service) }
        }
        if !scenario.steps.isEmpty {
            lines.append("timeline:")
            lines += scenario.steps.map { "  - " + step($0) }
        }
        if !scenario.expectations.isEmpty {
            lines.append("expect:")
            lines += scenario.expectations.map { "  - \($0.value.yaml)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func comment(_ line: String) -> String {
        var text = "#"
        for scalar in (line.isEmpty ? "" : " " + line).unicodeScalars {
            let isText = scalar.properties.generalCategory != .control
            text.unicodeScalars.append(isText ? scalar : " ")
        }
        return text
    }

    private static func step(_ step: Scenario.Step) -> String {
        let action: (String, String) =
            switch step.action {
            case .input(let input): ("do", YAML.text(input.phrase))
            case .fault(let fault): ("fault", YAML.text(fault.phrase))
            case .expect(let expectation): ("expect", expectation.yaml)
            }
        return YAML.mapping([("at", step.at.text), action])
    }

    /// A known profile's name, or what differs from it.
    private static func device(_ device: DeviceProfile) -> String {
        let base = DeviceProfile.named(device.name) ?? .linux
        guard device != base else { return base.name }
        var keys: [(String, String)] = [("profile", base.name)]
        func add(_ key: String, _ path: KeyPath<DeviceProfile, some Equatable>, _ text: (DeviceProfile) -> String) {
            if device[keyPath: path] != base[keyPath: path] { keys.append((key, text(device))) }
        }
        add("name", \.name) { YAML.text($0.name) }
        add("hasMultitasking", \.hasMultitasking) { "\($0.hasMultitasking)" }
        add("locking", \.locking) { $0.locking.rawValue }
        add("expirationThread", \.expirationThread) { $0.expirationThread.rawValue }
        add("launchLimit", \.launchLimit) { $0.launchLimit.text }
        add("callbackLimits", \.callbackLimits) { device in
            let changed = CallbackKind.allCases.filter { device.callbackLimits[$0] != base.callbackLimits[$0] }
            return YAML.mapping(changed.map { ($0.name, device.callbackLimits[$0].text) })
        }
        add("mainThreadLimit", \.mainThreadLimit) { $0.mainThreadLimit.text }
        add("checkInterval", \.checkInterval) { $0.checkInterval.text }
        add("processLimit", \.processLimit) { "\($0.processLimit)" }
        add("freezeLimit", \.freezeLimit) { $0.freezeLimit.text }
        add("freezeAttempts", \.freezeAttempts) { "\($0.freezeAttempts)" }
        add("hasSplitScreen", \.hasSplitScreen) { "\($0.hasSplitScreen)" }
        add("taskLimit", \.tasks?.limit) { $0.tasks?.limit.text ?? "" }
        add("taskWindowLimit", \.tasks?.windowLimit) { $0.tasks?.windowLimit.text ?? "" }
        add("taskVerdict", \.tasks?.verdict) { $0.tasks?.verdict.rawValue ?? "" }
        add("taskNotice", \.tasks?.notice) { $0.tasks?.notice.text ?? "" }
        add("fetchLimit", \.windowRules.fetch) { $0.windowRules.fetch.text }
        add("transferEventsLimit", \.windowRules.sessionEvents) { $0.windowRules.sessionEvents.text }
        add("refreshLimit", \.windowRules.refresh) { $0.windowRules.refresh.text }
        add("processingLimit", \.windowRules.processing) { $0.windowRules.processing.text }
        add("windowNotice", \.windowRules.notice) { $0.windowRules.notice.text }
        add("closingEndsTransfers", \.windowRules.closingEndsSessions) { "\($0.windowRules.closingEndsSessions)" }
        add("windowOverrun", \.windowRules.overrun) { $0.windowRules.overrun.rawValue }
        add("tasksReplaceFetch", \.windowRules.tasksReplaceFetch) {
            "\($0.windowRules.tasksReplaceFetch ?? false)"
        }
        add("lowPowerAt", \.power?.savesAt) { "\($0.power?.savesAt ?? 0)" }
        add("protectsDataAfter", \.protectsDataAfter) { ($0.protectsDataAfter ?? .zero).text }
        add("cellular", \.cellularModel) { $0.cellularModel.name }
        add("connectionLimit", \.socketRules.connectionLimit) { ($0.socketRules.connectionLimit ?? .zero).text }
        add("listenGrace", \.socketRules.grace) { $0.socketRules.grace.text }
        return YAML.mapping(keys)
    }

    // MARK: Apps

    private static func app(_ app: AppScript) -> [String] {
        let manifest = app.manifest
        var keys: [(String, String)] = []
        func add(_ key: String, _ isNeeded: Bool, _ value: @autoclosure () -> String) {
            if isNeeded { keys.append((key, value())) }
        }
        add("identifier", manifest.identifier.rawValue != app.name, manifest.identifier.rawValue)
        add("title", manifest.name != app.name, YAML.text(manifest.name))
        add("plain", manifest.kind == .plain, "true")
        add("modes", !manifest.backgroundModes.isEmpty, YAML.list(manifest.backgroundModes.keys))
        add("exitsOnSuspend", manifest.exitsOnSuspend, "true")
        add("connectionLimit", manifest.connectionLimit != nil, (manifest.connectionLimit ?? .zero).text)
        add("schemes", !manifest.urlSchemes.isEmpty, YAML.list(manifest.urlSchemes.map(YAML.text)))
        add("tasks", !manifest.taskIdentifiers.isEmpty, YAML.list(manifest.taskIdentifiers.map(YAML.text)))
        add("scenes", manifest.scenes != .none, manifest.scenes.scenarioName)
        add("freezable", !manifest.isFreezable, "false")
        add("startup", app.startup != AppScript.standardStartup, app.startup.text)
        let times = CallbackKind.allCases.compactMap { kind in
            app.callbackTimes[kind].map { (kind.name, $0.text) }
        }
        add("callbacks", !times.isEmpty, YAML.mapping(times))
        func list(_ actions: [AppAction]) -> String { YAML.list(actions.map { YAML.text($0.phrase) }) }
        let reactions =
            CallbackKind.allCases.compactMap { kind in app.reactions[kind].map { (kind.name, list($0)) } }
            + (app.expirations.isEmpty ? [] : [("expiration", list(app.expirations))])
        add("on", !reactions.isEmpty, YAML.mapping(reactions))
        let hears = app.hears.sorted { $0.key < $1.key }.map { (YAML.text($0.key), list($0.value)) }
        add("hears", !hears.isEmpty, YAML.mapping(hears))
        let memory = self.memory(app.footprint)
        add("memory", !memory.isEmpty, YAML.mapping(memory))
        let manners = self.manners(app.manners)
        add("manners", !manners.isEmpty, YAML.mapping(manners))
        guard !keys.isEmpty else { return ["  \(app.name): {}"] }
        return ["  \(app.name):"] + keys.map { "    \($0): \($1)" }
    }

    private static func service(_ service: ServiceScript) -> [String] {
        let declaration = service.declaration
        var keys: [(String, String)] = []
        func add(_ key: String, _ isNeeded: Bool, _ value: @autoclosure () -> String) {
            if isNeeded { keys.append((key, value())) }
        }
        add("runs", service.model != nil, YAML.text(service.model ?? ""))
        add("mode", !declaration.mode.isEmpty, declaration.mode.keys.first ?? "")
        add("foreground", !declaration.worksInForeground, "false")
        let holds = declaration.holds.map { (YAML.text($0.name), ($0.limit ?? .zero).text) }
        add("holds", !holds.isEmpty, YAML.mapping(holds))
        let activities = declaration.holds.compactMap { hold in hold.activity.map { (YAML.text(hold.name), $0.name) } }
        add("activities", !activities.isEmpty, YAML.mapping(activities))
        let priorities = declaration.holds.filter { $0.priority != .background }
            .map { (YAML.text($0.name), $0.priority.name) }
        add("priorities", !priorities.isEmpty, YAML.mapping(priorities))
        add("launchesAtBoot", declaration.launchesAtBoot, "true")
        add("relaunches", declaration.relaunches, "true")
        let windows = declaration.windows.map { (YAML.text($0.name), $0.time.text) }
        add("windows", !windows.isEmpty, YAML.mapping(windows))
        add("startup", service.startup != ServiceScript.standardStartup, service.startup.text)
        add("stopTime", service.stopTime != ServiceScript.standardStop, service.stopTime.text)
        add("forgets", service.forgets, "true")
        guard !keys.isEmpty else { return ["  \(YAML.text(declaration.name)): {}"] }
        return ["  \(YAML.text(declaration.name)):"] + keys.map { "    \($0): \($1)" }
    }

    private static func memory(_ memory: AppScript.Footprint) -> [(String, String)] {
        let standard = AppScript.Footprint()
        let sizes: [(String, KeyPath<AppScript.Footprint, Int64>)] = [
            ("dirty", \.dirtyBytes), ("purgeable", \.purgeableBytes), ("clean", \.cleanBytes),
            ("releases", \.releasableBytes),
        ]
        return sizes.filter { memory[keyPath: $1] != standard[keyPath: $1] }
            .map { ($0, ByteCount.text(memory[keyPath: $1])) }
    }

    private static func manners(_ manners: Manners) -> [(String, String)] {
        let standard = Manners()
        var keys: [(String, String)] = []
        func add(_ key: String, _ path: KeyPath<Manners, some Equatable>, _ text: (Manners) -> String) {
            if manners[keyPath: path] != standard[keyPath: path] { keys.append((key, text(manners))) }
        }
        add("connects", \.connects) { "\($0.connects)" }
        add("hangsIn", \.hangsIn) { manners in
            YAML.list(CallbackKind.allCases.filter(manners.hangsIn.contains).map(\.name))
        }
        add("answersPings", \.answersPings) { "\($0.answersPings)" }
        add("traced", \.isTraced) { "\($0.isTraced)" }
        add("ignoresTermination", \.ignoresTermination) { "\($0.ignoresTermination)" }
        add("leavesOthers", \.leavesOthers) { "\($0.leavesOthers)" }
        add("processes", \.processCount) { "\($0.processCount)" }
        add("ignoresPeers", \.ignoresPeers) { "\($0.ignoresPeers)" }
        add("freezes", \.canFreeze) { "\($0.canFreeze)" }
        if let failure = manners.launchFailure {
            keys.append(
                (
                    "launchFailure",
                    YAML.mapping([
                        ("stage", YAML.text(failure.stage)), ("errorNumber", "\(failure.errorNumber)"),
                        ("message", YAML.text(failure.message)),
                    ])
                ))
        }
        add("replyDelay", \.replyDelay) { $0.replyDelay.text }
        return keys
    }
}
