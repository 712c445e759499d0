import Foundation
import Host
import LinuxSystem
import Model
import PolicyCore
import Recording
import Testing

/// Recordings that were made by the code of their version, and are read for ever: `Golden/README.md`.
@Suite("Golden recordings")
struct GoldenTests {
    private static let writes = ProcessInfo.processInfo.environment["GREENROOM_RECORD_GOLDEN"] != nil

    /// Compares line by line, so that a failure shows what is another than it was.
    private func expect(_ text: String, in file: String, _ comment: Comment) throws {
        let committed = try String(contentsOfFile: file, encoding: .utf8)
        let changes = text.split(separator: "\n").difference(from: committed.split(separator: "\n"))
        for case .remove(_, let line, _) in changes.removals.prefix(5) { Issue.record("no longer: \(line)") }
        for case .insert(_, let line, _) in changes.insertions.prefix(5) { Issue.record("now: \(line)") }
        #expect(text == committed, comment)
    }

    @Test("There are a tour and a storm of every version that can be read", arguments: SegmentHeader.readableVersions)
    func complete(version: Int) throws {
        for kind in ["tour", "storm"] {
            let recording = GoldenRecording(name: "v\(version)-\(kind)")
            #expect(GoldenRecording.all.contains { $0.name == recording.name })
            #expect(try recording.segments().allSatisfy { $0.header.version == version })
        }
    }

