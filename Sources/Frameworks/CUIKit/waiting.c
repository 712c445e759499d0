#define _GNU_SOURCE
#include "CUIKit.h"
#include "classes.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// A thread that waits in `DispatchQueue.sync` lends its nice value to the one that drains the queue, until its own
// block has run. Apple's systems do that, and libdispatch on Linux does not. Weak, as in cache.c.

#define INTERPOSED __attribute__((weak, visibility("default")))

// The queue's state (`dq_state`) in Swift 6; its lower half names the thread that drains it. What is there in another
// libdispatch is no thread of this process, and then nothing is lent.
enum { state_offset = 56, owner_mask = 0x3fffffff };

struct loan {
    pid_t thread;
    int before, given, waiters;
};

// As many waits as a process has at once; further ones wait as they are.
enum { most_loans = 64 };
static struct loan loans[most_loans];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool get_nice(pid_t thread, int *value)
{
    errno = 0;
    *value = getpriority(PRIO_PROCESS, (id_t)thread);
    return *value != -1 || errno == 0;
}

static struct loan *find(pid_t thread)
{
    for (int i = 0; i < most_loans; i++)
        if (loans[i].waiters > 0 && loans[i].thread == thread) return &loans[i];
    return NULL;
}

static struct loan *unused(void)
{
    for (int i = 0; i < most_loans; i++)
        if (loans[i].waiters == 0) return &loans[i];
    return NULL;
}

// One number for all that wait for a thread; it falls to what it was when the last of them goes on.
static struct loan *lend_to(pid_t thread, int own)
{
    int theirs;
    struct loan *loan = find(thread);
    if (!get_nice(thread, &theirs)) return NULL;
    if (!loan) {
        loan = unused();
        if (theirs <= own || !loan || !cuikit_lend_nice(thread, own)) return NULL;
        *loan = (struct loan){thread, theirs, own, 0};
    } else if (own < loan->given && cuikit_lend_nice(thread, own)) {
        loan->given = own;
    }
    loan->waiters++;
    return loan;
}

static struct loan *lend(void *queue)
{
    uint32_t state = __atomic_load_n((const uint32_t *)((const char *)queue + state_offset), __ATOMIC_RELAXED);
    pid_t thread = (pid_t)(state & owner_mask);
    // Most queues are idle.
    if (thread <= 1) return NULL;
    pid_t self = (pid_t)syscall(SYS_gettid);
    int own, kept = errno;
    struct loan *loan = NULL;
    if (thread != self && get_nice(self, &own) && syscall(SYS_tgkill, getpid(), thread, 0) == 0) {
        pthread_mutex_lock(&lock);
        loan = lend_to(thread, own);
        pthread_mutex_unlock(&lock);
    }
    errno = kept;
    return loan;
}

void cuikit_nice_was_chosen(int value)
{
    pthread_mutex_lock(&lock);
    struct loan *loan = find((pid_t)syscall(SYS_gettid));
    if (loan) loan->before = value;
    pthread_mutex_unlock(&lock);
}

static void take_back(struct loan *loan)
{
    if (!loan) return;
    int kept = errno, now;
    pthread_mutex_lock(&lock);
    // Unless it has ended, or has been given another value meanwhile.
    if (--loan->waiters == 0 && syscall(SYS_tgkill, getpid(), loan->thread, 0) == 0 && get_nice(loan->thread, &now)
        && now == loan->given)
        cuikit_lend_nice(loan->thread, loan->before);
    pthread_mutex_unlock(&lock);
    errno = kept;
}

typedef void (*with_block)(void *queue, void *block);
typedef void (*with_function)(void *queue, void *context, void (*work)(void *));

// Looked up at the start, since later the loader may hold its lock while it waits for the thread that asks.
static void *originals[4];
static const char *const names[4] = {
    "dispatch_sync", "dispatch_barrier_sync", "dispatch_sync_f", "dispatch_barrier_sync_f",
};

__attribute__((constructor)) static void look_up(void)
{
    for (int i = 0; i < 4; i++) originals[i] = dlsym(RTLD_NEXT, names[i]);
}

// `NULL` in what runs before this library's own start.
static void *original(int number)
{
    return originals[number] ? originals[number] : dlsym(RTLD_NEXT, names[number]);
}

// GreenroomTesting has them, which wants to know what the app's own threads wait for; no app does.
extern bool cuikit_wait_begins(void) __attribute__((weak));
extern void cuikit_wait_ends(bool before) __attribute__((weak));

#define WITH_BLOCK(name, number)                                        \
    INTERPOSED void name(void *queue, void *block)                      \
    {                                                                   \
        struct loan *loan = lend(queue);                                \
        bool before = cuikit_wait_begins ? cuikit_wait_begins() : false; \
        ((with_block)original(number))(queue, block);                   \
        if (cuikit_wait_ends) cuikit_wait_ends(before);                 \
        take_back(loan);                                                \
    }

#define WITH_FUNCTION(name, number)                                          \
    INTERPOSED void name(void *queue, void *context, void (*work)(void *))   \
    {                                                                        \
        struct loan *loan = lend(queue);                                     \
        ((with_function)original(number))(queue, context, work);             \
        take_back(loan);                                                     \
    }

WITH_BLOCK(dispatch_sync, 0)
WITH_BLOCK(dispatch_barrier_sync, 1)
WITH_FUNCTION(dispatch_sync_f, 2)
WITH_FUNCTION(dispatch_barrier_sync_f, 3)
