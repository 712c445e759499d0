#define _GNU_SOURCE
#include "CUIKit.h"
#include <dlfcn.h>

// Foundation on Linux reads a file into memory for `.mappedIfSafe`, and maps it for `.alwaysMapped`. What the former option is
// the program asks the library for by a function, whose symbol is taken over here: it is both options now. Weak, as in
// cache.c.

#define SWIFTCALL __attribute__((swiftcall))

// The addresses of Data.ReadingOptions.mappedIfSafe and alwaysMapped.
#define MAPPED_IF_SAFE "$s20FoundationEssentials4DataV14ReadingOptionsV12mappedIfSafeAEvau"
#define ALWAYS_MAPPED "$s20FoundationEssentials4DataV14ReadingOptionsV12alwaysMappedAEvau"

typedef SWIFTCALL const uintptr_t *(*option)(void);

extern SWIFTCALL const uintptr_t *always_mapped(void) __asm__(ALWAYS_MAPPED);

__attribute__((weak, visibility("default")))
SWIFTCALL const uintptr_t *cuikit_mapped_if_safe(void) __asm__(MAPPED_IF_SAFE);

__attribute__((weak, visibility("default")))
SWIFTCALL const uintptr_t *cuikit_mapped_if_safe(void)
{
    static uintptr_t options;
    option original = (option)dlsym(RTLD_NEXT, MAPPED_IF_SAFE);
    // Always the same value, whoever comes first.
    __atomic_store_n(&options, (original ? *original() : 0) | *always_mapped(), __ATOMIC_RELAXED);
    return &options;
}
