#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

// The clocks that the app reads, and the timers of run loops. The machine's clocks are read by everything in the
// process: the device's time is for what Foundation and Swift's clocks read for the app.

extern double CFRunLoopTimerGetNextFireDate(void *timer);
extern double CFRunLoopTimerGetInterval(void *timer);
extern unsigned char CFRunLoopTimerIsValid(void *timer);

/// `CFRunLoopTimerContext`.
struct timer_context {
    long version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    const void *(*describe)(const void *info);
};
extern void CFRunLoopTimerGetContext(void *timer, struct timer_context *context);

dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta);
long dispatch_semaphore_wait(void *semaphore, dispatch_time_t timeout);
long dispatch_group_wait(void *group, dispatch_time_t timeout);
void CFRunLoopTimerSetNextFireDate(void *timer, double date);

static atomic_int_least64_t elapsed, wall;
/// A device has booted some minutes before it is made; the machine's uptime would be another one in every run.
static const int64_t uptime_at_start = 600 * 1000000000LL;

/// Seconds from 1970 to 2001, when Foundation's time begins.
static const double epoch = 978307200;

static int read_clock(clockid_t clock, struct timespec *time)
{
    ORIGINAL(clock_gettime);
    return original(clock, time);
}

void quiescence_set_time(int64_t now, int64_t date)
{
    atomic_store(&elapsed, now);
    atomic_store(&wall, date);
}

int64_t quiescence_elapsed(void)
{
    return atomic_load(&elapsed);
}

int64_t quiescence_uptime(void)
{
    return uptime_at_start + atomic_load(&elapsed);
}

int64_t quiescence_wall_time(void)
{
    return atomic_load(&wall);
}

// Who reads.

/// The code of the libraries that read clocks for the app.
static struct range {
    uintptr_t start, end;
} readers[4];
static int reader_count;

static int add_reader(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    static const char *names[] = {
        "/libFoundationEssentials.so", "/libFoundation.so", "/libswift_Concurrency.so", "/libswiftDispatch.so",
    };
    for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
        if (!strstr(info->dlpi_name, names[name]))
            continue;
        for (int header = 0; header < info->dlpi_phnum; header++) {
            const ElfW(Phdr) *part = &info->dlpi_phdr[header];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || reader_count == 4)
                continue;
            uintptr_t start = info->dlpi_addr + part->p_vaddr;
            readers[reader_count++] = (struct range) { start, start + part->p_memsz };
        }
    }
    return 0;
}

static void find_readers(void)
{
    dl_iterate_phdr(add_reader, NULL);
}

static bool is_virtual_for(void *caller)
{
    if (!quiescence_is_on() || !quiescence_routes())
        return false;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_readers);
    for (int reader = 0; reader < reader_count; reader++)
        if ((uintptr_t)caller >= readers[reader].start && (uintptr_t)caller < readers[reader].end)
            return true;
    return false;
}

__attribute__((weak)) int clock_gettime(clockid_t clock, struct timespec *time)
{
    bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    bool is_uptime = clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW
        || clock == CLOCK_MONOTONIC_COARSE;
    if (!(is_wall || is_uptime) || !is_virtual_for(__builtin_return_address(0)))
        return read_clock(clock, time);
    int64_t now = is_wall ? quiescence_wall_time() : quiescence_uptime();
    *time = (struct timespec) { now / 1000000000, now % 1000000000 };
    return 0;
}

__attribute__((weak)) int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    ORIGINAL(gettimeofday);
    if (!is_virtual_for(__builtin_return_address(0)))
        return original(time, zone);
    int64_t now = quiescence_wall_time();
    *time = (struct timeval) { now / 1000000000, now % 1000000000 / 1000 };
    return 0;
}

__attribute__((weak)) dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta)
{
    ORIGINAL(dispatch_time);
    bool is_relative = when == 0 || when == never - 1;
    if (!is_relative || !quiescence_routes())
        return original(when, delta);
    if (when == never - 1)
        return (dispatch_time_t)-(quiescence_wall_time() + delta);
    int64_t now = quiescence_uptime();
    return delta > INT64_MAX / 2 - now ? never : (dispatch_time_t)(now + delta);
}

