internal import SwiftParser
internal import SwiftSyntax

extension Lowerer {
    /// - Returns: whether nothing in the expression is left to lower.
    func lowerMacro(_ node: MacroExpansionExprSyntax) -> Bool {
        switch node.macroName.text {
        case "selector":
            do {
                let reference = try SelectorReference(node, in: node.enclosingType, facts: facts)
                replace(node, with: reference.swift)
            } catch {
                switch error {
                case .noEnclosingType:
                    report("outside of a type a selector needs the type's name: #selector(Type.method)", at: node)
                case .notAMethod:
                    report("#selector names a method, as in #selector(handle(_:))", at: node)
                }
            }
            return true
        case "keyPath":
            guard let argument = node.arguments.first?.expression.trimmedDescription else { return false }
            let parts = argument.split(separator: ".")
            let path = parts.drop { $0.first?.isUppercase == true }
            replace(node, with: "\"" + path.joined(separator: ".") + "\"")
            return true
        default:
            return false
        }
    }

    /// - Returns: whether nothing in the call is left to lower.
    func lowerCall(_ node: FunctionCallExprSyntax) -> Bool {
        if lowerSelectorText(node) || lowerConformance(node) || lowerMessage(node) { return true }
        switch node.trimmedDescription {
        case "Timer()": replace(node, with: "Timer.idle()")
        case "ProcessInfo()": replace(node, with: "ProcessInfo.processInfo")
        default: break
        }
        // Foundation's initializers cannot be extended by one whose value is of another kind.
        if node.calledExpression.trimmedDescription == "NSValue",
            ["time", "timeRange"].contains(node.arguments.first?.label?.text)
        {
            replace(node.calledExpression, with: "CMBoxedTime")
        }
        lowerOptionalCall(node)
        lowerObserving(node)
        return false
    }

    /// `Selector("handle:")` of a method that is here can be called as one from `#selector` can.
    private func lowerSelectorText(_ node: FunctionCallExprSyntax) -> Bool {
        guard ["Selector", "NSSelectorFromString"].contains(node.calledExpression.trimmedDescription),
            node.arguments.count == 1, var argument = node.arguments.first?.expression
        else { return false }
        while let tuple = argument.as(TupleExprSyntax.self), let only = tuple.elements.first {
            argument = only.expression
        }
        guard let text = argument.as(StringLiteralExprSyntax.self)?.representedLiteralValue,
            let reference = SelectorReference(objectiveC: text, in: node.enclosingType, facts: facts)
        else { return false }
        replace(node, with: reference.swift)
        return true
    }

    /// `object.conforms(to: P.self)`: Linux's protocols are no objects.
    private func lowerConformance(_ node: FunctionCallExprSyntax) -> Bool {
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base,
            member.declName.baseName.text == "conforms", node.arguments.count == 1,
            let argument = node.arguments.first, argument.label?.text == "to",
            let type = argument.expression.as(MemberAccessExprSyntax.self), type.declName.baseName.text == "self",
            let name = type.base?.trimmedDescription
        else { return false }
        replace(node, with: "(\(base.trimmedDescription) is any \(name))")
        return true
    }

