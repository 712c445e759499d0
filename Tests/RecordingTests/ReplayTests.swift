import Foundation
import Host
import LinuxSystem
import Model
import PolicyCore
import Recording
import Testing

@Suite("A replay")
struct ReplayTests {
    private let folder: Folder
    private var path: String { folder.path }

    init() throws { folder = try Folder() }

    private func limits(segment: Int) -> Journal.Limits {
        var limits = Journal.Limits()
        limits.segment = segment
        return limits
    }

    @discardableResult
    private func replayed(_ path: String? = nil) throws -> Replay {
        var replay = try Replay(RecordingFiles(path ?? self.path))
        while try replay.next() != nil {}
        return replay
    }

    private func error(_ path: String? = nil) throws -> RecordingError? {
        do {
            try replayed(path)
            return nil
        } catch let error as RecordingError {
            return error
        }
    }

    @Test("Comes to every effect and every checkpoint again, however the daemon died", arguments: [UInt64](1...8))
    func equal(seed: UInt64) throws {
        let device = try RecordedDevice(path, limits: limits(segment: 3_000))
        var person = Person(device, apps: 7, seed: seed)
        var deaths = 0
        for step in 0..<400 {
            device.diesWithinNextEvent = step % 37 == 36
            person.act()
            if step % 37 == 36 {
                try device.restart()
                deaths += 1
            }
        }
        let replay = try replayed()
        #expect(replay.counts.events == device.events)
        #expect(replay.counts.effects == device.effects)
        #expect(replay.counts.uncompared <= deaths && replay.counts.uncompared > 0)
        #expect(replay.counts.checkpoints == replay.counts.segments - 1)
        #expect(replay.notices.count == deaths)
        #expect(try RecordedDevice.bytes(of: replay.system) == RecordedDevice.bytes(of: device.system))
    }

    @Test("Begins at the segment whose file is named")
    func fromSegment() throws {
        let device = try RecordedDevice(path, limits: limits(segment: 3_000))
        var person = Person(device, apps: 5, seed: 1)
        for _ in 0..<300 { person.act() }
        let all = try replayed()
        let later = try replayed(path + "/3.events")
        #expect(later.counts.segments == all.counts.segments - 2)
        #expect(later.counts.events < all.counts.events)
        #expect(try replayed(path + "/3.checkpoint").counts == later.counts)
        #expect(try RecordedDevice.bytes(of: later.system) == RecordedDevice.bytes(of: all.system))
    }

    @Test("Finds the journal in a system's folder")
    func home() throws {
        let device = try RecordedDevice(path + "/journal")
        device.perform(.lock(wait: true))
        #expect(try replayed().counts.events == device.events)
    }

    @Test("A new system in the same folder is a new beginning, and so is another boot of the machine")
    func newSystem() throws {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        let before = device.events
        try device.beginAnew()
        device.perform(.lock(wait: true))
        #expect(try replayed().notices == [.newSystem(after: before, isAnotherBoot: false)])

        try rewrite("1.checkpoint", CurrentProcess.bootID, with: "an earlier boot")
        let replay = try replayed()
        #expect(replay.notices == [.newSystem(after: before, isAnotherBoot: true)])
        #expect(replay.counts.events == device.events)
    }

    /// Writes a checkpoint again, with another text wherever this one is.
    private func rewrite(_ name: String, _ text: String, with other: String) throws {
        let file = "\(path)/\(name)"
        let bytes = try #require(FileSystem.read(file))
        let header = try CompactFormat.decode(SegmentHeader.self, from: bytes)
        let whole = String(decoding: try JSONEncoder().encode(header), as: UTF8.self)
        let json = Data(whole.replacingOccurrences(of: text, with: other).utf8)
        let changed = try CompactFormat.encode(JSONDecoder().decode(SegmentHeader.self, from: json))
        #expect(changed != bytes)
        try FileSystem.replace(file, with: changed)
    }

    // MARK: What is not equal

