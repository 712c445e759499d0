internal import Foundation

/// The name of a method, as Objective-C has it, and how it is called.
///
/// Linux has no Objective-C, so a name alone calls nothing. The plugin IOSSources makes of `#selector(handle(_:))` a
/// selector that carries the call; `Selector("handle:")` carries it too where the method is in the type around it.
/// Selectors are equal if their names are.
public struct Selector: Sendable, ExpressibleByStringLiteral {
    /// A method that can be called.
    private struct Method: Sendable {
        var isOf: @Sendable (_ target: Any) -> Bool
        var call: @Sendable (_ target: Any, _ arguments: Arguments) throws(Arguments.Refusal) -> Any
    }

    private let name: String
    private let method: Method?

    /// Creates the name of a method.
    public init(_ name: String) {
        self.name = name
        method = nil
    }

    /// Creates the name of a method.
    public init(stringLiteral name: String) { self.init(name) }

    init<Target>(
        _ name: String, of type: Target.Type,
        call: @escaping @Sendable (Target, Arguments) throws(Arguments.Refusal) -> Any
    ) {
        self.name = name
        method = Method(
            isOf: { $0 is Target },
            call: { (target, arguments) throws(Arguments.Refusal) in
                guard let target = target as? Target else { throw Arguments.Refusal(expected: "\(Target.self)") }
                return try call(target, arguments)
            })
    }

    /// Calls the method.
    ///
    /// Ends the process if the target has no such method, as iOS does.
    ///
    /// - Parameter arguments: as many as the method takes, or more.
    /// - Returns: what the method returned.
    @discardableResult
    package func invoke(on target: Any, _ arguments: Any?...) -> Any {
        guard let method else {
            // As Objective-C does, whose exception ends the process.
            fatalError(
                """
                unrecognized selector \(name) sent to \(type(of: target)): only its name is known. On Linux a selector \
                calls a method if #selector made it.
                """)
        }
        // As above.
        guard method.isOf(target) else { fatalError("unrecognized selector \(name) sent to \(type(of: target))") }
        do {
            return try method.call(target, Arguments(values: arguments))
        } catch {
            // On iOS the argument would be taken for what it is not.
            fatalError("\(name) of \(type(of: target)) takes \(error.expected), and was sent \(arguments)")
        }
    }

    /// Whether a target has the method.
    package func isMethod(of target: Any) -> Bool { method?.isOf(target) ?? false }
}

/// What a method is called with.
struct Arguments {
    struct Refusal: Error {
        /// The type of what the method takes.
        var expected: String
    }

    var values: [Any?]

    func value<Value>(_ index: Int, as type: Value.Type = Value.self) throws(Refusal) -> Value {
        let value = values.indices.contains(index) ? values[index] : nil
        if let value, let result = value as? Value { return result }
        // A method may take the notification as a value or as an object.
        if let value = value as? Notification, let result = NSNotification(value) as? Value { return result }
        if value == nil, let result = Any?.none as? Value { return result }
        throw Refusal(expected: "\(Value.self)")
    }
}

extension NSNotification {
    fileprivate convenience init(_ notification: Notification) {
        self.init(name: notification.name, object: notification.object, userInfo: notification.userInfo)
    }
}

extension Selector: Hashable, CustomStringConvertible {
    /// Whether they are the same.
    public static func == (left: Selector, right: Selector) -> Bool { left.name == right.name }

    /// A number that equals share.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }
}

/// The name of a method.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

/// The name of a method.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }
