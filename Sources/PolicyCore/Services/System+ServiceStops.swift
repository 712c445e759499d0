internal import Model

// L11: without its key an app uses a service on screen only. It is not suspended before the service has stopped.
extension System {
    mutating func endServicesWithoutKey(_ i: Int) {
        guard let broker else { return }
        for (s, service) in broker.services.enumerated() {
            for hold in service.holds {
                guard case .onScreen = hold.phase, Int(hold.incarnation.app.rawValue) == i else { continue }
                orderStop(of: hold, s)
                logAsked(i, .serviceStopped, .serviceUndeclared(key: service.declaration.mode.keys.joined()))
            }
        }
    }

    /// It has a second for it. One that is away hears of it when it is there again: until then the app is not
    /// suspended, since nobody could say what of it still goes on.
    mutating func orderStop(of hold: Broker.Hold, _ s: Int) {
        guard let service = broker?.services[s], let place = broker?.place(hold.incarnation, hold.kind, in: s) else {
            return
        }
        let i = Int(hold.incarnation.app.rawValue)
        let kind = service.declaration.holds[Int(hold.kind)]
        let claim = ServiceClaim(
            service: ServiceIndex(UInt32(s)), hold: hold.kind,
            sentence: "the service \(service.declaration.name) is about to stop for it", activity: kind.activity,
            // The app takes part, for example by answering the sound server, and has only a second.
            priority: .timed)
        let isHere = service.presence == .here
        let id = take(
            i, .service, name: "\(service.declaration.name).\(kind.name)",
            lasting: isHere ? Broker.stopLimit : nil, claim: claim)
        if let earlier = hold.assertion { apps[i].assertions.drop(earlier) }
        broker?.services[s].holds[place].phase = .stopping(id)
        touch(hold.incarnation.app)
        guard isHere else { return }
        emit(.service(.stop(ServiceIndex(UInt32(s)), hold.incarnation, hold: hold.kind)), cause: apps[i].cause)
    }

    mutating func serviceStopped(_ service: ServiceIndex, _ incarnation: Incarnation, _ kind: UInt8) {
        guard let s = try? place(service), let place = broker?.place(incarnation, kind, in: s),
            let hold = broker?.services[s].holds[place], case .stopping = hold.phase
        else { return }
        release(hold, of: s)
    }

    /// Assertions whose time is over are gone: what they stood for goes with them.
    mutating func settleHolds(_ i: Int) {
        guard let broker else { return }
        for (s, service) in broker.services.enumerated() {
            for hold in service.holds where Int(hold.incarnation.app.rawValue) == i {
                guard let id = hold.assertion, apps[i].assertions.others.place(of: id) == nil else { continue }
                if case .stopping = hold.phase {
                    log(i, .serviceStopped, .serviceDidNotStop(service.declaration.name, within: Broker.stopLimit))
                }
                end(hold, of: s)
            }
        }
    }
}
