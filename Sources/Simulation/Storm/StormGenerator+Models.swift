internal import Model

/// Services with the logic of real ones in a storm: apps say what these understand, people and other machines too, and
/// they die with everything else. Each is drawn from numbers of its own, so that the others are as they are without it.
struct StormModels {
    private var random: SplitMix64

    static func add(_ models: ServiceModels, to scenario: inout Scenario) {
        var storms: [UInt64: StormModels] = [:]
        for name in models.names {
            guard let type = models.types[name] else { continue }
            let stream = type.stormStream
            var storm = storms[stream] ?? StormModels(random: SplitMix64(seed: scenario.seed, for: stream))
            if !storm.random.oneIn(4) {
                scenario.services.append(ServiceScript(model: name))
                storm.add(name, type, to: &scenario)
            }
            storms[stream] = storm
        }
    }

    private mutating func add(_ name: String, _ type: any ServiceModel.Type, to scenario: inout Scenario) {
        let places = scenario.apps.indices.filter { scenario.apps[$0].manifest.kind != .plain }
        guard !places.isEmpty else { return }
        for place in places where !random.oneIn(3) { teach(&scenario.apps[place], name, type) }
        let last = scenario.steps.last?.at ?? .zero
        let busy = Span(nanoseconds: max(0, last.nanoseconds - 1))
        let steps = (0..<max(6, scenario.steps.count / 10)).map { _ in
            let app = scenario.apps[random.pick(places) ?? 0].name
            let isFault = random.oneIn(6)
            let words = isFault ? "" : type.words(&random, canBegin: true)
            let action: Scenario.Action = isFault ? .fault(.killService(name)) : .input(.app(app, .ask(name, words)))
            return Scenario.Step(at: random.span(.zero, busy), action)
        }
        let outside = (0..<max(6, scenario.steps.count / 4)).compactMap { _ -> Scenario.Step? in
            let app = scenario.apps[random.pick(places) ?? 0].manifest.identifier
            guard let words = type.wordsFromOutside(&random, of: app) else { return nil }
            return Scenario.Step(at: random.span(.zero, busy), .input(.tellService(name, words)))
        }
        scenario.steps = (scenario.steps + steps + outside).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// What an app says by itself. At the end of a storm everything comes to rest, so nobody begins something when it
    /// is woken or launched, which something that has ended may have brought about: only when the user is there.
    private mutating func teach(_ app: inout AppScript, _ name: String, _ type: any ServiceModel.Type) {
        let callbacks: [(CallbackKind, chance: Int, canBegin: Bool)] = [
            (.didFinishLaunching, 2, false), (.handleEventsForBackgroundURLSession, 1, false),
            (.handleServiceEvents, 1, false), (.didEnterBackground, 3, false), (.didBecomeActive, 3, true),
        ]
        for (callback, chance, canBegin) in callbacks where random.oneIn(chance) {
            app.reactions[callback, default: []].append(.ask(name, type.words(&random, canBegin: canBegin)))
        }
        for (words, actions) in (random.pick(type.habits) ?? [:]).sorted(by: { $0.key < $1.key }) {
            app.hears[words, default: []] += actions
        }
    }
}
