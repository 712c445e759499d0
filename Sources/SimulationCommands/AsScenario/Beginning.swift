internal import Model
internal import PolicyCore
internal import Simulation

/// How a device is brought to where a recording begins, if apps ran then: opened one after the other, the longest
/// unchanged first, and then what lay over them.
struct Beginning {
    private(set) var steps: [Scenario.Step] = []
    private(set) var duration = Span.zero
    /// What the apps were, where that was not on the way to something else.
    private(set) var states: [(name: String, state: LifecycleState)] = []

    /// Enough for a launch, or for leaving the screen.
    private static let pause = Span.seconds(3)

    private let broker: Broker?

    init(of system: System, names: (AppIndex) -> String) {
        broker = system.broker
        let running = system.allApps.filter { $0.process != .none && $0.isInstalled }
        for app in system.allApps where app.isExempt && app.isInstalled { add(.exempt(names(app.index), true)) }
        for app in running.filter({ $0.role == nil }).sorted(by: { $0.since < $1.since }) {
            open(app, names(app.index), as: .primary)
            add(.home, taking: Self.pause)
        }
        let shown = running.compactMap { app in app.role.map { (app, $0) } }
        for (app, role) in shown.sorted(by: { $0.1.rawValue < $1.1.rawValue }) { open(app, names(app.index), as: role) }
        if system.isSwitcherOpen { add(.switcher(isOpen: true), taking: Self.pause) }
        for kind in system.interruptions { add(.interrupt(kind), taking: Self.pause) }
        if system.isAsleep {
            add(.sleep, taking: Self.pause)
        } else if system.isLocked {
            add(.lock, taking: Self.pause)
        }
        for app in system.installedApps where app.isAtRest { states.append((names(app.index), app.state)) }
    }

    private func part(_ claim: ServiceClaim?) -> ServicePart? {
        guard let claim, let declaration = broker?[claim.service]?.declaration,
            Int(claim.hold) < declaration.holds.count
        else { return nil }
        return ServicePart(declaration.name, declaration.holds[Int(claim.hold)].name)
    }

    private mutating func open(_ app: App, _ name: String, as role: ScreenRole) {
        add(.open(name, role: role), taking: Self.pause)
        for assertion in app.heldAssertions {
            switch assertion.kind {
            case .task: add(.app(name, .beginTask(assertion.name)), taking: .milliseconds(100))
            case .service:
                guard let part = part(assertion.claim) else { continue }
                add(.app(name, .use(part)), taking: .milliseconds(100))
            case .exemption, .graphical, .listen, .fetch, .sessionEvents, .refresh, .processing: break
            }
        }
    }

    private mutating func add(_ input: Input, taking span: Span = .zero) {
        steps.append(Scenario.Step(at: duration, .input(input)))
        duration = duration + span
    }
}

extension App {
    /// Nothing of it is on the way to something else.
    var isAtRest: Bool {
        guard process == .none || process == .alive, outstanding.isEmpty, ending == nil else { return false }
        switch suspension {
        case .none, .confirmed: return true
        case .preparing, .freezing, .verifying, .waiting: return false
        }
    }
}
