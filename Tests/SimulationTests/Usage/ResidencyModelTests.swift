import Foundation
import Model
import PolicyCore
import Simulation
import Testing

@Suite("Keeping apps resident") struct ResidencyModelTests {
    private func model(_ rows: String, _ apps: String = "a,100\nb,60\nc,40\n") throws -> ResidencyModel {
        let trace = try UsageTrace(csv: Array("time,event,app,duration_s\n\(rows)".utf8))
        return try ResidencyModel(trace, AppsTable(csv: Array("app,footprint_mb\n\(apps)".utf8)))
    }

    /// One open after another; `-` is a reboot.
    private func opens(_ names: String) -> String {
        names.map { $0 == "-" ? "2020-01-01T08:00:00,boot,,1\n" : "2020-01-01T08:00:00,open,\($0),0\n" }.joined()
    }

    @Test("Whoever is resident starts warm; whoever does not fit ends others first")
    func starts() throws {
        let model = try model(opens("abaacb"))
        let lru = model.play(LeastRecentlyUsedPolicy(), megabytes: 160)
        // a, b: cold; a: warm; c: b goes; b: a goes.
        #expect(lru.warmStarts == 1)
        #expect(lru.coldStarts == 4)
        #expect(lru.terminations == 2)
        #expect(lru.peakMegabytes == 160)
        #expect(lru.victimMegabytes == 160)
        #expect(lru.candidates == 4)
        #expect(lru.candidateMegabytes == 300)
        let largest = model.play(LargestFirstPolicy(), megabytes: 160)
        // c: a goes, and b is still there.
        #expect(largest.coldStarts == 3)
        #expect(model.playClairvoyant(megabytes: 160).coldStarts == 3)
    }

    @Test("Who goes down with the device has not been ended, and nothing before it is the app before")
    func reboot() throws {
        let result = try model(opens("ab-bb")).play(LeastRecentlyUsedPolicy(), megabytes: 160)
        #expect(result.coldStarts == 3)
        #expect(result.warmStarts == 0)
        #expect(result.terminations == 0)
    }

    @Test("An app that is larger than the budget ends all others, and the peak says so")
    func tooLarge() throws {
        let result = try model(opens("bca")).play(ExpectedUsePolicy(), megabytes: 100)
        #expect(result.terminations == 2)
        #expect(result.peakMegabytes == 100)
        #expect(try model(opens("bca")).play(ExpectedUsePolicy(), megabytes: 70).peakMegabytes == 100)
    }

    @Test("Nobody ends for their age or number: with memory for all, every policy has the same starts")
    func room() throws {
        let month = SyntheticMonth(seed: 4, days: 10)
        let model = try ResidencyModel(
            UsageTrace(csv: Array(month.trace.utf8)), AppsTable(csv: Array(month.apps.utf8)))
        let bound = model.playClairvoyant(megabytes: 1_000_000)
        for name in TerminationPolicyName.allCases {
            let result = model.play(name.policy, megabytes: 1_000_000)
            #expect(result.terminations == 0)
            #expect(result.coldStarts == bound.coldStarts)
        }
    }

    @Test(
        "Of months that are made up, too, ours loses fewer warm starts than the others", arguments: [1, 2, 3, 4, 5, 6])
    func syntheticMonths(seed: UInt64) throws {
        let month = SyntheticMonth(seed: seed)
        let model = try ResidencyModel(
            UsageTrace(csv: Array(month.trace.utf8)), AppsTable(csv: Array(month.apps.utf8)))
        for megabytes in [512, 1024, 2048] as [Int64] {
            let ours = model.play(ExpectedUsePolicy(), megabytes: megabytes)
            #expect(ours.coldStarts < model.play(LeastRecentlyUsedPolicy(), megabytes: megabytes).coldStarts)
            #expect(ours.coldStarts < model.play(LargestFirstPolicy(), megabytes: megabytes).coldStarts)
            #expect(ours.peakMegabytes <= megabytes)
        }
    }

    // MARK: Real months

    private static let usage = UsageRunTests.traces.appendingPathComponent("usage")
    private static let users = ["user1", "user2"]
    private static let budgets: [Int64] = [512, 1024, 2048]

    private func files(_ user: String) -> (trace: URL, apps: URL) {
        (Self.usage.appendingPathComponent("\(user).csv"), Self.usage.appendingPathComponent("\(user).apps.csv"))
    }

    private func model(of user: String) throws -> ResidencyModel {
        let files = files(user)
        return try ResidencyModel(
            UsageTrace(csv: Array(Data(contentsOf: files.trace))), AppsTable(csv: Array(Data(contentsOf: files.apps))))
    }

    @Test(
        "LRU, largest first and the clairvoyant bound have the figures of the reference program",
        .enabled(if: UsageRunTests.hasTraces, "there are no traces beside the repository"), arguments: users)
    func reference(user: String) throws {
        let files = files(user)
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        script.arguments =
            [
                "python3", UsageRunTests.traces.appendingPathComponent("warm_starts.py").path, files.trace.path,
                files.apps.path,
            ] + Self.budgets.map { "\($0)" }
        let output = Pipe()
        script.standardOutput = output
        try script.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let model = try model(of: user)
        for megabytes in Self.budgets {
            let results = [
                ("lru", model.play(LeastRecentlyUsedPolicy(), megabytes: megabytes)),
                ("largest first", model.play(LargestFirstPolicy(), megabytes: megabytes)),
                ("clairvoyant (next use x size)", model.playClairvoyant(megabytes: megabytes)),
            ]
            for (name, result) in results {
                let line = try #require(
                    text.split(separator: "\n").first { $0.hasPrefix("\(megabytes) MB  \(name)  ") })
                let words = line.split(separator: " ")
                let place = try #require(words.firstIndex(of: "cold"))
                #expect(words[place + 1] == "\(result.coldStarts)", "\(line)")
                #expect(words[place + 3] == "\(result.terminations)", "\(line)")
            }
        }
    }

    @Test(
        """
        On real months ours has fewer cold starts than LRU and the documents' policy in every case, closes two thirds \
        of the distance to the clairvoyant bound, stays within the budget, and ends large apps by preference
        """,
        .enabled(if: UsageRunTests.hasTraces, "there are no traces beside the repository"))
    func sixCases() throws {
        var closed = 0.0
        for user in Self.users {
            let model = try model(of: user)
            for megabytes in Self.budgets {
                let ours = model.play(ExpectedUsePolicy(), megabytes: megabytes)
                let recent = model.play(LeastRecentlyUsedPolicy(), megabytes: megabytes)
                let bound = model.playClairvoyant(megabytes: megabytes)
                let largest = model.play(LargestFirstPolicy(), megabytes: megabytes)
                #expect(ours.coldStarts < recent.coldStarts)
                #expect(ours.coldStarts < largest.coldStarts)
                #expect(ours.peakMegabytes <= megabytes)
                // Who ends has far more memory than who could have; LRU does not look at it.
                #expect(ours.averageVictimMegabytes > 1.5 * ours.averageCandidateMegabytes)
                #expect(recent.averageVictimMegabytes < 1.25 * recent.averageCandidateMegabytes)
                closed += Double(recent.coldStarts - ours.coldStarts) / Double(recent.coldStarts - bound.coldStarts)
            }
        }
        #expect(closed / 6 >= 2.0 / 3)
    }
}
