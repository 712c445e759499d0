#define _GNU_SOURCE
#include "CUIKit.h"
#include <dlfcn.h>

// Foundation's NSCache on Linux keeps everything for ever, and no other class of that name can stand beside it. So the
// entry points through which caches are made are taken over: the program's own definition of a symbol comes before that
// of a shared library. They are weak, so that a program with Foundation linked statically keeps Foundation's own, and has
// caches that do not evict.

#define SWIFTCALL __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define INTERPOSED __attribute__((weak, visibility("default")))

// NSCache.__allocating_init(), NSCache.init() and NSCache.object(forKey:).
#define ALLOCATING_INIT "$s10Foundation7NSCacheCACyxq_GycfC"
#define INIT "$s10Foundation7NSCacheCACyxq_Gycfc"
#define LOOKUP "$s10Foundation7NSCacheC6object6forKeyq_Sgx_tF"

extern void swift_release(void *object);
// In UIKit: remembers a cache; whether an object that a cache has found is worthless, and is no longer in it.
extern void cuikit_cache_was_made(void *cache);
extern bool cuikit_cache_dropped(void *cache, const void *key, void *object);

typedef SWIFTCALL void *(*initializer)(CONTEXT void *self);
typedef SWIFTCALL void *(*lookup)(const void *key, CONTEXT void *self);

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static lookup original_lookup(void)
{
    static lookup found;
    lookup known = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (!known) {
        known = (lookup)next(LOOKUP);
        __atomic_store_n(&found, known, __ATOMIC_RELAXED);
    }
    return known;
}

static SWIFTCALL void *look_up(const void *key, CONTEXT void *self)
{
    void *object = original_lookup()(key, self);
    if (!object || !cuikit_cache_dropped(self, key, object))
        return object;
    swift_release(object);
    return NULL;
}

static void *made(void *cache)
{
    // A class that overrides the method keeps its own; what that inherits is replaced.
    uintptr_t *metadata = *(uintptr_t **)cache;
    uintptr_t original = (uintptr_t)original_lookup();
    uintptr_t end = cuikit_words_in_class(metadata);
    for (uintptr_t slot = 0; slot < end && original; slot++)
        if (__atomic_load_n(&metadata[slot], __ATOMIC_RELAXED) == original)
            __atomic_store_n(&metadata[slot], (uintptr_t)look_up, __ATOMIC_RELAXED);
    cuikit_cache_was_made(cache);
    return cache;
}

INTERPOSED SWIFTCALL void *cuikit_make_cache(CONTEXT void *metatype) __asm__(ALLOCATING_INIT);
INTERPOSED SWIFTCALL void *cuikit_initialize_cache(CONTEXT void *cache) __asm__(INIT);

INTERPOSED SWIFTCALL void *cuikit_make_cache(CONTEXT void *metatype)
{
    return made(((initializer)next(ALLOCATING_INIT))(metatype));
}

INTERPOSED SWIFTCALL void *cuikit_initialize_cache(CONTEXT void *cache)
{
    return made(((initializer)next(INIT))(cache));
}
