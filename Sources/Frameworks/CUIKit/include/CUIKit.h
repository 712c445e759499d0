#ifndef CUIKIT_H
#define CUIKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The words of a class's metadata, from its address on.
uintptr_t cuikit_words_in_class(const void *class_metadata);

/// Position of the entry of `init()` in the virtual table of a class, in words from the start of its metadata.
/// 0 if NSObject's table does not hold it, that is, if this Foundation is laid out in a way we do not know.
uintptr_t cuikit_initializer_slot(const void *nsobject_metadata);

/// Calls `init()` of a class through its virtual table. Returns the new object, which the caller owns.
void *cuikit_instantiate(const void *class_metadata, uintptr_t slot);

/// Calls Foundation's own `setObject(_:forKey:)` and `object(forKey:)` of an `NSCache`, whatever stands before them. What
/// is found is the caller's; `NULL` for nothing.
void cuikit_keep_in_cache(const void *cache, const void *object, const void *key);
void *cuikit_kept_in_cache(const void *cache, const void *key);

/// Whether the program itself uses a symbol of a library; true in a program that cannot be looked into.
bool cuikit_program_imports(const char *symbol);

/// Makes stdout line buffered.
void cuikit_buffer_output_by_line(void);

/// Gives memory that is free within the allocator back to the kernel.
void cuikit_return_free_memory(void);

/// Has SQLite give up the pages that connections have read and do not use. Does nothing in a program without SQLite.
void cuikit_free_database_caches(void);

/// `URLCache.shared`, which the caller owns then; NULL in a program without FoundationNetworking, and where it is of a
/// class of the app's own.
void *cuikit_shared_url_cache(void);

/// Empties it, the folder of its answers included.
void cuikit_clear_url_cache(void *cache);

/// What loss is detected by; a page is one or several.
enum { cuikit_unit = 4096 };

/// Bytes in a page of memory.
size_t cuikit_page_size(void);

/// Anonymous memory of a size in whole pages, zeroed, as a mapping of its own; NULL if there is no room.
void *cuikit_map(size_t size);

/// Makes it larger or smaller, and moves it where it must; NULL, and nothing is changed, if there is no room.
void *cuikit_remap(void *base, size_t size, size_t new_size);

/// Gives it back.
void cuikit_unmap(void *base, size_t size);

/// Lets the kernel take the pages from now on. `canaries` has room for one value per unit of `length`; behind `length` all
/// is zero.
void cuikit_hand_over(uint8_t *base, size_t length, size_t size, uint16_t *canaries);

/// Makes the kernel leave the pages alone from now on. False if it has taken any: the content is then worthless.
bool cuikit_take_back(uint8_t *base, size_t length, const uint16_t *canaries);

/// Whether the kernel has taken no page so far. It may take one right after.
bool cuikit_is_whole(const uint8_t *base, size_t length, const uint16_t *canaries);

/// Classes of service, with Apple's numbers (`sys/qos.h`).
enum {
    cuikit_class_interactive = 0x21,
    cuikit_class_initiated = 0x19,
    cuikit_class_default = 0x15,
    cuikit_class_utility = 0x11,
    cuikit_class_background = 0x09,
};

/// Apple's function: gives the calling thread a class. 0, `EINVAL`, or `EPERM` if the kernel does not let it rise or it is
/// a worker of libdispatch's.
int pthread_set_qos_class_self_np(uint32_t qos_class, int relative_priority);

/// Apple's functions.
uint32_t qos_class_self(void);
uint32_t qos_class_main(void);

#endif
