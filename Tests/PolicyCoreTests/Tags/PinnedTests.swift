import Foundation
import Model
import PolicyCore
import Testing

/// The bytes of every sample event and the digests of every sample effect, in the order of the samples. They are
/// committed in `samples.txt` and never change: recordings hold them. A new sample gets a new line:
/// `GREENROOM_RECORD_GOLDEN=1 swift test --filter PinnedTests` adds it, as long as every other line still holds.
@Suite("Stored bytes are for ever")
struct PinnedTests {
    private static var file: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("samples.txt")
    }

    private static func line(_ event: Event) -> String {
        var writer = ByteWriter()
        event.encode(into: &writer)
        let detail =
            switch event {
            case .command(_, let command): ".\(command.tag)"
            case .request(_, _, let request): ".\(request.tag)"
            case .retired(.beginService): ".beginService"
            case .retired(.endService): ".endService"
            case .retired(.openCovering): ".open"
            default: ""
            }
        return "event \(event.tag)\(detail) \(writer.bytes.count) \(String(hash(writer.bytes), radix: 16))"
    }

    private static func line(_ action: Action) -> String {
        var writer = ByteWriter()
        Effect(action).encode(into: &writer)
        let detail =
            switch action {
            case .log(let entry): ".\(entry.event).\(entry.reason.tag)"
            case .reply(_, _, let reply): ".\(reply.tag)"
            case .answer(_, let answer): ".\(answer.tag)"
            default: ""
            }
        let digests = [nil, LogSequence(7)].map { EffectMark(Effect(action, cause: $0)).digest }
        let bytes = String(hash(writer.bytes), radix: 16)
        return "effect \(action.tag)\(detail) \(writer.bytes.count) \(bytes) \(digests[0]) \(digests[1])"
    }

    /// FNV-1a in 64 bits.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    @Test("Every sample has the bytes and the digest that it had when it was added")
    func committed() throws {
        let lines = CodingTests.events.map(Self.line) + EffectCodingTests.actions.map(Self.line)
        let committed = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        let changes = lines.difference(from: committed)
        let writes = ProcessInfo.processInfo.environment["GREENROOM_RECORD_GOLDEN"] != nil
        if writes, changes.removals.isEmpty {
            try (lines.joined(separator: "\n") + "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        }
        for case .remove(_, let line, _) in changes.removals.prefix(5) {
            Issue.record("recordings hold \(line), which is not what is written now")
        }
        #expect(changes.removals.isEmpty)
        #expect(changes.insertions.isEmpty || writes, "samples are new: see the suite's comment")
    }
}
