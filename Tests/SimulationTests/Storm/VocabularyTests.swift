import Model
import Simulation
import Testing

/// What there is comes from the enumerations, so that nothing new can be forgotten.
@Suite("What storms hold")
struct StormVocabularyTests {
    /// What was found in many storms.
    private struct Found {
        var inputs: Set<Input.Kind> = []
        var faults: Set<Fault.Kind> = []
        var actions: Set<AppAction.Kind> = []

        init(_ storms: [Scenario]) {
            for storm in storms {
                for step in storm.steps { note(step.action) }
                for app in storm.apps {
                    for actions in app.reactions.values { note(actions) }
                    for actions in app.hears.values { note(actions) }
                    note(app.expirations)
                }
            }
        }

        private mutating func note(_ action: Scenario.Action) {
            switch action {
            case .input(let input):
                inputs.insert(input.kind)
                if case .app(_, let action) = input { note([action]) }
            case .fault(let fault): faults.insert(fault.kind)
            case .expect: break
            }
        }

        private mutating func note(_ all: [AppAction]) {
            for action in all {
                actions.insert(action.kind)
                if case .after(_, let later) = action { note([later]) }
            }
        }
    }

    private static let storms = (1...200).map { StormGenerator.scenario(seed: $0) }

    /// Those that should be there and are not, and the reverse.
    private func misplaced<Kind: CaseIterable & Hashable>(
        _ found: Set<Kind>, withModels: Bool, _ place: (Kind) -> StormPlace
    ) -> [String] {
        Kind.allCases.compactMap { kind in
            switch place(kind) {
            case .drawn: found.contains(kind) ? nil : "no storm has \(kind)"
            case .drawnWithModels:
                found.contains(kind) == withModels ? nil : "\(kind) in storms with models: \(!withModels)"
            case .never(let reason): found.contains(kind) ? "a storm has \(kind), although \(reason)" : nil
            }
        }
    }

    @Test("Storms hold every input, every fault and everything that apps do, but for what is said to be missing")
    func everything() {
        let found = Found(Self.storms)
        #expect(misplaced(found.inputs, withModels: false) { $0.stormPlace } == [])
        #expect(misplaced(found.faults, withModels: false) { $0.stormPlace } == [])
        #expect(misplaced(found.actions, withModels: false) { $0.stormPlace } == [])
    }

    @Test("With services that have the logic of real ones, apps ask them for something too")
    func models() {
        let models = ServiceModels(["parrot": Parrot.self])
        let found = Found((1...50).map { StormGenerator.scenario(seed: $0, models: models) })
        #expect(misplaced(found.actions, withModels: true) { $0.stormPlace } == [])
        #expect(misplaced(found.inputs, withModels: true) { $0.stormPlace } == [])
    }

    @Test("Storms meet every profile, apps and plain programs, with and without a limit of memory")
    func devices() {
        #expect(Set(Self.storms.map(\.profile.name)) == Set(DeviceProfile.all.map(\.name)))
        #expect(Set(Self.storms.flatMap(\.apps).map(\.manifest.kind)) == [.application, .plain])
        #expect(Set(Self.storms.map { $0.memory == nil }) == [true, false])
    }

    @Test("Every fault that can come by itself does so in some storm")
    func rates() {
        // By reflection: a new rate is looked for without a change here.
        var (all, found) = (Set<String>(), Set<String>())
        for storm in Self.storms {
            for child in Mirror(reflecting: storm.rates).children {
                guard let name = child.label, let rate = child.value as? Int else { continue }
                all.insert(name)
                if rate > 0 { found.insert(name) }
            }
        }
        #expect(all.count >= 8 && found == all, "no storm has \(all.subtracting(found))")
    }
}

/// A service that says what it is told, for storms that are only made, not run.
private struct Parrot: ServiceModel {
    static let declaration = ServiceDeclaration(name: "parrot")
    var isUnfinished: Bool { false }

    static func misunderstanding(of words: String) -> String? { nil }
    static func words(_ random: inout SplitMix64, canBegin: Bool) -> String { "hello \(random.below(3))" }
    static func misunderstandingFromOutside(of words: String) -> String? { nil }
    static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String? { "hello \(app)" }
    mutating func start(_ life: ServiceModelLife) {}
    mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct] { [] }
    mutating func nextDeadline() -> Instant? { nil }
    func brokenPromises() -> [String] { [] }
}
