internal import SwiftSyntax

/// What `#if` asks, as iOS answers it.
struct Conditions {
    var profile: Profile

    /// The answer to `os(…)`, `canImport(…)` or `targetEnvironment(…)`; `nil` where the compiler's own is right.
    func answer(_ call: FunctionCallExprSyntax) -> Bool? {
        guard let argument = call.arguments.first?.expression.trimmedDescription else { return nil }
        switch call.calledExpression.trimmedDescription {
        case "os": return argument == "iOS"
        case "targetEnvironment": return argument == "simulator" && profile.isSimulator
        case "canImport":
            let module = argument.prefix { $0 != "." }
            return AppleModule.named(String(module))?.isImportable
        default: return nil
        }
    }

    /// Whether a condition holds, as far as it can be told here.
    func holds(_ condition: ExprSyntax) -> Bool? {
        if let call = condition.as(FunctionCallExprSyntax.self) { return answer(call) }
        if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.text == "true" }
        if let tuple = condition.as(TupleExprSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1 {
            return holds(only.expression)
        }
        if let not = condition.as(PrefixOperatorExprSyntax.self), not.operator.text == "!" {
            return holds(not.expression).map { !$0 }
        }
        if let sequence = condition.as(SequenceExprSyntax.self) { return holds(Array(sequence.elements)[...]) }
        return nil
    }

    /// Operands and operators in turn: `||` binds less than `&&`.
    private func holds(_ elements: ArraySlice<ExprSyntax>) -> Bool? {
        if elements.count == 1, let only = elements.first { return holds(only) }
        for symbol in ["||", "&&"] {
            let place = elements.firstIndex { $0.as(BinaryOperatorExprSyntax.self)?.operator.text == symbol }
            guard let place else { continue }
            let left = holds(elements[..<place])
            let right = holds(elements[elements.index(after: place)...])
            let decisive = symbol == "||"
            if left == decisive || right == decisive { return decisive }
            return left == nil || right == nil ? nil : !decisive
        }
        return nil
    }
}
