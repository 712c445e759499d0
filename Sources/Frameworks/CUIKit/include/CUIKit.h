#ifndef CUIKIT_H
#define CUIKIT_H

#include <stdint.h>

/// Position of the entry of `init()` in the virtual table of a class, in words from the start of its metadata.
/// 0 if NSObject's table does not hold it, that is, if this Foundation is laid out in a way we do not know.
uintptr_t cuikit_initializer_slot(const void *nsobject_metadata);

/// Calls `init()` of a class through its virtual table. Returns the new object, which the caller owns.
void *cuikit_instantiate(const void *class_metadata, uintptr_t slot);

/// Makes stdout line buffered.
void cuikit_buffer_output_by_line(void);

/// Gives memory that is free within the allocator back to the kernel.
void cuikit_return_free_memory(void);

#endif
