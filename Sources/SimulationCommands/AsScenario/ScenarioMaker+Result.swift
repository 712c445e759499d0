internal import Model
internal import PolicyCore
internal import Simulation

extension ScenarioMaker {
    /// More callbacks of an app than so many are not compared one by one.
    private static let comparedCallbacks = 100

    mutating func finish(_ system: System, named name: String) -> Scenario {
        noteEndOfRecording()
        noteSlowReturns()
        for place in apps.indices { notePeerGone(place) }
        let duration = duration
        let (inputs, exactInputs) = (inputs, exactInputs)
        for app in apps {
            let reactions = app.reactions
            for request in app.requests where request.within.flatMap({ reactions[$0] }) == nil {
                now = request.at
                add(.app(app.name, request.action))
            }
        }
        // What apps did by themselves is nothing that waited for anything.
        (self.inputs, self.exactInputs) = (inputs, exactInputs)
        var scenario = Scenario(name: name, profile: profile)
        scenario.duration = duration
        let (first, then) = (beginning?.steps ?? [], steps)
        scenario.services = usedServices(first + then)
        scenario.apps = apps.map { script($0, scenario.services) }
        scenario.steps = first + beginningExpectations(scenario) + then
        scenario.expectations = expectations(system).map { Placed($0) }
        return scenario
    }

    /// In their order; what stands at one moment in that of its finding.
    private var steps: [Scenario.Step] {
        drafts.enumerated().sorted { a, b in
            (a.element.at, a.element.rank, a.offset) < (b.element.at, b.element.rank, b.offset)
        }.map { Scenario.Step(at: $0.element.at, $0.element.action) }
    }

    private func script(_ app: ObservedApp, _ services: [ServiceScript]) -> AppScript {
        var script = AppScript(name: app.name, manifest: app.manifest)
        // A word that no service guards has no effect.
        var guarded = BackgroundModes(keys: BackgroundModes.knownKeys)
        for service in services { guarded.formUnion(service.declaration.mode) }
        script.manifest.backgroundModes = app.manifest.backgroundModes.intersection(guarded)
        if let startup = app.startup(exactInputs) { script.startup = Self.tidy(startup) }
        script.callbackTimes = app.durations(exactInputs).mapValues(Self.tidy)
        script.reactions = app.reactions
        script.manners.connects = app.births == 0 || !app.launches.isEmpty || app.manifest.kind == .plain
        return script
    }

    /// Two digits say how long something takes.
    private static func tidy(_ span: Span) -> Span {
        var unit: Int64 = 1000
        while span.nanoseconds / unit >= 100 { unit *= 10 }
        return Span(nanoseconds: max(span.nanoseconds / unit, 1) * unit)
    }

    // MARK: Expectations

    /// What the apps were when the recording began. Their callbacks until then are named so that those of the recording
    /// can be told from them.
    private func beginningExpectations(_ scenario: Scenario) -> [Scenario.Step] {
        guard let beginning else { return [] }
        var first = scenario
        first.steps = beginning.steps
        first.duration = beginning.duration
        let run = ScenarioRun(first, models: .all)
        run.run()
        let states = beginning.states.map { Expectation.state($0.name, $0.state) }
        let callbacks = run.device.apps.compactMap { app in
            app.calls.isEmpty ? nil : Expectation.callbacks(app.script.name, app.calls.map(\.kind))
        }
        return (states + callbacks).map { Scenario.Step(at: beginning.duration, .expect($0)) }
    }

    private func expectations(_ system: System) -> [Expectation] {
        var all: [Expectation] = []
        for app in system.installedApps {
            guard let place = place(app.index), app.isAtRest else { continue }
            all.append(.state(apps[place].name, app.state))
        }
        for app in apps where !app.isBusy && !app.called.isEmpty && app.called.count <= Self.comparedCallbacks {
            all.append(.callbacks(app.name, app.called))
        }
        let reported = apps.filter { !$0.reports.isEmpty }
        all += reported.map { .reports($0.name, $0.reports) }
        return reported.isEmpty ? all + [.noReports] : all
    }
}
