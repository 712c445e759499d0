import Foundation
import Model
import PolicyCore
import Simulation
import Testing

@Suite("Real days") struct UsageRunTests {
    private func run(_ rows: String, checks: Bool = true) throws -> UsageResult {
        let trace = try UsageTrace(csv: Array("time,event,app,duration_s\n\(rows)".utf8))
        let table = try AppsTable(csv: Array("app,footprint_mb\na,100\nb,20\nc,3\n".utf8))
        return try UsageRun.play(trace, table, checksInvariants: checks)
    }

    @Test("A switch is an open of another app than the one before; warm where the app is still there")
    func switches() throws {
        let result = try run(
            """
            2020-01-01T08:00:00,open,a,10
            2020-01-01T08:00:00,unlock,,1
            2020-01-01T08:00:10,open,b,10
            2020-01-01T08:00:20,open,b,10
            2020-01-01T08:00:30,sleep,,60
            2020-01-01T08:01:30,unlock,,1
            2020-01-01T08:01:31,open,b,10
            2020-01-01T08:01:41,open,a,19
            2020-01-01T08:02:00,sleep,,60
            """)
        #expect(result.violations.isEmpty)
        #expect(result.switches == 3)
        #expect(result.coldStarts == 2)
        #expect(result.warmStarts == 1)
        #expect(result.opens == 5)
        #expect(result.launches == 2)
        #expect(result.virtualTime == .seconds(120))
        #expect(result.peakMegabytes == 120)
        // a: launched, left for b, came back. b: launched, put to sleep, came back, left for a.
        #expect(result.count(of: .didFinishLaunching) == 2)
        #expect(result.count(of: .didEnterBackground) == 3)
        #expect(result.count(of: .willEnterForeground) == 2)
        #expect(result.terminations == 0)
    }

    @Test("Shutdown and boot end every app and forget the one before, also without each other")
    func goingDown() throws {
        let result = try run(
            """
            2020-01-01T08:00:00,open,a,10
            2020-01-01T08:00:10,open,b,10
            2020-01-01T08:00:20,shutdown,,60
            2020-01-01T08:01:00,notification,b,0
            2020-01-01T08:01:20,boot,,5
            2020-01-01T08:01:30,open,b,10
            2020-01-01T08:01:40,boot,,1
            2020-01-01T08:02:00,open,b,10
            2020-01-01T08:02:10,shutdown,,60
            2020-01-01T08:03:00,open,a,9
            2020-01-01T08:03:10,sleep,,1
            """)
        #expect(result.violations.isEmpty)
        #expect(result.switches == 5)
        #expect(result.coldStarts == 5)
        #expect(result.endedByShutdown == 4)
        #expect(result.terminations == 0)
        #expect(result.launches == 5)
    }

    @Test("Where an app's use ended well before the screen did anything else, the person went Home")
    func home() throws {
        let result = try run(
            """
            2020-01-01T08:00:00,open,a,10
            2020-01-01T08:00:05,notification,b,0
            2020-01-01T08:01:00,open,a,10
            2020-01-01T08:01:11,open,a,9
            2020-01-01T08:01:20,sleep,,100
            2020-01-01T08:03:00,wake,,2
            """)
        #expect(result.violations.isEmpty)
        // Once to the home screen, once to sleep; a second's gap is none.
        #expect(result.count(of: .didEnterBackground) == 2)
        let suspended = result.inState[.suspended].seconds
        #expect((149.5...150).contains(suspended))
        #expect((29...30).contains(result.inState[.active].seconds))
        #expect(result.switches == 1)
    }

    @Test("Times in the states of an app are the whole of the time")
    func times() throws {
        let result = try run(
            "2020-01-01T08:00:00,open,a,10\n2020-01-01T08:00:20,open,c,5\n2020-01-01T09:00:00,sleep,,5\n")
        for app in result.apps {
            #expect(LifecycleState.allCases.reduce(Span.zero) { $0 + app.inState[$1] } == result.virtualTime)
        }
        for state in LifecycleState.allCases {
            #expect(result.apps.reduce(Span.zero) { $0 + $1.inState[state] } == result.inState[state])
        }
        #expect(result.apps.map(\.switches) == [1, 0, 1])
        #expect(result.apps.reduce(Span.zero) { $0 + $1.processorTime } == result.processorTime)
        #expect(result.processorTime > .milliseconds(240))
    }

