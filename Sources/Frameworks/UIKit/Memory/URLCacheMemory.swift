internal import CUIKit
internal import Foundation
internal import Glibc

/// Frees the memory of `URLCache.shared` in an app that has loaded FoundationNetworking (`urlcache.c`).
///
/// Foundation can empty memory and disk together, or shorten the memory; but shortening it ends the process if an
/// answer was stored twice. So this renames the cache's folder, empties both, and renames the folder back. A request in
/// these microseconds misses the cache.
enum URLCacheMemory {
    static func free() {
        guard let address = unsafe cuikit_shared_url_cache() else { return }
        let cache = unsafe Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue()
        // A Foundation with a different layout keeps its memory.
        guard let child = Mirror(reflecting: cache).children.first(where: { $0.label == "cacheDirectory" }),
            let folder = child.value as? URL?
        else { return }
        guard let folder else { return unsafe cuikit_clear_url_cache(address) }
        let (name, aside) = (folder.path, folder.path + ".aside")
        // A previous process was killed between the two renamings. If this copy cannot be removed, the renaming below
        // fails, and the cache keeps its memory.
        if unsafe access(aside, F_OK) == 0 { try? FileManager.default.removeItem(atPath: aside) }
        guard unsafe rename(name, aside) == 0 else { return }
        unsafe cuikit_clear_url_cache(address)
        unsafe rename(aside, name)
    }
}
