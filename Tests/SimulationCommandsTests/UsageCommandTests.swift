import Commands
import Foundation
import Model
import SimulationCommands
import Testing

/// Collects what a command prints.
private final class Page: Sink {
    private(set) var text = ""
    func write(_ bytes: [UInt8]) { text += String(decoding: bytes, as: UTF8.self) }
}

/// `greenroom run` in a folder of its own.
private final class Bench {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("greenroom-usage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to name: String) throws {
        try text.write(to: folder.appendingPathComponent(name), atomically: false, encoding: .utf8)
    }

    func read(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    func run(_ arguments: String...) -> (code: Int32, output: String, errors: String) { run(arguments) }

    func run(_ arguments: [String]) -> (code: Int32, output: String, errors: String) {
        let (output, errors) = (Page(), Page())
        let moment = WallTime(nanoseconds: 0)
        let context = CommandContext(
            environment: [:], workingDirectory: folder.path, programFolder: "", input: -1, output: output,
            errors: errors, outputIsTerminal: false, clock: Moment.Clock(now: { moment }, offset: { _ in 0 }))
        let code = SimulatorCommand.main(arguments: ["run"] + arguments, in: context)
        return (code, output.text, errors.text)
    }
}

@Suite("greenroom run --usage") struct UsageCommandTests {
    private static let trace = """
        time,event,app,duration_s
        2020-01-01T08:00:00,unlock,,1
        2020-01-01T08:00:00,open,mail,10
        2020-01-01T08:00:10,open,maps,10
        2020-01-01T08:00:20,open,mail,10
        2020-01-01T08:00:30,sleep,,60
        2020-01-01T08:01:00,notification,mail,0
        2020-01-01T08:01:30,wake,,1
        """
    private static let apps = "app,footprint_mb\nmail,95\nmaps,240\n"

    private func bench() throws -> Bench {
        let bench = try Bench()
        try bench.write(Self.trace, to: "trace.csv")
        try bench.write(Self.apps, to: "apps.csv")
        return bench
    }

