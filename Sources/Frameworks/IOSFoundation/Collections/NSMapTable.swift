public import Foundation

/// Objects by objects, which it may forget when nobody else holds them. Not to be used on several threads at a time.
public final class NSMapTable<KeyType, ObjectType>: NSObject {
    private struct Pair {
        var key: TableReference
        var value: TableReference
    }

    private let hasWeakKeys: Bool
    private let hasWeakValues: Bool
    private var pairs: [ObjectIdentifier: Pair] = [:]
    // Keys that are equal without being one, such as strings.
    private var equalKeys: [AnyHashable: ObjectIdentifier] = [:]

    /// Creates an empty table.
    public init(
        keyOptions: NSPointerFunctionsOptions = [], valueOptions: NSPointerFunctionsOptions = [], capacity: Int = 0
    ) {
        hasWeakKeys = keyOptions.isWeak
        hasWeakValues = valueOptions.isWeak
    }

    /// A table that holds both.
    public class func strongToStrongObjects() -> NSMapTable { NSMapTable() }
    /// A table that holds the keys.
    public class func strongToWeakObjects() -> NSMapTable { NSMapTable(valueOptions: .weakMemory) }
    /// A table that holds the values, as long as the keys are there.
    public class func weakToStrongObjects() -> NSMapTable { NSMapTable(keyOptions: .weakMemory) }
    /// A table that holds neither.
    public class func weakToWeakObjects() -> NSMapTable {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    private func identity(_ key: KeyType) -> ObjectIdentifier {
        let object = key as AnyObject
        if !hasWeakKeys, let hashable = object as? AnyHashable, let known = equalKeys[hashable] { return known }
        return ObjectIdentifier(object)
    }

    private func forgetTheGone() {
        pairs = pairs.filter { $0.value.key.object != nil && $0.value.value.object != nil }
        equalKeys = equalKeys.filter { pairs[$0.value] != nil }
    }

    /// How many pairs there are.
    public var count: Int {
        forgetTheGone()
        return pairs.count
    }

    /// The value of a key.
    public func object(forKey key: KeyType?) -> ObjectType? {
        guard let key, let pair = pairs[identity(key)], pair.key.object != nil else { return nil }
        return pair.value.object as? ObjectType
    }

    /// Sets the value of a key; `nil` takes it away.
    public func setObject(_ object: ObjectType?, forKey key: KeyType?) {
        guard let key else { return }
        forgetTheGone()
        guard let object else {
            removeObject(forKey: key)
            return
        }
        let id = identity(key)
        let keyObject = key as AnyObject
        if !hasWeakKeys, let hashable = keyObject as? AnyHashable { equalKeys[hashable] = id }
        pairs[id] = Pair(
            key: TableReference(pairs[id]?.key.object ?? keyObject, isWeak: hasWeakKeys),
            value: TableReference(object as AnyObject, isWeak: hasWeakValues))
    }

    /// Takes the value of a key away.
    public func removeObject(forKey key: KeyType?) {
        guard let key else { return }
        pairs[identity(key)] = nil
        forgetTheGone()
    }

    /// Takes all values away.
    public func removeAllObjects() {
        pairs = [:]
        equalKeys = [:]
    }

    /// Goes through the keys.
    public func keyEnumerator() -> NSEnumerator {
        forgetTheGone()
        return NSArray(array: pairs.values.compactMap(\.key.object)).objectEnumerator()
    }

    /// Goes through the values; `nil` if there are none.
    public func objectEnumerator() -> NSEnumerator? {
        forgetTheGone()
        return pairs.isEmpty ? nil : NSArray(array: pairs.values.compactMap(\.value.object)).objectEnumerator()
    }
}
