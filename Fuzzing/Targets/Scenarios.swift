internal import ScenarioText
internal import Simulation

extension FuzzTarget {
    /// YAML has many ways of saying a thing at length; what libyaml builds of it is most of the memory.
    static let scenario = FuzzTarget("scenario", "scenario files", longest: 1 << 14, memory: (16 << 20, 1 << 16)) {
        (bytes) throws(BrokenPromise) in
        let scenario: Scenario
        do throws(ScenarioErrors) {
            scenario = try ScenarioReader.read(bytes, file: "fuzz")
        } catch {
            try promise(!error.errors.isEmpty, "it is refused without a word")
            return .refused(error.errors.first.map { $0.problem } ?? "")
        }
        let text = ScenarioWriter.text(of: scenario)
        let again: Scenario
        do throws(ScenarioErrors) {
            again = try ScenarioReader.read(Array(text.utf8), file: "again")
        } catch {
            throw BrokenPromise(description: "what was written cannot be read: \(error)\n\(text)")
        }
        try promise(ScenarioWriter.text(of: again) == text, "it reads back as another scenario:\n\(text)")
        return .taken
    }
}
