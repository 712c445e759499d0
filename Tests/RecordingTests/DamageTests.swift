import Foundation
import Host
import LinuxSystem
import Model
import PolicyCore
import Recording
import Simulation
import Testing

@Suite("A damaged recording")
struct DamageTests {
    private let folder: Folder
    private var path: String { folder.path }

    init() throws { folder = try Folder() }

    private func outcome(_ path: String? = nil) -> Result<Replay, RecordingError> {
        do throws(RecordingError) {
            var replay = try Replay(RecordingFiles(path ?? self.path))
            while try replay.next() != nil {}
            return .success(replay)
        } catch {
            return .failure(error)
        }
    }

    private func error(_ path: String? = nil) -> RecordingError? {
        if case .failure(let error) = outcome(path) { error } else { nil }
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// A short recording in one segment; the records' bytes, header included.
    private func record() throws -> [UInt8] {
        let device = try RecordedDevice(path)
        let app = device.install("radio")
        device.perform(.open(app, role: .primary, wait: true))
        device.perform(.home(wait: true))
        let all = try bytes("1.events")
        let count = all[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        return Array(all.prefix(16 + count))
    }

    @Test("Cut anywhere, it replays to its last whole event, and says so")
    func cut() throws {
        let whole = try record()
        let all = try outcome().get().counts.events
        var last = 0
        for length in 16..<whole.count {
            try write("1.events", whole.prefix(length))
            let replay = try outcome().get()
            #expect(replay.notices.contains { if case .cut = $0 { true } else { false } }, "cut at \(length)")
            #expect(replay.counts.events >= last && replay.counts.events <= all)
            last = replay.counts.events
        }
        #expect(last == all, "the last event is whole where only its effects are cut")
    }

    @Test("A change of any byte is found, and is never taken for another decision")
    func changed() throws {
        let whole = try record()
        for place in 16..<whole.count {
            for change: UInt8 in [1, 0x80, 0xff] {
                var damaged = whole
                damaged[place] ^= change
                try write("1.events", damaged)
                guard case .damaged(let file, let byte, let after, _) = error() else {
                    Issue.record("byte \(place), changed by \(change): \(outcome())")
                    continue
                }
                #expect(file == "\(path)/1.events")
                #expect(byte >= 16 && byte <= whole.count && after <= 20)
            }
        }
    }

    @Test("Random bytes in place of any part are an error, never a trap")
    func random() throws {
        let whole = try record()
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            var damaged = whole
            let start = 16 + random.below(whole.count - 16)
            for place in start..<min(whole.count, start + 12) { damaged[place] = UInt8(random.below(256)) }
            guard damaged != whole else { continue }
            try write("1.events", damaged)
            #expect(error() != nil)
        }
    }

    @Test("Names what is missing, and what to do")
    func missing() throws {
        #expect(error(path + "/nothing") == .notFound(path + "/nothing"))
        #expect(error() == .noRecording(path))
        try write("notes.txt", [])
        #expect(error(path + "/notes.txt") == .notASegment(path + "/notes.txt"))
        #expect(error() == .noRecording(path))

        let device = try RecordedDevice(path, limits: small)
        var person = Person(device, apps: 4, seed: 8)
        while !FileSystem.exists(path + "/5.checkpoint") { person.act() }
        FileSystem.remove(path + "/2.checkpoint")
        #expect(error(path + "/2.events") == .missingCheckpoint(path + "/2.checkpoint"))
        // A daemon may have died before a checkpoint was there: the segments replay without it.
        #expect(try outcome().get().counts.checkpoints == (try outcome().get().counts.segments) - 2)
        FileSystem.remove(path + "/1.checkpoint")
        #expect(try outcome(path).get().counts.events > 0, "it begins at the first checkpoint that is there")
        FileSystem.remove(path + "/4.checkpoint")
        FileSystem.remove(path + "/4.events")
        #expect(error() == .missingSegment(path + "/4.events"))
        for name in FileSystem.names(in: path) where name.hasSuffix(".checkpoint") {
            FileSystem.remove("\(path)/\(name)")
        }
        #expect(error() == .missingCheckpoint(path + "/1.checkpoint"))
    }

    private var small: Journal.Limits {
        var limits = Journal.Limits()
        limits.segment = 3_000
        return limits
    }

    @Test("A segment that was cut off before another one is not passed over")
    func incomplete() throws {
        let device = try RecordedDevice(path, limits: small)
        var person = Person(device, apps: 4, seed: 9)
        while !FileSystem.exists(path + "/3.checkpoint") { person.act() }
        let segment = try bytes("2.events")
        try write("2.events", segment.prefix(1_000))
        guard case .incomplete(let file, _) = error() else { throw RecordedDevice.LostJournal() }
        #expect(file == path + "/2.events")
    }

    @Test("A checkpoint or a log of something else is named")
    func notOurs() throws {
        _ = try record()
        let checkpoint = try bytes("1.checkpoint")
        try write("1.checkpoint", Array(#"{"version":99,"apps":7}"#.utf8))
        #expect(error() == .unknownVersion(path + "/1.checkpoint", 99))
        // Builds between two releases wrote it.
        try write("1.checkpoint", Array(#"{"version":3}"#.utf8))
        #expect(error() == .unknownVersion(path + "/1.checkpoint", 3))
        for text in ["", "{", #"{"version":1}"#, #"{"version":"two"}"#] {
            try write("1.checkpoint", Array(text.utf8))
            guard case .damagedCheckpoint(let file, _) = error() else { throw RecordedDevice.LostJournal() }
            #expect(file == path + "/1.checkpoint")
        }
        try write("1.checkpoint", checkpoint)
        try write("1.events", Array("something else altogether".utf8))
        #expect(error() == .notALog(path + "/1.events"))
        FileSystem.remove(path + "/1.events")
        #expect(error() == .missingSegment(path + "/1.events"))
    }

    @Test("Every error says something a person can act on")
    func sentences() {
        let errors: [RecordingError] = [
            .notFound("a"), .noRecording("a"), .notASegment("a"), .unreadable("a", "b"), .missingCheckpoint("a"),
            .missingSegment("a"), .unknownVersion("a", 3), .damagedCheckpoint("a", "b"), .notALog("a"),
            .damaged(file: "a", byte: 1, after: 2, expected: "c"), .incomplete(file: "a", after: 2),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in errors { #expect(error.description.contains("a") && error.description.count > 12) }
    }
}
