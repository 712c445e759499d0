internal import SwiftSyntax

// An app finds one version of iOS. Code for another version is removed: it may name what does not exist here.

extension Lowerer {
    /// Removes a declaration that only a later version of iOS has.
    ///
    /// - Returns: whether it was removed.
    func removeIfTooNew(_ item: some SyntaxProtocol, _ declaration: DeclSyntax?) -> Bool {
        // A switch names each case of an enumeration, whatever version the case is for.
        guard let declaration, !declaration.is(EnumCaseDeclSyntax.self),
            let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes,
            conditions.possibleAttributes(attributes).contains(where: conditions.isTooNew)
        else { return false }
        blankOut(range(item))
        return true
    }

    func isRemoved(_ item: CodeBlockItemSyntax) -> Bool {
        removed.contains { $0.contains(range(item).lowerBound) }
    }

    // MARK: if

    /// One `if` of a chain.
    private struct Arm {
        var node: IfExprSyntax
        var verdict: Verdict
    }

    /// - Returns: whether the chain is done with.
    func lowerIf(_ node: IfExprSyntax) -> Bool {
        var arms: [Arm] = []
        var last: CodeBlockSyntax?
        var next: IfExprSyntax? = node
        while let current = next {
            arms.append(Arm(node: current, verdict: conditions.verdict(on: current.conditions)))
            last = current.elseBody?.as(CodeBlockSyntax.self)
            next = current.elseBody?.as(IfExprSyntax.self)
        }
        guard arms.contains(where: { $0.verdict != .open }) else { return false }
        // A check without an alternative can stay as it is.
        if arms.count == 1, arms[0].verdict == .always, last == nil { return false }
        if let always = arms.firstIndex(where: { $0.verdict == .always }) {
            last = arms[always].node.body
            arms.removeSubrange(always...)
        }
        arms.removeAll { $0.verdict == .never && !$0.node.conditions.actsBeforeCheck(conditions) }
        write(node, arms: arms.map(\.node), last: last)
        return true
    }

    /// Keeps some arms of a chain, and what is done if none of them is taken.
    private func write(_ chain: IfExprSyntax, arms: [IfExprSyntax], last: CodeBlockSyntax?) {
        guard !arms.isEmpty else {
            guard let last else {
                drop(chain)
                return
            }
            keep(only: last, of: chain)
            return
        }
        var position = range(chain).lowerBound
        for (index, arm) in arms.enumerated() {
            blankOut(position..<range(arm.ifKeyword).lowerBound, text: index == 0 ? "" : " else ")
            if conditions.verdict(on: arm.conditions) == .never {
                lowerConditions(arm.conditions)
                // No variable has a value after this, whatever the other arms do.
                blankOut(inside(arm.body), text: " fatalError() ")
            } else {
                walk(arm.conditions)
                walk(arm.body)
            }
            position = range(arm.body).upperBound
        }
        if let last {
            blankOut(position..<range(last).lowerBound, text: " else ")
            walk(last)
            position = range(last).upperBound
        }
        blankOut(position..<range(chain).upperBound)
    }

    private func keep(only block: CodeBlockSyntax, of chain: IfExprSyntax) {
        let (whole, body) = (range(chain), range(block))
        let isBare = chain.isSole && block.isOneStatement
        blankOut(whole.lowerBound..<(isBare ? body.lowerBound + 1 : body.lowerBound), text: isBare ? "" : "do ")
        walk(block)
        blankOut((isBare ? body.upperBound - 1 : body.upperBound)..<whole.upperBound)
    }

    // MARK: while and guard

    /// - Returns: whether the loop is done with.
    func lowerWhile(_ node: WhileStmtSyntax) -> Bool {
        switch conditions.verdict(on: node.conditions) {
        case .open: return false
        case .always:
            blankOut(range(node.conditions), text: "true")
            walk(node.body)
        case .never:
            guard node.conditions.actsBeforeCheck(conditions) else {
                drop(node)
                return true
            }
            lowerConditions(node.conditions)
            blankOut(inside(node.body))
        }
        return true
    }

    /// - Returns: whether the statement is done with.
    func lowerGuard(_ node: GuardStmtSyntax) -> Bool {
        switch conditions.verdict(on: node.conditions) {
        case .open: return false
        case .always:
            drop(node)
        case .never:
            let isAtTop = node.parent?.parent?.parent?.is(SourceFileSyntax.self) ?? true
            if isAtTop || node.conditions.actsBeforeCheck(conditions) {
                lowerConditions(node.conditions)
                walk(node.body)
                // The rest of a file has declarations that others use.
                if !isAtTop { removeRest(after: node, text: "; fatalError()") }
            } else {
                blankOut(range(node).lowerBound..<range(node.body).lowerBound, text: "do ")
                walk(node.body)
                removeRest(after: node, text: "")
            }
        }
        return true
    }

