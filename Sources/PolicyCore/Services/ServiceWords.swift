internal import Model

// Services in words, for the log and for whoever reads a recording.
extension System {
    private func name(of service: ServiceIndex) -> String {
        broker?[service]?.declaration.name ?? "the unknown service \(service.rawValue)"
    }

    private func name(of hold: UInt8, of service: ServiceIndex) -> String {
        let holds = broker?[service]?.declaration.holds ?? []
        return Int(hold) < holds.count ? holds[Int(hold)].name : "\(hold)"
    }

    /// Why an app runs that a service holds.
    func serviceReason(_ i: Int, _ assertion: Assertion) -> Reason {
        guard let claim = assertion.claim else { return windowReason(i, assertion) }
        return .heldByService(name(of: claim.service), sentence: claim.sentence)
    }

    func sentence(for event: ServiceEvent) -> String {
        switch event {
        case .declared(let declarations):
            "services are declared: \(declarations.map(\.name).joined(separator: ", "))"
        case .noted(let service, let app, let sentence):
            "\(name(of: service)) says of \(name(of: app)): \(sentence)"
        case .receives(let service, let apps):
            "\(name(of: service)) receives satellites for \(apps.isEmpty ? "nobody" : apps.map(name(of:)).joined(separator: ", "))"
        case .remembered(let service, let apps): "\(name(of: service)) knows \(apps.count) apps from before"
        case .arrived(let service, let holds): "\(name(of: service)) is there, and holds \(holds.count) things"
        case .lost(let service): "\(name(of: service)) is gone"
        case .attached(let service, let incarnation):
            "\(name(of: incarnation.app)) is connected to \(name(of: service))"
        case .hold(let service, _, let hold, _):
            "\(name(of: service)) holds \(name(of: hold.hold, of: service)) for \(name(of: hold.incarnation.app))"
        case .drop(let service, _, let incarnation, let hold):
            "\(name(of: service)) drops \(name(of: hold, of: service)) for \(name(of: incarnation.app))"
        case .stopped(let service, let incarnation, let hold):
            "\(name(of: service)) stopped \(name(of: hold, of: service)) for \(name(of: incarnation.app))"
        case .wake(let service, _, let app, _, let because, _):
            "\(name(of: service)) wakes \(name(of: app)): \(because)"
        }
    }

    func sentence(for action: ServiceAction) -> String {
        switch action {
        case .answer(let service, let id, let refusal):
            "answer request \(id.rawValue) of \(name(of: service)): " + (refusal?.sentence ?? "done")
        case .stop(let service, let incarnation, let hold):
            "tell \(name(of: service)) to stop \(name(of: hold, of: service)) for \(name(of: incarnation.app))"
        case .ended(let service, let incarnation, let hold):
            "tell \(name(of: service)) that \(name(of: hold, of: service)) for \(name(of: incarnation.app)) is over"
        }
    }
}
