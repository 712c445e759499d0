internal import Foundation
internal import Synchronization

/// How an associated object is held.
public struct objc_AssociationPolicy: RawRepresentable, Equatable, Sendable {
    /// Apple's number.
    public var rawValue: UInt

    /// Creates it of Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Not held: it is `nil` when it is gone.
    public static let OBJC_ASSOCIATION_ASSIGN = Self(rawValue: 0)
    /// Held.
    public static let OBJC_ASSOCIATION_RETAIN_NONATOMIC = Self(rawValue: 1)
    /// Copied, if it can be, and held.
    public static let OBJC_ASSOCIATION_COPY_NONATOMIC = Self(rawValue: 3)
    /// Held.
    public static let OBJC_ASSOCIATION_RETAIN = Self(rawValue: 0x301)
    /// Copied, if it can be, and held.
    public static let OBJC_ASSOCIATION_COPY = Self(rawValue: 0x303)
}

/// Values that were hung on objects.
private enum AssociatedObjects {
    // Only handed on: the caller answers for the threads on which it uses a value.
    struct Value: @unchecked Sendable {
        private weak var unheld: AnyObject?
        private var held: Any?

        init(_ value: Any, _ policy: objc_AssociationPolicy) {
            switch policy {
            case .OBJC_ASSOCIATION_ASSIGN: unheld = value as AnyObject
            case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
                held = (value as? any NSCopying)?.copy(with: nil) ?? value
            default: held = value
            }
        }

        var value: Any? { held ?? unheld }
    }

    // Only under the lock.
    struct Entry: @unchecked Sendable {
        weak var owner: AnyObject?
        /// By the address that is the key.
        var values: [UInt: Value] = [:]
    }

    struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var nextSweep = 64
    }

    static let state = Mutex(State())
}

/// Hangs a value on an object. `nil` takes it away.
///
/// Linux tells nobody when an object goes, so its values go a little later: when others are set.
///
/// - Parameters:
///   - object: an object of a class.
///   - key: an address of the caller's.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    let owner = object as AnyObject
    let address = UInt(bitPattern: key)
    let new = value.map { AssociatedObjects.Value($0, policy) }
    // What is let go may set values itself: not under the lock.
    let gone = AssociatedObjects.state.withLock { state -> [AssociatedObjects.Entry] in
        var gone: [AssociatedObjects.Entry] = []
        let id = ObjectIdentifier(owner)
        var entry = state.entries[id] ?? AssociatedObjects.Entry(owner: owner)
        gone.append(entry)
        // Another object was at this address.
        if entry.owner !== owner { entry = AssociatedObjects.Entry(owner: owner) }
        entry.values[address] = new
        state.entries[id] = entry.values.isEmpty ? nil : entry
        if state.entries.count >= state.nextSweep {
            for (id, entry) in state.entries where entry.owner == nil {
                gone.append(entry)
                state.entries[id] = nil
            }
            state.nextSweep = max(64, state.entries.count * 2)
        }
        return gone
    }
    withExtendedLifetime(gone) {}
}

/// The value that was hung on an object.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    let owner = object as AnyObject
    let value = AssociatedObjects.state.withLock { state -> AssociatedObjects.Value? in
        guard let entry = state.entries[ObjectIdentifier(owner)], entry.owner === owner else { return nil }
        return entry.values[UInt(bitPattern: key)]
    }
    return value?.value
}

/// Takes all values away from an object.
public func objc_removeAssociatedObjects(_ object: Any) {
    let owner = ObjectIdentifier(object as AnyObject)
    let gone = AssociatedObjects.state.withLock { $0.entries.removeValue(forKey: owner) }
    withExtendedLifetime(gone) {}
}
