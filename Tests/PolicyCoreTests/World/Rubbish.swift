import Model
import PolicyCore
import Testing

/// Events that no host would send: of apps that do not exist, of other generations, out of order, at any moment.
struct Rubbish {
    let device = TestDevice(label: "rubbish")
    private var random: SplitMix64
    private let seed: UInt64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.seed = seed
        device.isLawless = true
        device.keepsLog = false
    }

    mutating func run(events: Int) {
        while device.eventCount < events, device.faults.isEmpty {
            if random.oneIn(3) { device.now = device.now + .milliseconds(Int64(random.below(5000))) }
            device.send(event())
        }
        #expect(device.faults.isEmpty, "seed \(seed)")
        device.finish()
    }

    private mutating func app() -> AppIndex { AppIndex(UInt32(random.oneIn(20) ? Int(UInt32.max) : random.below(10))) }

    private mutating func generation() -> Generation {
        Generation(random.oneIn(3) ? UInt32(truncatingIfNeeded: random.next()) : UInt32(random.below(4)))
    }

    /// Mostly the present generation, so that the news gets past the first gate.
    private mutating func process() -> (AppIndex, Generation) {
        let app = app()
        if !random.oneIn(5), let known = device.system.app(app) { return (app, known.generation) }
        return (app, generation())
    }

    private mutating func status() -> Model.ExitStatus {
        random.oneIn(3)
            ? .unknown : random.oneIn(2) ? .exited(Int32(random.below(3))) : .signaled(Int32(random.below(70)))
    }

    private mutating func event() -> Event {
        let (app, generation) = process()
        switch random.below(33) {
        case 31, 32: return .service(serviceEvent(app, generation))
        case 30: return .sessionEvents(app, session: random.oneIn(2) ? "" : "s", authentication: random.oneIn(2))
        case 28: return sockets(app, generation)
        case 29: return traffic(app)
        case 25:
            return .mechanism(
                Incarnation(app, generation),
                .gpu(.used(GPUUse(random.oneIn(2) ? .context : .commands, driver: "i915"))))
        case 0: return .clockChanged(wallOffset: Int64(bitPattern: random.next()))
        case 1: return random.oneIn(10) ? .booted : .timer
        case 2: return random.oneIn(5) ? .adopted(found()) : .timer
        case 3: return .installed(manifest())
        case 4: return .processStarted(app, generation, pid: Int32(truncatingIfNeeded: random.next()))
        case 5: return .launchFailed(app, generation, LaunchFailure(stage: "", errorNumber: .max, message: "\u{1b}"))
        case 6: return .connected(app, generation, executed: random.oneIn(2) ? nil : number())
        case 7: return .disconnected(app, generation)
        case 8...12: return .callbackReturned(app, generation, number(of: app))
        case 13: return .mainThreadAnswered(app, generation)
        case 14: return random.oneIn(4) ? .firstProcessEnded(app, generation, status()) : .timer
        case 15: return random.oneIn(4) ? .allProcessesEnded(app, generation) : .timer
        case 16: return .processesCounted(app, generation, Int32(truncatingIfNeeded: random.next() >> 40))
        case 17: return .tracerChecked(app, generation, isTraced: random.oneIn(2))
        case 18: return .prepared(app, generation)
        case 19: return .frozen(app, generation)
        case 20: return .verified(app, generation)
        case 23:
            return .mechanism(Incarnation(app, generation), .locks(.found(path: "/x", blocksOthers: random.oneIn(2))))
        case 21: return .request(app, RequestID(random.next()), request())
        case 22: return memory(app, generation)
        case 24: return random.oneIn(3) ? .room(disk(app, generation)) : .conditionSensed(condition())
        default: return .command(CommandID(random.next()), command(app))
        }
    }

    private mutating func traffic(_ app: AppIndex) -> Event {
        let purpose = Purpose.allCases[random.below(Purpose.allCases.count)]
        func any() -> Int64 { Int64(bitPattern: random.next()) >> Int64(random.below(60)) }
        if random.oneIn(3) {
            return .trafficCounted(
                app, purpose,
                CountedTraffic(
                    sent: any(), received: any(), from: Instant(nanoseconds: any()), to: Instant(nanoseconds: any()),
                    processor: random.oneIn(2) ? .zero : Span(nanoseconds: any())))
        }
        return .trafficSeen(
            random.oneIn(4) ? nil : app, purpose, sent: any(), received: any(), from: Instant(nanoseconds: any()),
            to: Instant(nanoseconds: any()))
    }

    private mutating func disk(_ app: AppIndex, _ generation: Generation) -> DiskEvent {
        switch random.below(6) {
        case 0: .emptied(app, freed: bytes())
        case 1:
            .measured(
                (0..<random.below(4)).map { number in
                    let incarnation =
                        number == 0 ? Incarnation(app, generation) : Incarnation(self.app(), self.generation())
                    return DiskMeasure(incarnation, bytes: bytes(), changed: bytes())
                })
        case 2: .sensed(free: bytes(), total: bytes())
        default: .sensed(free: Int64(random.below(400)) << 20, total: 20 << 30)
        }
    }

    private mutating func condition() -> Condition {
        let number = Int32(truncatingIfNeeded: random.next())
        switch random.below(12) {
        case 9: return .screenshot
        case 10: return .clock(ahead: Int64(bitPattern: random.next()))
        case 0: return .locale(random.oneIn(2) ? "" : "de_DE")
        case 1:
            let transitions = (0..<random.below(3)).map { _ in
                TimeZoneReading.Transition(at: Int64(bitPattern: random.next()), offset: number)
            }
            return .timeZone(TimeZoneReading("", offset: number, transitions: transitions))
        case 2: return .screen(ScreenReading(brightness: number, external: number))
        case 3: return .battery(BatteryReading(.charging, percent: number))
        case 4: return .battery(BatteryReading(.unplugged, percent: number))
        case 5: return .lowPower(random.oneIn(2))
        case 6: return .thermalState(ThermalState.allCases[random.below(4)])
        case 7: return .orientation(Orientation.allCases[random.below(7)])
        case 8: return .store(SharedStore("\(random.below(40))", stamp: Int64(random.below(3))))
        default: return .network(random.oneIn(2) ? .none : .wifi)
        }
    }

    private mutating func sockets(_ app: AppIndex, _ generation: Generation) -> Event {
        func count() -> Int32 {
            random.oneIn(3) ? 0 : random.oneIn(3) ? Int32(truncatingIfNeeded: random.next()) : Int32(random.below(3))
        }
        switch random.below(5) {
        case 0, 1:
            let listeners = (0..<random.below(4)).map { Listener(name: "port \($0)", peers: count()) }
            return .mechanism(Incarnation(app, generation), .sockets(.found(listeners, connections: count())))
        case 2: return .mechanism(Incarnation(app, generation), .sockets(.peerCame(name: "port 1")))
        case 3: return .mechanism(Incarnation(app, generation), .sockets(.refused(name: "\u{1b}", count: count())))
        default:
            let use = SocketUse(connections: count(), waiting: count(), work: .milliseconds(Int64(count())))
            return .mechanism(Incarnation(app, generation), .sockets(.seen(use)))
        }
    }

    private mutating func memory(_ app: AppIndex, _ generation: Generation) -> Event {
        switch random.below(8) {
        case 0: return .memoryConfigured(budget: bytes(), source: random.oneIn(2) ? .budget : .machine)
        case 1...2: return .memorySensed(available: bytes())
        case 3...4: return .footprintSampled(app, generation, footprint())
        case 5: return .reclaimed(app, generation, footprint())
        case 6:
            let ended = (0..<random.below(4)).map { _ in Incarnation(self.app(), self.generation()) }
            return .endedForMemory(ended + [Incarnation(app, generation)], available: bytes())
        default:
            let count = Int32(truncatingIfNeeded: random.next())
            let (mappings, largest) = (random.oneIn(2) ? 1 : count, bytes())
            return count & 3 == 0
                ? .purgeableCounted(app, generation, count)
                : .mappingsCounted(app, generation, mappings, largest: largest)
        }
    }

    /// Mostly such that something follows from it.
    private mutating func bytes() -> Int64 {
        random.oneIn(4) ? Int64(bitPattern: random.next()) : Int64(random.below(1 << 30))
    }

    private mutating func footprint() -> Footprint { Footprint(dirty: bytes(), purgeable: bytes(), clean: bytes()) }

    private mutating func number() -> CallbackNumber {
        CallbackNumber(random.oneIn(4) ? random.next() : UInt64(random.below(12)))
    }

    private mutating func number(of app: AppIndex) -> CallbackNumber {
        device.system.app(app)?.outstanding.first?.callback.number ?? number()
    }

    private mutating func found() -> [AdoptedApp] {
        (0..<random.below(12)).map { _ in
            AdoptedApp(
                app: app(), pid: random.oneIn(2) ? 5 : nil, isFrozen: random.oneIn(2),
                status: random.oneIn(2) ? status() : nil)
        }
    }

    private mutating func manifest() -> AppManifest {
        .test(
            "app\(random.below(8))", kind: random.oneIn(3) ? .plain : .application,
            modes: random.modes(),
            exitsOnSuspend: random.oneIn(8), schemes: ["a", "", "é"], isFreezable: !random.oneIn(8),
            tasks: random.oneIn(2) ? [] : ["t", "u"], scenes: SceneSupport.allCases[random.below(3)])
    }

    private mutating func task() -> TaskID {
        TaskID(random.oneIn(4) ? [0, .max, 1 << 63][random.below(3)] : UInt64(random.below(4)))
    }

    private mutating func serviceEvent(_ app: AppIndex, _ generation: Generation) -> ServiceEvent {
        let service = ServiceIndex(UInt32(random.oneIn(10) ? Int(UInt32.max) : random.below(4)))
        let (id, incarnation) = (ServiceRequestID(random.next()), Incarnation(app, generation))
        let hold = StatedHold(
            incarnation: incarnation, hold: UInt8(random.oneIn(10) ? 255 : random.below(3)), because: "\u{1b}")
        let span = Model.Span(nanoseconds: random.oneIn(2) ? 0 : Int64(bitPattern: random.next()))
        switch random.below(13) {
        case 12: return .remembered(service, random.oneIn(2) ? [app, app] : [AppIndex(.max)])
        case 0:
            return .declared(
                (0..<random.below(4)).map { number in
                    ServiceDeclaration(
                        name: "s\(number)",
                        holds: (0..<random.below(4)).map { .init(name: "h\($0)", sentence: "", limit: span) },
                        windows: (0..<random.below(3)).map {
                            .init(
                                name: "w\($0)", sentence: "", time: span,
                                callback: WindowCallback.allCases[random.below(WindowCallback.allCases.count)])
                        },
                        mode: random.oneIn(2) ? [] : .audio, worksInForeground: random.oneIn(2))
                })
        case 1: return .arrived(service, random.oneIn(2) ? [] : [hold, hold])
        case 2: return .lost(service)
        case 3, 4: return .attached(service, incarnation)
        case 5, 6, 7: return .hold(service, id, hold, limit: span)
        case 8: return .drop(service, id, incarnation, hold: hold.hold)
        case 9: return .stopped(service, incarnation, hold: hold.hold)
        default: return .wake(service, id, app, window: UInt8(random.below(3)), because: "", payload: "\u{0}")
        }
    }

    private mutating func request() -> AppRequest {
        switch random.below(17) {
        case 15: .scene(.activate(random.oneIn(2) ? nil : scene(), wish: UInt32(random.below(3))))
        case 16: .scene(.destroy(scene()))
        case 10: .complete(WindowID(random.oneIn(3) ? random.next() : UInt64(random.below(40))), .newData)
        case 11: .setFetchInterval(random.oneIn(3) ? nil : Model.Span(nanoseconds: Int64(bitPattern: random.next())))
        case 12: .submitTask(taskRequest())
        case 13: .cancelTask(random.oneIn(2) ? nil : "\u{0}")
        case 14: .pendingTasks
        case 7: .mechanism(.snapshots(.provide(random.oneIn(2))))
        case 8: .mechanism(.snapshots(.refresh))
        case 0: .openURL(["a:", "", ":", "é:x", "\u{0}"][random.below(5)])
        case 1: .canOpenURL("A:")
        case 2, 3: .keepScreenOn(random.oneIn(2))
        case 4: .beginTask(task(), name: ["", "é", "\u{0}"][random.below(3)])
        case 5, 6: .endTask(task())
        default: .backgroundTime
        }
    }

    private mutating func scene() -> SceneNumber {
        SceneNumber(random.oneIn(8) ? .max : UInt32(random.below(5)))
    }

    private mutating func taskRequest() -> BackgroundTaskRequest {
        BackgroundTaskRequest(
            identifier: random.oneIn(2) ? "t" : "\u{0}", kind: random.oneIn(2) ? .refresh : .processing,
            earliest: random.oneIn(2) ? nil : WallTime(nanoseconds: Int64(bitPattern: random.next())),
            needsNetwork: random.oneIn(2), needsPower: random.oneIn(2))
    }

    private mutating func command(_ app: AppIndex) -> Command {
        let kind = InterruptionKind.allCases[random.below(3)]
        let wait = random.oneIn(2)
        return switch random.below(22) {
        case 20:
            .openScene(app, random.oneIn(2) ? nil : scene(), role: random.role(), wait: wait)
        case 21: .closeScene(app, scene(), wait: wait)
        case 18: .simulateFetch(app, launches: random.oneIn(2), wait: wait)
        case 19: .allowRefresh(app, wait)
        case 0, 1, 2: .open(app, role: random.role(), wait: wait)
        case 3: .openURL("a:b", wait: wait)
        case 4: .home(wait: wait)
        case 5: .lock(wait: wait)
        case 6, 7: .unlock(wait: wait)
        case 8: .switcher(isOpen: wait, wait: wait)
        case 9: .close(app, wait: wait)
        case 10: .restart(app, wait: wait)
        case 11: .exempt(app, wait)
        case 12: .uninstall(app)
        case 13: .interrupt(kind, wait: wait)
        case 14: .dismiss(kind, wait: wait)
        case 15: .accept(kind, wait: wait)
        case 16: random.oneIn(2) ? .endCall(wait: wait) : .wake(wait: wait)
        default: random.oneIn(20) ? (wait ? .reboot : .shutDown) : .sleep(wait: wait)
        }
    }
}
