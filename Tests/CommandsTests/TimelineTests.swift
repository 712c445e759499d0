import Commands
import Foundation
import Model
import Testing
import Timeline
import Wire

@Suite("The timeline")
struct TimelineTests {
    private static let journal = "org.greenroom.examples.journal"
    /// The tool's now, minus a minute.
    private static let offset: Int64 = 1_795_255_389_500_000_000 - 60_000_000_000

    private static func record(_ seconds: Double, _ what: Happening) -> TimelineRecord {
        TimelineRecord(Instant(nanoseconds: 0) + .seconds(seconds), what)
    }

    private static func entry(_ seconds: Double, _ app: String?, _ sequence: UInt64, _ event: String) -> TimelineRecord
    {
        record(
            seconds, .entry(TimelineEntry(app: app, sequence: sequence, event: event, reason: "because")))
    }

    private static let story: [TimelineRecord] = [
        record(0, .began(Beginning(.fresh, boot: "a", offset: offset))),
        entry(0, nil, 1, "booted"),
        entry(6, nil, 2, "openRequested"),
        record(6, .named(app: journal, name: "Journal\u{1b}[31m")),
        record(6, .state(app: journal, .inactive)),
        record(8, .state(app: journal, .active)),
        record(10, .processorUsed(app: journal, used: .seconds(1), over: .seconds(4))),
        record(12, .memory(app: journal, Footprint(dirty: 12 << 20))),
        entry(24, nil, 3, "homePressed"),
        record(24, .state(app: journal, .background)),
        record(24, .assertionBegan(app: journal, HeldAssertion(id: 1, kind: "task", name: "upload"))),
        record(36, .assertionEnded(app: journal, id: 1)),
        record(36, .state(app: journal, .suspended)),
        entry(36, journal, 4, "suspended"),
        record(48, .state(app: journal, .notRunning)),
        record(
            48, .report(app: journal, TimelineReport(id: "r", namespace: "SPRINGBOARD", code: 5, reason: "x"))),
    ]

    /// A daemon that tells the story in pages of three.
    private static func answer(_ request: FakeDaemon.Request) -> JSONValue {
        guard request.method == "timeline" else { return Sample.apps }
        let after = request.params["after"]?.int ?? 0
        let page = story.dropFirst(after).prefix(3)
        let next = after + page.count
        return [
            "records": .array(page.map { $0.json(offset: offset) }), "clock": 60_000_000_000,
            "next": next < story.count ? .int(Int64(next)) : nil,
        ]
    }

    @Test("The picture is as wide as the terminal, and what an app calls itself is harmless")
    func picture() throws {
        let tool = try Tool()
        tool.environment = ["COLUMNS": "78"]
        let daemon = try FakeDaemon(in: tool.home) { .result(Self.answer($0)) }
        let output = tool.run("timeline").output
        #expect(
            output == """
                1 s a column      12:02:09            12:02:29            12:02:49
                Device            b     o                 h
                  all 25 %              ████
                Journal^[[31m           ▓▓████████████████▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░
                  task                                    ━━━━━━━━━━━━
                  CPU 25 %              ████
                  dirty 12 MB                 ████████████████████████████████████
                  reports                                                         !

                █ active  ▓ inactive  ▒ background  ░ suspended  b boot  h Home  o open

                """)
        for line in output.split(separator: "\n") { #expect(line.count <= 78) }
        withExtendedLifetime(daemon) {}
    }

    @Test("Without --since the picture asks for ten minutes, and an export for everything")
    func since() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { .result(Self.answer($0)) }
        _ = tool.run("timeline")
        #expect(daemon.requests.last?.params["since"]?.string == "2026-11-21T09:53:09.500000Z")
        _ = tool.run("timeline", "--export", "-")
        #expect(daemon.requests.last?.params["since"] == nil)
        _ = tool.run("timeline", "--json", "--since", "90s")
        #expect(daemon.requests.last?.params["since"]?.string == "2026-11-21T10:01:39.500000Z")
        _ = tool.run("timeline", "--json", "--since", "2026-11-20T00:00:00Z", "--app", "journal")
        #expect(daemon.requests.last?.params["since"]?.string == "2026-11-20T00:00:00.000000Z")
        #expect(daemon.requests.last?.params["app"]?.string == Self.journal)
        for wrong in ["", "m", "-5m", "+5m", "5", "5 m", "yesterday"] {
            #expect(tool.run("timeline", "--since=\(wrong)").code == 2, "\(wrong)")
        }
        #expect(tool.run("timeline", "--json", "--export", "-").code == 2)
    }

    @Test("--json is every record of every page, one a line")
    func json() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { .result(Self.answer($0)) }
        let lines = tool.run("timeline", "--json").output.split(separator: "\n")
        #expect(try lines.map { try JSONValue(parsing: String($0)) } == Self.story.map { $0.json(offset: Self.offset) })
        withExtendedLifetime(daemon) {}
    }

    @Test("An export is there as a whole or not at all")
    func export() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { .result(Self.answer($0)) }
        #expect(tool.run("timeline", "--export", "trace.json") == Tool.Outcome(code: 0, output: "", errors: ""))
        let text = try String(contentsOfFile: tool.path("trace.json"), encoding: .utf8)
        #expect(tool.run("timeline", "--export", "-").output == text)
        let events = try #require(JSONValue(parsing: text, limits: .answer)["traceEvents"]?.array)
        #expect(events.count { $0["cat"] == "state" } == 4)
        #expect(!FileManager.default.fileExists(atPath: tool.path("trace.json.new")))
        let nowhere = tool.run("timeline", "--export", "no/such/folder/trace.json")
        #expect(nowhere.code == 1 && nowhere.errors.contains("no/such/folder/trace.json cannot be written"))
        withExtendedLifetime(daemon) {}
    }

    @Test("Where nothing is kept, that is said")
    func nothing() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(["records": [], "next": nil, "clock": 5]) }
        #expect(tool.run("timeline").output == "nothing is kept of that time\n")
        withExtendedLifetime(daemon) {}
    }
}
