internal import CUIKit
internal import Foundation

/// What a cache holds, in place of what Foundation would keep. It is the one object that Foundation does keep in the
/// cache, under a key of ours: so it lives as long as that, and no list of all caches has to be searched for it.
// Contents are touched under the lock only.
final class CacheStore: @unchecked Sendable {
    private typealias Held = (key: AnyObject, object: AnyObject)

    private let lock = NSLock()
    private var contents = CacheContents()

    /// How many of those that were not used for longest are asked whether they have been discarded, before others go.
    private static let asked = 16

    func find(_ key: AnyObject) -> AnyObject? { lock.withLock { contents.find(key) } }

    func remove(_ key: AnyObject) {
        // What goes is let go outside the lock: it may use the cache.
        let gone = lock.withLock { contents.remove(key) }
        withExtendedLifetime(gone) {}
    }

    /// - Returns: what was in it, the oldest first.
    @discardableResult
    func removeAll() -> [AnyObject] {
        lock.withLock {
            defer { contents = CacheContents() }
            return contents.oldest(contents.count).map(\.object)
        }
    }

    func set(_ object: AnyObject, _ key: AnyObject, cost: Int, in cache: NSCache<AnyObject, AnyObject>) {
        let (most, mostCost) = (cache.countLimit, cache.totalCostLimit)
        // It alone would be too much: others need not go for it.
        if mostCost > 0, cost > mostCost {
            remove(key)
            cache.delegate?.cache(cache, willEvictObject: object)
            return
        }
        func isOver() -> Bool { most > 0 && contents.count > most || mostCost > 0 && contents.totalCost > mostCost }
        let (replaced, asked) = lock.withLock {
            let replaced = contents.put(object, key, cost: max(0, cost))
            return (replaced, isOver() ? contents.oldest(Self.asked) : [])
        }
        // Asked outside the lock, as that is the app's code.
        let discarded = cache.evictsObjectsWithDiscardedContent ? Self.discarded(asked) : []
        let evicted = lock.withLock {
            var evicted = discarded.compactMap { contents.remove($0.key, ifItIs: $0.object) }
            while isOver(), let oldest = contents.removeOldest() { evicted.append(oldest) }
            return evicted
        }
        if let delegate = cache.delegate {
            for object in evicted { delegate.cache(cache, willEvictObject: object) }
        }
        withExtendedLifetime(replaced) {}
    }

    private static func discarded(_ asked: [Held]) -> [Held] {
        // A cache holds objects of one class, mostly, and whether that is of the kind is slow to find out.
        var last: (kind: ObjectIdentifier, isDiscardable: Bool)?
        return asked.filter { _, object in
            let kind = ObjectIdentifier(type(of: object))
            if last?.kind != kind { last = (kind, object is any NSDiscardableContent) }
            return last?.isDiscardable == true && isDiscarded(object)
        }
    }

    static func isDiscarded(_ object: AnyObject) -> Bool {
        (object as? any NSDiscardableContent)?.isContentDiscarded() ?? false
    }

    // MARK: In its cache

    // Never changed: only its address counts.
    private nonisolated(unsafe) static let key = NSObject()

    private static var keyAddress: UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
    }

    /// Gives one to a cache that is new.
    static func install(in cache: UnsafeRawPointer) {
        guard unsafe of(cache) == nil else { return }
        let store = CacheStore()
        unsafe cuikit_keep_in_cache(cache, Unmanaged.passUnretained(store).toOpaque(), keyAddress)
    }

    /// `nil`: Foundation has made the cache for itself, and keeps what is in it.
    static func of(_ cache: UnsafeRawPointer) -> CacheStore? {
        unsafe cuikit_kept_in_cache(cache, keyAddress).map {
            unsafe Unmanaged<CacheStore>.fromOpaque($0).takeRetainedValue()
        }
    }
}
