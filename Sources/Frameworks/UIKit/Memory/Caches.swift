internal import CUIKit
internal import Foundation
internal import Synchronization

/// Every `NSCache` of the process, whoever made it (`cache.c`).
enum Caches {
    // A cache may be used on any thread. What it holds is of no concern here, so its types are those that all have.
    private struct Entry: @unchecked Sendable {
        weak var cache: NSCache<AnyObject, AnyObject>?
    }

    private struct Entries {
        var all: [Entry] = []
        var nextSweep = 64
    }

    private static let entries = Mutex(Entries())

    static func add(_ cache: NSCache<AnyObject, AnyObject>) {
        // As on iOS; Foundation's begins with false, and never looks.
        cache.evictsObjectsWithDiscardedContent = true
        let entry = Entry(cache: cache)
        entries.withLock { entries in
            if entries.all.count >= entries.nextSweep {
                entries.all.removeAll { $0.cache == nil }
                entries.nextSweep = max(64, entries.all.count * 2)
            }
            // One that allocates comes twice.
            if entries.all.last?.cache !== entry.cache { entries.all.append(entry) }
        }
    }

    /// Empties the caches, and tells their delegates what goes.
    static func evictAll() {
        // Not under the lock: what is released may make caches.
        let all = entries.withLock { $0.all }
        for entry in all {
            guard let cache = entry.cache else { continue }
            if cache.delegate == nil { cache.removeAllObjects() } else { evict(cache) }
        }
    }

    /// Only what is over a limit is told to the delegate, so the limit is lowered to one object, which is ours.
    private static func evict(_ cache: NSCache<AnyObject, AnyObject>) {
        let (countLimit, costLimit) = (cache.countLimit, cache.totalCostLimit)
        let stopper = NSObject()
        cache.totalCostLimit = 0
        cache.countLimit = 1
        // The cheapest go first.
        cache.setObject(stopper, forKey: stopper, cost: .max / 2)
        cache.removeObject(forKey: stopper)
        (cache.countLimit, cache.totalCostLimit) = (countLimit, costLimit)
    }

    /// Drops an object that a cache has found if its content has been discarded.
    static func drop(_ object: AnyObject, key: AnyObject, from cache: NSCache<AnyObject, AnyObject>) -> Bool {
        guard let content = object as? any NSDiscardableContent, cache.evictsObjectsWithDiscardedContent,
            content.isContentDiscarded()
        else { return false }
        cache.delegate?.cache(cache, willEvictObject: object)
        cache.removeObject(forKey: key)
        return true
    }

    fileprivate static func cache(_ address: UnsafeRawPointer) -> NSCache<AnyObject, AnyObject> {
        // It is one of other types, which a cast would see in a debug build.
        unsafe Unmanaged<NSCache<AnyObject, AnyObject>>.fromOpaque(address).takeUnretainedValue()
    }

    fileprivate static func object(_ address: UnsafeRawPointer) -> AnyObject {
        unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    }
}

@_cdecl("cuikit_cache_was_made")
func cacheWasMade(_ cache: UnsafeRawPointer) {
    unsafe Caches.add(Caches.cache(cache))
}

@_cdecl("cuikit_cache_dropped")
func cacheDropped(_ cache: UnsafeRawPointer, _ key: UnsafeRawPointer, _ object: UnsafeRawPointer) -> Bool {
    unsafe Caches.drop(Caches.object(object), key: Caches.object(key), from: Caches.cache(cache))
}
