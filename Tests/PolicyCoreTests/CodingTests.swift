import Foundation
import Model
import PolicyCore
import Testing

@Suite("The coding of events") struct CodingTests {
    private static let app = AppIndex(3_000_000_000)
    private static let generation = Generation(.max)

    static let events: [Event] =
        [
            .clockChanged(wallOffset: .min), .clockChanged(wallOffset: .max), .booted, .timer, .adopted([]),
            .adopted([
                AdoptedApp(app: app, pid: nil, isFrozen: true, status: .signaled(9)),
                AdoptedApp(app: AppIndex(0), pid: .max, isFrozen: false, status: nil),
                AdoptedApp(app: AppIndex(1), pid: 1, isFrozen: false, status: .exited(-1)),
                AdoptedApp(app: AppIndex(2), pid: 1, isFrozen: false, status: .unknown),
            ]),
            .installed(.test("x", modes: [.audio, .listen], schemes: ["geo", "käse"])),
            .installed(.test("z", modes: .processing, tasks: ["a", ""])),
            .installed(
                .test("w", modes: BackgroundModes(keys: ["heard", "audio", "a.b"]), tasks: ["a"], scenes: .one)),
            .installed(.test("s", connectionLimit: .zero)),
            .installed(.test("s", tasks: ["a"], scenes: .one, connectionLimit: .seconds(30))),
            .installed(.test("s", scenes: .one)), .installed(.test("s", tasks: ["a"], scenes: .several)),
            .wishesRestored(app, WakeWishes(scenes: [SceneNumber(1), SceneNumber(.max)])),
            .wishesRestored(app, WakeWishes(interval: .zero, closedScenes: [SceneNumber(2)])),
            .sessionEvents(app, session: "é\u{0}", authentication: true),
            .sessionEvents(app, session: "", authentication: false),
            .wishesRestored(app, WakeWishes()),
            .wishesRestored(
                app, WakeWishes(interval: .zero, tasks: [BackgroundTaskRequest(identifier: "a", kind: .refresh)])),
            .habitsRestored(FetchPlannerTests.remembered),
            .habitsRestored(FetchPlanner(rules: FetchRules()).memory),
            .installed(.test("y", kind: .plain, exitsOnSuspend: true, isFreezable: false)),
            .processStarted(app, generation, pid: .min), .connected(app, generation, executed: nil),
            .launchFailed(app, generation, LaunchFailure(stage: "clone3 🧊", errorNumber: -5, message: "")),
            .connected(app, generation, executed: CallbackNumber(.max)), .disconnected(app, generation),
            .callbackReturned(app, generation, CallbackNumber(0)), .mainThreadAnswered(app, generation),
            .firstProcessEnded(app, generation, .exited(.min)), .allProcessesEnded(app, generation),
            .processesCounted(app, generation, .max), .tracerChecked(app, generation, isTraced: true),
            .prepared(app, generation), .frozen(app, generation), .verified(app, generation),
            .mechanism(Incarnation(app, generation), .locks(.inputGrabbed(display: ":0"))),
            .mechanism(Incarnation(app, generation), .sockets(.called(method: "a.é", isUnread: true))),
            .mechanism(Incarnation(app, generation), .locks(.found(path: "/é\u{0} b", blocksOthers: true))),
            .mechanism(Incarnation(app, generation), .gpu(.used(GPUUse(.context, driver: "nvidia")))),
            .mechanism(Incarnation(app, generation), .disk(.filled(DiskUse(written: .max, free: .min)))),
            .mechanism(Incarnation(app, generation), .descriptors(.nearLimit(open: .max, limit: .min))),
            .mechanism(Incarnation(app, generation), .inversions(.found(inversion))),
            .mechanism(Incarnation(app, generation), .inversions(.seen(inversion, lock: .max))),
            .mechanism(Incarnation(app, generation), .descriptors(.counted(open: .max, limit: .min))),
            .room(.sensed(free: .min, total: .max)), .room(.measured([])), .room(.emptied(app, freed: .max)),
            .room(.measured([DiskMeasure(Incarnation(app, generation), bytes: .max, changed: .min)])),
            .trafficSeen(app, .fetch, sent: 1, received: .max, from: .zero, to: Instant(nanoseconds: .max)),
            .trafficSeen(nil, .push, sent: 0, received: 0, from: Instant(nanoseconds: -1), to: .zero),
            .trafficCounted(
                app, .browsing,
                CountedTraffic(sent: .max, received: 1, from: Instant(nanoseconds: -1), to: .zero)),
            .trafficCounted(
                app, .fetch,
                CountedTraffic(
                    sent: 0, received: 1, from: .zero, to: Instant(nanoseconds: 5),
                    processor: Span(nanoseconds: .max))),
            .habitsRestored(FetchPlannerTests.rememberedWithBytes),
            .mechanism(Incarnation(app, generation), .gpu(.used(GPUUse(.commands, driver: "")))),
            .conditionSensed(.locale("de_DE")), .conditionSensed(.network(.wired)),
            .conditionSensed(.timeZone(zone)), .conditionSensed(.screen(ScreenReading(brightness: 3, external: 2))),
            .conditionSensed(.battery(BatteryReading(.full, percent: 100))), .conditionSensed(.lowPower(true)),
            .conditionSensed(.thermalState(.critical)), .conditionSensed(.orientation(.faceDown)),
            .conditionSensed(.store(SharedStore("é\u{0}", stamp: .min))), .conditionSensed(.screenshot),
            .conditionSensed(.clock(ahead: -86_400)),
            .mechanism(Incarnation(app, generation), .sockets(.found([], connections: .min))),
            .mechanism(Incarnation(app, generation), .sockets(.peerCame(name: "/é\u{0}"))),
            .mechanism(
                Incarnation(app, generation),
                .sockets(.found([Listener(name: "port 1", peers: .max), Listener(name: "", peers: 0)], connections: 3))),
            .mechanism(Incarnation(app, generation), .sockets(.refused(name: "port 8080", count: .max))),
            .mechanism(
                Incarnation(app, generation),
                .sockets(.seen(SocketUse(connections: .max, waiting: .min, work: .seconds(3))))),
            .memoryConfigured(budget: .max), .memorySensed(available: .min),
            .memoryConfigured(budget: 1, source: .machine),
            .footprintSampled(app, generation, Footprint(dirty: .max, purgeable: .min, clean: 3)),
            .endedForMemory([], available: .min), .mappingsCounted(app, generation, .max, largest: .max),
            .purgeableCounted(app, generation, .max),
            .endedForMemory([Incarnation(app, generation), Incarnation(AppIndex(0), Generation(9))], available: 1),
            .reclaimed(app, generation, Footprint(dirty: 1, purgeable: 0, clean: .max)),
        ] + ServiceSamples.events + commands.map { .command(CommandID(.max), $0) }
        + requests.map { .request(app, RequestID(.max), $0) } + retired.map { .retired($0) }

