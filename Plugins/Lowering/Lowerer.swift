internal import SwiftSyntax

/// Finds in one file what Linux's compiler does not take, and what stands in its place.
final class Lowerer: SyntaxVisitor {
    let conditions: Conditions
    let facts: Facts
    let file: String
    /// Modules whose code is in this one.
    let merged: Set<String>
    let locations: SourceLocationConverter
    /// The file's text.
    let source: [UInt8]
    /// Modules that do not exist and whose names this file can use.
    let absentModules: [String]

    var edits = Edits()
    var diagnostics: [LoweringDiagnostic] = []
    /// Goes behind the end of the file.
    var additions: [String] = []
    /// Modules that the file needs, though it does not say so.
    var imports: Set<String> = []
    /// Apple's names of modules in this file, and what they are called here.
    var renamedModules: [String: String] = [:]
    /// Products that the file needs and that the target does not depend on.
    var missingModules: Set<String> = []
    /// The conditions around what is visited that only the compiler can decide.
    var undecided: [String] = []
    /// Bytes with statements that are never reached.
    var removed: [Range<Int>] = []

    init(file: String, source: [UInt8], tree: SourceFileSyntax, facts: Facts, profile: Profile) {
        self.file = file
        self.source = source
        self.facts = facts
        conditions = Conditions(profile: profile)
        merged = profile.mergedModules
        locations = SourceLocationConverter(fileName: file, tree: tree)
        absentModules = Self.absentModules(visibleIn: tree, conditions)
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
        let diagnostic = LoweringDiagnostic(
            severity: severity, file: file, line: place.line, column: place.column, message: message)
        guard !undecided.isEmpty else {
            diagnostics.append(diagnostic)
            return
        }
        // Only the compiler knows whether this code is compiled.
        additions.append(diagnostic.directive(under: undecided.joined(separator: " && ")))
    }

    // MARK: Visiting

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
        guard case .identifier(let name) = token.tokenKind else { return .visitChildren }
        require(modulesOf: name, at: token)
        refuseAbsentName(token, name)
        return .visitChildren
    }

    /// Imports the module of a name that Apple's Foundation and UIKit have. Greenroom has a separate module for it, and
    /// loads it only where it is used.
    func require(modulesOf name: String, at node: some SyntaxProtocol) {
        for module in Self.modules(of: name) {
            guard isMissing(module) else {
                imports.insert(module)
                continue
            }
            if !facts.declaredNames.contains(name), missingModules.insert(module).inserted {
                report(Unsupported.missing(module, for: name), at: node)
            }
        }
    }

    private static func modules(of name: String) -> [String] {
        if networking.contains(name) { return ["UIKitNetworking"] }
        if combine.contains(name) { return ["GreenroomCombine"] }
        if name.hasPrefix("os_unfair_lock") { return ["GreenroomOS"] }
        if name.hasPrefix("XMLParser") { return ["FoundationXML"] }
        let notifications = ["UNUserNotification", "UNNotification", "UNMutable"]
        return notifications.contains(where: name.hasPrefix) ? ["UserNotifications"] : []
    }

    /// Whether a module is a product of Greenroom that the target does not depend on.
    func isMissing(_ module: String) -> Bool {
        guard let modules = conditions.profile.modules else { return false }
        return AppleModule.products.contains(module) && !modules.contains(module)
    }

    /// What iOS has in Foundation, and Linux in a module of its own, which is loaded only where it is used.
    static let networking: Set = [
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
        for clause in node.clauses { if let condition = clause.condition { lowerCondition(condition) } }
        // Code that iOS never compiles needs no lowering, and no error.
        for (clause, condition) in conditions.possibleClauses(of: node) {
            if let condition { undecided.append(condition) }
            if let elements = clause.elements { walk(elements) }
            if condition != nil { undecided.removeLast() }
        }
        return .skipChildren
    }

    private func lowerCondition(_ condition: ExprSyntax) {
        for call in ConditionFinder.calls(in: condition) {
            if let answer = conditions.replacement(for: call) { replace(call, with: answer) }
        }
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        isRemoved(node) || removeIfTooNew(node, node.item.as(DeclSyntax.self)) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: MemberBlockItemSyntax) -> SyntaxVisitorContinueKind {
        removeIfTooNew(node, node.decl) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        lowerIf(node) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        lowerGuard(node) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
        lowerWhile(node) ? .skipChildren : .visitChildren
    }

    /// One among others, of which none is known to be false.
    override func visit(_ node: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind {
        if node.availabilityKeyword.tokenKind == .poundUnavailable { replace(node, with: "true") }
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
        if let base = node.base?.as(DeclReferenceExprSyntax.self) {
            if let name = module(base.baseName.text, of: node.declName.baseName.text) { replace(base, with: name) }
            refuseMember(node.declName.baseName, of: base.baseName.text)
        }
        lowerTimerInfo(node)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.baseType.as(IdentifierTypeSyntax.self) {
            if let name = module(base.name.text, of: node.name.text) { replace(base.name, with: name) }
            refuseMember(node.name, of: base.name.text)
        }
        return .visitChildren
    }

    /// What the module that a name is looked for in is called here; `nil`: the same, or it is no module.
    private func module(_ name: String, of member: String) -> String? {
        guard name == "Foundation", Self.networking.contains(member) else {
            // A type of the app's own hides a module.
            return facts.declaredNames.contains(name) ? nil : renamedModules[name]
        }
        return member.hasSuffix("Delegate") ? "UIKitNetworking" : "FoundationNetworking"
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if Unsupported.runtimeFunctions.contains(node.baseName.text) {
            report(Unsupported.swizzling(node.baseName.text), at: node)
        }
        return .visitChildren
    }
}

/// What needs Objective-C's runtime, and what to do.
enum Unsupported {
    static func observing(_ key: String) -> String {
        "nothing here says when “\(key)” changes: make it a dynamic property of a class, call a closure from its didSet, "
            + "publish it with Combine, or post a notification"
    }

    static func absent(_ name: String, of module: String) -> String {
        "\(name) belongs to \(module), which Greenroom does not have: \(AppleModule.exclusion(module))"
    }

    static func missing(_ module: String, for name: String? = nil) -> String {
        (name.map { "\($0) is in \(module): " } ?? "the target does not depend on \(module): ")
            + "add .product(name: \"\(module)\", package: \"greenroom\") to the target's dependencies in Package.swift"
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
