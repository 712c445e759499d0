internal import SwiftSyntax

/// Evaluates `#if` and `#available` as iOS does.
struct Conditions {
    var profile: Profile

    // MARK: Conditional compilation

    /// The text that stands for `os(…)`, `canImport(…)` or `targetEnvironment(…)`; `nil` where the compiler's own answer
    /// is right.
    func replacement(for call: FunctionCallExprSyntax) -> String? {
        guard let argument = call.arguments.first?.expression.trimmedDescription else { return nil }
        switch call.calledExpression.trimmedDescription {
        case "os": return argument == "iOS" ? "true" : "false"
        case "targetEnvironment": return argument == "simulator" && profile.isSimulator ? "true" : "false"
        case "canImport":
            let name = String(argument.prefix { $0 != "." })
            // Apple's compiler has this runtime. Code that needs it asks, and cannot run here.
            if name == "ObjectiveC" { return "false" }
            guard let module = profile.module(name) else { return nil }
            if let answer = module.isImportable { return answer ? "true" : "false" }
            // Linux's modules have no submodules and other versions than Apple's.
            return argument == name && call.arguments.count == 1 ? nil : "canImport(\(name))"
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

    private func answer(_ call: FunctionCallExprSyntax) -> Bool? {
        switch replacement(for: call) {
        case "true": return true
        case "false": return false
        default: break
        }
        guard let argument = call.arguments.first?.expression else { return nil }
        switch call.calledExpression.trimmedDescription {
        case "canImport":
            // Every lowered file imports these.
            let name = argument.trimmedDescription.prefix { $0 != "." }
            return ["Dispatch", "Foundation", "Swift", "UIKit"].contains(name) ? true : nil
        case "compiler": return isOldest(argument, oldest: Profile.Version(major: 6, minor: 2))
        case "swift": return isOldest(argument, oldest: Profile.Version(major: 5, minor: 9))
        default: return nil
        }
    }

    /// Whether `>=` or `<` of a version holds for each compiler that can build the package.
    private func isOldest(_ argument: ExprSyntax, oldest: Profile.Version) -> Bool? {
        guard let comparison = argument.as(PrefixOperatorExprSyntax.self),
            let version = Profile.Version(comparison.expression.trimmedDescription), version <= oldest
        else { return nil }
        return switch comparison.operator.text {
        case ">=": true
        case "<": false
        default: nil
        }
    }

    /// The clauses that may be compiled, each with its condition if only the compiler can decide it.
    func possibleClauses(of node: IfConfigDeclSyntax) -> [(clause: IfConfigClauseSyntax, condition: String?)] {
        var result: [(clause: IfConfigClauseSyntax, condition: String?)] = []
        var failed: [String] = []
        for clause in node.clauses {
            let answer = clause.condition.map(holds) ?? true
            if answer == false { continue }
            var terms = failed
            if answer == nil, let condition = clause.condition { terms.append("(\(text(condition)))") }
            result.append((clause, terms.isEmpty ? nil : terms.joined(separator: " && ")))
            if answer == true { break }
            if let condition = clause.condition { failed.append("!(\(text(condition)))") }
        }
        return result
    }

    /// A condition as the compiler is to read it, in one line.
    private func text(_ condition: ExprSyntax) -> String {
        var edits = Edits()
        let start = condition.position.utf8Offset
        for call in ConditionFinder.calls(in: condition) {
            guard let answer = replacement(for: call) else { continue }
            let range =
                call.positionAfterSkippingLeadingTrivia.utf8Offset..<call.endPositionBeforeTrailingTrivia.utf8Offset
            edits.replace(range.lowerBound - start..<range.upperBound - start, with: answer)
        }
        let lowered = edits.applied(to: Array(condition.description.utf8))
        return String(decoding: lowered, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
            .trimmingSpaces
    }

    // MARK: Availability

    /// Whether `#available(…)` or `#unavailable(…)` holds in the profile's version of iOS.
    func holds(_ condition: AvailabilityConditionSyntax) -> Bool {
        let isThere = !condition.availabilityArguments.contains { isLater($0.argument) }
        return condition.availabilityKeyword.tokenKind == .poundAvailable ? isThere : !isThere
    }

    /// Whether a declaration is only for a later version of iOS.
    func isTooNew(_ attribute: AttributeSyntax) -> Bool {
        guard attribute.attributeName.trimmedDescription == "available",
            case .availability(let arguments)? = attribute.arguments, let first = arguments.first
        else { return false }
        if arguments.contains(where: { isLater($0.argument) }) { return true }
        guard case .token(let platform) = first.argument, Self.isIOS(platform) else { return false }
        return arguments.contains { argument in
            guard case .availabilityLabeledArgument(let labeled) = argument.argument,
                labeled.label.text == "introduced", case .version(let version) = labeled.value
            else { return false }
            return isLater(version)
        }
    }

    private func isLater(_ argument: AvailabilityArgumentSyntax.Argument) -> Bool {
        guard case .availabilityVersionRestriction(let restriction) = argument, Self.isIOS(restriction.platform),
            let version = restriction.version
        else { return false }
        return isLater(version)
    }

    private func isLater(_ version: VersionTupleSyntax) -> Bool {
        Profile.Version(version.trimmedDescription).map { $0 > profile.iOS } ?? false
    }

    /// An app is not an extension, so `iOSApplicationExtension` says nothing about it.
    private static func isIOS(_ platform: TokenSyntax) -> Bool { ["iOS", "anyAppleOS"].contains(platform.text) }
}

/// Finds what a condition calls.
final class ConditionFinder: SyntaxVisitor {
    private var calls: [FunctionCallExprSyntax] = []

    static func calls(in condition: ExprSyntax) -> [FunctionCallExprSyntax] {
        let finder = ConditionFinder(viewMode: .sourceAccurate)
        finder.walk(condition)
        return finder.calls
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        calls.append(node)
        return .skipChildren
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
