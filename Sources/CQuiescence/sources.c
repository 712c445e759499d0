#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"
#include <stdlib.h>

extern char _dispatch_source_type_timer;
extern long dispatch_source_testcancel(void *source);
extern void *dispatch_get_context(void *object);
extern dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags);

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue);
void dispatch_source_set_event_handler(void *source, void *block);
void dispatch_source_set_event_handler_f(void *source, dispatch_function_t handler);
void dispatch_suspend(void *object);
void dispatch_activate(void *object);

// Timers of dispatch sources, and the network's sources of every kind.

struct source {
    struct source *next;
    void *source;
    dispatch_queue_t queue;
    void *block;
    dispatch_function_t function;
    unsigned setting;
    int suspensions;
    /// It was due while it was suspended.
    bool is_due;
    /// It is a timer of the app's, or was; else the network's, or neither any more.
    bool is_timer, is_networks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct source *sources;

static struct source *known_source(void *source)
{
    struct source *known = sources;
    while (known && known->source != source)
        known = known->next;
    return known;
}

__attribute__((weak)) void *dispatch_source_create(
    const void *type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue)
{
    ORIGINAL(dispatch_source_create);
    void *source = original(type, handle, mask, queue);
    if (!source)
        return source;
    bool is_networks = quiescence_is_networks();
    bool is_timer = type == &_dispatch_source_type_timer && !is_networks;
    pthread_mutex_lock(&lock);
    // One that was at this place before is gone.
    struct source *known = known_source(source);
    if (known && known->block)
        _Block_release(known->block);
    if (!known && (is_networks || (is_timer && quiescence_routes()))) {
        known = calloc(1, sizeof *known);
        known->next = sources;
        sources = known;
    }
    if (known) {
        unsigned setting = known->setting + 1;
        struct source *next = known->next;
        *known = (struct source) {
            next, source, queue ? queue : dispatch_get_global_queue(0, 0), NULL, NULL, setting, 1, false, is_timer,
            is_networks
        };
    }
    pthread_mutex_unlock(&lock);
    return source;
}

__attribute__((weak)) void dispatch_source_set_event_handler(void *source, void *block)
{
    ORIGINAL(dispatch_source_set_event_handler);
    pthread_mutex_lock(&lock);
    struct source *known = known_source(source);
    bool is_networks = known && known->is_networks;
    if (known && known->is_timer) {
        if (known->block)
            _Block_release(known->block);
        known->block = block ? _Block_copy(block) : NULL;
    }
    pthread_mutex_unlock(&lock);
    if (is_networks && block) {
        block_t given = block;
        original(source, (void *)^{ quiescence_do_as_work(given); });
    } else {
        original(source, block);
    }
}

__attribute__((weak)) void dispatch_source_set_event_handler_f(void *source, dispatch_function_t handler)
{
    ORIGINAL(dispatch_source_set_event_handler_f);
    pthread_mutex_lock(&lock);
    struct source *known = known_source(source);
    if (known && known->is_timer)
        known->function = handler;
    pthread_mutex_unlock(&lock);
    original(source, handler);
}

bool quiescence_is_networks_source(void *source)
{
    pthread_mutex_lock(&lock);
    struct source *known = known_source(source);
    bool is_networks = known && known->is_networks;
    pthread_mutex_unlock(&lock);
    return is_networks;
}

bool quiescence_route_source(void *source, dispatch_time_t start, uint64_t interval)
{
    if (!quiescence_routes())
        return false;
    pthread_mutex_lock(&lock);
    struct source *known = known_source(source);
    bool is_timer = known && known->is_timer;
    unsigned setting = known ? ++known->setting : 0;
    pthread_mutex_unlock(&lock);
    if (!is_timer)
        return false;
    int64_t deadline = quiescence_moment(start);
    if (deadline < 0)
        return true;
    dispatch_retain(source);
    int64_t every = interval > INT64_MAX ? 0 : (int64_t)interval;
    quiescence_schedule((struct quiescence_item) { SOURCE, NULL, source, NULL, setting, deadline, every });
    return true;
}

/// - Returns: whether it was due meanwhile.
static bool change_suspensions(void *object, int change)
{
    bool is_due = false;
    pthread_mutex_lock(&lock);
    struct source *known = known_source(object);
    if (known && known->is_timer) {
        known->suspensions += change;
        if (known->suspensions <= 0) {
            is_due = known->is_due;
            known->is_due = false;
        }
    }
    pthread_mutex_unlock(&lock);
    return is_due;
}

static void call_source(void *source)
{
    dispatch_queue_t queue = NULL;
    void *block = NULL;
    dispatch_function_t function = NULL;
    pthread_mutex_lock(&lock);
    struct source *known = known_source(source);
    if (known && known->suspensions > 0) {
        known->is_due = true;
    } else if (known) {
        queue = known->queue;
        block = known->block ? _Block_copy(known->block) : NULL;
        function = known->function;
    }
    pthread_mutex_unlock(&lock);
    if (block) {
        dispatch_async(queue, block);
        _Block_release(block);
    } else if (function) {
        dispatch_async_f(queue, dispatch_get_context(source), function);
    }
}

#define CHANGES_SUSPENSIONS(function, change)                                                                          \
    __attribute__((weak)) void function(void *object)                                                                  \
    {                                                                                                                  \
        ORIGINAL(function);                                                                                            \
        bool is_due = change_suspensions(object, change);                                                              \
        original(object);                                                                                              \
        if (is_due)                                                                                                    \
            call_source(object);                                                                                       \
    }

CHANGES_SUSPENSIONS(dispatch_suspend, 1)
CHANGES_SUSPENSIONS(dispatch_resume, -1)
CHANGES_SUSPENSIONS(dispatch_activate, -1)

bool quiescence_source_waits(struct quiescence_item *item)
{
    pthread_mutex_lock(&lock);
    struct source *known = known_source(item->subject);
    bool is_current = known && known->setting == item->setting;
    pthread_mutex_unlock(&lock);
    return is_current && !dispatch_source_testcancel(item->subject);
}

void quiescence_fire_source(struct quiescence_item *item)
{
    if (!quiescence_source_waits(item))
        return;
    if (item->interval > 0) {
        struct quiescence_item next = *item;
        // What was missed is made up for once.
        do {
            next.deadline += item->interval;
        } while (next.deadline <= quiescence_elapsed());
        dispatch_retain(item->subject);
        quiescence_schedule(next);
    }
    call_source(item->subject);
}
