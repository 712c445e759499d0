internal import SwiftSyntax

/// What one file tells of its module that matters to the others.
package struct Facts: Sendable {
    struct Method: Hashable, Sendable {
        var type: String
        var name: String
        /// `_` for none; one for each parameter.
        var labels: [String]
        var isStatic: Bool
    }

    /// Requirements of Objective-C protocols that need not be there: calls of them say `?`.
    var optionalRequirements: Set<String> = []
    /// Methods by their names without labels.
    var methods: [String: [Method]] = [:]

    package init() {}

    package mutating func formUnion(_ other: Facts) {
        optionalRequirements.formUnion(other.optionalRequirements)
        methods.merge(other.methods) { $0 + $1 }
    }

    init(of file: SourceFileSyntax) {
        let collector = FactsCollector(viewMode: .sourceAccurate)
        collector.walk(file)
        self = collector.facts
    }
}

private final class FactsCollector: SyntaxVisitor {
    var facts = Facts()

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.text
        if node.modifiers.contains(where: { $0.name.text == "optional" }) { facts.optionalRequirements.insert(name) }
        guard let type = node.enclosingType else { return .skipChildren }
        facts.methods[name, default: []].append(
            Facts.Method(
                type: type, name: name, labels: node.signature.parameterClause.parameters.map(\.firstName.text),
                isStatic: node.modifiers.contains { ["static", "class"].contains($0.name.text) }))
        return .skipChildren
    }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension SyntaxProtocol {
    /// The innermost type that a node is in, as code in it calls it; `nil` outside of all.
    var enclosingType: String? {
        var node = parent
        while let current = node {
            if let name = current.nameOfType { return name }
            node = current.parent
        }
        return nil
    }
}

extension Syntax {
    fileprivate var nameOfType: String? {
        switch kind {
        case .classDecl: self.as(ClassDeclSyntax.self)?.name.text
        case .structDecl: self.as(StructDeclSyntax.self)?.name.text
        case .enumDecl: self.as(EnumDeclSyntax.self)?.name.text
        case .actorDecl: self.as(ActorDeclSyntax.self)?.name.text
        case .protocolDecl: self.as(ProtocolDeclSyntax.self)?.name.text
        case .extensionDecl: self.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
        default: nil
        }
    }
}
