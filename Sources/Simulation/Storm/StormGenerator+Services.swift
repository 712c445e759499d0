internal import Model

/// Services for a storm: what they declare, what apps ask of them, and how they die. Drawn from numbers of its own, so
/// that everything else of a storm is as it is without them.
struct StormServices {
    private var random: SplitMix64
    private let names: [String]
    private var services: [ServiceScript] = []

    /// A scenario with services in it.
    static func add(to scenario: inout Scenario) {
        let names = scenario.apps.filter { $0.manifest.kind != .plain }.map(\.name)
        guard !names.isEmpty else { return }
        var storm = StormServices(random: SplitMix64(seed: scenario.seed, for: 0x5e41), names: names)
        storm.services = (0..<(1 + storm.random.below(3))).map { storm.service($0) }
        scenario.services += storm.services
        for place in scenario.apps.indices where scenario.apps[place].manifest.kind != .plain {
            storm.teach(&scenario.apps[place])
        }
        let last = scenario.steps.last?.at ?? .zero
        let count = max(8, scenario.steps.count / 6)
        // Calm is at the end.
        let busy = Span(nanoseconds: max(0, last.nanoseconds - 1))
        let steps = (0..<count).map { _ in Scenario.Step(at: storm.random.span(.zero, busy), storm.action()) }
        scenario.steps = merged(scenario.steps, steps.sorted { $0.at < $1.at })
        for service in storm.services {
            scenario.steps.append(Scenario.Step(at: last, .fault(.stallService(service.declaration.name, false))))
        }
    }

    private static func merged(_ first: [Scenario.Step], _ second: [Scenario.Step]) -> [Scenario.Step] {
        var (result, rest) = ([Scenario.Step](), second[...])
        for step in first {
            while let next = rest.first, next.at < step.at {
                result.append(next)
                rest.removeFirst()
            }
            result.append(step)
        }
        return result + rest
    }

    private mutating func service(_ number: Int) -> ServiceScript {
        var declaration = ServiceDeclaration(name: "service\(number)")
        declaration.holds = (0..<(1 + random.below(3))).map { kind in
            ServiceDeclaration.Hold(
                name: "hold\(kind)", sentence: "it uses hold\(kind)",
                priority: random.oneIn(3) ? .foreground : .background,
                limit: random.oneIn(3) ? .seconds(Double(1 + random.below(600))) : nil)
        }
        declaration.windows = (0..<random.below(3)).map { window in
            ServiceDeclaration.Window(
                name: "window\(window)", sentence: "window\(window)", time: .seconds(Double(2 + random.below(30))))
        }
        declaration.mode =
            random.oneIn(4) ? [] : BackgroundModes(keys: [random.pick(StormGenerator.modes) ?? ""])
        if !declaration.mode.isEmpty {
            (declaration.launchesAtBoot, declaration.relaunches) = (random.oneIn(4), random.oneIn(4))
        }
        declaration.worksInForeground = !random.oneIn(4)
        var script = ServiceScript(declaration)
        script.startup = .milliseconds(Int64(1 + random.below(random.oneIn(8) ? 14_000 : 300)))
        script.stopTime = .milliseconds(Int64(1 + random.below(random.oneIn(6) ? 3_000 : 200)))
        script.forgets = random.oneIn(4)
        return script
    }

    private mutating func part(_ isWindow: Bool = false) -> ServicePart {
        guard let declaration = random.pick(services)?.declaration else { return ServicePart("", "") }
        let declared = isWindow ? declaration.windows.map(\.name) : declaration.holds.map(\.name)
        // Now and then what nobody declared.
        return ServicePart(declaration.name, random.oneIn(10) ? "other" : random.pick(declared) ?? "other")
    }

    private mutating func appAction() -> AppAction {
        let action = random.oneIn(3) ? AppAction.leave(part()) : .use(part())
        return random.oneIn(3) ? .after(.milliseconds(Int64(random.below(90_000))), action) : action
    }

    /// Most complete what a service wakes them for.
    private mutating func teach(_ app: inout AppScript) {
        if random.oneIn(2) { app.reactions[.didFinishLaunching, default: []].append(appAction()) }
        if random.oneIn(3) { app.reactions[.didEnterBackground, default: []].append(appAction()) }
        let pause = Span.milliseconds(Int64(random.below(random.oneIn(4) ? 30_000 : 1_500)))
        if !random.oneIn(8) {
            app.reactions[.handleServiceEvents, default: []].append(.after(pause, .complete(.service, .done)))
        }
    }

    private mutating func action() -> Scenario.Action {
        let app = random.pick(names) ?? ""
        return switch random.below(12) {
        case 0...5: .input(.app(app, appAction()))
        case 6...8: .input(.wakeByService(app, part(true)))
        case 9: .fault(.stallService(part().service, random.oneIn(2)))
        default: .fault(.killService(part().service))
        }
    }
}
