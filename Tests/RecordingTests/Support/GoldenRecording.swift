import Foundation
import Model
import PolicyCore
import Recording
import Testing

/// FNV-1a in 64 bits: the same in every build.
struct Digest: CustomStringConvertible {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    init() {}
    init(of bytes: some Sequence<UInt8>) { add(bytes) }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(line: String) { add("\(line)\n".utf8) }

    mutating func add(_ mark: EffectMark) { add(line: "\(mark.kind) \(mark.digest)") }

    var description: String { String(state, radix: 16) }
}

/// A recording that is committed; `Golden/README.md` says where each comes from.
struct GoldenRecording: CustomTestStringConvertible {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Golden").path

    static let all: [GoldenRecording] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder))
        .map { $0.filter { $0.hasPrefix("v") }.sorted().map(GoldenRecording.init) } ?? []

    let name: String
    var path: String { "\(Self.folder)/\(name)" }
    var testDescription: String { name }

    /// One segment, as its file has it.
    struct Segment {
        let number: Int
        let header: SegmentHeader
        /// Each record, and its bytes in the file, frame and all.
        var records: [(record: Record, bytes: [UInt8])] = []
    }

    func segments() throws -> [Segment] {
        try RecordingFiles(path).numbers.map { number in
            let stored = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(number).checkpoint"))
            let header =
                CompactFormat.isThere(Array(stored))
                ? try CompactFormat.decode(SegmentHeader.self, from: Array(stored))
                : try JSONDecoder().decode(SegmentHeader.self, from: stored)
            var segment = Segment(number: number, header: header)
            // A magic number and the count of bytes come first.
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(number).events"))).dropFirst(16)
            var reader = RecordReader(bytes, version: segment.header.version)
            while true {
                let start = reader.offset
                guard let record = try reader.next() else { return segment }
                segment.records.append((record, Array(bytes[start..<reader.offset])))
            }
        }
    }

    // MARK: What it holds

    /// What was recorded, which is the same for ever.
    func recorded() throws -> String {
        let segments = try segments()
        var (events, effects) = (Tally(), Tally())
        var kinds: [String: Tally] = [:]
        var listing: [String] = []
        for segment in segments {
            listing.append("segment \(segment.number)\(segment.header.start.map { ", \($0)" } ?? "")")
            for (record, _) in segment.records {
                switch record {
                case .event(let event, let after):
                    let text = event.text
                    listing.append(text)
                    events.add(Self.firstWord(text), "+\(after.nanoseconds) \(text)")
                    switch event {
                    case .command(_, let command): kinds["commands", default: Tally()].add(command.text)
                    case .request(_, _, let request): kinds["requests", default: Tally()].add(request.text)
                    case .retired(let event):
                        if let command = event.command { kinds["commands", default: Tally()].add(command) }
                        if let request = event.request { kinds["requests", default: Tally()].add(request) }
                    default: break
                    }
                case .effects(let marks):
                    for mark in marks { effects.add(mark.kindName, "\(mark.kind) \(mark.digest)") }
                }
            }
        }
        var lines = ["version \(Set(segments.map(\.header.version)).map(String.init).joined(separator: " "))"]
        lines += ["segments \(segments.count)", "events \(events)"]
        lines += ["commands", "requests"].map { "\($0) \(kinds[$0] ?? Tally())" }
        lines.append("effects \(effects)")
        // A storm's is long; its digest is among that of the events.
        if name.hasSuffix("tour") { lines += [""] + listing }
        return lines.joined(separator: "\n") + "\n"
    }

    static func firstWord(_ text: String) -> String { String(text.prefix { $0 != " " && $0 != ":" }) }

    /// How often each kind was there, and a digest of all in their order.
    private struct Tally: CustomStringConvertible {
        private var kinds: [String: Int] = [:]
        private var digest = Digest()

        mutating func add(_ kind: String, _ line: String) {
            kinds[kind, default: 0] += 1
            digest.add(line: line)
        }

        mutating func add(_ text: String) { add(GoldenRecording.firstWord(text), text) }

        var description: String {
            let list = kinds.sorted { $0.key < $1.key }.map { "\n  \($0.key) \($0.value)" }.joined()
            return "\(kinds.values.reduce(0, +)), of \(kinds.count) kinds, digest \(digest)\(list)"
        }
    }

    // MARK: What today's Core makes of it

    /// What the production replayer says, through every divergence to the end.
    func replayed() throws -> String {
        var replay = try Replay(RecordingFiles(path))
        var digest = Digest()
        var differences: [String] = []
        var isAtEnd = false
        while !isAtEnd {
            let before = replay.counts.events
            do throws(RecordingError) {
                isAtEnd = try replay.next() == nil
            } catch {
                switch error {
                case .diverged(let divergence): differences.append(Self.text(divergence))
                case .checkpointDiffers(_, let after, let difference):
                    differences.append("checkpoint after event \(after): \(difference)")
                default: throw error
                }
            }
            if replay.counts.events > before { for effect in replay.effects { digest.add(EffectMark(effect)) } }
        }
        let counts = replay.counts
        var all = Digest()
        for difference in differences { all.add(line: difference) }
        var lines = [
            "events \(counts.events), without effects to compare \(counts.uncompared)",
            "systems \(counts.systems), restarts \(counts.restarts), checkpoints \(counts.checkpoints) equal",
            "effects now: digest \(digest)",
            "differences \(differences.count), digest \(all)",
        ]
        lines += differences.prefix(12).map { "  \($0)" }
        lines.append("at the end:")
        for app in replay.system.allApps {
            let process = "process \(app.process), generation \(app.generation.rawValue)"
            lines.append("  \(app.manifest.identifier.rawValue) \(app.state), \(process)")
        }
        lines.append("  the next log entry is \(replay.system.nextSequence.rawValue)")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ divergence: Divergence) -> String {
        "event \(divergence.number), effect \(divergence.effect): was \(divergence.recorded ?? "none"), is "
            + (divergence.replayedKind ?? "none")
    }
}
