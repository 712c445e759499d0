internal import SwiftParser
internal import SwiftSyntax

/// What one file tells of its module that matters to the others.
struct Facts: Sendable {
    struct Method: Hashable, Sendable {
        var type: String
        var name: String
        /// `_` for none; one for each parameter.
        var labels: [String]
        var isStatic: Bool
    }

    /// Requirements of Objective-C protocols that need not be there: calls of them say `?`.
    var optionalRequirements: Set<String> = []
    /// Properties that say when they change.
    var observable: Set<String> = []
    /// Classes that hear of what they observe by names.
    var observers: Set<String> = []
    /// What a class may inherit from, as it says it.
    var superclasses: [String: String] = [:]
    /// Methods by their names without labels.
    var methods: [String: [Method]] = [:]
    /// Every name that the module declares, of types as of local variables.
    var declaredNames: Set<String> = []

    init() {}

    mutating func formUnion(_ other: Facts) {
        optionalRequirements.formUnion(other.optionalRequirements)
        observable.formUnion(other.observable)
        observers.formUnion(other.observers)
        superclasses.merge(other.superclasses) { first, _ in first }
        methods.merge(other.methods) { $0 + $1 }
        declaredNames.formUnion(other.declaredNames)
    }

    /// Whether a class above is told of what it observes, too.
    func inheritsObserver(_ type: String) -> Bool {
        var seen: Set<String> = [type]
        var current = superclasses[type]
        while let name = current, seen.insert(name).inserted {
            if observers.contains(name) { return true }
            current = superclasses[name]
        }
        return false
    }

    init(of file: SourceFileSyntax) {
        let collector = FactsCollector(viewMode: .sourceAccurate)
        collector.walk(file)
        self = collector.facts
        declaredNames = DeclaredNames.of(file)
    }
}

private final class FactsCollector: SyntaxVisitor {
    var facts = Facts()

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.text
        if node.modifiers.contains(where: { $0.name.text == "optional" }) { facts.optionalRequirements.insert(name) }
        guard let type = node.enclosingType else { return .skipChildren }
        if node.isObserver { facts.observers.insert(type) }
        if let body = node.body { collectAnnouncements(body) }
        facts.methods[name, default: []].append(
            Facts.Method(
                type: type, name: name, labels: node.signature.parameterClause.parameters.map(\.firstName.text),
                isStatic: node.modifiers.contains { ["static", "class"].contains($0.name.text) }))
        return .skipChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        facts.superclasses[node.name.text] = node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.dynamicName { facts.observable.insert(name) }
        for block in node.bindings.compactMap(\.accessorBlock) { collectAnnouncements(block) }
        return .skipChildren
    }

    /// `didChangeValue(forKey: "progress")`: the class says itself when that changes.
    private func collectAnnouncements(_ node: some SyntaxProtocol) {
        let finder = AnnouncementFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        facts.observable.formUnion(finder.keys)
    }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

private final class AnnouncementFinder: SyntaxVisitor {
    var keys: Set<String> = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.calledExpression.trimmedDescription.hasSuffix("didChangeValue"), let key = node.arguments.first
        else {
            return .visitChildren
        }
        if let text = key.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue { keys.insert(text) }
        if let last = key.expression.as(KeyPathExprSyntax.self)?.components.last?.component.as(
            KeyPathPropertyComponentSyntax.self)
        {
            keys.insert(last.declName.baseName.text)
        }
        if let macro = key.expression.as(MacroExpansionExprSyntax.self), macro.macroName.text == "keyPath",
            let last = macro.arguments.first?.expression.trimmedDescription.split(separator: ".").last
        {
            keys.insert(String(last))
        }
        return .visitChildren
    }
}

extension SyntaxProtocol {
    /// The innermost type that a node is in, as code in it calls it; `nil` outside of all.
    var enclosingType: String? { enclosingTypes.first }

    /// The innermost type that a node is in, as code outside of all types calls it.
    var qualifiedType: String? {
        let names = enclosingTypes
        return names.isEmpty ? nil : names.reversed().joined(separator: ".")
    }

    /// The innermost first.
    private var enclosingTypes: [String] {
        sequence(first: Syntax(self)) { $0.parent }.dropFirst().compactMap(\.nameOfType)
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
