#pragma once

#include <stdbool.h>
#include <stdint.h>

/// 0: nobody has it; 1: somebody has; 2: somebody has, and others wait.
typedef struct os_unfair_lock_s {
    uint32_t _state;
} os_unfair_lock, *os_unfair_lock_t;

void os_unfair_lock_lock(os_unfair_lock_t lock);
bool os_unfair_lock_trylock(os_unfair_lock_t lock);
void os_unfair_lock_unlock(os_unfair_lock_t lock);
