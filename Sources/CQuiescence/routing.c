#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"
#include <stdlib.h>

// Time for code that takes its clock from nowhere. What the app begins to wait for becomes an item, which the simulated
// device keeps and fires when its own time has come. Work that the app gives to other queues is counted, so that the
// device's time stands still until it is done.

// Parts of the interface of libdispatch.
void dispatch_barrier_async(dispatch_queue_t queue, void *block);
bool cuikit_wait_begins(void);
void cuikit_wait_ends(bool before);
void dispatch_group_async(void *group, dispatch_queue_t queue, void *block);
void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_barrier_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_group_async_f(void *group, dispatch_queue_t queue, void *context, dispatch_function_t work);

/// What every block begins with.
struct block {
    void *isa;
    int32_t flags, reserved;
    void (*invoke)(void *block);
};

static _Atomic(quiescence_scheduler) scheduler;

bool quiescence_routes(void)
{
    return atomic_load_explicit(&scheduler, memory_order_relaxed) && quiescence_is_apps();
}

// Work on other queues.

static atomic_int outstanding;
/// How many of them are transfers, which wait for a server.
static atomic_int running;
static atomic_uint portion;
static __thread bool does_apps_work;

bool quiescence_is_apps(void)
{
    return quiescence_is_on() && (does_apps_work || dispatch_get_specific(&quiescence_main_queue_key));
}

struct work {
    void *context;
    dispatch_function_t function;
    unsigned portion;
};

static struct work *follow(void *context, dispatch_function_t function)
{
    struct work *work = malloc(sizeof *work);
    *work = (struct work) { context, function, atomic_load(&portion) };
    atomic_fetch_add(&outstanding, 1);
    return work;
}

static void do_work(void *context)
{
    struct work *work = context;
    bool before = does_apps_work;
    does_apps_work = true;
    work->function(work->context);
    does_apps_work = before;
    if (work->portion == atomic_load(&portion))
        atomic_fetch_sub(&outstanding, 1);
    free(work);
}

static void call_block(void *context)
{
    struct block *block = context;
    block->invoke(block);
    _Block_release(block);
}

static struct work *follow_block(void *block)
{
    return follow(_Block_copy(block), call_block);
}

bool quiescence_follow_function(dispatch_queue_t queue, void *context, dispatch_function_t work)
{
    if (work == do_work || !quiescence_routes())
        return false;
    dispatch_async_f(queue, follow(context, work), do_work);
    return true;
}

__attribute__((weak)) void dispatch_async(dispatch_queue_t queue, void *block)
{
    ORIGINAL(dispatch_async);
    if (queue != &_dispatch_main_q && quiescence_routes())
        dispatch_async_f(queue, follow_block(block), do_work);
    else
        original(queue, block);
}

__attribute__((weak)) void dispatch_barrier_async(dispatch_queue_t queue, void *block)
{
    ORIGINAL(dispatch_barrier_async);
    if (queue != &_dispatch_main_q && quiescence_routes())
        dispatch_barrier_async_f(queue, follow_block(block), do_work);
    else
        original(queue, block);
}

__attribute__((weak)) void dispatch_group_async(void *group, dispatch_queue_t queue, void *block)
{
    ORIGINAL(dispatch_group_async);
    if (queue != &_dispatch_main_q && quiescence_routes())
        dispatch_group_async_f(group, queue, follow_block(block), do_work);
    else
        original(group, queue, block);
}

/// In a block that it waits for, a thread is on another queue, and does the same work. UIKit stands before
/// `dispatch_sync`, and calls these.
bool cuikit_wait_begins(void)
{
    bool before = does_apps_work;
    does_apps_work = before || quiescence_routes();
    return before;
}

void cuikit_wait_ends(bool before)
{
    does_apps_work = before;
}

bool quiescence_is_quiet(void)
{
    return atomic_load(&outstanding) == 0;
}

bool quiescence_is_only_network(void)
{
    int transfers = atomic_load(&running);
    return transfers > 0 && atomic_load(&outstanding) == transfers;
}

void quiescence_forget_work(void)
{
    atomic_fetch_add(&portion, 1);
    atomic_store(&running, 0);
    atomic_store(&outstanding, 0);
}

