internal import SwiftSyntax

extension Lowerer {
    func lowerAttribute(_ node: AttributeSyntax) {
        switch node.attributeName.trimmedDescription {
        case "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable", "IBDesignable",
            "GKInspectable", "NSCopying", "_objcRuntimeName":
            blank(node)
        case "UIApplicationMain", "NSApplicationMain":
            replace(node, with: "@main")
        case "NSManaged":
            report(Unsupported.managed, at: node)
        default:
            break
        }
    }

    /// `init()` of a view or a controller overrides nothing on iOS, where the one of the class above is a convenience.
    func lowerInitializer(_ node: InitializerDeclSyntax) {
        guard node.signature.parameterClause.parameters.isEmpty, node.optionalMark == nil,
            !node.modifiers.contains(where: { $0.name.text == "override" }),
            let type = node.parent?.parent?.parent?.parent?.as(ClassDeclSyntax.self),
            let above = type.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription,
            ["UIViewController", "UIView", "UIWindow", "UINavigationController", "UITabBarController", "UIControl"]
                .contains(above)
        else { return }
        edits.insert("override ", at: range(node.initKeyword).lowerBound)
    }

    func lowerProtocol(_ node: ProtocolDeclSyntax) {
        let isObjectiveC = node.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objc"
        }
        guard isObjectiveC else { return }
        // Objective-C's protocols are of classes, whether they say so or not.
        if let inherited = node.inheritanceClause {
            let names = inherited.inheritedTypes.map { $0.type.trimmedDescription }
            if !names.contains(where: { ["AnyObject", "class", "NSObjectProtocol"].contains($0) }) {
                edits.insert(" AnyObject,", at: range(inherited.colon).upperBound)
            }
        } else {
            edits.insert(": AnyObject", at: range(node.name).upperBound)
        }
        let isPublic = node.modifiers.contains { ["public", "open"].contains($0.name.text) }
        for member in node.memberBlock.members { lowerRequirement(member.decl, of: node, isPublic: isPublic) }
    }

    /// A requirement that need not be there gets an implementation that does nothing.
    private func lowerRequirement(_ member: DeclSyntax, of node: ProtocolDeclSyntax, isPublic: Bool) {
        guard
            let modifier = member.asProtocol((any WithModifiersSyntax).self)?.modifiers.first(where: {
                $0.name.text == "optional"
            })
        else { return }
        blank(modifier)
        guard let method = member.as(FunctionDeclSyntax.self), Self.returnsNothing(method) else {
            report(
                "an optional requirement that has a value cannot be left out on Linux: "
                    + "give it a default in an extension of \(node.name.text), and drop “optional”", at: modifier)
            return
        }
        let bare = method.with(\.attributes, []).with(\.modifiers, []).with(\.body, nil)
        let signature = bare.trimmedDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
        additions.append(
            "extension \(node.name.text) { \(isPublic ? "public " : "")\(signature) {} }")
    }

    private static func returnsNothing(_ method: FunctionDeclSyntax) -> Bool {
        guard let type = method.signature.returnClause?.type.trimmedDescription else { return true }
        return ["Void", "()"].contains(type)
    }
}
