import Foundation
import Host
import LinuxSystem
import Model
import PolicyCore
import Recording
import Testing

@Suite("The daemon's journal")
struct JournalTests {
    private let folder: Folder
    private var path: String { folder.path }
    private var small: Journal.Limits {
        var limits = Journal.Limits()
        limits.segment = 4096
        return limits
    }

    init() throws { folder = try Folder() }

    private func expectSame(_ a: System, _ b: System) throws {
        #expect(try RecordedDevice.bytes(of: a) == RecordedDevice.bytes(of: b))
    }

    private func numbers(_ suffix: String) -> [Int] {
        FileSystem.names(in: path).filter { $0.hasSuffix(suffix) }
            .compactMap { $0.split(separator: ".").first.flatMap { Int($0) } }.sorted()
    }

    private func replayed() throws -> Replay.Counts {
        var replay = try Replay(RecordingFiles(path))
        while try replay.next() != nil {}
        return replay.counts
    }

    @Test("Whoever comes after a death decides what the dead daemon had decided, at every event")
    func restored() throws {
        let device = try RecordedDevice(path, limits: small)
        var person = Person(device, apps: 5, seed: 1)
        for _ in 0..<150 {
            person.act()
            try expectSame(try #require(Journal.restore(from: path)).system, device.system)
        }
        #expect(numbers(".events").count > 1, "the test should see segments follow each other")
    }

    @Test("An event that the dead daemon wrote down and did not decide is decided by the next one")
    func undecided() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.diesWithinNextEvent = true
        device.perform(.open(app, role: .primary, wait: true))
        #expect(device.system.app(app)?.process == ProcessPhase.none)
        let restored = try #require(Journal.restore(from: path))
        #expect(restored.system.app(app)?.process == .starting)
        #expect(restored.effects.contains { $0.kind == EffectKind(.launch) })
    }

