internal import SwiftSyntax

/// Finds every name that a file declares.
final class DeclaredNames: SyntaxVisitor {
    private var names: Set<String> = []

    static func of(_ file: SourceFileSyntax) -> Set<String> {
        let finder = DeclaredNames(viewMode: .sourceAccurate)
        finder.walk(file)
        return finder.names
    }

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
        guard case .identifier(let name) = token.tokenKind, let parent = token.parent else { return .skipChildren }
        if let named = parent.asProtocol((any NamedDeclSyntax).self) {
            if named.name.id == token.id { names.insert(name) }
            return .skipChildren
        }
        switch parent.kind {
        case .identifierPattern, .enumCaseElement, .genericParameter, .closureShorthandParameter, .closureParameter,
            .functionParameter, .enumCaseParameter, .closureCapture:
            names.insert(name)
        default: break
        }
        return .skipChildren
    }
}
