internal import SwiftParser
internal import SwiftSyntax

/// Lowers the files of one module: what iOS's compiler takes becomes what Linux's takes, line for line.
enum ModuleLowering {
    struct Source: Sendable {
        /// As the compiler's messages are to name it.
        var path: String
        var text: String

        init(path: String, text: String) {
            self.path = path
            self.text = text
        }

        /// The name of the file that is compiled. It differs from the user's: the compiler warns if two paths of a module
        /// end with one name, and `#sourceLocation` adds the user's path. Only `main.swift` has to keep its name.
        var loweredName: String {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard name != "main.swift", name.hasSuffix(".swift") else { return name }
            return name.dropLast(".swift".count) + ".lowered.swift"
        }
    }

    struct Result: Sendable {
        /// In the order of the sources.
        var texts: [String]
        var diagnostics: [LoweringDiagnostic]
    }

    /// Lowers every file with what is known of all.
    static func lower(_ sources: [Source], profile: Profile = Profile()) -> Result {
        let trees = sources.map { Parser.parse(source: $0.text) }
        var facts = Facts()
        for tree in trees { facts.formUnion(Facts(of: tree)) }
        var result = Result(texts: [], diagnostics: [])
        if let modules = profile.modules, !modules.contains("UIKit"), let first = sources.first {
            result.diagnostics.append(
                LoweringDiagnostic(
                    severity: .error, file: first.path, line: 1, column: 1, message: Unsupported.missing("UIKit")))
        }
        for (source, tree) in zip(sources, trees) {
            let lowerer = Lowerer(
                file: source.path, source: Array(source.text.utf8), tree: tree, facts: facts, profile: profile)
            lowerer.walk(tree)
            result.diagnostics += lowerer.diagnostics
            result.texts.append(text(source, lowerer))
        }
        return result
    }

    private static func text(_ source: Source, _ lowerer: Lowerer) -> String {
        let body = String(decoding: lowerer.edits.applied(to: lowerer.source), as: UTF8.self)
        // On iOS a file that imports Foundation sees what any other file's import brought: what lifecycle code needs.
        let imports = (["UIKit"] + lowerer.imports.sorted()).map { "import \($0)" }.joined(separator: "; ")
        var text = "\(imports)\n#sourceLocation(file: \"\(source.path.asLiteral)\", line: 1)\n\(body)"
        guard !lowerer.additions.isEmpty else { return text }
        if !text.hasSuffix("\n") { text += "\n" }
        return text + "#sourceLocation()\n" + lowerer.additions.joined(separator: "\n") + "\n"
    }
}
