internal import LocationCore
package import LocationModel
internal import LocationWire
package import Model
internal import ServiceCore
internal import Simulation

// What the Core wants done, and what people do.
extension SimulatedLocation {
    mutating func perform(_ effect: LocationEffect) {
        switch effect {
        case .store, .erase, .own(.compass): break
        case .reply(let request, let reply): answered(request, .success(reply))
        case .refuse(let request, let refusal): answered(request, .failure(refusal))
        case .tell(let connection, let seq, let news): tell(connection.rawValue, seq, news)
        case .notify(let connection, let notice): notify(connection.rawValue, notice)
        case .hold(let app, let process, let hold, let because):
            let number = number()
            askedHolds[number] = (app, hold)
            acts.append(
                .hold(ServiceModelHold(app, process: process, hold.rawValue), because: because, number: number))
        case .drop(let app, let process, let hold, _):
            acts.append(.drop(ServiceModelHold(app, process: process, hold.rawValue)))
        case .stopped(let order): acts.append(.stopped(order: order.rawValue))
        case .wake(let app, let upTo, let window, let because, let payload):
            let number = number()
            wakes[number] = (app, upTo)
            acts.append(.wake(app, window: window.rawValue, because: because, payload: payload, number: number))
        case .ask(let service, let question): ask(service, question)
        case .note(let app, let sentence): acts.append(.note(app, sentence))
        case .own(.power(let source, let isOn)): power(source, isOn)
        case .own(.users(let apps)): acts.append(.satellites(apps))
        }
    }

    // MARK: People

    mutating func perform(_ way: SpokenWay, isAlive: Bool) {
        switch way {
        case .place(let place): facts.ground.set(place, at: now)
        case .go(let goal, let speed): facts.ground.go(to: goal, speed: speed, at: now)
        case .follow(let points):
            facts.ground.follow(points.map { Ground.Point($0.place, at: now + .seconds($0.seconds)) })
        case .sky(let isThere): facts.ground.hasSky = isThere
        case .radio(let isThere): facts.ground.hasRadio = isThere
        case .receiver(let isThere): facts.ground.hasReceiver = isThere
        case .permit(let app, let authorization, let isReduced):
            guard isAlive else { return }
            let id = RequestID(number())
            requests[id] = LocationAsked(connection: 0, kind: .deed)
            return post(.tool(id, .permit(app, authorization, isReduced: isReduced)))
        case .fix(let fix):
            guard isAlive else { return }
            return post(.own(.fix(fix)))
        }
        if isAlive { worldChanged() }
    }

    // MARK: Questions

    /// Its own, and those of which another service is told.
    package func regions(of app: AppIdentifier) -> [Region] {
        RegionList.allCases.flatMap { facts.records[app]?[$0] ?? [] }.map(\.region)
    }

    package func answer(_ question: String, at now: Instant) -> String? {
        let words = question.split(separator: " ", maxSplits: 2).map(String.init)
        let app = words.count >= 2 ? AppIdentifier(words[1]) : nil
        let known = app.flatMap { app in system.status.apps.first { $0.app == app } }
        switch words.first {
        case "satellites": return system.powered.contains(.gps) ? "on" : "off"
        case "users":
            let users = system.status.sources.first { $0.source == .gps }?.users ?? []
            return users.isEmpty ? "nobody" : users.map(\.rawValue).joined(separator: " ")
        case "why": return app.map(system.why)
        case "authorization": return (known?.authorization ?? .notDetermined).rawValue
        case "regions":
            return (known?.regions ?? []).map { "\($0.region.identifier) \($0.state.rawValue)" }.joined(separator: ", ")
        case "places":
            let places = (known?.places ?? []).map { "\($0.region.identifier) \($0.state.rawValue)" }
            return places.isEmpty ? "none" : places.joined(separator: ", ")
        case "updates": return known?.updates == nil ? "off" : known?.isPaused == true ? "paused" : "on"
        case "look": return system.status.look
        case "waiting": return "\(known?.waiting ?? 0)"
        case "refused": return refusedDeed?.word ?? "nothing"
        default: return nil
        }
    }
}
