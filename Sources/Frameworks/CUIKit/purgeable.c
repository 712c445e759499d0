#define _GNU_SOURCE
#include "CUIKit.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A page that was handed over by MADV_FREE is taken by the kernel whenever it likes, and reads as zeros then. It can no
// longer be taken once it has been written to. So each unit that holds anything keeps the place of one byte that is not
// zero, its canary: writing that byte back tells in one instruction whether the unit was still there, and keeps it.

enum { no_canary = UINT16_MAX };

static size_t units_of(size_t length)
{
    return (length + cuikit_unit - 1) / cuikit_unit;
}

size_t cuikit_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

// Behind each object lies a page that nobody may touch. Without it the kernel would make one mapping of objects that lie
// side by side, and nobody outside could count them (too many end the app).

void *cuikit_map(size_t size)
{
    size_t whole;
    if (__builtin_add_overflow(size, cuikit_page_size(), &whole))
        return NULL;
    void *base = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (mprotect(base, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(base, whole);
        return NULL;
    }
    return base;
}

static void *shrink(uint8_t *base, size_t size, size_t new_size)
{
    uint8_t *guard = base + new_size;
    // A new page in the place of the old one: what that held is gone.
    if (mmap(guard, cuikit_page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0)
        == MAP_FAILED)
        return NULL;
    munmap(guard + cuikit_page_size(), size - new_size);
    return base;
}

void *cuikit_remap(void *base, size_t size, size_t new_size)
{
    if (new_size == size)
        return base;
    if (new_size < size)
        return shrink(base, size, new_size);
    void *place = cuikit_map(new_size);
    if (!place)
        return NULL;
    // The pages themselves move; the guard behind the new place stays.
    if (mremap(base, size, new_size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
        cuikit_unmap(place, new_size);
        return NULL;
    }
    munmap((uint8_t *)base + size, cuikit_page_size());
    return place;
}

void cuikit_unmap(void *base, size_t size)
{
    munmap(base, size + cuikit_page_size());
}

static uint16_t canary_of(const uint8_t *unit)
{
    for (size_t offset = 0; offset < cuikit_unit; offset += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, unit + offset, sizeof word);
        if (word == 0)
            continue;
        while (unit[offset] == 0)
            offset++;
        return (uint16_t)offset;
    }
    return no_canary;
}

void cuikit_hand_over(uint8_t *base, size_t length, size_t size, uint16_t *canaries)
{
    for (size_t unit = 0; unit < units_of(length); unit++)
        canaries[unit] = canary_of(base + unit * cuikit_unit);
    // Where it is refused (memory that is locked, for example) nothing is ever taken.
    madvise(base, size, MADV_FREE);
}

bool cuikit_take_back(uint8_t *base, size_t length, const uint16_t *canaries)
{
    for (size_t unit = 0; unit < units_of(length); unit++) {
        if (canaries[unit] == no_canary)
            continue;
        // Volatile, and an exchange: compilers turn other writes that change nothing into mere reads.
        volatile uint8_t *canary = base + unit * cuikit_unit + canaries[unit];
        uint8_t seen = *canary;
        if (seen == 0
            || !__atomic_compare_exchange_n(canary, &seen, seen, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return false;
    }
    return true;
}

bool cuikit_is_whole(const uint8_t *base, size_t length, const uint16_t *canaries)
{
    for (size_t unit = 0; unit < units_of(length); unit++)
        if (canaries[unit] != no_canary
            && *(const volatile uint8_t *)(base + unit * cuikit_unit + canaries[unit]) == 0)
            return false;
    return true;
}
