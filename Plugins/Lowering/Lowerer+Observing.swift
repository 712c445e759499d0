internal import SwiftParser
internal import SwiftSyntax

// Key-value observing: Objective-C finds the property of a key path, and hears of each change. Here the name is written
// beside the key path, and a dynamic property says when it changes.
extension Lowerer {
    // MARK: Properties

    func lowerDynamicProperty(_ node: VariableDeclSyntax) {
        let owner = node.parent?.parent?.parent?.parent
        guard owner?.is(ClassDeclSyntax.self) == true || owner?.is(ExtensionDeclSyntax.self) == true,
            let name = node.dynamicName, let binding = node.bindings.first
        else { return }
        let will = #"objc_willChange(self, "\#(name)")"#
        let did = #"objc_didChange(self, "\#(name)")"#
        guard let block = binding.accessorBlock else {
            return edits.insert(" { willSet { \(will) } didSet { \(did) } }", at: range(binding).upperBound)
        }
        guard case .accessors(let accessors) = block.accessors else { return }
        if let setter = accessors.first(where: { $0.accessorSpecifier.tokenKind == .keyword(.set) })?.body {
            return edits.insert(" \(will); defer { \(did) };", at: range(setter.leftBrace).upperBound)
        }
        for (keyword, call) in [(Keyword.willSet, will), (.didSet, did)] {
            let observer = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
            if let body = observer?.body {
                edits.insert(" \(call);", at: range(body.leftBrace).upperBound)
            } else {
                edits.insert(
                    " \(keyword == .willSet ? "willSet" : "didSet") { \(call) }", at: range(block.leftBrace).upperBound)
            }
        }
    }

    // MARK: Observers

    /// The class is told of what it observes by a protocol, since extensions have no methods to override.
    func lowerObserver(_ node: FunctionDeclSyntax) {
        guard node.isObserver, let type = node.enclosingType, !facts.inheritsObserver(type),
            let override = node.modifiers.first(where: { $0.name.text == "override" })
        else { return }
        blank(override)
        additions.append(
            "extension \(node.qualifiedType ?? type): \(isOnMainActor(node) ? "@preconcurrency " : "")NSKeyValueObserver {}"
        )
    }

    /// Whether the class belongs to the main thread, as far as the file tells.
    private func isOnMainActor(_ node: FunctionDeclSyntax) -> Bool {
        guard let type = node.parent?.parent?.parent?.parent?.as(ClassDeclSyntax.self) else { return false }
        let above = type.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription ?? ""
        return above.hasPrefix("UI") || type.attributes.contains { $0.trimmedDescription == "@MainActor" }
    }

    func lowerObserving(_ node: FunctionCallExprSyntax) {
        let member = node.calledExpression.as(MemberAccessExprSyntax.self)
        guard let name = (member?.declName ?? node.calledExpression.as(DeclReferenceExprSyntax.self))?.baseName else {
            return
        }
        switch name.text {
        case "observeValue" where member?.base?.is(SuperExprSyntax.self) == true:
            if let type = node.enclosingType, !facts.inheritsObserver(type) { replace(name, with: "unobservedValue") }
        case "willChangeValue", "didChangeValue": nameKeyPath(of: node, label: "for")
        // A method of the module's own is another one.
        case "observe" where facts.methods["observe"] == nil: nameKeyPath(of: node, label: nil, checkedAt: name)
        case "publisher" where facts.methods["publisher"] == nil: nameKeyPath(of: node, label: "for", checkedAt: name)
        case "addObserver":
            let path = node.arguments.first { $0.label?.text == "forKeyPath" }?.expression
            if let path = path.flatMap(Self.writtenKeyPath) { checkKeyPath(path, at: name) }
        default: break
        }
    }

    private func nameKeyPath(of node: FunctionCallExprSyntax, label: String?, checkedAt method: TokenSyntax? = nil) {
        guard let first = node.arguments.first, first.label?.text == label,
            let keyPath = first.expression.as(KeyPathExprSyntax.self)
        else { return }
        guard let path = keyPath.names?.joined(separator: ".") else {
            return report("the key path names properties alone where it is observed", at: first.expression)
        }
        if let method { checkKeyPath(path, at: method) }
        edits.insert(#", named: "\#(path)""#, at: range(keyPath).upperBound)
    }

    private static func writtenKeyPath(_ expression: ExprSyntax) -> String? {
        if let macro = expression.as(MacroExpansionExprSyntax.self), macro.macroName.text == "keyPath" {
            return macro.arguments.first?.expression.trimmedDescription
        }
        return expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    /// What nobody says anything of is told the user now, and not left to be missed.
    private func checkKeyPath(_ path: String, at method: TokenSyntax) {
        guard let last = path.split(separator: ".").last.map(String.init) else { return }
        if !facts.observable.contains(last), !Self.appleKeys.contains(last) {
            report(Unsupported.observing(last), at: method)
        }
    }

    /// Of classes that say here when they change, by either name that Apple's have.
    private static let appleKeys: Set = [
        // AVPlayer
        "currentItem", "error", "isMuted", "muted", "rate", "reasonForWaitingToPlay", "status", "timeControlStatus",
        "volume",
        // AVPlayerItem
        "duration", "isPlaybackBufferEmpty", "isPlaybackBufferFull", "isPlaybackLikelyToKeepUp", "loadedTimeRanges",
        "playbackBufferEmpty", "playbackBufferFull", "playbackLikelyToKeepUp", "seekableTimeRanges",
        // Sound has none of it, so it never changes.
        "externalPlaybackActive", "isExternalPlaybackActive", "presentationSize", "readyForDisplay",
        "isReadyForDisplay", "timedMetadata", "tracks",
        // AVAudioSession
        "isOtherAudioPlaying", "otherAudioPlaying", "outputVolume", "secondaryAudioShouldBeSilencedHint",
    ]
}

extension FunctionDeclSyntax {
    /// Whether it hears of what is observed by names.
    var isObserver: Bool {
        name.text == "observeValue"
            && signature.parameterClause.parameters.map(\.firstName.text) == ["forKeyPath", "of", "change", "context"]
            && modifiers.contains { $0.name.text == "override" }
    }
}

extension VariableDeclSyntax {
    /// The name of a dynamic property of a class, whose changes can be said.
    var dynamicName: String? {
        let words = modifiers.map(\.name.text)
        guard words.contains("dynamic"), !words.contains(where: { ["static", "class", "lazy"].contains($0) }),
            bindingSpecifier.tokenKind == .keyword(.var), bindings.count == 1, let binding = bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            !attributes.contains(where: { ["@NSManaged", "@Published"].contains($0.trimmedDescription) })
        else { return nil }
        guard let block = binding.accessorBlock else { return name }
        guard case .accessors(let accessors) = block.accessors else { return nil }
        let changes: [Keyword] = [.set, .willSet, .didSet]
        return accessors.contains { changes.map(TokenKind.keyword).contains($0.accessorSpecifier.tokenKind) }
            ? name : nil
    }
}

extension KeyPathExprSyntax {
    /// `nil` where a part of it is no property.
    fileprivate var names: [String]? {
        var names: [String] = []
        for component in components {
            switch component.component {
            case .property(let property): names.append(property.declName.baseName.text)
            case .optional: continue
            default: return nil
            }
        }
        return names.isEmpty ? nil : names
    }
}
