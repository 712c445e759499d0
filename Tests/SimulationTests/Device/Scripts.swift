import Model
import PolicyCore
import Simulation
import Testing

extension AppScript {
    static func test(
        _ name: String, kind: AppKind = .application, modes: BackgroundModes = [], schemes: [String] = []
    ) throws -> AppScript {
        let identifier = try #require(AppIdentifier("org.example." + name))
        return AppScript(
            name: name,
            manifest: AppManifest(
                identifier: identifier, name: name, kind: kind, backgroundModes: modes, urlSchemes: schemes))
    }
}

extension Device {
    /// Opens an app and waits for the answer.
    @discardableResult
    func open(_ name: String) -> Answer? { finish(.open(name, role: .primary)) }

    @discardableResult
    func finish(_ input: Input) -> Answer? {
        guard let id = perform(input) else { return nil }
        advance(within: .seconds(120)) { $0.answers[id] != nil }
        return answers[id]?.answer
    }

    func calls(_ name: String) -> [CallbackKind] {
        place(named: name).map { apps[$0].calls.map(\.kind) } ?? []
    }

    func state(_ name: String) -> LifecycleState { place(named: name).map { state($0) } ?? .notRunning }

    func process(_ name: String) -> SimulatedProcess? { place(named: name).flatMap { apps[$0].process } }
}

enum Sequences {
    static let launch: [CallbackKind] = [.willFinishLaunching, .didFinishLaunching, .didBecomeActive]
    static let leave: [CallbackKind] = [.willResignActive, .didEnterBackground]
    static let comeBack: [CallbackKind] = [.willEnterForeground, .didBecomeActive]
}