    @Test("A recording holds what it held when it was made", arguments: GoldenRecording.all)
    func recorded(_ recording: GoldenRecording) throws {
        let file = recording.path + "/recorded.txt"
        let text = try recording.recorded()
        // Written once: what is there already never changes.
        if Self.writes, !FileSystem.exists(file) { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        try expect(text, in: file, "\(recording.name) is read in another way than when it was made: that is a bug")
    }

    @Test("A recording replays to its end, and comes to what is committed", arguments: GoldenRecording.all)
    func replayed(_ recording: GoldenRecording) throws {
        let file = recording.path + "/replayed.txt"
        let text = try recording.replayed()
        if Self.writes { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        try expect(
            text, in: file,
            """
            the Core decides otherwise than before. If it is meant to: GREENROOM_RECORD_GOLDEN=1 swift test --filter \
            GoldenTests
            """)
    }

    @Test("A tour with services replays to what it came to; as it was first, it is committed")
    func services() throws {
        let folder = try Folder()
        var tour = try ServicesTour(folder.path)
        try tour.play()
        let came = try RecordedDevice.bytes(of: tour.device.system)
        // The next daemon cuts off the space behind the last record.
        try tour.device.restart()
        var tags: Set<ServiceEvent.Tag> = []
        var replay = try Replay(RecordingFiles(folder.path))
        while let step = try replay.next() {
            if case .service(let service) = step.event { tags.insert(service.tag) }
        }
        #expect(tags == Set(ServiceEvent.Tag.allCases))
        #expect(!came.isEmpty)
        try commit(folder, as: "services")
    }

    /// Written once: what is there already never changes. The last segment is that of a daemon that only cut off the
    /// space behind the last record.
    private func commit(_ folder: Folder, as kind: String) throws {
        let golden = GoldenRecording(name: "v\(SegmentHeader.version)-\(kind)")
        guard Self.writes, !FileSystem.exists(golden.path) else { return }
        try FileManager.default.createDirectory(atPath: golden.path, withIntermediateDirectories: true)
        for name in try RecordingFiles(folder.path).numbers.dropLast().flatMap({ ["\($0).events", "\($0).checkpoint"] })
        {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(golden.path)/\(name)")
        }
    }

    @Test("A tour has every event, command and request; as it was first, it is committed")
    func tour() throws {
        let folder = try Folder()
        var tour = try VocabularyTour(folder.path)
        try tour.play()
        // The next daemon cuts off the space behind the last record.
        try tour.device.takeOver()
        var found = Vocabulary()
        var replay = try Replay(RecordingFiles(folder.path))
        while let step = try replay.next() { found.note(step.event) }
        #expect(Vocabulary.readable.events.subtracting(found.events).isEmpty)
        #expect(Vocabulary.readable.commands.subtracting(found.commands).isEmpty)
        #expect(Vocabulary.readable.requests.subtracting(found.requests).isEmpty)
        try commit(folder, as: "tour")
    }

    @Test("A storm is recorded with its daemons' deaths, and replays; as it was first, it is committed")
    func storm() throws {
        let folder = try Folder()
        let problems = try RecordedStorm(seed: 48, length: .seconds(2400)).play(in: folder.path, segment: 24_000)
        #expect(problems.isEmpty)
        var replay = try Replay(RecordingFiles(folder.path))
        while try replay.next() != nil {}
        #expect(replay.counts.restarts > 0)
        try commit(folder, as: "storm")
    }

    @Test("The checkpoint of an older version is compared in what it holds")
    func olderCheckpoint() throws {
        let folder = try Folder()
        let recording = GoldenRecording(name: "v1-storm")
        for name in FileSystem.names(in: recording.path) where !name.hasSuffix(".txt") {
            try FileManager.default.copyItem(atPath: "\(recording.path)/\(name)", toPath: "\(folder.path)/\(name)")
        }
        func firstDifference() throws -> Difference? {
            var replay = try Replay(RecordingFiles(folder.path))
            do {
                while try replay.next() != nil {}
                return nil
            } catch RecordingError.checkpointDiffers(_, _, let difference) {
                return difference
            }
        }
        let file = folder.path + "/2.checkpoint"
        var text = try String(contentsOfFile: file, encoding: .utf8)
        text = text.replacingOccurrences(of: "org.example.app0", with: "org.example.other")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        // The log has other numbers today, to which others refer.
        var difference = try #require(try firstDifference())
        while difference.path.hasSuffix(".rawValue"), !difference.path.contains("manifest") {
            let key = difference.path.split(separator: ".").dropLast().last ?? ""
            let before = text
            text = text.replacingOccurrences(
                of: "\"\(key)\":{\"rawValue\":\(difference.recorded)}",
                with: "\"\(key)\":{\"rawValue\":\(difference.replayed)}")
            try #require(text != before)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            difference = try #require(try firstDifference())
        }
        #expect(difference.path == "apps[0].manifest.identifier.rawValue", "\(difference)")
    }

    @Test("Every event is written again with the same bytes", arguments: GoldenRecording.all)
    func written(_ recording: GoldenRecording) throws {
        for segment in try recording.segments() {
            let version = segment.header.version
            for (record, bytes) in segment.records {
                guard case .event(let event, let after) = record else { continue }
                var body = ByteWriter()
                event.encode(into: &body)
                // Version 1 had no check at the end, and the others have one of two bytes.
                #expect(bytes.dropLast(version == 1 ? 0 : 2).suffix(body.bytes.count) == body.bytes[...], "\(event)")
                guard version == SegmentHeader.version else { continue }
                var writer = RecordWriter()
                writer.write(event, after: after)
                #expect(writer.bytes == bytes, "\(event)")
            }
        }
    }

    /// A checkpoint that was changed, with the check that goes with its bytes.
    private static func checked(_ bytes: [UInt8]) -> [UInt8] {
        guard CompactFormat.isThere(bytes) else { return bytes }
        var bytes = bytes
        let check = CompactFormat.check(bytes[8...])
        for place in 0..<4 { bytes[4 + place] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(place))) }
        return bytes
    }

    @Test("Today's daemon takes over from the one that wrote it", arguments: GoldenRecording.all)
    func restored(_ recording: GoldenRecording) throws {
        let folder = try Folder()
        let segments = try recording.segments()
        for segment in segments {
            for kind in ["events", "checkpoint"] {
                let name = "\(segment.number).\(kind)"
                var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(recording.path)/\(name)"))
                // A daemon goes on only with what is of this boot.
                let here = Data(CurrentProcess.bootID.utf8)
                if let boot = bytes.range(of: Data(segment.header.boot.utf8)) {
                    bytes.replaceSubrange(boot, with: here)
                    if kind == "checkpoint" { bytes = Data(Self.checked(Array(bytes))) }
                }
                try bytes.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            }
        }
        let restored = try #require(Journal.restore(from: folder.path))
        #expect(!FileSystem.names(in: folder.path).contains { $0.hasSuffix(".damaged") })
        let last = try #require(segments.last)
        var system = last.header.system
        var now = Instant(nanoseconds: last.header.base)
        for case .event(let event, let after) in last.records.map(\.record) {
            now = now + after
            _ = system.handle(event, at: now)
        }
        #expect(try RecordedDevice.bytes(of: restored.system) == RecordedDevice.bytes(of: system))
    }
}