    @Test("While a checkpoint is on its way, a restart replays both segments")
    func lateCheckpoint() throws {
        let device = try RecordedDevice(path, limits: small)
        device.holdsCheckpointsBack = true
        var person = Person(device, apps: 4, seed: 2)
        for _ in 0..<200 { person.act() }
        #expect(numbers(".events").count > 2)
        #expect(numbers(".checkpoint") == [1])
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)
    }

    @Test("A new system in the folder of another boot is the one that is found again")
    func otherBoot() throws {
        let old = try RecordedDevice(path, limits: small)
        var person = Person(old, apps: 4, seed: 3)
        for _ in 0..<400 { person.act() }
        #expect(numbers(".checkpoint").count > 2)
        for number in numbers(".checkpoint") {
            let file = "\(path)/\(number).checkpoint"
            var header = try CompactFormat.decode(SegmentHeader.self, from: #require(FileSystem.read(file)))
            #expect(header.boot == CurrentProcess.bootID)
            header.boot = "an earlier boot"
            try FileSystem.replace(file, with: CompactFormat.encode(header))
        }
        #expect(Journal.restore(from: path) == nil)
        let new = try RecordedDevice(path)
        let app = new.install("radio")
        new.perform(.open(app, role: .primary, wait: true))
        let restored = try #require(Journal.restore(from: path))
        try expectSame(restored.system, new.system)
        #expect(restored.system.app(app)?.state == .active)
    }

    @Test("Files with numbers that nobody counts to are left alone")
    func largestNumbers() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        for name in ["9223372036854775807", "18446744073709551615", "-1", "+7", "0"] {
            for kind in ["events", "checkpoint"] {
                try FileSystem.replace("\(path)/\(name).\(kind)", with: [UInt8](repeating: 0xFF, count: 64))
            }
        }
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)
        try device.restart()
        device.perform(.home(wait: true))
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)
        #expect(try RecordingFiles(path).numbers == [1, 2])
    }

    @Test(
        "A segment whose header says that it has the most bytes there can be is read as far as it is whole",
        arguments: [UInt64.max, UInt64(Int64.max), 1 << 63, 1 << 27, 1 << 20])
    func largestCount(count: UInt64) throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        let file = "\(path)/1.events"
        var bytes = try #require(FileSystem.read(file))
        for place in 0..<8 { bytes[8 + place] = UInt8(truncatingIfNeeded: count >> UInt64(8 * place)) }
        try FileSystem.replace(file, with: bytes)
        let restored = try #require(Journal.restore(from: path))
        let isPossible = count <= UInt64(MappedLog.largest)
        #expect(restored.system.app(app)?.state == (isPossible ? .active : nil))
        // The next daemon goes on behind it.
        let next = try Journal(directory: path, system: restored.system, start: .restarted) { $0() }
        next.append(.timer, at: device.now, system: restored.system)
        #expect(numbers(".events") == [1, 2])
    }

    @Test("A checkpoint with an impossible number is set aside, and the one before it stands")
    func unsound() throws {
        let device = try RecordedDevice(path, limits: small)
        var person = Person(device, apps: 4, seed: 12)
        while numbers(".checkpoint").count < 3 { person.act() }
        let newest = "\(path)/\(try #require(numbers(".checkpoint").last)).checkpoint"
        let whole = try #require(FileSystem.read(newest))
        func damage(_ change: (inout [String: Any]) -> Void) throws {
            // As older daemons wrote it.
            let header = try CompactFormat.decode(SegmentHeader.self, from: whole)
            let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(header))
            var tree = try #require(json as? [String: Any])
            change(&tree)
            try FileSystem.replace(newest, with: Array(try JSONSerialization.data(withJSONObject: tree)))
        }
        func inSystem(_ key: String, _ value: Any) throws {
            try damage { tree in
                var system = tree["system"] as? [String: Any] ?? [:]
                system[key] = value
                tree["system"] = system
            }
        }
        let changes: [() throws -> Void] = [
            { try damage { $0["base"] = Int64.max } }, { try damage { $0["base"] = -1 } },
            { try inSystem("nextSequence", UInt64.max) }, { try inSystem("nextAssertion", UInt64.max) },
            { try inSystem("wallOffset", Int64.min) }, { try inSystem("apps", [Any]()) },
            { try inSystem("deadlines", ["kinds": 1 << 40, "due": [Any]()] as [String: Any]) },
            { try FileSystem.replace(newest, with: []) },
        ]
        for change in changes {
            try change()
            try expectSame(try #require(Journal.restore(from: path)).system, device.system)
            #expect(FileSystem.exists(newest + ".damaged") && !FileSystem.exists(newest))
            FileSystem.remove(newest + ".damaged")
            try FileSystem.replace(newest, with: whole)
        }
    }

    @Test("After daemons that died at one and the same place, the journal is set aside; after other deaths it is not")
    func restoreGuard() {
        let file = path + "/restoring"
        func die(at count: Int?) -> Bool {
            let watch = RestoreGuard(path: file)
            if let count { for passed in 0...count { watch.passed(passed) } } else { watch.passedAll() }
            return watch.isFatal
        }
        #expect([die(at: 700), die(at: 100), die(at: 700), die(at: 703)] == [false, false, false, false])
        #expect(die(at: 700), "the two before it died there")
        let watch = RestoreGuard(path: file)
        watch.finish()
        #expect(!FileSystem.exists(file))
        #expect([die(at: nil), die(at: nil), die(at: nil), die(at: nil)] == [false, false, false, true])
    }

    @Test("The oldest segments go when the folder is full, and the newest checkpoint stays")
    func bounded() throws {
        var limits = small
        limits.directory = 60_000
        let device = try RecordedDevice(path, limits: limits)
        var person = Person(device, apps: 6, seed: 4)
        for _ in 0..<2_000 {
            person.act()
            device.measure()
        }
        #expect(numbers(".events").first ?? 0 > 10, "the test should see segments go")
        // One more segment with its checkpoint may be there until that one is complete.
        #expect(device.largestSize < limits.directory + 16_000)
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)

        limits.directory = 0
        let tiny = try RecordedDevice(path, limits: limits)
        for _ in 0..<100 { tiny.perform(.lock(wait: true)) }
        #expect(numbers(".checkpoint").count == 1)
        try expectSame(try #require(Journal.restore(from: path)).system, tiny.system)
    }

    @Test("A journal that could not grow for a while goes on behind the gap")
    func gap() throws {
        let device = try RecordedDevice(path, limits: small)
        var person = Person(device, apps: 4, seed: 5)
        let obstacle = "\(path)/2.events"
        try FileSystem.makeDirectory(obstacle)
        for _ in 0..<300 { person.act() }
        #expect(numbers(".checkpoint") == [1])
        try FileSystem.removeTree(obstacle)
        person.act()
        let app = device.install("late")
        device.perform(.open(app, role: .primary, wait: true))
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)

        var replay = try Replay(RecordingFiles(path))
        while try replay.next() != nil {}
        #expect(replay.notices.count == 1)
        guard case .gap(let after) = replay.notices.first else { throw RecordedDevice.LostJournal() }
        #expect(after < device.events && replay.counts.events < device.events)
        try expectSame(replay.system, device.system)
    }

    @Test("An event that is larger than a segment costs itself, not what follows")
    func tooLarge() throws {
        let device = try RecordedDevice(path, limits: small)
        let app = device.install("radio")
        device.perform(.openURL("nobody:" + String(repeating: "x", count: 5_000), wait: true))
        device.perform(.open(app, role: .primary, wait: true))
        try expectSame(try #require(Journal.restore(from: path)).system, device.system)
        var replay = try Replay(RecordingFiles(path))
        while try replay.next() != nil {}
        #expect(replay.notices.contains { if case .gap = $0 { true } else { false } })
        try expectSame(replay.system, device.system)
    }

    @Test("What a daemon did not use of its last segment is given back")
    func trimmed() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        for _ in 0..<20 {
            device.perform(.open(app, role: .primary, wait: true))
            try device.restart()
        }
        device.measure()
        #expect(device.largestSize < 1_200_000 + 20 * 20_000)
        #expect(numbers(".events").count == 21)
    }

    @Test("A daemon that goes on where another ended need not wait for its checkpoint: until it is there, both replay")
    func continued() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        let restored = try #require(Journal.restore(from: path))
        #expect(restored.end == device.now)
        var system = restored.system
        var waiting: [() -> Void] = []
        func event(_ event: Event, _ journal: Journal, at now: Instant) {
            journal.append(event, at: now, system: system)
            journal.append(system.handle(event, at: now), system: system)
        }
        let next = try Journal(
            directory: path, system: system, start: .restarted, continuing: restored.end, isLate: true
        ) { waiting.append($0) }
        event(.adopted([]), next, at: device.now + .seconds(5))
        event(.command(CommandID(99), .lock(wait: false)), next, at: device.now + .seconds(6))
        #expect(numbers(".checkpoint") == [1] && numbers(".events") == [1, 2])
        let both = try #require(Journal.restore(from: path))
        try expectSame(both.system, system)
        #expect(both.end == device.now + .seconds(6))
        let counts = try replayed()
        #expect(counts.restarts == 1 && counts.checkpoints == 0)
        // Behind the log.
        for work in waiting { work() }
        #expect(numbers(".checkpoint") == [1, 2])
        try expectSame(try #require(Journal.restore(from: path)).system, system)
        #expect(try replayed().restarts == 1)
        #expect(try replayed().checkpoints == 1)
    }

    @Test("Where a daemon's own checkpoint is lost, those before explain its segment: times go on from the last event")
    func lostCheckpoint() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        for _ in 0..<3 {
            device.now = device.now + .seconds(5)
            try device.restart()
            device.perform(.open(app, role: .primary, wait: true))
            device.perform(.home(wait: true))
        }
        for number in [2, 3] {
            let file = "\(path)/\(number).checkpoint"
            let whole = try #require(FileSystem.read(file))
            try FileSystem.replace(file, with: Array(whole.prefix(whole.count / 2)))
        }
        FileSystem.remove("\(path)/4.checkpoint")
        let restored = try #require(Journal.restore(from: path))
        try expectSame(restored.system, device.system)
        #expect(restored.end == device.now)
        #expect(numbers(".checkpoint") == [1] && numbers(".damaged") == [2, 3])
        let counts = try replayed()
        #expect(counts.events == device.events && counts.restarts == 3)
    }

    @Test("Where something could not be read, the next segment begins with its checkpoint")
    func notContinued() throws {
        let device = try RecordedDevice(path)
        device.perform(.open(device.install("radio"), role: .primary, wait: true))
        let file = "\(path)/1.events"
        var bytes = try #require(FileSystem.read(file))
        bytes[40] ^= 0xFF
        try FileSystem.replace(file, with: bytes)
        #expect(try #require(Journal.restore(from: path)).end == nil)
    }

    @Test("The journal of version 1 is taken over")
    func version1() throws {
        var system = System(profile: .linux)
        let json = try String(decoding: JSONEncoder().encode(system), as: UTF8.self)
        let header = #"{"version":1,"boot":"\#(CurrentProcess.bootID)","base":1000,"system":\#(json)}"#
        try header.write(toFile: "\(path)/7.checkpoint", atomically: true, encoding: .utf8)
        let log = try MappedLog(creating: "\(path)/7.events", capacity: 1000)
        let manifest = AppManifest(identifier: try #require(AppIdentifier("org.example.old")), name: "Old")
        let events: [Event] = [
            .clockChanged(wallOffset: 5), .booted, .installed(manifest),
            .command(CommandID(1), .open(AppIndex(0), role: .primary, wait: true)),
        ]
        for (number, event) in events.enumerated() {
            var (body, frame) = (ByteWriter(), ByteWriter())
            event.encode(into: &body)
            frame.write(UInt64(body.bytes.count))
            frame.write(Int64(10))
            #expect(log.append(frame.bytes + body.bytes))
            _ = system.handle(event, at: Instant(nanoseconds: 1010 + 10 * Int64(number)))
        }
        try expectSame(try #require(Journal.restore(from: path)).system, system)

        // The new daemon goes on in its own version, and both replay.
        let journal = try Journal(directory: path, system: system, start: .restarted) { $0() }
        let event = Event.processStarted(AppIndex(0), Generation(1), pid: 7)
        let now = Instant(nanoseconds: Clock.boot())
        journal.append(event, at: now, system: system)
        journal.append(system.handle(event, at: now), system: system)
        var replay = try Replay(RecordingFiles(path))
        while try replay.next() != nil {}
        #expect(replay.counts.events == 5)
        #expect(replay.counts.uncompared == 4)
        #expect(replay.notices == [.daemonRestarted(after: 4)])
        try expectSame(replay.system, system)
    }
}
