internal import SwiftSyntax

extension Lowerer {
    func lowerImport(_ node: ImportDeclSyntax) {
        let path = node.path.map(\.name.text)
        guard let name = path.first else { return }
        if merged.contains(name) {
            remove(node)
            return
        }
        guard let module = conditions.profile.module(name) else { return }
        switch module {
        case .same:
            require(productOf: name, at: node)
            if node.importKindSpecifier != nil, let last = path.last, Self.networking.contains(last) {
                remove(node)
                require(modulesOf: last, at: node.path)
            } else if node.importKindSpecifier == nil, path.count > 1 {
                // Submodules are Clang's: `import UIKit.UIApplication`.
                replace(node.path, with: name)
            }
        case .renamed(let ours):
            require(productOf: ours, at: node)
            renamedModules[name] = ours
            let isWhole = node.importKindSpecifier == nil
            replace(node.path, with: isWhole ? ours : ([ours] + path.dropFirst()).joined(separator: "."))
        case .partial(let ours):
            if let last = path.last, path.count > 1, AbsentModules.owner(of: last, among: [name]) != nil {
                warn(about: name, AppleModule.exclusion(name), at: node)
            } else {
                require(productOf: ours, at: node)
                renamedModules[name] = ours
                if let kind = node.importKindSpecifier { blank(kind) }
                replace(node.path, with: ours)
            }
        case .implied:
            // UIKit exports what there is of it.
            renamedModules[name] = "UIKit"
            remove(node)
        case .absent(let advice):
            warn(about: name, advice, at: node)
        case .foreign:
            lowerForeignImport(node, name)
        }
    }

    private func remove(_ node: ImportDeclSyntax) {
        // A line cannot begin with a semicolon.
        let end = node.parent?.as(CodeBlockItemSyntax.self)?.semicolon.map(range)?.upperBound
        edits.replace(range(node).lowerBound..<(end ?? range(node).upperBound), with: "")
    }

    private func warn(about name: String, _ advice: String, at node: ImportDeclSyntax) {
        remove(node)
        report("there is no \(name) on Linux: \(advice)", at: node.path, severity: .warning)
    }

    private func lowerForeignImport(_ node: ImportDeclSyntax, _ name: String) {
        switch name {
        case "FoundationNetworking":
            remove(node)
            require(modulesOf: "URLSession", at: node.path)
        case "Android", "Bionic", "CRT", "FoundationEssentials", "FoundationInternationalization", "FoundationXML",
            "Glibc",
            "Musl", "WASILibc", "WinSDK", "ucrt":
            // The compiler knows whether this system has it.
            break
        default:
            warn(about: name, "it is not on iOS", at: node)
        }
    }

    /// Complains about a product of Greenroom that the target does not depend on.
    private func require(productOf module: String, at node: ImportDeclSyntax) {
        if isMissing(module), missingModules.insert(module).inserted {
            report(Unsupported.missing(module), at: node.path)
        }
    }

    // MARK: Names of modules that do not exist

    /// The modules that do not exist and that a file imports or gets with another module.
    static func absentModules(visibleIn tree: SourceFileSyntax, _ conditions: Conditions) -> [String] {
        let finder = ImportFinder(conditions)
        finder.walk(tree)
        let visible = finder.modules + finder.modules.flatMap(AbsentModules.brought)
        return visible.filter { name in
            switch conditions.profile.module(name) {
            case .absent, .partial: true
            default: false
            }
        }
    }

    /// Complains about a name that Linux lacks, or that belongs to a module that does not exist.
    func refuseAbsentName(_ token: TokenSyntax, _ name: String) {
        guard token.isReference, !facts.declaredNames.contains(name) else { return }
        if let module = AbsentModules.owner(of: name, among: absentModules) {
            report(Unsupported.absent(name, of: module), at: token)
        } else if let sentence = DarwinNames.sentence(about: name) {
            report(sentence, at: token)
        }
    }

    /// `CoreHaptics.CHHapticEngine`.
    func refuseMember(_ member: TokenSyntax, of base: String) {
        if base == "Darwin", let sentence = DarwinNames.sentence(about: member.text) { report(sentence, at: member) }
        // Foundation has a class of this module's name.
        guard absentModules.contains(base), base != "NotificationCenter", !facts.declaredNames.contains(base),
            renamedModules[base] == nil
        else { return }
        report(Unsupported.absent(member.text, of: base), at: member)
    }
}

extension TokenSyntax {
    /// Whether this names a type, a function or a variable, and is not a member, a label or a declaration.
    fileprivate var isReference: Bool {
        if let type = parent?.as(IdentifierTypeSyntax.self) { return type.name.id == id }
        guard let reference = parent?.as(DeclReferenceExprSyntax.self), reference.baseName.id == id else {
            return false
        }
        return reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id != reference.id
    }
}

/// Finds the modules that iOS's compiler imports in a file.
private final class ImportFinder: SyntaxVisitor {
    private let conditions: Conditions
    private(set) var modules: [String] = []

    init(_ conditions: Conditions) {
        self.conditions = conditions
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.path.first?.name.text { modules.append(name) }
        return .skipChildren
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        for (clause, _) in conditions.possibleClauses(of: node) { if let elements = clause.elements { walk(elements) } }
        return .skipChildren
    }

    // Imports are at the top.
    override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
