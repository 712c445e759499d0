#define _GNU_SOURCE
#include "CUIKit.h"
#include <dlfcn.h>

// Foundation's NSCache on Linux keeps everything for ever, or drops what costs least, and no other class of that name
// can stand beside it. So its functions are taken over: the program's own definition of a symbol comes before that of a
// shared library. They are weak, so that a program with Foundation linked statically keeps Foundation's own, and has
// caches that do not evict.

#define SWIFTCALL __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define INTERPOSED __attribute__((weak, visibility("default")))

// NSCache.__allocating_init() and NSCache.init().
#define ALLOCATING_INIT "$s10Foundation7NSCacheCACyxq_GycfC"
#define INIT "$s10Foundation7NSCacheCACyxq_Gycfc"
// NSCache.object(forKey:), setObject(_:forKey:cost:), removeObject(forKey:) and removeAllObjects(). The fifth,
// setObject(_:forKey:), calls the second.
#define LOOKUP "$s10Foundation7NSCacheC6object6forKeyq_Sgx_tF"
#define STORE "$s10Foundation7NSCacheC9setObject_6forKey4costyq__xSitF"
#define REMOVE "$s10Foundation7NSCacheC12removeObject6forKeyyx_tF"
#define CLEAR "$s10Foundation7NSCacheC16removeAllObjectsyyF"

typedef SWIFTCALL void *(*initializer)(CONTEXT void *self);
typedef SWIFTCALL void *(*lookup)(const void *key, CONTEXT void *self);
typedef SWIFTCALL void (*storing)(const void *object, const void *key, intptr_t cost, CONTEXT void *self);
typedef SWIFTCALL void (*removing)(const void *key, CONTEXT void *self);
typedef SWIFTCALL void (*clearing)(CONTEXT void *self);

extern void swift_release(void *object);

// In UIKit: remembers a cache, and gives it contents of its own where that can be.
extern void cuikit_cache_was_made(void *cache);
// False where a cache has no contents of its own: then Foundation's function has them. An object that is found is the
// caller's.
extern bool cuikit_cache_find(void *cache, const void *key, void **object);
extern bool cuikit_cache_set(void *cache, const void *object, const void *key, intptr_t cost);
extern bool cuikit_cache_remove(void *cache, const void *key);
extern bool cuikit_cache_clear(void *cache);
// Whether an object that a cache has found is worthless, and is no longer in it.
extern bool cuikit_cache_dropped(void *cache, const void *key, void *object);

static uintptr_t next(const char *name)
{
    return (uintptr_t)dlsym(RTLD_NEXT, name);
}

// Looked up once. Several threads find the same.
static uintptr_t original(uintptr_t *known, const char *name)
{
    uintptr_t found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!found) {
        found = next(name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

static uintptr_t known_lookup, known_store, known_remove, known_clear;

void cuikit_keep_in_cache(const void *cache, const void *object, const void *key)
{
    ((storing)original(&known_store, STORE))(object, key, 0, (void *)cache);
}

void *cuikit_kept_in_cache(const void *cache, const void *key)
{
    return ((lookup)original(&known_lookup, LOOKUP))(key, (void *)cache);
}

INTERPOSED SWIFTCALL void *cuikit_look_up(const void *key, CONTEXT void *self) __asm__(LOOKUP);
INTERPOSED SWIFTCALL void cuikit_store(const void *object, const void *key, intptr_t cost, CONTEXT void *self)
    __asm__(STORE);
INTERPOSED SWIFTCALL void cuikit_remove(const void *key, CONTEXT void *self) __asm__(REMOVE);
INTERPOSED SWIFTCALL void cuikit_clear(CONTEXT void *self) __asm__(CLEAR);

INTERPOSED SWIFTCALL void *cuikit_look_up(const void *key, CONTEXT void *self)
{
    void *object = NULL;
    if (!cuikit_cache_find(self, key, &object))
        object = ((lookup)original(&known_lookup, LOOKUP))(key, self);
    if (!object || !cuikit_cache_dropped(self, key, object))
        return object;
    swift_release(object);
    return NULL;
}

INTERPOSED SWIFTCALL void cuikit_store(const void *object, const void *key, intptr_t cost, CONTEXT void *self)
{
    if (!cuikit_cache_set(self, object, key, cost))
        ((storing)original(&known_store, STORE))(object, key, cost, self);
}

INTERPOSED SWIFTCALL void cuikit_remove(const void *key, CONTEXT void *self)
{
    if (!cuikit_cache_remove(self, key))
        ((removing)original(&known_remove, REMOVE))(key, self);
}

INTERPOSED SWIFTCALL void cuikit_clear(CONTEXT void *self)
{
    if (!cuikit_cache_clear(self))
        ((clearing)original(&known_clear, CLEAR))(self);
}

static void replace(uintptr_t *metadata, uintptr_t theirs, uintptr_t ours)
{
    uintptr_t end = cuikit_words_in_class(metadata);
    for (uintptr_t slot = 0; slot < end && theirs; slot++)
        if (__atomic_load_n(&metadata[slot], __ATOMIC_RELAXED) == theirs)
            __atomic_store_n(&metadata[slot], ours, __ATOMIC_RELAXED);
}

static void *made(void *cache)
{
    // A class that overrides a method keeps its own; what that inherits is replaced. Foundation fills the table of a
    // class with its own functions, whatever stands before them.
    uintptr_t *metadata = *(uintptr_t **)cache;
    replace(metadata, original(&known_lookup, LOOKUP), (uintptr_t)cuikit_look_up);
    replace(metadata, original(&known_store, STORE), (uintptr_t)cuikit_store);
    replace(metadata, original(&known_remove, REMOVE), (uintptr_t)cuikit_remove);
    replace(metadata, original(&known_clear, CLEAR), (uintptr_t)cuikit_clear);
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
