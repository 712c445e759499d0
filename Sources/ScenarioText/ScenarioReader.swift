internal import Model
package import Simulation
internal import SystemPackage

/// Reads scenarios from their files' text (`docs/SCENARIOS.md`). Whatever the bytes are, it ends soon, with a scenario
/// or with what is wrong and where.
package enum ScenarioReader {
    package static func read(path: String) throws(ScenarioErrors) -> Scenario {
        let bytes: [UInt8]
        do {
            bytes = try contents(FilePath(path))
        } catch {
            let problem = "the file cannot be read: \(error)"
            throw Findings(.start, problem, expected: "a file with a scenario").errors(in: path)
        }
        return try read(bytes, file: path)
    }

    /// `file` is how errors name it.
    package static func read(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        do throws(Findings) {
            return try scenario(Tree.parse(SourceText.check(bytes)))
        } catch {
            throw error.errors(in: file)
        }
    }

    private static func scenario(_ tree: Tree) throws(Findings) -> Scenario {
        var reading = FileReading()
        guard let fields = reading.fields(tree, .scenario) else { throw reading.findings }
        let name = reading.text(fields["name"], of: "text") ?? ""
        if name.allSatisfy(\.isWhitespace), let tree = fields["name"] {
            reading.findings.note(tree.place, "the name is empty", expected: "what the scenario shows")
        }
        var scenario = Scenario(name: name, profile: reading.device(fields["device"]))
        scenario.rows = reading.rows(fields["rows"])
        reading.set(&scenario.seed, reading.number(fields["seed"], in: 0...UInt64.max, as: "a seed"))
        scenario.duration = reading.span(fields["duration"])
        scenario.memory = reading.bytes(fields["memory"])
        scenario.disk = reading.bytes(fields["disk"])
        scenario.services = reading.services(fields["services"])
        scenario.apps = reading.readApps(fields["apps"])
        scenario.rates = reading.rates(fields["rates"])
        scenario.steps = reading.timeline(fields["timeline"])
        scenario.expectations = reading.expectations(fields["expect"])
        reading.checkServices(scenario, tree.place)
        guard reading.findings.errors.isEmpty else { throw reading.findings }
        return scenario
    }

    /// One byte more than is allowed at most, of whatever kind of file; a pipe that nobody writes to is empty.
    private static func contents(_ path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while bytes.count <= SourceText.largest {
                let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return bytes
        }
    }
}

extension FileReading {
    fileprivate mutating func rows(_ tree: Tree?) -> [String] {
        list(tree, of: "rows").compactMap { tree in
            value(tree, of: "a row of the requirements") { text throws(Mismatch) in
                let letters = text.prefix { $0.isASCII && $0.isUppercase }
                let digits = text.dropFirst(letters.count)
                guard (1...2).contains(letters.count), (1...3).contains(digits.count),
                    digits.allSatisfy({ $0.isASCII && $0.isNumber })
                else { throw Mismatch(problem: "\(quoted(text)) is not a row", expected: "a row such as L4") }
                return text
            }
        }
    }
}
