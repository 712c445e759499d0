public import Foundation

/// How the tables here hold objects.
public struct NSPointerFunctionsOptions: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt

    /// Creates it of Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// They hold them.
    public static let strongMemory: NSPointerFunctionsOptions = []
    /// They do not, and forget those that are gone.
    public static let weakMemory = NSPointerFunctionsOptions(rawValue: 5)
    /// Objects are the same only if they are one. Foundation compares with `isEqual` otherwise; here always so.
    public static let objectPointerPersonality = NSPointerFunctionsOptions(rawValue: 1 << 9)

    var isWeak: Bool { contains(.weakMemory) }
}

extension NSPointerFunctionsOptions {
    /// Hash table weak memory.
    public static let hashTableWeakMemory = NSPointerFunctionsOptions.weakMemory
    /// Map table weak memory.
    public static let mapTableWeakMemory = NSPointerFunctionsOptions.weakMemory
}

/// An object that a table holds, or only knows.
struct TableReference {
    private let held: AnyObject?
    private weak var known: AnyObject?

    init(_ object: AnyObject, isWeak: Bool) {
        held = isWeak ? nil : object
        known = object
    }

    var object: AnyObject? { held ?? known }
}

/// A set of objects, which it may forget when nobody else holds them. Not to be used on several threads at a time.
public final class NSHashTable<ObjectType>: NSObject {
    private let isWeak: Bool
    private var references: [ObjectIdentifier: TableReference] = [:]

    /// Creates an empty set.
    public init(options: NSPointerFunctionsOptions = [], capacity: Int = 0) { isWeak = options.isWeak }

    /// Creates an empty set.
    public convenience init(options: NSPointerFunctionsOptions) { self.init(options: options, capacity: 0) }

    /// A set that forgets objects that are gone.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory, capacity: 0) }

    private var live: [AnyObject] { references.values.compactMap(\.object) }

    /// How many objects are in it.
    public var count: Int { live.count }
    /// The objects, in no order.
    public var allObjects: [ObjectType] { live.compactMap { $0 as? ObjectType } }
    /// One of them.
    public var anyObject: ObjectType? { live.first as? ObjectType }
    /// The objects, by themselves.
    public var setRepresentation: Set<AnyHashable> { Set(live.compactMap { $0 as? AnyHashable }) }

    /// Adds an object.
    public func add(_ object: ObjectType?) {
        guard let object else { return }
        let reference = object as AnyObject
        references = references.filter { $0.value.object != nil }
        references[ObjectIdentifier(reference)] = TableReference(reference, isWeak: isWeak)
    }

    /// Takes an object out.
    public func remove(_ object: ObjectType?) {
        if let object { references[ObjectIdentifier(object as AnyObject)] = nil }
    }

    /// Takes all objects out.
    public func removeAllObjects() { references = [:] }

    /// Whether an object is in it.
    public func contains(_ object: ObjectType?) -> Bool { member(object) != nil }

    /// The object, if it is in it.
    public func member(_ object: ObjectType?) -> ObjectType? {
        guard let object else { return nil }
        return references[ObjectIdentifier(object as AnyObject)]?.object as? ObjectType
    }

    /// Goes through the objects.
    public func objectEnumerator() -> NSEnumerator { NSArray(array: live).objectEnumerator() }
}
