public import Foundation

/// What an observer is told of a change.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// Apple's bits.
    public var rawValue: UInt
    /// Creates them of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The value after it.
    public static let new = Self(rawValue: 1)
    /// The value before it.
    public static let old = Self(rawValue: 2)
    /// It is told of the value that there is, at once.
    public static let initial = Self(rawValue: 4)
    /// It is told before the change as well.
    public static let prior = Self(rawValue: 8)
}

/// What was done to a value. Here it is always set.
public enum NSKeyValueChange: UInt, Sendable {
    /// It was set.
    case setting = 1
    /// Something came into a collection.
    case insertion = 2
    /// Something left a collection.
    case removal = 3
    /// Something in a collection was replaced.
    case replacement = 4
}

/// What a change is told under, in a dictionary.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public var rawValue: String
    /// Creates one of Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The number of an `NSKeyValueChange`.
    public static let kindKey = Self(rawValue: "kind")
    /// The value after it; `NSNull` for `nil`.
    public static let newKey = Self(rawValue: "new")
    /// The value before it; `NSNull` for `nil`.
    public static let oldKey = Self(rawValue: "old")
    /// Where in a collection.
    public static let indexesKey = Self(rawValue: "indexes")
    /// It is still to come.
    public static let notificationIsPriorKey = Self(rawValue: "notificationIsPrior")
}

/// A change of a value that is observed by its key path.
public struct NSKeyValueObservedChange<Value> {
    /// What was done to it.
    public typealias Kind = NSKeyValueChange
    /// What was done to it.
    public let kind: Kind
    /// The value after it, with the option `new`.
    public let newValue: Value?
    /// The value before it, with the option `old`.
    public let oldValue: Value?
    /// Where in a collection: not told here.
    public let indexes: IndexSet?
    /// Whether it is still to come.
    public let isPrior: Bool
}

/// An object that is told of changes by their names. The plugin IOSSources makes one of each class that overrides
/// `observeValue(forKeyPath:of:change:context:)`.
public protocol NSKeyValueObserver: AnyObject {
    /// A value has changed.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

/// A class of these frameworks that says when values change.
package protocol KeyValueSource: NSObject {
    /// What it says of, without “is” before it.
    static var observedKeys: Set<String> { get }
    /// - Parameter key: one of them.
    func observedValue(forKey key: String) -> Any?
}