    private static let retired: [RetiredEvent] =
        RetiredService.allCases.flatMap {
            [.beginService(app, RequestID(.max), $0), .endService(app, RequestID(.max), $0)]
        } + [
            .openCovering(CommandID(.max), app, wait: true), .openCovering(CommandID(0), app, wait: false),
        ]

    private static let inversion = PriorityInversion(thread: "é\u{0}", app: "b", rank: .suspended, nice: .min)

    private static let zone = TimeZoneReading(
        "Europe/Berlin", offset: 3600,
        transitions: [TimeZoneReading.Transition(at: .min, offset: -7200), .init(at: .max, offset: .max)])

    private static let commands: [Command] =
        [
            .simulate(.locale("")), .simulate(.timeZone(zone)), .endSimulation(.network),
            .changeSetting(app, key: "é", value: nil), .changeSetting(app, key: "", value: "\u{0}"),
            .openURL("geo:\u{0}1", wait: true), .home(wait: false), .lock(wait: true), .unlock(wait: true),
            .switcher(isOpen: true, wait: false), .switcher(isOpen: false, wait: true), .close(app, wait: true),
            .restart(app, wait: true), .exempt(app, true), .uninstall(app), .endCall(wait: true), .sleep(wait: true),
            .simulateFetch(app, launches: true, wait: false), .allowRefresh(app, false),
            .openScene(app, nil, role: .secondary, wait: true),
            .openScene(app, SceneNumber(.max), role: .pip, wait: false), .closeScene(app, SceneNumber(2), wait: true),
            .wake(wait: true), .reboot, .shutDown, .warnMemory, .pressMemory(.critical), .pressMemory(.normal),
        ] + ScreenRole.allCases.map { .open(app, role: $0, wait: true) }
        + InterruptionKind.allCases.flatMap {
            [.interrupt($0, wait: true), .dismiss($0, wait: false), .accept($0, wait: true)]
        }

