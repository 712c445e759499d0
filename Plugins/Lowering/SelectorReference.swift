internal import SwiftSyntax

/// What a `#selector` names, and the Swift that stands in its place: a selector that carries the call.
struct SelectorReference {
    /// Whose method it is.
    enum Owner: Equatable {
        case type(String)
        /// Of the type of an expression.
        case instance(String)
    }

    var owner: Owner
    var name: String
    /// `nil` if neither the reference nor the module tells.
    var labels: [String]?
    var isStatic = false
    /// Of a property: there is nothing to call.
    var isAccessor = false

    enum Failure: Error {
        case noEnclosingType, notAMethod
    }

    /// - Parameter enclosing: the type that the code is in.
    init(_ call: MacroExpansionExprSyntax, in enclosing: String?, facts: Facts) throws(Failure) {
        guard let argument = call.arguments.first else { throw .notAMethod }
        isAccessor = argument.label != nil
        var expression = argument.expression
        while true {
            if let tuple = expression.as(TupleExprSyntax.self), let only = tuple.elements.first {
                expression = only.expression
            } else if let sequence = expression.as(SequenceExprSyntax.self), let first = sequence.elements.first {
                expression = first
            } else {
                break
            }
        }
        let reference: DeclReferenceExprSyntax
        if let plain = expression.as(DeclReferenceExprSyntax.self) {
            guard let enclosing else { throw .noEnclosingType }
            owner = .type(enclosing)
            reference = plain
        } else if let member = expression.as(MemberAccessExprSyntax.self) {
            owner = try Self.owner(member.base, enclosing)
            reference = member.declName
        } else {
            throw .notAMethod
        }
        name = reference.baseName.text
        labels = reference.argumentNames?.arguments.map(\.name.text)
        complete(facts)
    }

    /// The method of a type that Objective-C calls by a name.
    init?(objectiveC text: String, in enclosing: String?, facts: Facts) {
        guard let enclosing else { return nil }
        let own = Self.lastComponent(enclosing)
        let known = facts.methods.values.lazy.joined().first {
            $0.type == own && objectiveCName($0.name, labels: $0.labels) == text
        }
        guard let known else { return nil }
        owner = .type(enclosing)
        name = known.name
        labels = known.labels
        isStatic = known.isStatic
    }

    private static func owner(_ base: ExprSyntax?, _ enclosing: String?) throws(Failure) -> Owner {
        guard let text = base?.trimmedDescription else { throw .notAMethod }
        if ["self", "Self", "super", "type(of: self)"].contains(text) {
            guard let enclosing else { throw .noEnclosingType }
            return .type(enclosing)
        }
        // Types begin with capitals, as everywhere in the language.
        let last = lastComponent(text)
        return last.first?.isUppercase == true ? .type(text) : .instance(text)
    }

    private static func lastComponent(_ type: String) -> String {
        let name = type.prefix { $0 != "<" }
        return String(name.split(separator: ".").last ?? name)
    }

    /// Finds in the module what the reference leaves open.
    private mutating func complete(_ facts: Facts) {
        let named = (facts.methods[name] ?? []).filter { labels == nil || $0.labels == labels }
        guard !named.isEmpty else { return }
        var candidates = named
        if case .type(let type) = owner {
            let own = named.filter { $0.type == Self.lastComponent(type) || $0.type == type }
            if !own.isEmpty {
                candidates = own
            }
            // Of another type with a method of that name nothing follows for this one.
            else if labels == nil, Set(named.map(\.labels)).count > 1 {
                return
            }
        }
        guard let best = candidates.first else { return }
        labels = labels ?? best.labels
        isStatic = candidates.allSatisfy(\.isStatic)
    }

    /// The expression, on one line.
    var swift: String {
        let plain = name.filter { $0 != "`" }
        guard !isAccessor else { return #"Selector("\#(plain)")"# }
        let selector = "\"" + objectiveCName(plain, labels: labels ?? []) + "\""
        let (like, type) =
            switch owner {
            case .type(let type): ("", ": " + type + (isStatic ? ".Type" : ""))
            case .instance(let expression): (", like: \(expression)", "")
            }
        guard let labels else {
            return "Selector(\(selector)\(like), method: { (object\(type)) in object.\(name) })"
        }
        let values = labels.indices.map { "value\($0)" }
        let parameters = (["object" + type] + values).joined(separator: ", ")
        let arguments = zip(labels, values).map { $0 == "_" ? $1 : "\($0): \($1)" }.joined(separator: ", ")
        return "Selector(\(selector)\(like), { (\(parameters)) in object.\(name)(\(arguments)) })"
    }
}
