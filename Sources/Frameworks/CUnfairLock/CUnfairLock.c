#include "CUnfairLock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// Drepper's second mutex ("Futexes are tricky").

static void futex(uint32_t *word, int operation, uint32_t value) {
    syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(
        &lock->_state, &nobody, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    if (os_unfair_lock_trylock(lock)) return;
    while (__atomic_exchange_n(&lock->_state, 2, __ATOMIC_ACQUIRE) != 0) {
        futex(&lock->_state, FUTEX_WAIT, 2);
    }
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    if (__atomic_exchange_n(&lock->_state, 0, __ATOMIC_RELEASE) == 2) futex(&lock->_state, FUTEX_WAKE, 1);
}
