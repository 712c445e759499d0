public import OpenCombine

/// A value that a view or an app owns. Nothing draws views here: a change is only kept.
@propertyWrapper
public struct State<Value> {
    private final class Box {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let box: Box

    /// Begins with a value.
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// Begins with a value.
    public init(initialValue: Value) { box = Box(initialValue) }

    /// The value.
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    /// A way to the value for others.
    public var projectedValue: Binding<Value> { Binding(get: { box.value }, set: { box.value = $0 }) }
}

/// A way to a value that another owns.
@propertyWrapper
public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    /// Creates a way to a value.
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }

    /// A value that stays.
    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }

    /// The value.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    /// The same way.
    public var projectedValue: Binding<Value> { self }
}

/// An object that a view or an app owns: made when it is first asked for, and the same from then on.
@propertyWrapper
public struct StateObject<Object: ObservableObject> {
    private final class Box {
        lazy var object = make()
        private let make: () -> Object

        init(_ make: @escaping () -> Object) { self.make = make }
    }

    private let box: Box

    /// Says how it is made.
    public init(wrappedValue make: @autoclosure @escaping () -> Object) { box = Box(make) }

    /// The object.
    public var wrappedValue: Object { box.object }
}

/// An object that another owns.
@propertyWrapper
public struct ObservedObject<Object: ObservableObject> {
    /// The object.
    public var wrappedValue: Object

    /// Takes the object.
    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
}

/// Words. Nothing here draws them.
public struct Text: View {
    /// The words.
    public let text: String

    /// Creates it of words.
    public init(_ text: some StringProtocol) { self.text = String(text) }
}
