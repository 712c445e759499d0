internal import CUIKit
internal import Foundation
internal import Glibc

/// What `URLCache.shared` keeps in memory, in an app that has loaded FoundationNetworking (`urlcache.c`).
///
/// Foundation can empty memory and disk together, or shorten the memory; but shortening it ends the process if an
/// answer was stored twice. So both are emptied while the folder of the cache has another name. A thread that looks for
/// an answer in these microseconds finds none.
enum URLCacheMemory {
    static func free() {
        guard let address = unsafe cuikit_shared_url_cache() else { return }
        let cache = unsafe Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue()
        // A Foundation that is laid out in another way keeps what it has.
        guard let child = Mirror(reflecting: cache).children.first(where: { $0.label == "cacheDirectory" }),
            let folder = child.value as? URL?
        else { return }
        guard let folder else { return unsafe cuikit_clear_url_cache(address) }
        let (name, aside) = (folder.path, folder.path + ".aside")
        // The app was killed between the two renamings; this is a cache, and the next one has begun.
        if unsafe access(aside, F_OK) == 0 { try? FileManager.default.removeItem(atPath: aside) }
        guard unsafe rename(name, aside) == 0 else { return }
        unsafe cuikit_clear_url_cache(address)
        unsafe rename(aside, name)
    }
}
