import Foundation
import Model
import ScenarioText
import Simulation
import Testing

/// The scenarios of the repository.
enum ScenarioFolder {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files directly in it, in order; paths relative to the repository.
    static func files(_ folder: String) -> [String] {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }

    static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(file)))
    }

    /// What is wrong with it, its place first; empty when all is well.
    static func complaint(_ file: String, seed: UInt64? = nil) throws -> String {
        do throws(ScenarioErrors) {
            let scenario = try ScenarioReader.read((try? bytes(file)) ?? [], file: file)
            let failures = ScenarioRun(scenario, seed: seed, models: models).run()
            return failures.map { "\(file):\($0.line ?? 0): at \($0.at.text): \($0.text)" }.joined(separator: "\n")
        } catch {
            return error.description
        }
    }
}

@Suite("The scenarios of the repository")
struct FolderTests {
    @Test("Each passes", arguments: ScenarioFolder.files("Scenarios"))
    func passes(_ file: String) throws {
        #expect(try ScenarioFolder.complaint(file) == "")
    }

    @Test(
        "Each passes with other seeds too: what it shows does not hang on chance",
        arguments: ScenarioFolder.files("Scenarios"))
    func seeds(_ file: String) throws {
        for seed in 1000..<1005 as Range<UInt64> { #expect(try ScenarioFolder.complaint(file, seed: seed) == "") }
    }

    @Test("Each row of the lifecycle has one, which bears its name")
    func rows() throws {
        let files = ScenarioFolder.files("Scenarios")
        for row in 1...15 {
            let number = (row < 10 ? "0" : "") + "\(row)"
            let own = files.filter { $0.hasPrefix("Scenarios/l\(number)-") }
            #expect(!own.isEmpty, "L\(row)")
            for file in own {
                #expect(
                    try ScenarioReader.read(ScenarioFolder.bytes(file), file: file).rows.first == "L\(row)", "\(file)")
            }
        }
    }

    @Test(
        "Each negative one fails with the message that it names", arguments: ScenarioFolder.files("Scenarios/negative"))
    func fails(_ file: String) throws {
        let text = String(decoding: try ScenarioFolder.bytes(file), as: UTF8.self)
        let marker = "# expect: "
        let wanted = text.split(separator: "\n").prefix { $0.hasPrefix("#") }.filter { $0.hasPrefix(marker) }
        try #require(!wanted.isEmpty, "it names no message")
        let complaint = try ScenarioFolder.complaint(file)
        for message in wanted { #expect(complaint.contains(message.dropFirst(marker.count)), "\(complaint)") }
    }

    @Test("The negative ones are at least twelve, and no two fail alike")
    func negatives() throws {
        let files = ScenarioFolder.files("Scenarios/negative")
        #expect(files.count >= 12)
        let complaints = try files.map { file in
            try ScenarioFolder.complaint(file).split(separator: "\n").first.map { $0.drop { $0 != " " } } ?? ""
        }
        #expect(Set(complaints).count == files.count)
    }

    @Test("A failure tells what led to it")
    func chain() throws {
        let text = """
            name: x
            device: ios-7
            apps: {journal: {}}
            timeline:
              - {at: 0s, do: open journal}
              - {at: 5s, do: home}
              - {at: 6s, expect: journal background}
            """
        let run = ScenarioRun(try ScenarioReader.read(Array(text.utf8), file: "x.yaml"), models: models)
        let failure = try #require(run.run().first)
        #expect(failure.line == 7 && failure.at.text == "6s")
        #expect(failure.text == "journal should be background and is suspended")
        let chain = failure.chain.map { (entry: LogEntry) -> [String] in
            [entry.app.map(run.device.name(of:)) ?? "", entry.event.name, entry.reason.sentence]
        }
        #expect(
            chain == [
                ["journal", "suspended", "it is not on screen, and no assertion entitles it to run in the background"],
                ["journal", "didEnterBackground", "it is no longer on screen"],
                ["journal", "willResignActive", "it is no longer what the user acts on"],
                ["", "homePressed", "the user pressed Home"],
            ])
    }

    @Test("A window that opens and closes within a moment gives tasks their whole time again, also for the oracles")
    func shortWindow() throws {
        let text = """
            name: x
            device: iphone-3gs
            seed: 200126
            duration: 14283.370121173s
            apps:
              app2:
                identifier: org.example.app2
                modes: [audio, location, remote-notification]
                "on":
                  didEnterBackground: [begin task "task 2"]
                  handleServiceEvents: [after 210ms complete service done]
                  expiration: [end task "task 2"]
            services:
              service0:
                mode: audio
                holds: {hold0: 18s, hold1: 0s}
                priorities: {hold0: foreground}
                windows: {window0: 21s, window1: 27s}
                startup: 83ms
                stopTime: 57ms
            timeline:
              - {at: 0s, do: open app2}
              - {at: 3407695ms, do: let app2 use service0.hold0}
              - {at: 13563157ms, do: home}
              - {at: 13750553ms, do: wake app2 by service0.window0}
            expect:
              - at rest
            """
        #expect(ScenarioRun(try ScenarioReader.read(Array(text.utf8), file: "x.yaml")).run() == [])
    }

    @Test("One of two sessions is cut off when its time is over, and the other has its own, also for the oracles")
    func twoSessions() throws {
        let text = """
            name: x
            device: ios-7
            apps: {radio: {}}
            timeline:
              - {at: 0s, do: unlock}
              - {at: 1s, do: open radio}
              - {at: 2s, do: home}
              - {at: 10s, do: transfers of radio end in "a"}
              - {at: 15s, do: transfers of radio end in "b"}
              - {at: 24s, expect: radio background}
              - {at: 30s, expect: radio suspended}
            expect:
              - {count: radio windowOverrun, is: 2}
            """
        #expect(ScenarioRun(try ScenarioReader.read(Array(text.utf8), file: "x.yaml")).run() == [])
    }
}