    /// Removes the statements that follow one that always leaves their block.
    private func removeRest(after node: GuardStmtSyntax, text: String) {
        var rest: [Range<Int>] = []
        var item = node.parent?.as(CodeBlockItemSyntax.self)
        while let current = item, let list = current.parent?.as(CodeBlockItemListSyntax.self), let last = list.last {
            let end = range(current.item).upperBound
            rest.append(end..<max(end, range(last).upperBound))
            // If this code is compiled, the code behind #endif is not reached either.
            let clause = list.parent?.as(IfConfigClauseSyntax.self)
            guard let clause, let directive = clause.parent?.parent?.as(IfConfigDeclSyntax.self),
                conditions.possibleClauses(of: directive).contains(where: {
                    $0.clause.id == clause.id && $0.condition == nil
                })
            else { break }
            item = directive.parent?.as(CodeBlockItemSyntax.self)
        }
        for (index, bytes) in rest.enumerated() {
            edits.replace(bytes, with: index == 0 ? text : "")
            removed.append(bytes)
        }
    }

    /// Puts `false` in the place of the check that fails and of the conditions that follow it.
    private func lowerConditions(_ list: ConditionElementListSyntax) {
        guard let check = list.first(where: { conditions.fails($0) }) else { return }
        let before = list.prefix { $0.id != check.id }
        for (index, element) in before.enumerated() {
            walk(element)
            // The value that is bound has no use any more.
            if let binding = element.condition.as(OptionalBindingConditionSyntax.self), binding.initializer != nil,
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
                !before.dropFirst(index + 1).contains(where: {
                    $0.tokens(viewMode: .sourceAccurate).contains { $0.text == name.text }
                })
            {
                replace(name, with: "_")
            }
        }
        blankOut(range(check).lowerBound..<range(list).upperBound, text: "false")
    }

    /// Removes a statement. A case of a switch needs one, and so does a semicolon.
    private func drop(_ node: some SyntaxProtocol) {
        let statement = node.parent?.is(ExpressionStmtSyntax.self) == true ? node.parent : Syntax(node)
        let item = statement?.parent?.as(CodeBlockItemSyntax.self)
        let isInCase = item?.parent?.parent?.is(SwitchCaseSyntax.self) ?? true
        blankOut(range(node), text: item?.semicolon != nil || isInCase ? "do {}" : "")
    }

    // MARK: Text

    /// Puts a text and spaces in the place of bytes, so that what follows keeps its line and its column.
    func blankOut(_ bytes: Range<Int>, text: String = "") {
        guard !bytes.isEmpty else { return }
        var text = text
        var start = bytes.lowerBound
        for end in lineEnds(in: bytes) + [bytes.upperBound] {
            let room = end - start
            edits.replace(start..<end, with: text + String(repeating: " ", count: max(room - text.utf8.count, 0)))
            text = ""
            start = end + 1
        }
    }

    private func lineEnds(in bytes: Range<Int>) -> [Int] {
        bytes.filter { source[$0] == UInt8(ascii: "\n") }
    }

    private func inside(_ block: CodeBlockSyntax) -> Range<Int> {
        range(block.leftBrace).upperBound..<range(block.rightBrace).lowerBound
    }
}

/// The result of a list of conditions, as far as their availability checks decide it.
enum Verdict {
    case never, always
    /// Other conditions decide.
    case open
}

extension Conditions {
    func verdict(on list: ConditionElementListSyntax) -> Verdict {
        let answers = list.map { $0.condition.as(AvailabilityConditionSyntax.self).map(holds) }
        if answers.contains(false) { return .never }
        return answers.allSatisfy { $0 == true } ? .always : .open
    }

    func fails(_ element: ConditionElementSyntax) -> Bool {
        element.condition.as(AvailabilityConditionSyntax.self).map { !holds($0) } ?? false
    }

    /// A declaration's attributes, those between `#if` and `#endif` included.
    func possibleAttributes(_ list: AttributeListSyntax) -> [AttributeSyntax] {
        list.flatMap { element -> [AttributeSyntax] in
            if let attribute = element.as(AttributeSyntax.self) { return [attribute] }
            guard let node = element.as(IfConfigDeclSyntax.self) else { return [] }
            return possibleClauses(of: node).flatMap { clause, condition -> [AttributeSyntax] in
                guard condition == nil, case .attributes(let inner)? = clause.elements else { return [] }
                return possibleAttributes(inner)
            }
        }
    }
}

extension ConditionElementListSyntax {
    /// Whether conditions before the check that fails may have effects.
    fileprivate func actsBeforeCheck(_ conditions: Conditions) -> Bool {
        prefix { !conditions.fails($0) }.contains { CallFinder.finds(in: $0) }
    }
}

private final class CallFinder: SyntaxVisitor {
    private var isFound = false

    static func finds(in node: some SyntaxProtocol) -> Bool {
        let finder = CallFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        return finder.isFound
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { found() }

    private func found() -> SyntaxVisitorContinueKind {
        isFound = true
        return .skipChildren
    }
}

extension IfExprSyntax {
    /// Whether this is a value, or the only statement of its block and may be the value of it.
    fileprivate var isSole: Bool {
        guard let statement = parent?.is(ExpressionStmtSyntax.self) == true ? parent : Syntax(self) else {
            return false
        }
        guard let item = statement.parent?.as(CodeBlockItemSyntax.self) else {
            return statement.parent?.is(LabeledStmtSyntax.self) != true
        }
        return item.parent?.as(CodeBlockItemListSyntax.self)?.count == 1
    }
}

extension CodeBlockSyntax {
    /// Whether the block needs no scope.
    fileprivate var isOneStatement: Bool {
        guard statements.count == 1, let only = statements.first?.item else { return false }
        return !only.is(DeclSyntax.self) && !only.is(DeferStmtSyntax.self)
    }
}
