import Foundation
import Testing

/// The bugs of `Mutants/`, which `Scripts/mutants.py` plants. Each costs a build, so they are planted seldom; that they
/// can be planted is seen here.
@Suite("Mutants")
struct MutantTests {
    struct Mutant: CustomTestStringConvertible, Sendable {
        let name: String
        let file: String
        /// The suite that must catch it, as `MODULE.SUITE`; `nil`: storms, scenarios or contracts.
        let suite: String?
        let right: String
        let wrong: String

        var testDescription: String { name }

        init?(_ url: URL) {
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
            let parts = text.components(separatedBy: "\n--- right\n")
            let pieces = parts.last?.components(separatedBy: "\n--- wrong\n") ?? []
            let head = parts[0].components(separatedBy: "\n")
            guard parts.count == 2, pieces.count == 2, 2...3 ~= head.count else { return nil }
            name = url.deletingPathExtension().lastPathComponent
            file = head[1]
            suite = head.count > 2 ? head[2] : nil
            right = pieces[0]
            wrong = pieces[1]
        }
    }

    private static let files: [URL] = {
        let folder = Repository.root.appendingPathComponent("Mutants")
        let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (all ?? []).filter { $0.pathExtension == "mutant" }
    }()
    static let mutants = files.compactMap(Mutant.init)

    @Test("Every file says what is wrong, where, and how")
    func form() {
        #expect(Self.mutants.count == Self.files.count && Self.mutants.count > 50)
    }

    @Test("Each finds its piece of the code, once", arguments: mutants)
    func place(_ mutant: Mutant) throws {
        let file = Repository.root.appendingPathComponent(mutant.file)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text.components(separatedBy: mutant.right).count == 2, "the code has changed: change the mutant with it")
        #expect(mutant.right != mutant.wrong.trimmingCharacters(in: .newlines))
    }

    @Test("Each of another module than the Core names a suite of tests that there is", arguments: mutants)
    func suite(_ mutant: Mutant) throws {
        guard let suite = mutant.suite else {
            #expect(mutant.file.hasPrefix("Sources/PolicyCore/"), "storms say nothing of other modules")
            return
        }
        let parts = suite.components(separatedBy: ".")
        try #require(parts.count == 2)
        let declares = Repository.files("Tests/\(parts[0])").contains { file in
            file.lines.contains { $0.hasPrefix("struct \(parts[1]) {") }
        }
        #expect(declares, "no file of Tests/\(parts[0]) has struct \(parts[1])")
    }
}
