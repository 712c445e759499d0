import Model
import PolicyCore
import Testing

// A service's side of the broker.
extension StatedHold {
    init(_ device: TestDevice, _ app: AppIndex, _ hold: UInt8) {
        self.init(incarnation: device.incarnation(app), hold: hold, because: "")
    }
}

extension TestDevice {
    func declare(_ services: [ServiceDeclaration]) { send(.service(.declared(services))) }

    func service(_ name: String) throws -> ServiceIndex { try #require(system.broker?.index(of: name)) }

    func incarnation(_ app: AppIndex) -> Incarnation {
        Incarnation(app, system.app(app)?.generation ?? Generation(0))
    }

    func attach(_ app: AppIndex, _ name: String) throws {
        send(.service(.attached(try service(name), incarnation(app))))
    }

    /// What the service hears.
    func answer(_ event: (ServiceRequestID) -> ServiceEvent) -> ServiceRefusal? {
        let id = ServiceRequestID(UInt64(toldServices.count))
        send(.service(event(id)))
        run()
        for case .answer(_, id, let refusal) in toldServices { return refusal }
        fault("a service was not answered")
        return nil
    }

    func hold(
        _ app: AppIndex, _ name: String, _ hold: UInt8, limit: Model.Span = .zero
    ) throws -> ServiceRefusal? {
        let (service, stated) = (try service(name), StatedHold(self, app, hold))
        return answer { .hold(service, $0, stated, limit: limit) }
    }

    func drop(_ app: AppIndex, _ name: String, _ hold: UInt8) throws -> ServiceRefusal? {
        let (service, incarnation) = (try service(name), incarnation(app))
        return answer { .drop(service, $0, incarnation, hold: hold) }
    }

    /// For tests of what happens in a window.
    func wakeByService(_ app: AppIndex, time: Model.Span) {
        let declaration = ServiceDeclaration(
            name: "waker", windows: [.init(name: "window", sentence: "a window", time: time)])
        declare([declaration])
        guard let service = system.broker?.index(of: "waker") else { return fault("nothing is declared") }
        send(.service(.arrived(service, [])))
        send(.service(.attached(service, incarnation(app))))
        send(.service(.wake(service, ServiceRequestID(0), app, window: 0, because: "of a test", payload: "")))
        run()
    }
}

/// Services that apps of tests use, declared as those that come with Greenroom declare themselves.
enum ProbeService: String, CaseIterable {
    case audio, location

    var mode: BackgroundModes { BackgroundModes(keys: [rawValue]) }

    var declaration: ServiceDeclaration {
        switch self {
        case .audio:
            ServiceDeclaration(
                name: rawValue,
                holds: [
                    .init(name: "playing", sentence: "it plays audio", activity: .streaming, priority: .foreground)
                ], mode: mode)
        case .location:
            ServiceDeclaration(
                name: rawValue,
                holds: [.init(name: "updating", sentence: "it follows its location", activity: .location)], mode: mode)
        }
    }
}

extension TestDevice {
    private func present(_ probe: ProbeService) -> ServiceIndex {
        if let known = system.broker?.index(of: probe.rawValue) { return known }
        let others = system.broker?.services.filter(\.isDeclared).map(\.declaration) ?? []
        declare(others + ProbeService.allCases.map(\.declaration))
        for probe in ProbeService.allCases {
            guard let index = system.broker?.index(of: probe.rawValue) else { continue }
            send(.service(.arrived(index, [])))
        }
        return system.broker?.index(of: probe.rawValue) ?? ServiceIndex(.max)
    }

    /// The app asks the service to do something for it; why it does not.
    @discardableResult
    func use(_ probe: ProbeService, by app: AppIndex) -> ServiceRefusal? {
        let service = present(probe)
        send(.service(.attached(service, incarnation(app))))
        let stated = StatedHold(self, app, 0)
        return answer { .hold(service, $0, stated, limit: .zero) }
    }

    @discardableResult
    func leave(_ probe: ProbeService, by app: AppIndex) -> ServiceRefusal? {
        let (service, incarnation) = (present(probe), incarnation(app))
        return answer { .drop(service, $0, incarnation, hold: 0) }
    }

    /// Services that were told to stop have stopped.
    func stopServices() {
        for case .stop(let service, let incarnation, let hold) in toldServices {
            send(.service(.stopped(service, incarnation, hold: hold)))
        }
        run()
    }
}