    /// A recording whose effects were changed by somebody.
    private func write(_ events: [(Event, ([Effect]) -> [Effect])]) throws {
        var system = System(profile: .linux)
        var now = Instant(nanoseconds: Clock.boot())
        let journal = try Journal(directory: path, system: system, start: .fresh) { $0() }
        for (event, change) in events {
            now = now + .milliseconds(5)
            journal.append(event, at: now, system: system)
            journal.append(change(system.handle(event, at: now)), system: system)
        }
    }

    private static let manifest = AppManifest(
        // The literal is a valid identifier.
        identifier: AppIdentifier("org.example.radio") ?? { preconditionFailure() }(), name: "Radio")
    private static let opened: [Event] = [
        .clockChanged(wallOffset: 1_700_000_000_000_000_000), .booted, .installed(manifest),
        .command(CommandID(1), .open(AppIndex(0), role: .primary, wait: true)),
    ]

    private func divergence(of changed: Int, _ change: @escaping ([Effect]) -> [Effect]) throws -> Divergence {
        try write(Self.opened.enumerated().map { ($1, $0 == changed - 1 ? change : { $0 }) })
        guard case .diverged(let divergence) = try error() else {
            throw RecordedDevice.LostJournal()
        }
        return divergence
    }

    @Test("Says which effect came out differently, after which event, and what the log said before")
    func other() throws {
        let divergence = try divergence(of: 4) { effects in
            effects.map { effect in
                guard case .launch(let app, let generation, _) = effect.action else { return effect }
                return Effect(.freeze(app, generation), cause: effect.cause)
            }
        }
        #expect(divergence.number == 4)
        #expect(divergence.event == "command 1: open org.example.radio")
        #expect(divergence.recorded == "freeze")
        #expect(divergence.replayed == "launch org.example.radio as its process 1 (from entry 2)")
        #expect(divergence.before == "entry 1: booted, because the device booted")
        #expect(divergence.description.contains("was freeze, and is now launch org.example.radio"))
    }

    @Test("Tells an effect of the same kind from another")
    func sameKind() throws {
        let divergence = try divergence(of: 4) { effects in
            effects.map { effect in
                guard case .launch(let app, let generation, _) = effect.action else { return effect }
                return Effect(.launch(app, generation, isBackground: true), cause: effect.cause)
            }
        }
        #expect(divergence.recorded == "launch")
        #expect(
            divergence.description.contains("was another launch than now: launch org.example.radio as its process 1"))
    }

    @Test("Misses an effect that is not there any more, and names one that is new")
    func moreOrLess() throws {
        let missing = try divergence(of: 2) { $0 + [Effect(.halt)] }
        #expect(missing.recorded == "halt" && missing.replayed == nil)
        #expect(missing.description.contains("was halt, and there is none now"))

        try FileSystem.removeTree(path)
        let new = try divergence(of: 2) { _ in [] }
        #expect(new.recorded == nil && new.effect == 1)
        #expect(new.replayed?.hasPrefix("entry 1: booted, because the device booted") == true)
        #expect(new.description.contains("was not there, and is now entry 1"))
    }

    @Test("Compares the whole Core with every checkpoint, and says what differs first")
    func checkpoint() throws {
        let device = try RecordedDevice(path, limits: limits(segment: 3_000))
        var person = Person(device, apps: 3, seed: 6)
        while FileSystem.names(in: path).filter({ $0.hasSuffix(".checkpoint") }).count < 3 { person.act() }
        try rewrite("2.checkpoint", "org.example.app1", with: "org.example.other")
        guard case .checkpointDiffers(let file, let after, let difference) = try error() else {
            throw RecordedDevice.LostJournal()
        }
        #expect(file.hasSuffix("/2.checkpoint") && after > 0)
        #expect(difference.path == "apps[1].manifest.identifier.rawValue")
        #expect(difference.description.hasSuffix("was “org.example.other” and is “org.example.app1”"))
    }
}
