import Model
import PolicyCore
import Testing

/// Services, apps and the daemon live and die at random, and what is held is compared with what was said.
@Suite("Storms of services") struct ServiceStormTests {
    private struct Key: Hashable {
        let service: ServiceIndex
        let app: Incarnation
        let hold: UInt8
    }

    /// What services believe, which is all that they may state.
    private struct Storm {
        let device: TestDevice
        let apps: [AppIndex]
        let services: [ServiceIndex]
        var random: SplitMix64
        var held: Set<Key> = []
        var away: [ServiceIndex: Instant] = [:]
        private var nextID: UInt64 = 1

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            device = TestDevice(label: "seed \(seed)")
            device.keepsLog = false
            let device = device
            apps = (0..<4).map { device.installTest("app\($0)", modes: $0.isMultiple(of: 2) ? .audio : []) }
            device.declare([
                ServiceDeclaration(
                    name: "free",
                    holds: [
                        .init(name: "a", sentence: "it does a"),
                        .init(name: "b", sentence: "it does b", activity: .streaming, priority: .foreground),
                    ],
                    windows: [.init(name: "w", sentence: "something", time: .seconds(5))]),
                ServiceDeclaration(
                    name: "keyed", holds: [.init(name: "c", sentence: "it does c")], mode: .audio),
            ])
            services = (0..<2).map { ServiceIndex($0) }
            for service in services { device.send(.service(.arrived(service, []))) }
        }

        private func incarnation(_ app: AppIndex) -> Incarnation {
            Incarnation(app, device.system.app(app)?.generation ?? Generation(0))
        }

        private func isAlive(_ incarnation: Incarnation) -> Bool {
            device.system.app(incarnation.app).map { $0.generation == incarnation.generation && $0.process != .none }
                ?? false
        }

        /// What was answered; `nil` while nothing was.
        private mutating func ask(_ event: (ServiceRequestID) -> ServiceEvent) -> ServiceRefusal?? {
            let id = ServiceRequestID(nextID)
            nextID += 1
            device.toldServices = []
            device.send(.service(event(id)))
            for case .answer(_, id, let refusal) in device.toldServices { return .some(refusal) }
            return nil
        }

        /// What is told between two steps: stops are answered or not, ends are believed.
        private mutating func hear() {
            for told in device.toldServices {
                switch told {
                case .answer: continue
                case .ended(let service, let app, let hold): held.remove(Key(service: service, app: app, hold: hold))
                case .stop(let service, let app, let hold):
                    held.remove(Key(service: service, app: app, hold: hold))
                    if away[service] == nil, !random.oneIn(4) {
                        device.send(.service(.stopped(service, app, hold: hold)))
                    }
                }
            }
            device.toldServices = []
            for (service, since) in away where device.now - since >= .seconds(10) {
                held = held.filter { $0.service != service }
            }
        }

        mutating func step() {
            let (app, service) = (apps[random.below(apps.count)], services[random.below(services.count)])
            let (incarnation, hold) = (incarnation(app), UInt8(service.rawValue == 0 ? random.below(2) : 0))
            let key = Key(service: service, app: incarnation, hold: hold)
            let stated = StatedHold(incarnation: incarnation, hold: hold, because: "")
            let isThere = away[service] == nil
            switch random.below(16) {
            case 0, 1, 2: device.open(app)
            case 3, 4: device.home()
            case 5: if random.oneIn(4) { device.perform(.close(app, wait: true)) }
            case 6: device.pass(.milliseconds(Int64(random.below(3000))))
            case 7, 8,
                9 where away[service] == nil:
                device.send(.service(.attached(service, incarnation)))
                switch ask({ .hold(service, $0, stated, limit: .zero) }) {
                case .some(nil): held.insert(key)
                case .some: break
                case nil: device.fault("a hold was not answered")
                }
            case 10 where isThere:
                let known = held.contains(key)
                if ask({ .drop(service, $0, incarnation, hold: hold) }) == .some(nil) {
                    held.remove(key)
                } else if known, isAlive(incarnation) {
                    device.fault("what is held cannot be dropped")
                }
            case 11 where isThere:
                device.send(.service(.lost(service)))
                away[service] = device.now
            case 12: comeBack(service)
            case 13 where random.oneIn(3):
                device.restartDaemon()
                // The grace begins anew.
                for service in services { away[service] = device.now }
            case 14 where isThere:
                _ = ask { .wake(service, $0, app, window: 0, because: "of it", payload: "") }
            default:
                let held = device.system.app(app)?.heldAssertions ?? []
                if let window = held.first(where: { $0.kind == .service && $0.claim == nil }) {
                    device.request(app, .complete(WindowID(window.id.rawValue), .done))
                }
            }
            device.run()
            // What is heard may lead to more.
            repeat {
                hear()
                device.run()
            } while !device.toldServices.isEmpty
        }

        /// It states what it believes, perhaps less; of what ended meanwhile it does not know.
        private mutating func comeBack(_ service: ServiceIndex) {
            guard away.removeValue(forKey: service) != nil else { return }
            if random.oneIn(4) { held = held.filter { $0.service != service || $0.hold != 0 } }
            let stated = held.filter { $0.service == service }.map {
                StatedHold(incarnation: $0.app, hold: $0.hold, because: "")
            }
            device.toldServices = []
            let inOrder = stated.sorted { ($0.incarnation.app, $0.hold) < ($1.incarnation.app, $1.hold) }
            device.send(.service(.arrived(service, inOrder)))
        }

        func check() {
            for app in apps {
                guard let state = device.system.app(app), state.process == .alive, state.ending == nil else { continue }
                let own = held.filter { $0.app == incarnation(app) }
                let claims = state.heldAssertions.compactMap(\.claim)
                let isKeyed = state.manifest.backgroundModes.contains(.audio)
                for key in own where isKeyed || key.service.rawValue == 0 {
                    if !claims.contains(where: { $0.service == key.service && $0.hold == key.hold }) {
                        device.fault("\(app.rawValue) is held, and that does not count")
                    }
                    if state.state == .suspended { device.fault("\(app.rawValue) is held, and frozen") }
                }
                for claim in claims where claim.sentence.hasPrefix("it does") {
                    if !own.contains(where: { $0.service == claim.service && $0.hold == claim.hold }) {
                        device.fault("\(app.rawValue) runs for what nobody holds")
                    }
                }
            }
        }
    }

    @Test("Who is held runs, who is not is suspended, whoever dies", arguments: 1...40 as ClosedRange<UInt64>)
    func storm(seed: UInt64) {
        var storm = Storm(seed: seed)
        for _ in 0..<400 where storm.device.faults.isEmpty {
            storm.step()
            storm.check()
        }
        // All go, and nothing is left.
        storm.device.home()
        for service in storm.services { storm.device.send(.service(.arrived(service, []))) }
        storm.device.pass(.seconds(400))
        for app in storm.apps {
            let state = storm.device.state(app)
            let isAtRest = state == .suspended || state == .notRunning
            if !isAtRest { storm.device.fault("\(app.rawValue) is \(state.name) at the end") }
        }
        #expect(storm.device.faults.isEmpty)
        storm.device.finish()
    }
}