    private static let requests: [AppRequest] =
        [
            .openURL("a:b"), .canOpenURL(""), .beginTask(TaskID(1), name: "é"), .beginTask(TaskID(.max), name: ""),
            .endTask(TaskID(0)), .endTask(TaskID(.max)), .backgroundTime,
            .mechanism(.snapshots(.provide(true))), .mechanism(.snapshots(.provide(false))),
            .mechanism(.snapshots(.refresh)), .setFetchInterval(nil),
            .setFetchInterval(.zero), .setFetchInterval(Model.Span(nanoseconds: .max)), .cancelTask(nil),
            .cancelTask("é"),
            .scene(.activate(nil, wish: 0)), .scene(.activate(SceneNumber(3), wish: .max)),
            .scene(.destroy(SceneNumber(1))),
            .pendingTasks, .keepScreenOn(true), .keepScreenOn(false), .complete(WindowID(.max), .done),
            .complete(WindowID(0), .newData),
            .submitTask(BackgroundTaskRequest(identifier: "", kind: .refresh)),
            .submitTask(
                BackgroundTaskRequest(
                    identifier: "é", kind: .processing, earliest: WallTime(nanoseconds: .min), needsNetwork: true,
                    needsPower: true)),
        ]

    @Test("A checkpoint from before there was a policy for memory is read")
    func older() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.hangsIn = [.didBecomeActive] }
        device.perform(.open(app, role: .primary, wait: false))
        #expect(device.system.app(app)?.outstanding.isEmpty == false)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(device.system))
        let old = try JSONSerialization.data(withJSONObject: Self.without(["memory", "memoryLevel"], json))
        let restored = try JSONDecoder().decode(System.self, from: old)
        #expect(restored.app(app) == device.system.app(app))
        #expect(restored.memory == MemoryState())
    }

    @Test("A checkpoint's retired role is read as none, and an unknown role is an error")
    func retiredRole() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        func restored(role: Int) throws -> System {
            let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(device.system))
            let other = Self.setting("role", to: role, json)
            return try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: other))
        }
        #expect(try restored(role: 0).app(app)?.role == .primary)
        let covering = try restored(role: 3).app(app)
        #expect(covering != nil && covering?.role == nil)
        #expect(throws: DecodingError.self) { try restored(role: 9) }
    }

    private static func setting(_ key: String, to value: Int, _ json: Any) -> Any {
        if let object = json as? [String: Any] {
            return object.map { name, old in (name, name == key ? value : setting(key, to: value, old)) }
                .reduce(into: [String: Any]()) { $0[$1.0] = $1.1 }
        }
        return (json as? [Any])?.map { setting(key, to: value, $0) } ?? json
    }

    private static func without(_ keys: Set<String>, _ json: Any) -> Any {
        if let object = json as? [String: Any] {
            return object.filter { !keys.contains($0.key) }.mapValues { without(keys, $0) }
        }
        return (json as? [Any])?.map { without(keys, $0) } ?? json
    }

    private func encode(_ event: Event) -> [UInt8] {
        var writer = ByteWriter()
        event.encode(into: &writer)
        return writer.bytes
    }

    @Test("Every event comes back as it was, and its bytes are used up")
    func roundTrip() throws {
        for event in Self.events {
            var reader = ByteReader(encode(event)[...])
            #expect(try Event(from: &reader) == event)
            #expect(reader.isAtEnd)
        }
    }

    @Test("An event cut anywhere is an error, never another event or a trap")
    func cut() {
        for event in Self.events {
            let bytes = encode(event)
            for length in 0..<bytes.count {
                var reader = ByteReader(bytes[..<length])
                #expect(throws: MalformedBytes.self, "\(event) cut to \(length)") { try Event(from: &reader) }
            }
        }
    }

    @Test("Damaged bytes are an error or another event, never a trap")
    func damaged() {
        for event in Self.events {
            let bytes = encode(event)
            for place in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << UInt8(bit)
                    var reader = ByteReader(damaged[...])
                    if let other = try? Event(from: &reader) {
                        #expect(other != event || !reader.isAtEnd, "\(event), bit \(bit) of byte \(place)")
                    }
                }
            }
        }
    }

    @Test("Random bytes are an error or an event, never a trap")
    func random() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<generator.below(40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            var reader = ByteReader(bytes[...])
            _ = try? Event(from: &reader)
        }
    }

    @Test("The tags of a recording are for ever")
    func tags() {
        var bytes = encode(.timer) + encode(.booted) + encode(.clockChanged(wallOffset: -1))
        bytes += encode(.verified(AppIndex(1), Generation(300)))
        bytes += encode(.command(CommandID(5), .open(AppIndex(2), role: .pip, wait: true)))
        bytes += encode(.request(AppIndex(1), RequestID(2), .canOpenURL("a:")))
        #expect(bytes == [20, 2, 1, 1, 18, 1, 0xac, 2, 5, 5, 1, 2, 2, 1, 19, 1, 2, 2, 2, 0x61, 0x3a])
    }

    @Test("A checkpoint has the same bytes after it was read")
    func checkpoint() throws {
        let device = TestDevice()
        let app = device.installTest("radio", modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        device.perform(.interrupt(.call, wait: true))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(device.checkpoint()) == encoder.encode(device.system))
    }
}