    /// `target?.perform(action)` of what may be an `AnyObject`, which has no methods here.
    private func lowerMessage(_ node: FunctionCallExprSyntax) -> Bool {
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self), var base = member.base,
            member.declName.baseName.text == "perform", member.declName.argumentNames == nil,
            !["self", "super"].contains(base.trimmedDescription), node.trailingClosure == nil,
            let first = node.arguments.first, first.label == nil, Self.isSelector(first.expression)
        else { return false }
        if let chain = base.as(OptionalChainingExprSyntax.self) { base = chain.expression }
        let start = range(node).lowerBound
        edits.replace(start..<range(base).lowerBound, with: "objc_perform(")
        walk(base)
        edits.replace(range(base).upperBound..<range(first).lowerBound, with: ", ")
        walk(node.arguments)
        return true
    }

    /// Whether an expression is a selector, as far as its name tells.
    private static func isSelector(_ expression: ExprSyntax) -> Bool {
        if let macro = expression.as(MacroExpansionExprSyntax.self) { return macro.macroName.text == "selector" }
        let name = expression.trimmedDescription.lowercased()
        return name.hasSuffix("selector") || name.hasSuffix("action") || name.hasPrefix("selector(")
    }

    /// `delegate?.didFinish?(self)`: the requirement is always there, since it has a default.
    private func lowerOptionalCall(_ node: FunctionCallExprSyntax) {
        if let chain = node.calledExpression.as(OptionalChainingExprSyntax.self), isOptional(chain.expression) {
            replace(chain.questionMark, with: "")
        } else if let forced = node.calledExpression.as(ForceUnwrapExprSyntax.self), isOptional(forced.expression) {
            replace(forced.exclamationMark, with: "")
        }
    }

    private func isOptional(_ callee: ExprSyntax) -> Bool {
        guard let name = callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text else { return false }
        return facts.optionalRequirements.contains(name) || Self.appleRequirements.contains(name)
    }

    /// Methods of Apple's delegates, which have defaults here.
    private static let appleRequirements: Set = [
        "application", "applicationDidBecomeActive", "applicationDidEnterBackground", "applicationDidFinishLaunching",
        "applicationDidReceiveMemoryWarning", "applicationProtectedDataDidBecomeAvailable",
        "applicationProtectedDataWillBecomeUnavailable", "applicationSignificantTimeChange",
        "applicationWillEnterForeground", "applicationWillResignActive", "applicationWillTerminate",
        "locationManager", "locationManagerDidChangeAuthorization", "scene", "sceneDidBecomeActive",
        "sceneDidDisconnect", "sceneDidEnterBackground", "sceneWillEnterForeground", "sceneWillResignActive",
        "urlSession", "urlSessionDidFinishEvents", "userNotificationCenter", "windowScene",
    ]

    /// `userInfo` of a timer that the method takes: Foundation's cannot be set.
    func lowerTimerInfo(_ node: MemberAccessExprSyntax) {
        guard node.declName.baseName.text == "userInfo",
            let base = node.base?.as(DeclReferenceExprSyntax.self)?.baseName.text,
            let method = node.enclosingFunction
        else { return }
        let isTimer = method.signature.parameterClause.parameters.contains {
            ($0.secondName ?? $0.firstName).text == base && $0.type.trimmedDescription == "Timer"
        }
        if isTimer { replace(node.declName, with: "targetUserInfo") }
    }

    /// Values become objects of Foundation only with a cast that is made at run time.
    func lowerCasts(_ node: SequenceExprSyntax) {
        let elements = Array(node.elements)
        for (index, element) in elements.enumerated() {
            guard let cast = element.as(UnresolvedAsExprSyntax.self), cast.questionOrExclamationMark == nil,
                index > 0, index + 1 < elements.count
            else { continue }
            let type = elements[index + 1].trimmedDescription
            let value = elements[index - 1]
            guard Self.bridged.contains(type), !value.is(PatternExprSyntax.self) else { continue }
            // A literal alone becomes what it is cast to without any help.
            if index == 1, Self.isLiteral(value) { continue }
            edits.insert("!", at: range(cast.asKeyword).upperBound)
        }
    }

    private static func isLiteral(_ value: ExprSyntax) -> Bool {
        [
            .arrayExpr, .dictionaryExpr, .stringLiteralExpr, .integerLiteralExpr, .floatLiteralExpr,
            .booleanLiteralExpr, .nilLiteralExpr,
        ].contains(value.kind)
    }

    private static let bridged: Set = [
        "CFString", "NSArray", "NSCalendar", "NSCharacterSet", "NSData", "NSDate", "NSDateComponents", "NSDictionary",
        "NSIndexPath", "NSIndexSet", "NSLocale", "NSNotification", "NSNumber", "NSSet", "NSString", "NSTimeZone",
        "NSURL", "NSURLRequest", "NSUUID", "String",
    ]
}

extension SyntaxProtocol {
    fileprivate var enclosingFunction: FunctionDeclSyntax? {
        var node = parent
        while let current = node {
            if let function = current.as(FunctionDeclSyntax.self) { return function }
            node = current.parent
        }
        return nil
    }
}
