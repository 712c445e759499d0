#define _GNU_SOURCE
#include "CUIKit.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

// Swift can call `init()` on a metatype only if it is `required`, which no app's delegate declares. The entry exists
// in every subclass's virtual table all the same; only C can call it with Swift's calling convention.

// NSObject.__allocating_init(), the entry of NSObject's own table.
extern void nsobject_initializer(void) __asm__("$s10Foundation8NSObjectCACycfC");

// The head of a class's metadata where there is no Objective-C (Swift's ABI, TypeMetadata.rst).
struct class_head {
    uintptr_t kind;
    const void *superclass;
    uint32_t flags;
    uint32_t instance_address_point;
    uint32_t instance_size;
    uint16_t instance_alignment_mask;
    uint16_t reserved;
    uint32_t class_size;
    uint32_t class_address_point;
    const void *description;
    const void *ivar_destroyer;
};

typedef void *(*initializer)(__attribute__((swift_context)) const void *metatype) __attribute__((swiftcall));

uintptr_t cuikit_words_in_class(const void *class_metadata)
{
    const struct class_head *head = class_metadata;
    if (head->class_size < head->class_address_point)
        return 0;
    return (head->class_size - head->class_address_point) / sizeof(uintptr_t);
}

uintptr_t cuikit_initializer_slot(const void *nsobject_metadata)
{
    const uintptr_t *words = nsobject_metadata;
    uintptr_t end = cuikit_words_in_class(nsobject_metadata);
    for (uintptr_t slot = sizeof(struct class_head) / sizeof(uintptr_t); slot < end; slot++)
        if (words[slot] == (uintptr_t)&nsobject_initializer)
            return slot;
    return 0;
}

void *cuikit_instantiate(const void *class_metadata, uintptr_t slot)
{
    const uintptr_t *words = class_metadata;
    return ((initializer)words[slot])(class_metadata);
}

void cuikit_buffer_output_by_line(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void cuikit_return_free_memory(void)
{
    malloc_trim(0);
}

static void set_below_home(const char *name, const char *home, const char *path)
{
    char *value;
    if (asprintf(&value, "%s%s", home, path) < 0)
        return;
    setenv(name, value, 1);
    free(value);
}

// Foundation takes the home from the list of users and knows only the XDG folders. An app's files belong into its
// container, where iOS has them, also those that it opens before its main function gets to UIApplicationMain.
__attribute__((constructor)) static void enter_container(void)
{
    const char *home = getenv("HOME");
    if (!home || !(getenv("GREENROOM_FD") || getenv("GREENROOM_SOCKET")))
        return;
    set_below_home("CFFIXED_USER_HOME", home, "");
    set_below_home("XDG_CACHE_HOME", home, "/Library/Caches");
    set_below_home("XDG_DATA_HOME", home, "/Library/Application Support");
    set_below_home("XDG_CONFIG_HOME", home, "/Library/Preferences");
}