__attribute__((weak)) dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta)
{
    ORIGINAL(dispatch_walltime);
    if (when || !quiescence_routes())
        return original(when, delta);
    return (dispatch_time_t)-(quiescence_wall_time() + delta);
}

/// Whoever blocks a thread does it in real time, for as long as was meant.
static dispatch_time_t real_time(dispatch_time_t timeout)
{
    if (timeout == 0 || timeout == never || !quiescence_routes())
        return timeout;
    static _Atomic(void *) known;
    __typeof__(&dispatch_time) original
        = (__typeof__(&dispatch_time))quiescence_library_function(&known, "dispatch_time");
    int64_t left = quiescence_moment(timeout) - quiescence_elapsed();
    return original(0, left > 0 ? left : 0);
}

__attribute__((weak)) long dispatch_semaphore_wait(void *semaphore, dispatch_time_t timeout)
{
    ORIGINAL(dispatch_semaphore_wait);
    return original(semaphore, real_time(timeout));
}

__attribute__((weak)) long dispatch_group_wait(void *group, dispatch_time_t timeout)
{
    ORIGINAL(dispatch_group_wait);
    return original(group, real_time(timeout));
}

void quiescence_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Timers of run loops, which in a test's process nobody runs.

static void (*_Atomic timer_action)(void *timer);

void quiescence_set_timer_action(void (*fire)(void *timer))
{
    atomic_store(&timer_action, fire);
}

static void schedule_timer(void *timer)
{
    double left = CFRunLoopTimerGetNextFireDate(timer) + epoch - (double)quiescence_wall_time() / 1e9;
    // Nobody waits for a century, and Foundation's distant future has no nanoseconds.
    if (left > 3e9)
        return;
    CFRetain(timer);
    int64_t deadline = quiescence_elapsed() + (left > 0 ? (int64_t)(left * 1e9) : 0);
    quiescence_schedule((struct quiescence_item) { TIMER, NULL, timer, NULL, 0, deadline, 0 });
}

bool quiescence_route_timer(void *timer)
{
    if (!quiescence_routes())
        return false;
    schedule_timer(timer);
    return true;
}

__attribute__((weak)) void CFRunLoopTimerSetNextFireDate(void *timer, double date)
{
    ORIGINAL(CFRunLoopTimerSetNextFireDate);
    original(timer, date);
    // What waits already finds that it is not due, or that it has been done.
    if (quiescence_routes() && CFRunLoopTimerIsValid(timer))
        schedule_timer(timer);
}

bool quiescence_timer_waits(struct quiescence_item *item)
{
    return CFRunLoopTimerIsValid(item->subject);
}

void quiescence_fire_timer(struct quiescence_item *item)
{
    static _Atomic(void *) known;
    __typeof__(&CFRunLoopTimerSetNextFireDate) set_date = (__typeof__(&CFRunLoopTimerSetNextFireDate))
        quiescence_library_function(&known, "CFRunLoopTimerSetNextFireDate");
    void *timer = item->subject;
    double now = (double)quiescence_wall_time() / 1e9 - epoch;
    // Dates are exact to some hundred nanoseconds.
    if (!CFRunLoopTimerIsValid(timer) || CFRunLoopTimerGetNextFireDate(timer) > now + 1e-6)
        return;
    double interval = CFRunLoopTimerGetInterval(timer), next = CFRunLoopTimerGetNextFireDate(timer);
    if (interval > 0) {
        // What was missed is made up for once.
        do {
            next += interval;
        } while (next <= now);
        set_date(timer, next);
        schedule_timer(timer);
    } else {
        set_date(timer, now + 4e9);
    }
    struct timer_context context = { 0 };
    CFRunLoopTimerGetContext(timer, &context);
    void (*fire)(void *) = atomic_load(&timer_action);
    if (fire && context.info)
        fire(context.info);
}
