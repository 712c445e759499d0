import Foundation
import Model
import ScenarioText
import Simulation
import Testing

/// `docs/SCENARIOS.md` says what the code does.
@Suite("The page about scenarios")
struct ScenarioPageTests {
    static let page: String = {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/SCENARIOS.md"), encoding: .utf8)) ?? ""
    }()

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private static func table(_ keys: KeyTable) -> String {
        let rows = keys.keys.map { ["`\($0.name)`", $0.isRequired ? "yes" : "", $0.value, $0.meaning] }
        return table(["key", "required", "value", "meaning"], rows)
    }

    private static func table<Value>(_ language: Language<Value>) -> String {
        let rows = language.forms.map { ["`\($0.text)`", "`\($0.example)`", $0.meaning] }
        return table(["form", "example", "meaning"], rows)
    }

    static let tables: [(String, String)] = [
        ("scenario", table(KeyTable.scenario)), ("device", table(KeyTable.device)), ("app", table(KeyTable.app)),
        ("memory", table(KeyTable.memory)), ("service", table(KeyTable.service)), ("manners", table(KeyTable.manners)),
        ("launchFailure", table(KeyTable.launchFailure)), ("rates", table(KeyTable.rates)),
        ("step", table(KeyTable.step)), ("inputs", table(Language<Input>.inputs)),
        ("actions", table(Language<AppAction>.actions)), ("faults", table(Language<Fault>.faults)),
        ("expectations", table(Language<Simulation.Expectation>.expectations)),
        ("entries", table(Language<LogPattern>.patterns)),
        (
            "mappings",
            table(["example", "meaning"], ExpectationForm.all.map { ["`\($0.example)`", $0.meaning] })
        ),
        ("slots", table(["word", "stands for"], Slot.allCases.map { ["`\($0.rawValue)`", $0.meaning] })),
    ]

    @Test("Each table is the code's", arguments: tables.map(\.0))
    func tableIsTheCodes(_ name: String) throws {
        let table = try #require(Self.tables.first { $0.0 == name }).1
        #expect(Self.page.contains("\n\n\(table)\n\n"), "the page should hold:\n\(table)")
    }

    @Test("Each scenario on the page is one, and passes")
    func blocks() throws {
        let blocks = Self.page.components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(blocks.count >= 3)
        for block in blocks {
            let scenario = try ScenarioReader.read(Array(block.utf8), file: "docs/SCENARIOS.md")
            #expect(ScenarioRun(scenario, models: models).run() == [], "\(scenario.name)")
        }
    }

    @Test("Each example is read, and is written again as it stands")
    func examples() throws {
        var examples = Language<Input>.inputs.forms.map { ("do", $0.example) }
        examples += Language<AppAction>.actions.forms.map { ("do", "let radio \($0.example)") }
        examples += Language<Fault>.faults.forms.map { ("fault", $0.example) }
        examples += Language<Simulation.Expectation>.expectations.forms.map { ("expect", $0.example) }
        examples += Language<LogPattern>.patterns.forms.map { ("expect", "{never: \($0.example)}") }
        examples += ExpectationForm.all.map { ("expect", $0.example) }
        for (key, example) in examples {
            let text = """
                name: an example
                device: linux
                seed: 1
                apps:
                  radio: {}
                services:
                  audio: {}
                  steps: {}
                  transfers: {}
                  notifications: {}
                timeline:
                  - {at: 0s, \(key): \(example)}

                """
            let scenario = try ScenarioReader.read(Array(text.utf8), file: example)
            #expect(scenario.steps.count == 1)
            #expect(try ScenarioReader.read(Array(ScenarioWriter.text(of: scenario).utf8), file: "") == scenario)
        }
    }

    @Test("Each word that is to be filled in is explained, and used")
    func slots() {
        var forms = Language<Input>.inputs.forms.map(\.text)
        forms += Language<AppAction>.actions.forms.map(\.text)
        forms += Language<Fault>.faults.forms.map(\.text)
        forms += Language<Simulation.Expectation>.expectations.forms.map(\.text)
        forms += Language<LogPattern>.patterns.forms.map(\.text)
        for form in forms {
            for word in form.split(whereSeparator: { " []".contains($0) }) where word == word.uppercased() {
                #expect(Slot(rawValue: String(word)) != nil, "\(word) in \(form)")
            }
        }
        for slot in Slot.allCases { #expect(forms.contains { $0.contains(slot.rawValue) }, "\(slot)") }
    }
}
