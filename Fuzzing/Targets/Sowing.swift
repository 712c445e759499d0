internal import Foundation
internal import Model
internal import PolicyCore
internal import PushCore
internal import PushLink
internal import Timeline

/// Valid examples of the formats that nobody writes by hand, for the corpus. To be made anew when a format changes.
enum Sowing {
    static func sow(_ folder: String) throws {
        func put(_ target: String, _ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/Corpus/\(target)/\(name)"))
        }
        var segment: [UInt8] = []
        var bodies: [UInt8] = []
        for event in events {
            var writer = RecordWriter()
            writer.write(event, after: .milliseconds(20))
            segment += writer.bytes
            // Without the length before it and the check behind it.
            let body = writer.bytes.dropFirst().dropLast(2)
            if body.count < 128 { bodies += [UInt8(body.count)] + body }
        }
        try put("journal", "segment", [0x03, 0xFF] + segment)
        try put("journal", "cut", [0x03, 0x80] + segment.dropLast(5))
        try put("journal", "bodies", [0x83, 0xFF] + bodies)
        try put("journal", "retired", [0x02, 0xFF] + retired)
        let header = SegmentHeader(
            boot: "boot", base: ScriptedDevice.busy.now, start: .restarted, system: ScriptedDevice.busy.system)
        try put("checkpoint", "busy", Array(try JSONEncoder().encode(header)))
        try put("checkpoint", "busy-compact", try CompactFormat.encode(header))
        if let device = DeviceID([UInt8](repeating: 2, count: 12)) {
            let (plain, collapsed) = (message(1, device, nil), message(2, device, "news"))
            try put("mailbox", "message", [1] + collapsed.encoded)
            try put("mailbox", "empty", [2] + Mailbox(seen: 1_795_348_800_000).encoded)
            var mailbox = Mailbox(seen: 1_795_348_800_000)
            mailbox.visit = Mailbox.Visit(node: 7, number: 3)
            mailbox.isPresent = true
            for message in [plain, collapsed] { mailbox.insert(message) }
            try put("mailbox", "full", [2] + mailbox.encoded)
        }
        var writer = SegmentWriter()
        try put("timeline", "session", writer.encode(records))
    }

    private static func message(_ number: Int64, _ device: DeviceID, _ collapse: String?) -> PushMessage {
        PushMessage(
            number: 1_795_348_800_000_000 + number, device: device, topic: "com.example.app",
            id: "123e4567-e89b-12d3-a456-426614174000", type: number == 1 ? .alert : .background, priority: 10,
            expires: 1_795_352_400, collapse: collapse, at: WallTime(nanoseconds: 1_795_348_800_000_000_000),
            payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))
    }

    /// Records of events that only version 1 contains.
    private static let retired: [UInt8] = {
        let (app, id) = (AppIndex(0), CommandID(7))
        let events: [RetiredEvent] = [
            .beginService(app, RequestID(1), .audio), .endService(app, RequestID(2), .audio),
            .openCovering(id, app, wait: true),
        ]
        return events.flatMap { event in
            var body = ByteWriter()
            event.encode(into: &body)
            var writer = ByteWriter()
            writer.write(UInt64(body.bytes.count))
            writer.write(Span.milliseconds(20).nanoseconds)
            writer.append(body)
            return writer.bytes
        }
    }()

    private static let events: [Event] = {
        let (app, generation) = (AppIndex(0), Generation(1))
        let window = WindowID(1)
        let refresh = BackgroundTaskRequest(
            identifier: "refresh", kind: .refresh, earliest: WallTime(nanoseconds: 1), needsNetwork: false,
            needsPower: false)
        let transition = TimeZoneReading.Transition(at: 1_795_348_900, offset: 3600)
        let use = SocketUse(connections: 1, waiting: 0, work: .seconds(1))
        return [
            .timer, .command(CommandID(7), .home(wait: true)),
            .command(CommandID(8), .openURL("second:x", wait: false)),
            .request(app, RequestID(3), .submitTask(refresh)), .request(app, RequestID(4), .complete(window, .newData)),
            .request(app, RequestID(5), .setFetchInterval(.seconds(60))),
            .request(app, RequestID(6), .beginTask(TaskID(9), name: "save")),
            .adopted([AdoptedApp(app: app, pid: 100, isFrozen: true, status: nil)]),
            .processStarted(app, generation, pid: 100), .connected(app, generation, executed: nil),
            .mechanism(Incarnation(app, generation), .locks(.found(path: "/tmp/lock", blocksOthers: true))),
            .mechanism(
                Incarnation(app, generation), .sockets(.found([Listener(name: "port 80", peers: 1)], connections: 2))),
            .mechanism(Incarnation(app, generation), .sockets(.seen(use))),
            .memorySensed(available: 1 << 20), .memoryConfigured(budget: 64 << 20, source: .machine),
            .footprintSampled(app, generation, Footprint(dirty: 1 << 24, purgeable: 1 << 20, clean: 1 << 22)),
            .conditionSensed(.timeZone(TimeZoneReading("Europe/Berlin", offset: 3600, transitions: [transition]))),
            .conditionSensed(.battery(BatteryReading(.charging, percent: 50))), .conditionSensed(.network(.wifi)),
            .trafficSeen(
                app, .transfer, sent: 1000, received: 1 << 20, from: Instant(nanoseconds: 1),
                to: Instant(nanoseconds: 9)),
            .sessionEvents(app, session: "s", authentication: false),
            .firstProcessEnded(app, generation, .signaled(11)), .allProcessesEnded(app, generation),
            .command(CommandID(9), .simulateFetch(app, launches: true, wait: false)),
            .command(CommandID(10), .uninstall(app)),
        ]
    }()

    private static let records: [TimelineRecord] = {
        let app = "org.example.journal"
        func record(_ second: Double, _ what: Happening) -> TimelineRecord {
            TimelineRecord(Instant(nanoseconds: 0) + .seconds(second), what)
        }
        let entry = TimelineEntry(
            app: app, sequence: 3, event: "launched", reason: "opened by the user", cause: 2, took: .milliseconds(150))
        return [
            record(0, .began(Beginning(.fresh, boot: "a", offset: 1_795_348_800_000_000_000))),
            record(1, .named(app: app, name: "Journal")), record(1, .state(app: app, .inactive)),
            record(1.1, .entry(entry)),
            record(2, .processorUsed(app: app, used: .milliseconds(250), over: .seconds(1))),
            record(2, .memory(app: app, Footprint(dirty: 8 << 20, purgeable: 0, clean: 1 << 20))),
            record(2, .available(bytes: 1 << 28, budget: 1 << 29)), record(2.5, .priority(app: app, .background)),
            record(3, .assertionBegan(app: app, HeldAssertion(id: 9, kind: "task", name: "upload"))),
            record(4, .assertionEnded(app: app, id: 9)), record(5, .clockSet(offset: 1_795_348_800_000_000_001)),
            record(6, .report(app: app, TimelineReport(id: "r", namespace: "SIGNAL", code: 11, reason: "crashed"))),
            record(7, .began(Beginning(.restarted, boot: "a", offset: 1_795_348_800_000_000_000))),
        ]
    }()
}
