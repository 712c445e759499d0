internal import CUIKit
internal import Dispatch

/// What the frameworks give up for the app, so that it needs no code for it.
@MainActor
enum MemoryRelief {
    /// After the app's own handlers: what they let go of is given back as well.
    static func warn(_ level: DispatchSource.MemoryPressureEvent) {
        freeCaches()
        MemoryPressureSources.signal(level)
    }

    /// What the app can do without until it is on screen again.
    static func enterBackground() { freeCaches() }

    private static func freeCaches() {
        Caches.evictAll()
        NamedImages.freeUnused()
        cuikit_free_database_caches()
        URLCacheMemory.free()
        // The allocator keeps what is freed for the next request; only what the kernel has back is memory won.
        cuikit_return_free_memory()
    }
}
