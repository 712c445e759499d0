import Foundation
import Model
import PolicyCore
import Simulation
import Testing

/// The same seed, the same run: in every process, in debug and release builds. The hashes of a hundred traces are
/// committed beside this file; `GREENROOM_WRITE_HASHES=1` writes them anew after a change that means to change runs.
@Suite("Traces")
struct TraceTests {
    private static let seeds: ClosedRange<UInt64> = 1...100

    private static var file: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("traces.txt")
    }

    /// A storm of some hours, its every event and effect in words.
    private static func trace(_ seed: UInt64) -> Trace {
        let run = ScenarioRun(StormGenerator.scenario(seed: seed, length: .seconds(7200)))
        let recorder = Recorder()
        run.device.observer = { [unowned device = run.device] event, effects in
            recorder.trace.add(event, effects, on: device)
        }
        run.run()
        return recorder.trace
    }

    private final class Recorder {
        var trace = Trace()
    }

    private static func line(_ seed: UInt64, _ trace: Trace) -> String {
        "\(seed) \(trace.bytes.count) \(String(trace.hash, radix: 16))"
    }

    @Test("A seed gives the trace that it gave before, to the byte")
    func committed() throws {
        let lines = Self.seeds.map { Self.line($0, Self.trace($0)) }
        if ProcessInfo.processInfo.environment["GREENROOM_WRITE_HASHES"] != nil {
            try (lines.joined(separator: "\n") + "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        let differing = zip(lines, committed).filter { $0 != $1 }
        #expect(lines.count == committed.count)
        #expect(differing.isEmpty, "runs have changed; if they were meant to: GREENROOM_WRITE_HASHES=1 swift test …")
    }

    @Test("Two runs of a seed in one process give the same bytes")
    func repeated() {
        for seed in Self.seeds.prefix(10) { #expect(Self.trace(seed).bytes == Self.trace(seed).bytes) }
    }

    @Test("Another seed gives another trace")
    func different() {
        #expect(Set(Self.seeds.prefix(20).map { Self.trace($0).hash }).count == 20)
    }
}
