internal import Model
internal import PolicyCore
internal import Simulation

// What services did: apps asked them for it, and they ask again in the scenario.
extension ScenarioMaker {
    mutating func note(_ event: ServiceEvent, _ system: System) {
        switch event {
        case .declared(let declarations): know(declarations)
        case .hold(let service, _, let stated, _):
            if let (app, part) = use(service, stated.incarnation, stated.hold, system) {
                add(.input(.app(app, .use(part))), at: now)
            }
        case .drop(let service, _, let incarnation, let hold):
            if let (app, part) = use(service, incarnation, hold, system) {
                add(.input(.app(app, .leave(part))), at: now)
            }
        case .wake(let service, _, let app, let window, _, let payload):
            guard let declaration = system.broker?[service]?.declaration, let place = place(app) else { return }
            noteWake(declaration, window, apps[place].name, payload)
        case .lost(let service):
            if let name = system.broker?[service]?.declaration.name { add(.killService(name), at: now) }
        case .arrived, .attached, .stopped, .remembered, .noted, .receives: return
        }
    }

    mutating func know(_ declarations: [ServiceDeclaration]) {
        for declaration in declarations where !services.contains(where: { $0.declaration.name == declaration.name }) {
            services.append(ServiceScript(declaration))
        }
    }

    private func use(
        _ service: ServiceIndex, _ incarnation: Incarnation, _ hold: UInt8, _ system: System
    ) -> (String, ServicePart)? {
        guard let declaration = system.broker?[service]?.declaration, Int(hold) < declaration.holds.count,
            let place = present(incarnation.app, incarnation.generation)
        else { return nil }
        return (apps[place].name, ServicePart(declaration.name, declaration.holds[Int(hold)].name))
    }

    private mutating func noteWake(_ declaration: ServiceDeclaration, _ window: UInt8, _ app: String, _ payload: String)
    {
        guard Int(window) < declaration.windows.count else {
            return add(.wakeByService(app, ServicePart(declaration.name, "undeclared")))
        }
        let declared = declaration.windows[Int(window)]
        // What Apple's methods are called with, scenarios say without a service.
        switch declared.callback {
        case .serviceEvents, .serviceEventsAtLaunch, .locationEventsAtLaunch, .localOpening, .remoteOpening, .opening:
            add(.wakeByService(app, ServicePart(declaration.name, declared.name)))
        case .sessionEvents: add(.sessionEvents(app, session: payload, authentication: false))
        case .sessionChallenge: add(.sessionEvents(app, session: payload, authentication: true))
        }
    }

    /// Those that an app used, or for which apps are launched.
    func usedServices(_ steps: [Scenario.Step]) -> [ServiceScript] {
        services.filter { service in
            service.declaration.launchesAtBoot || service.declaration.relaunches
                || steps.contains { $0.action.serviceName == service.declaration.name }
        }
    }
}