    @Test("The report says in words what the days came to")
    func text() throws {
        let outcome = try bench().run("--usage", "trace.csv", "--apps", "apps.csv")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first?.hasPrefix("trace.csv: 90 s of virtual time, ") == true)
        for line in [
            "switches      3, of 3 opens", "warm starts   1 (33.3 %)", "cold starts   2 (66.7 %)", "launches      2",
            "terminations  0; 0 more apps ended because the device went down",
            "memory        at most 335 MB resident",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)\n\(outcome.output)")
        }
        #expect(outcome.output.contains("cellular 9.7 J (woken 1 times)"), "\(outcome.output)")
        #expect(lines.contains { $0.hasPrefix("mail ") && $0.contains(" 2 ") })
    }

    @Test("With too little memory the report says who chose, and what each policy makes of the same switches")
    func memory() throws {
        let arguments = ["--usage", "trace.csv", "--apps", "apps.csv", "--memory", "300", "--policy", "lru"]
        let outcome = try bench().run(arguments)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        for line in [
            "switches      3, of 3 opens", "warm starts   0 (0.0 %)", "cold starts   3 (100.0 %)",
            "memory        at most 240 MB resident", "              of 300 MB; lru chooses who ends",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)\n\(outcome.output)")
        }
        for policy in ["ours", "lru", "documents", "clairvoyant"] {
            #expect(lines.contains { $0.hasPrefix("\(policy) ") && $0.contains("240 MB") }, "\(outcome.output)")
        }
    }

    @Test("The JSON has the documented keys, those about memory too, and is the same every time")
    func json() throws {
        let arguments = ["--usage", "trace.csv", "--apps", "apps.csv", "--json", "--memory", "340"]
        let outcome = try bench().run(arguments)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(json["switches"] as? Int == 3)
        #expect(json["warmStarts"] as? Int == 1)
        #expect(json["coldStarts"] as? Int == 2)
        #expect(json["terminations"] as? Int == 0)
        #expect(json["virtualSeconds"] as? Double == 90)
        #expect(json["events"] as? Int ?? 0 > 30)
        #expect(json["memoryMB"] as? Int == 340)
        #expect(json["memoryEnforced"] as? Bool == true)
        #expect(json["policy"] as? String == "ours")
        #expect(json["peakMB"] as? Int == 335)
        let policies = try #require(json["policies"] as? [[String: Any]])
        #expect(policies.map { $0["name"] as? String } == ["ours", "lru", "documents", "clairvoyant"])
        for policy in policies {
            #expect(policy["warmStarts"] as? Int == 1)
            #expect(policy["coldStarts"] as? Int == 2)
            #expect(policy["terminations"] as? Int == 0)
            #expect(policy["peakMegabytes"] as? Int == 335)
            #expect(policy["averageVictimMegabytes"] as? Double == 0)
            #expect(policy["averageCandidateMegabytes"] as? Double == 0)
        }
        #expect((json["callbacks"] as? [String: Int])?["didFinishLaunching"] == 2)
        #expect((json["apps"] as? [[String: Any]])?.count == 2)
        #expect((json["violations"] as? [String])?.isEmpty == true)
        #expect(try outcome.output == bench().run(arguments).output)
    }

    @Test("A mistake in a file is told with its place and what was expected")
    func mistakes() throws {
        let bench = try bench()
        try bench.write(Self.trace.replacingOccurrences(of: "maps,10", with: "maps,ten"), to: "bad.csv")
        let bad = bench.run("--usage", "bad.csv", "--apps", "apps.csv")
        #expect(bad.code == 1)
        #expect(bad.errors == "greenroom: bad.csv:4: expected a duration in whole seconds, found 'ten'\n")
        try bench.write("app,footprint_mb\nmail,95\n", to: "few.csv")
        let few = bench.run("--usage", "trace.csv", "--apps", "few.csv")
        #expect(few.code == 1)
        let missing = "maps is opened, and few.csv does not have it: add a line maps,MEGABYTES"
        #expect(few.errors == "greenroom: trace.csv:4: \(missing)\n")
        let none = bench.run("--usage", "none.csv", "--apps", "apps.csv")
        #expect(none.code == 1)
        #expect(none.errors.hasPrefix("greenroom: none.csv cannot be read: "))
    }

    static let misuses: [([String], String)] = [
        (["--usage", "trace.csv"], "--usage needs --apps"),
        (["--apps", "apps.csv", "--make-month", "x"], "--apps belongs to --usage"),
        (["--memory", "5", "--make-month", "x"], "--memory belongs to --usage"),
        (["--usage", "a", "--apps", "b", "--policy", "lru"], "--policy belongs to --memory"),
        (["--usage", "a", "--apps", "b", "--memory", "9", "--policy", "best"], "ours"),
        (["--usage", "a", "--apps", "b", "--memory", "0"], "--memory needs a number of megabytes from 1 on"),
        (["--usage", "a", "--apps", "b", "--days", "3"], "--days belongs to --make-month"),
        (["--make-month", "x", "--days", "0"], "--days needs a number from 1 to 3650"),
        (["--usage", "a", "--apps", "b", "--make-month", "x"], "choose one"),
        (["--usage", "a", "--apps", "b", "--trace", "x"], "--trace writes down scenarios and storms"),
        ([], "--usage or --make-month"),
    ]

    @Test("What does not go together is refused as wrong use", arguments: misuses.indices)
    func misuse(_ number: Int) throws {
        let (arguments, message) = Self.misuses[number]
        let outcome = try Bench().run(arguments)
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("A month that is made up can be played, and is the same for the same seed")
    func month() throws {
        let bench = try Bench()
        let made = bench.run("--make-month", "here/month", "--seed", "5", "--days", "2")
        #expect(made.code == 0, "\(made.errors)")
        let command = "greenroom run --usage here/month/usage.csv --apps here/month/apps.csv"
        #expect(made.output == "2 days, made up from seed 5; play them: \(command)\n")
        let played = bench.run("--usage", "here/month/usage.csv", "--apps", "here/month/apps.csv", "--json")
        #expect(played.code == 0, "\(played.errors)")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(played.output.utf8)) as? [String: Any])
        #expect(json["switches"] as? Int ?? 0 > 100)
        let first = try bench.read("here/month/usage.csv")
        _ = bench.run("--make-month", "other", "--seed", "5", "--days", "2")
        #expect(try bench.read("other/usage.csv") == first)
        _ = bench.run("--make-month", "other", "--seed", "6", "--days", "2")
        #expect(try bench.read("other/usage.csv") != first)
    }
}
