#ifndef INTERPOSING_H
#define INTERPOSING_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the files of this target share: the functions of libraries that they stand before.

typedef struct dispatch_queue_s *dispatch_queue_t;
typedef uint64_t dispatch_time_t;
typedef void (*dispatch_function_t)(void *);
extern struct dispatch_queue_s _dispatch_main_q;
extern void *dispatch_get_specific(const void *key);
extern void dispatch_release(void *object);
extern void dispatch_retain(void *object);

void dispatch_resume(void *object);
void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work);

/// `DISPATCH_TIME_FOREVER`.
static const uint64_t never = UINT64_MAX;

void dispatch_async(dispatch_queue_t queue, void *block);
dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta);

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern const void *CFRetain(const void *object);
extern void CFRelease(const void *object);

extern char quiescence_main_queue_key;

/// Whether a simulated device exists.
bool quiescence_is_on(void);

void *quiescence_library_function(_Atomic(void *) *known, const char *name);

#define ORIGINAL(function)                                                                                             \
    static _Atomic(void *) known_##function;                                                                           \
    __typeof__(&function) original = (__typeof__(&function))quiescence_library_function(&known_##function, #function)

// Each takes something over if it is the app's and time is virtual for it; false: it is done as always.
bool quiescence_route_function(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work);
bool quiescence_route_block(dispatch_time_t when, dispatch_queue_t queue, void *block);
bool quiescence_route_source(void *source, dispatch_time_t start, uint64_t interval);
bool quiescence_route_timer(void *timer);
bool quiescence_follow_function(dispatch_queue_t queue, void *context, dispatch_function_t work);

typedef void (^block_t)(void);

/// Whether this thread is in a call of libcurl: what it makes is the network's.
bool quiescence_is_networks(void);
/// A transfer counts as work from now on. Returns the portion to which it belongs.
unsigned quiescence_begin_transfer(void);
void quiescence_end_transfer(unsigned portion);
/// Whether the source is the network's. If so, its time is set as real time.
bool quiescence_is_networks_source(void *source);
/// What the block does, it does as the app's work.
void quiescence_do_as_work(block_t block);
/// A time of libdispatch's as the machine's clock has it, where the device's may have made it.
dispatch_time_t quiescence_real_time(dispatch_time_t when);

/// Whether this thread does the app's work: on the main queue, or on a queue to which that has given it.
bool quiescence_is_apps(void);

/// Whether what this thread begins to wait for is the device's.
bool quiescence_routes(void);

/// Something of the app that waits.
struct quiescence_item {
    enum { FUNCTION, BLOCK, SOURCE, TIMER } kind;
    dispatch_queue_t queue;
    /// What a function is called with; a block; a source; a timer.
    void *subject;
    dispatch_function_t work;
    /// Of the source: an earlier setting counts for nothing.
    unsigned setting;
    /// Nanoseconds since the device was made; and between one time and the next.
    int64_t deadline, interval;
};

/// Hands a copy to the device.
void quiescence_schedule(struct quiescence_item item);
void quiescence_fire_source(struct quiescence_item *item);
void quiescence_fire_timer(struct quiescence_item *item);
bool quiescence_source_waits(struct quiescence_item *item);
bool quiescence_timer_waits(struct quiescence_item *item);

/// What a time of libdispatch's means, in nanoseconds since the device was made; -1 for never.
int64_t quiescence_moment(dispatch_time_t when);

/// Nanoseconds since the device was made.
int64_t quiescence_elapsed(void);

// The device's time by the machine's clocks, in nanoseconds: since boot, and since 1970.
int64_t quiescence_uptime(void);
int64_t quiescence_wall_time(void);

#endif