    @Test("Ten scattered notifications wake the radio ten times")
    func notifications() throws {
        let rows = (0..<10).map { "2020-01-01T08:0\($0):00,notification,a,0\n" }.joined()
        let result = try run(rows + "2020-01-01T09:00:00,wake,,1\n")
        #expect(result.notifications == 10)
        #expect(result.radioWakeups == 10)
        #expect((95...97).contains(result.energy.total(of: .cellular).joules))
    }

    @Test("An app that is opened and not in the table is named, with its line")
    func unknownApp() {
        #expect { try run("2020-01-01T08:00:00,wake,,1\n2020-01-01T08:00:00,open,zed,1\n") } throws: {
            "\($0)" == "line 3: zed is opened, and the table of apps does not have it"
        }
    }

    @Test("A trace of nothing gives nothing")
    func empty() throws {
        let result = try run("")
        #expect(result.switches == 0)
        #expect(result.virtualTime == .zero)
    }

    // MARK: A month

    /// Counts as a reader of the file would.
    private func count(_ csv: String) -> (switches: Int, cold: Int, opens: Int) {
        var (switches, cold, opens) = (0, 0, 0)
        var previous: Substring?
        var resident: Set<Substring> = []
        for line in csv.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            if fields[1] == "boot" || fields[1] == "shutdown" {
                (previous, resident) = (nil, [])
            } else if fields[1] == "open" {
                opens += 1
                guard fields[2] != previous else { continue }
                switches += 1
                previous = fields[2]
                if resident.insert(fields[2]).inserted { cold += 1 }
            }
        }
        return (switches, cold, opens)
    }

    @Test(
        "A synthetic month has the switches and starts that a simple count has, and breaks no invariant",
        arguments: [1, 2, 3])
    func syntheticMonth(seed: UInt64) throws {
        let month = SyntheticMonth(seed: seed, days: seed == 1 ? 30 : 3)
        let trace = try UsageTrace(csv: Array(month.trace.utf8))
        let table = try AppsTable(csv: Array(month.apps.utf8))
        let result = try UsageRun.play(trace, table, checksInvariants: seed != 1)
        let expected = count(month.trace)
        #expect(result.violations.isEmpty)
        #expect(result.switches == expected.switches)
        #expect(result.coldStarts == expected.cold)
        #expect(result.warmStarts == expected.switches - expected.cold)
        #expect(result.opens == expected.opens)
        #expect(result.opens > 100 * (seed == 1 ? 30 : 3))
        #expect(result.launches == expected.cold)
    }

    @Test("The same seed makes the same month, and the same month the same result")
    func deterministic() throws {
        let month = SyntheticMonth(seed: 9, days: 5)
        #expect(month == SyntheticMonth(seed: 9, days: 5))
        #expect(month != SyntheticMonth(seed: 10, days: 5))
        let trace = try UsageTrace(csv: Array(month.trace.utf8))
        let table = try AppsTable(csv: Array(month.apps.utf8))
        #expect(try UsageRun.play(trace, table) == UsageRun.play(trace, table))
    }

    @Test("A made-up month has the same bytes in every build, on every machine")
    func sameMonth() {
        let month = SyntheticMonth(seed: 1)
        #expect(Stable.hash(month.trace) == 14_225_687_984_537_824_952)
        #expect(Stable.hash(month.apps) == 8_661_433_415_281_123_973)
    }

    /// Beside the repository, where there are any. They belong to real people and are not part of it.
    static let traces = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/traces")

    static let hasTraces = FileManager.default.fileExists(atPath: traces.appendingPathComponent("usage").path)

    @Test(
        "Real months have as many switches as the reference program counts",
        .enabled(if: hasTraces, "there are no traces beside the repository"), arguments: ["user1", "user2"])
    func realMonth(user: String) throws {
        let usage = Self.traces.appendingPathComponent("usage")
        let file = usage.appendingPathComponent("\(user).csv")
        let apps = usage.appendingPathComponent("\(user).apps.csv")
        let result = try UsageRun.play(
            UsageTrace(csv: Array(Data(contentsOf: file))), AppsTable(csv: Array(Data(contentsOf: apps))))
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        script.arguments = [
            "python3", Self.traces.appendingPathComponent("warm_starts.py").path, file.path, apps.path, "1000000",
        ]
        let output = Pipe()
        script.standardOutput = output
        try script.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "switches \(result.switches)")
        // With memory for all, every policy has the same cold starts.
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            let place = try #require(words.firstIndex(of: "cold"))
            #expect(words[place + 1] == "\(result.coldStarts)")
        }
        #expect(result.warmStarts == result.switches - result.coldStarts)
        #expect(result.violations.isEmpty)
    }
}
