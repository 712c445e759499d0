// Counts what the calling thread allocates. Whoever links this has malloc and its kin replaced by functions that count
// and then do what libc's do.
#ifndef GREENROOM_CALLOCATIONS_H
#define GREENROOM_CALLOCATIONS_H

#include <stdint.h>

// Allocations of the calling thread so far.
uint64_t gr_allocations(void);
// Bytes that the calling thread has asked for so far, whether it gave them back or not.
uint64_t gr_allocated(void);
// Page faults of the calling thread so far.
uint64_t gr_page_faults(void);

#endif
