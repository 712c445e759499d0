#define _GNU_SOURCE
#include "CUIKit.h"
#include "classes.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// A class of service is a nice value of its thread. libdispatch of Swift 6.3 gives its workers one. Foundation gives a
// `Thread` none, and a thread keeps what it inherits from the one that makes it. Weak, as in cache.c.

#define INTERPOSED __attribute__((weak, visibility("default")))
#define EXPORTED __attribute__((visibility("default")))

// Of libdispatch, which took them from Android.
enum { nice_interactive = -4, nice_initiated = -2, nice_default = 0, nice_utility = 2, nice_background = 10 };

// In UIKit: the class that a Foundation `Thread` was given.
extern uint32_t cuikit_class_of_thread(const void *thread);

// The class of the calling thread, 0 if nothing has given it one.
static __thread uint32_t own_class;
// libdispatch has this thread run what it wants next.
static __thread bool is_worker;

// Below 0 only as far as the process's limit allows it, even with the right to go further: the daemon, which sets the
// limit, knows whether the app's nice values count outside it.
static int allowed(int value)
{
    struct rlimit limit;
    if (value >= 0 || getrlimit(RLIMIT_NICE, &limit) != 0)
        return value > 0 ? value : 0;
    // All or none: with a part of them the main thread would come after its workers.
    return limit.rlim_cur >= (rlim_t)(20 - nice_interactive) ? value : 0;
}

static bool nice_of(uint32_t class, int *value)
{
    switch (class) {
    case cuikit_class_interactive: *value = nice_interactive; return true;
    case cuikit_class_initiated: *value = nice_initiated; return true;
    case cuikit_class_default: *value = nice_default; return true;
    case cuikit_class_utility: *value = nice_utility; return true;
    case cuikit_class_background: *value = nice_background; return true;
    default: return false;
    }
}

static uint32_t class_of(int value)
{
    if (value >= nice_background) return cuikit_class_background;
    if (value >= nice_utility) return cuikit_class_utility;
    if (value >= nice_default) return cuikit_class_default;
    return value > nice_interactive ? cuikit_class_initiated : cuikit_class_interactive;
}

// Past the function below. Of the calling thread, as Linux has it.
static int set_nice(int value)
{
    return (int)syscall(SYS_setpriority, PRIO_PROCESS, 0, value);
}

static int adopt(uint32_t class)
{
    int value;
    if (!nice_of(class, &value)) return EINVAL;
    value = allowed(value);
    if (set_nice(value) != 0) return EPERM;
    cuikit_nice_was_chosen(value);
    own_class = class;
    return 0;
}

// MARK: What is looked up once

typedef pthread_t (*creator)(const pthread_attr_t attributes, void *(*start)(void *), void *context);

static creator original_create;
// Where libdispatch lies.
static uintptr_t dispatch_from, dispatch_to;

static int note_place(struct dl_phdr_info *library, size_t size, void *known)
{
    (void)size;
    uintptr_t from = UINTPTR_MAX, to = 0, place = (uintptr_t)known;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD) continue;
        uintptr_t begin = library->dlpi_addr + part->p_vaddr;
        if (begin < from) from = begin;
        if (begin + part->p_memsz > to) to = begin + part->p_memsz;
    }
    if (place < from || place >= to) return 0;
    dispatch_from = from;
    dispatch_to = to;
    return 1;
}

// Once, at the start: later the loader may hold its lock while it waits for the very thread that asks.
__attribute__((constructor)) static void look_up(void)
{
    original_create = (creator)dlsym(RTLD_NEXT, "_CFThreadCreate");
    // One that nobody here puts another in front of. A program with libdispatch in it exports none.
    void *known = dlsym(RTLD_DEFAULT, "dispatch_get_global_queue");
    if (known) dl_iterate_phdr(note_place, known);
}

// MARK: What libdispatch gives its workers

static bool is_of_dispatch(const void *address)
{
    return (uintptr_t)address >= dispatch_from && (uintptr_t)address < dispatch_to;
}

// What a worker begins with. Most programs may not go below 0, and the worker would keep what it has inherited: the
// value of a background thread, if that thread needed the worker.
INTERPOSED int setpriority(__priority_which_t which, id_t who, int value)
{
    if (which == PRIO_PROCESS && who == 0 && !is_worker && is_of_dispatch(__builtin_return_address(0))) {
        is_worker = true;
        own_class = class_of(value);
        value = allowed(value);
    }
    return (int)syscall(SYS_setpriority, which, who, value);
}

// MARK: Threads of Foundation

struct beginning {
    void *(*start)(void *);
    void *context;
    uint32_t class;
};

static void *begin(void *argument)
{
    struct beginning what = *(struct beginning *)argument;
    free(argument);
    // Where it is refused, the thread runs as it is.
    adopt(what.class);
    return what.start(what.context);
}

INTERPOSED pthread_t _CFThreadCreate(const pthread_attr_t attributes, void *(*start)(void *), void *context)
{
    // `NULL` in what runs before this library's own start.
    creator original = original_create ? original_create : (creator)dlsym(RTLD_NEXT, "_CFThreadCreate");
    uint32_t class = cuikit_class_of_thread(context);
    // One that was given no class has none of its maker's either; where that has none, nothing is done.
    if (class == cuikit_class_default && own_class == 0) return original(attributes, start, context);
    struct beginning *what = malloc(sizeof *what);
    if (!what) return original(attributes, start, context);
    *what = (struct beginning){start, context, class};
    return original(attributes, begin, what);
}

// MARK: What threads say themselves

EXPORTED int pthread_set_qos_class_self_np(uint32_t class, int relative)
{
    if (relative > 0 || relative < -15) return EINVAL;
    // It would keep the class for whatever it runs next.
    if (is_worker) return EPERM;
    return adopt(class);
}

EXPORTED uint32_t qos_class_self(void)
{
    return own_class ? own_class : cuikit_class_default;
}

EXPORTED uint32_t qos_class_main(void)
{
    return cuikit_class_interactive;
}

// MARK: Below 0

// As the kernel has had it since 3.14.
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static bool set_below_zero(pid_t thread, int value)
{
    struct scheduling now;
    memset(&now, 0, sizeof now);
    if (syscall(SYS_sched_getattr, thread, &now, sizeof now, 0) != 0 || (now.policy != 0 && now.policy != 3)) return false;
    now.nice = value;
    now.flags |= SCHED_FLAG_RESET_ON_FORK;
    return syscall(SYS_sched_setattr, thread, &now, 0) == 0;
}

bool cuikit_lend_nice(pid_t thread, int value)
{
    if (value < 0) return set_below_zero(thread, value);
    return syscall(SYS_setpriority, PRIO_PROCESS, thread, value) == 0;
}

// MARK: The main thread

// Before all others of its process, if the daemon allows it (RLIMIT_NICE). Threads and processes that it makes do not
// inherit that.
__attribute__((constructor)) static void begin_main_thread(void)
{
    if (!getenv("GREENROOM_FD") && !getenv("GREENROOM_SOCKET")) return;
    if (getpid() != (pid_t)syscall(SYS_gettid)) return;
    int value = allowed(nice_interactive);
    if (value == 0) return;
    struct scheduling now;
    memset(&now, 0, sizeof now);
    // It keeps what was chosen for it.
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != 0 || now.nice != 0) return;
    if (set_below_zero(0, value)) own_class = cuikit_class_interactive;
}
