#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// What an app starts on the main actor spreads over three places: the main queue, which is the main actor's executor as
// well; the queue of Swift's global executor; and other threads. The last are nobody's to foresee. The second is the first
// here, so that there is one order. And whether the main queue is empty, libdispatch knows and does not tell.
//
// Some functions of libdispatch and Foundation are defined again below. The executable's definitions go before those of
// libraries, for the calls between libraries, too; they are weak, so that with libraries that are part of the executable
// it links, and does without. All of them do what they always do unless a simulated device exists and it is the main
// queue that calls.

// Parts of the interface of libdispatch, whose headers are not on the path of C targets, and of Foundation.
extern dispatch_queue_t dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_suspend(void *object);
extern void dispatch_queue_set_specific(
    dispatch_queue_t queue, const void *key, void *context, dispatch_function_t destructor);
extern void swift_job_run(void);

void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, void *block);
void dispatch_source_set_timer(void *source, dispatch_time_t start, uint64_t interval, uint64_t leeway);
void CFRunLoopAddTimer(void *loop, void *timer, const void *mode);
bool _CFIsMainThread(void);

static atomic_bool is_on;
char quiescence_main_queue_key;
static atomic_uint counts[QUIESCENCE_RUN_LOOP_TIMER + 1];

bool quiescence_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed);
}

static bool is_watched(void)
{
    return quiescence_is_on() && dispatch_get_specific(&quiescence_main_queue_key);
}

void *quiescence_library_function(_Atomic(void *) *known, const char *name)
{
    void *function = atomic_load_explicit(known, memory_order_relaxed);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(known, function, memory_order_relaxed);
    }
    return function;
}

/// Whether the code is the concurrency runtime's.
static bool is_of_runtime(const void *code)
{
    Dl_info of_code, of_runtime;
    return dladdr(code, &of_code) && dladdr((void *)swift_job_run, &of_runtime)
        && of_code.dli_fbase == of_runtime.dli_fbase;
}

/// Whether it is the function by which the concurrency runtime runs a job.
static bool runs_jobs(dispatch_function_t work)
{
    static _Atomic(dispatch_function_t) known;
    if (atomic_load_explicit(&known, memory_order_relaxed) == work)
        return true;
    if (!is_of_runtime((void *)work))
        return false;
    atomic_store_explicit(&known, work, memory_order_relaxed);
    return true;
}

__attribute__((weak)) void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work)
{
    ORIGINAL(dispatch_async_f);
    if (queue != &_dispatch_main_q && is_watched() && runs_jobs(work))
        queue = &_dispatch_main_q;
    else if (queue != &_dispatch_main_q && quiescence_follow_function(queue, context, work))
        return;
    original(queue, context, work);
}

__attribute__((weak)) void dispatch_after_f(
    dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work)
{
    ORIGINAL(dispatch_after_f);
    if (quiescence_route_function(when, queue, context, work))
        return;
    if (is_watched())
        counts[QUIESCENCE_TASK_SLEEP]++;
    original(when, queue, context, work);
}

__attribute__((weak)) void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, void *block)
{
    ORIGINAL(dispatch_after);
    if (quiescence_route_block(when, queue, block))
        return;
    if (is_watched())
        counts[QUIESCENCE_DISPATCH_TIMER]++;
    original(when, queue, block);
}

__attribute__((weak)) void dispatch_source_set_timer(
    void *source, dispatch_time_t start, uint64_t interval, uint64_t leeway)
{
    ORIGINAL(dispatch_source_set_timer);
    if (quiescence_is_networks_source(source)) {
        original(source, quiescence_real_time(start), interval, leeway);
        return;
    }
    if (quiescence_route_source(source, start, interval)) {
        original(source, never, never, 0);
        return;
    }
    // Also by this the runtime waits, where a tolerance is given.
    if (is_watched())
        counts[is_of_runtime(__builtin_return_address(0)) ? QUIESCENCE_TASK_SLEEP : QUIESCENCE_DISPATCH_TIMER]++;
    original(source, start, interval, leeway);
}

__attribute__((weak)) void CFRunLoopAddTimer(void *loop, void *timer, const void *mode)
{
    ORIGINAL(CFRunLoopAddTimer);
    if (quiescence_route_timer(timer))
        return;
    if (is_watched())
        counts[QUIESCENCE_RUN_LOOP_TIMER]++;
    original(loop, timer, mode);
}

/// In a test's process the main queue is served by other threads than the first one. Apps ask whether they are on the main
/// thread, and Foundation does before it waits for the main queue to hand over a notification, which there would be for
/// ever.
__attribute__((weak)) bool _CFIsMainThread(void)
{
    return is_watched() || syscall(SYS_gettid) == getpid();
}

static void nothing(void *context)
{
    (void)context;
}

// The word of a queue that points to the last item that waits, 0 where none does.
static size_t tail;
// Words of a queue that are looked at; the structure is larger.
enum { words = 14 };

static bool find_tail(void)
{
    uintptr_t empty[words], one[words], two[words], drained[words];
    dispatch_queue_t queue = dispatch_queue_create("greenroom.probe", NULL);
    dispatch_suspend(queue);
    memcpy(empty, queue, sizeof empty);
    dispatch_async_f(queue, NULL, nothing);
    memcpy(one, queue, sizeof one);
    dispatch_async_f(queue, NULL, nothing);
    memcpy(two, queue, sizeof two);
    dispatch_resume(queue);
    dispatch_sync_f(queue, NULL, nothing);
    memcpy(drained, queue, sizeof drained);
    dispatch_release(queue);

    int found = 0;
    for (size_t word = 0; word < words; word++) {
        // The word of the first item is that of the last one too while there is one, and stays.
        bool changes = empty[word] == 0 && one[word] != 0 && two[word] != 0 && two[word] != one[word];
        if (changes && drained[word] == 0) {
            tail = word;
            found++;
        }
    }
    return found == 1;
}

static enum quiescence_support support;

static void prepare(void)
{
    bool isBefore = dlsym(RTLD_DEFAULT, "dispatch_async_f") == (void *)dispatch_async_f;
    if (!isBefore || !dlsym(RTLD_NEXT, "dispatch_async_f") || !dlsym(RTLD_NEXT, "_CFIsMainThread"))
        support = QUIESCENCE_LINKED_STATICALLY;
    else if (!find_tail())
        support = QUIESCENCE_UNKNOWN_LAYOUT;
    dispatch_queue_set_specific(
        &_dispatch_main_q, &quiescence_main_queue_key, &quiescence_main_queue_key, NULL);
}

enum quiescence_support quiescence_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return support;
}

void quiescence_keep_on_main_queue(bool on)
{
    if (on)
        for (size_t wait = 0; wait < sizeof counts / sizeof *counts; wait++)
            counts[wait] = 0;
    atomic_store(&is_on, on);
    if (!on)
        quiescence_route(NULL);
}

bool quiescence_is_main_queue_empty(void)
{
    const uintptr_t *queue = (const uintptr_t *)&_dispatch_main_q;
    return __atomic_load_n(queue + tail, __ATOMIC_ACQUIRE) == 0;
}

unsigned quiescence_count(enum quiescence_wait wait)
{
    return counts[wait];
}
