#define _GNU_SOURCE
#include "CUIKit.h"
#include <dlfcn.h>

// URLCache is in FoundationNetworking, whose libraries take long to load: UIKit is not linked with it, and only looks
// for it in apps that have loaded it.

#define SWIFTCALL __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))

// The class, its static property `shared`, and removeAllCachedResponses().
#define CLASS "$s20FoundationNetworking8URLCacheCN"
#define SHARED "$s20FoundationNetworking8URLCacheC6sharedACvgZ"
#define CLEAR "$s20FoundationNetworking8URLCacheC24removeAllCachedResponsesyyF"

typedef SWIFTCALL void *(*getter)(CONTEXT void *type);
typedef SWIFTCALL void (*clearing)(CONTEXT void *self);

extern void swift_release(void *object);

void *cuikit_shared_url_cache(void)
{
    void *class = dlsym(RTLD_DEFAULT, CLASS);
    getter shared = (getter)(uintptr_t)dlsym(RTLD_DEFAULT, SHARED);
    if (!class || !shared)
        return NULL;
    void *cache = shared(class);
    // A subclass of the app keeps what it likes, where it likes.
    if (*(void **)cache == class)
        return cache;
    swift_release(cache);
    return NULL;
}

void cuikit_clear_url_cache(void *cache)
{
    clearing clear = (clearing)(uintptr_t)dlsym(RTLD_DEFAULT, CLEAR);
    if (clear)
        clear(cache);
}