unsigned quiescence_begin_transfer(void)
{
    atomic_fetch_add(&outstanding, 1);
    atomic_fetch_add(&running, 1);
    return atomic_load(&portion);
}

void quiescence_end_transfer(unsigned its_portion)
{
    if (its_portion != atomic_load(&portion))
        return;
    atomic_fetch_sub(&running, 1);
    atomic_fetch_sub(&outstanding, 1);
}

void quiescence_do_as_work(block_t block)
{
    if (quiescence_is_on() && atomic_load(&scheduler))
        do_work(follow_block((void *)block));
    else
        block();
}

static dispatch_time_t real_time_in(int64_t delay)
{
    ORIGINAL(dispatch_time);
    return original(0, delay);
}

void quiescence_call_later(int64_t delay, void *context, void (*work)(void *))
{
    ORIGINAL(dispatch_after_f);
    original(real_time_in(delay), &_dispatch_main_q, context, work);
}

dispatch_time_t quiescence_real_time(dispatch_time_t when)
{
    if (!quiescence_routes() || when == never)
        return when;
    int64_t delay = quiescence_moment(when) - quiescence_elapsed();
    return real_time_in(delay > 0 ? delay : 0);
}

// What waits.

void quiescence_schedule(struct quiescence_item item)
{
    quiescence_scheduler known = atomic_load(&scheduler);
    struct quiescence_item *copy = malloc(sizeof item);
    *copy = item;
    if (known)
        known(item.deadline, copy);
    else
        quiescence_drop(copy);
}

/// The moment that a time of libdispatch's means, in nanoseconds since the device was made; -1 for never.
int64_t quiescence_moment(dispatch_time_t when)
{
    if (when == never)
        return -1;
    if (when == 0 || when == never - 1)
        return quiescence_elapsed();
    if ((int64_t)when >= 0)
        return quiescence_elapsed() + ((int64_t)when - quiescence_uptime());
    if (when & (1ULL << 62))
        return quiescence_elapsed() + (-(int64_t)when - quiescence_wall_time());
    return quiescence_elapsed() + ((int64_t)(when & ~(1ULL << 63)) - quiescence_uptime());
}

bool quiescence_route_function(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work)
{
    if (!quiescence_routes())
        return false;
    int64_t deadline = quiescence_moment(when);
    if (deadline >= 0)
        quiescence_schedule((struct quiescence_item) { FUNCTION, queue, context, work, 0, deadline, 0 });
    return true;
}

bool quiescence_route_block(dispatch_time_t when, dispatch_queue_t queue, void *block)
{
    if (!quiescence_routes())
        return false;
    int64_t deadline = quiescence_moment(when);
    if (deadline < 0)
        return true;
    dispatch_retain(queue);
    quiescence_schedule((struct quiescence_item) { BLOCK, queue, _Block_copy(block), NULL, 0, deadline, 0 });
    return true;
}

void quiescence_fire(struct quiescence_item *item)
{
    switch (item->kind) {
    case FUNCTION:
        dispatch_async_f(item->queue, item->subject, item->work);
        break;
    case BLOCK:
        dispatch_async(item->queue, item->subject);
        break;
    case SOURCE:
        quiescence_fire_source(item);
        break;
    case TIMER:
        quiescence_fire_timer(item);
        break;
    }
    quiescence_drop(item);
}

bool quiescence_waits(struct quiescence_item *item)
{
    switch (item->kind) {
    case FUNCTION:
    case BLOCK:
        break;
    case SOURCE:
        return quiescence_source_waits(item);
    case TIMER:
        return quiescence_timer_waits(item);
    }
    return true;
}

void quiescence_drop(struct quiescence_item *item)
{
    switch (item->kind) {
    case FUNCTION:
        // A task that never goes on.
        break;
    case BLOCK:
        _Block_release(item->subject);
        dispatch_release(item->queue);
        break;
    case SOURCE:
        dispatch_release(item->subject);
        break;
    case TIMER:
        CFRelease(item->subject);
        break;
    }
    free(item);
}

void quiescence_route(quiescence_scheduler given)
{
    quiescence_forget_work();
    atomic_store(&scheduler, given);
}
