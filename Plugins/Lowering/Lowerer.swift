internal import SwiftSyntax

/// Finds in one file what Linux's compiler does not take, and what stands in its place.
final class Lowerer: SyntaxVisitor {
    let conditions: Conditions
    let facts: Facts
    let file: String
    /// Modules whose code is in this one.
    let merged: Set<String>
    let locations: SourceLocationConverter

    var edits = Edits()
    var diagnostics: [LoweringDiagnostic] = []
    /// Goes behind the end of the file.
    var additions: [String] = []
    /// Modules that the file needs, though it does not say so.
    var imports: Set<String> = []
    /// Apple's names of modules in this file, and what they are called here.
    var renamedModules: [String: String] = [:]

    init(file: String, tree: SourceFileSyntax, facts: Facts, profile: Profile) {
        self.file = file
        self.facts = facts
        conditions = Conditions(profile: profile)
        merged = profile.mergedModules
        locations = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: Edits

    func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    func replace(_ node: some SyntaxProtocol, with text: String) { edits.replace(range(node), with: text) }

    /// Puts spaces in a node's place, so that what follows keeps its column.
    func blank(_ node: some SyntaxProtocol) {
        let text = node.trimmedDescription
        replace(node, with: String(repeating: " ", count: text.utf8.filter { $0 != UInt8(ascii: "\n") }.count))
    }

    func report(
        _ message: String, at node: some SyntaxProtocol, severity: LoweringDiagnostic.Severity = .error
    ) {
        let place = locations.location(for: node.positionAfterSkippingLeadingTrivia)
        diagnostics.append(
            LoweringDiagnostic(
                severity: severity, file: file, line: place.line, column: place.column, message: message))
    }

    // MARK: Visiting

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
        guard case .identifier(let name) = token.tokenKind else { return .visitChildren }
        if Self.networking.contains(name) { imports.insert("UIKitNetworking") }
        // Apple's Foundation has them too.
        if Self.combine.contains(name) { imports.insert("GreenroomCombine") }
        if name.hasPrefix("os_unfair_lock") { imports.insert("GreenroomOS") }
        // Apple's UIKit has them too.
        if name.hasPrefix("UNUserNotification") || name.hasPrefix("UNNotification") || name.hasPrefix("UNMutable") {
            imports.insert("UserNotifications")
        }
        return .visitChildren
    }

    /// What iOS has in Foundation, and Linux in a module of its own, which is loaded only where it is used.
    private static let networking: Set = [
        "CachedURLResponse", "HTTPCookie", "HTTPCookieStorage", "HTTPURLResponse", "NSMutableURLRequest",
        "NSURLRequest", "URLAuthenticationChallenge", "URLCache", "URLCredential", "URLCredentialStorage",
        "URLProtectionSpace", "URLProtocol", "URLProtocolClient", "URLRequest", "URLResponse", "URLSession",
        "URLSessionConfiguration", "URLSessionDataDelegate", "URLSessionDataTask", "URLSessionDelegate",
        "URLSessionDownloadDelegate", "URLSessionDownloadTask", "URLSessionTask", "URLSessionTaskDelegate",
        "URLSessionUploadTask", "URLSessionWebSocketDelegate", "URLSessionWebSocketTask",
    ]

    private static let combine: Set = [
        "AnyCancellable", "AnyPublisher", "CurrentValueSubject", "ObservableObject", "PassthroughSubject", "Published",
    ]

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        var isDecided = false
        for clause in node.clauses {
            if let condition = clause.condition { lowerCondition(condition) }
            let holds = clause.condition.map(conditions.holds) ?? true
            // What no iOS compiles needs no lowering, and no complaint.
            if !isDecided, holds != false, let elements = clause.elements { walk(elements) }
            if holds == true { isDecided = true }
        }
        return .skipChildren
    }

    private func lowerCondition(_ condition: ExprSyntax) {
        let rewriter = ConditionFinder(viewMode: .sourceAccurate)
        rewriter.walk(condition)
        for call in rewriter.calls {
            if let answer = conditions.answer(call) { replace(call, with: answer ? "true" : "false") }
        }
    }

    override func visit(_ node: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind {
        let asked = node.availabilityArguments.compactMap { argument -> Profile.Version? in
            guard case .availabilityVersionRestriction(let restriction) = argument.argument,
                restriction.platform.text == "iOS"
            else { return nil }
            return restriction.version.flatMap { Profile.Version($0.trimmedDescription) }
        }
        if let version = asked.first, version > conditions.profile.iOS {
            replace(node, with: node.availabilityKeyword.tokenKind == .poundAvailable ? "false" : "true")
        }
        return .skipChildren
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        lowerImport(node)
        return .skipChildren
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        lowerAttribute(node)
        return .visitChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "dynamic" { blank(node) }
        return .visitChildren
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        lowerProtocol(node)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        lowerObserver(node)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        lowerDynamicProperty(node)
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        lowerInitializer(node)
        return .visitChildren
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        lowerMacro(node) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        lowerCall(node) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        lowerCasts(node)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.base?.as(DeclReferenceExprSyntax.self),
            let name = module(base.baseName.text, of: node.declName.baseName.text)
        {
            replace(base, with: name)
        }
        lowerTimerInfo(node)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.baseType.as(IdentifierTypeSyntax.self),
            let name = module(base.name.text, of: node.name.text)
        {
            replace(base.name, with: name)
        }
        return .visitChildren
    }

    /// What the module that a name is looked for in is called here; `nil`: the same, or it is no module.
    private func module(_ name: String, of member: String) -> String? {
        guard name == "Foundation", Self.networking.contains(member) else { return renamedModules[name] }
        return member.hasSuffix("Delegate") ? "UIKitNetworking" : "FoundationNetworking"
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if Unsupported.runtimeFunctions.contains(node.baseName.text) {
            report(Unsupported.swizzling(node.baseName.text), at: node)
        }
        return .visitChildren
    }
}

private final class ConditionFinder: SyntaxVisitor {
    var calls: [FunctionCallExprSyntax] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        calls.append(node)
        return .skipChildren
    }
}

/// What needs Objective-C's runtime, and what to do.
enum Unsupported {
    static func observing(_ key: String) -> String {
        "nothing here says when “\(key)” changes: make it a dynamic property of a class, call a closure from its didSet, "
            + "publish it with Combine, or post a notification"
    }

    static let managed = "Core Data's properties need Objective-C's runtime: leave this file out of the target"

    static let runtimeFunctions: Set = [
        "class_addMethod", "class_getClassMethod", "class_getInstanceMethod", "class_replaceMethod",
        "method_exchangeImplementations", "method_getImplementation", "method_setImplementation", "object_setClass",
        "imp_implementationWithBlock",
    ]

    static func swizzling(_ name: String) -> String {
        "\(name) needs Objective-C's runtime: methods cannot be exchanged on Linux; "
            + "subclass, wrap the object, or put this between #if canImport(ObjectiveC) and #endif"
    }
}
