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
            guard let delegate = cache.delegate, let store = store(of: cache) else {
                cache.removeAllObjects()
                continue
            }
            for object in store.removeAll() { delegate.cache(cache, willEvictObject: object) }
        }
    }

    private static func store(of cache: NSCache<AnyObject, AnyObject>) -> CacheStore? {
        unsafe CacheStore.of(Unmanaged.passUnretained(cache).toOpaque())
    }

    /// Drops an object that a cache has found if its content has been discarded.
    static func drop(_ object: AnyObject, key: AnyObject, from cache: NSCache<AnyObject, AnyObject>) -> Bool {
        guard cache.evictsObjectsWithDiscardedContent, CacheStore.isDiscarded(object) else { return false }
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

// What stands in place of NSCache's own functions (`cache.c`).

@_cdecl("cuikit_cache_was_made")
func cacheWasMade(_ cache: UnsafeRawPointer) {
    unsafe CacheStore.install(in: cache)
    unsafe Caches.add(Caches.cache(cache))
}

@_cdecl("cuikit_cache_find")
func cacheFind(
    _ cache: UnsafeRawPointer, _ key: UnsafeRawPointer, _ object: UnsafeMutablePointer<UnsafeRawPointer?>
) -> Bool {
    guard let store = unsafe CacheStore.of(cache) else { return false }
    let found = unsafe store.find(Caches.object(key))
    unsafe object.pointee = found.map { unsafe UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
    return true
}

@_cdecl("cuikit_cache_set")
func cacheSet(_ cache: UnsafeRawPointer, _ object: UnsafeRawPointer, _ key: UnsafeRawPointer, _ cost: Int) -> Bool {
    guard let store = unsafe CacheStore.of(cache) else { return false }
    unsafe store.set(Caches.object(object), Caches.object(key), cost: cost, in: Caches.cache(cache))
    return true
}

@_cdecl("cuikit_cache_remove")
func cacheRemove(_ cache: UnsafeRawPointer, _ key: UnsafeRawPointer) -> Bool {
    guard let store = unsafe CacheStore.of(cache) else { return false }
    unsafe store.remove(Caches.object(key))
    return true
}

@_cdecl("cuikit_cache_clear")
func cacheClear(_ cache: UnsafeRawPointer) -> Bool {
    guard let store = unsafe CacheStore.of(cache) else { return false }
    store.removeAll()
    return true
}

@_cdecl("cuikit_cache_dropped")
func cacheDropped(_ cache: UnsafeRawPointer, _ key: UnsafeRawPointer, _ object: UnsafeRawPointer) -> Bool {
    unsafe Caches.drop(Caches.object(object), key: Caches.object(key), from: Caches.cache(cache))
}
