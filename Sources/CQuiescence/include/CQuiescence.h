#ifndef CQUIESCENCE_H
#define CQUIESCENCE_H

#include <stdbool.h>
#include <stdint.h>

/// How this process can be looked into.
enum quiescence_support {
    QUIESCENCE_SUPPORTED,
    /// Swift's libraries are part of the executable: nothing can stand before their functions.
    QUIESCENCE_LINKED_STATICALLY,
    /// This libdispatch is laid out in a way we do not know.
    QUIESCENCE_UNKNOWN_LAYOUT,
};

/// Finds out whether the rest works here. Once per process.
enum quiescence_support quiescence_prepare(void);

/// While on, as far as it comes from the main queue: jobs for Swift's global executor run on the main queue, in their
/// order; and the main queue is the main thread.
void quiescence_keep_on_main_queue(bool on);

/// Whether nothing waits behind what the main queue runs now. To be called on the main queue, and not on the main
/// thread: there the queue is taken over in portions, and what is in the present one cannot be seen.
bool quiescence_is_main_queue_empty(void);

/// Something that waits in real time.
enum quiescence_wait {
    QUIESCENCE_TASK_SLEEP,
    QUIESCENCE_DISPATCH_TIMER,
    QUIESCENCE_RUN_LOOP_TIMER,
};

/// How often it was begun from the main queue, while on.
unsigned quiescence_count(enum quiescence_wait wait);

/// Something of the app that waits for a moment of the device's.
struct quiescence_item;

/// Told of everything that begins to wait: until when, in nanoseconds since the device was made.
typedef void (*quiescence_scheduler)(int64_t deadline, struct quiescence_item *item);

/// From now on what the app waits for is the device's time, whichever clock it uses; NULL: no longer.
void quiescence_route(quiescence_scheduler scheduler);

/// What time it is on the device: nanoseconds since it was made, and since 1970.
void quiescence_set_time(int64_t elapsed, int64_t wall);

/// The moment has come. On the main queue.
void quiescence_fire(struct quiescence_item *item);

/// Whether something happens when the moment comes: not with a timer that was cancelled, or set anew, meanwhile.
bool quiescence_waits(struct quiescence_item *item);

/// It never comes.
void quiescence_drop(struct quiescence_item *item);

/// How a `Timer` is fired; it is what a timer of a run loop carries.
void quiescence_set_timer_action(void (*fire)(void *timer));

/// What the app gave to other queues than the main one, and what that gave on, has run, and its transfers of URLSession
/// are over. False also where it takes longer
/// than anything that is waited for: see `quiescence_forget_work`.
bool quiescence_is_quiet(void);

/// What it is not quiet for are transfers of URLSession alone, which wait for their servers.
bool quiescence_is_only_network(void);

/// What runs now on other queues, and in the network, is not waited for any more.
void quiescence_forget_work(void);

/// Calls a function on the main queue in so many nanoseconds of real time.
void quiescence_call_later(int64_t delay, void *context, void (*work)(void *));

/// How many observers of notification centers the process has added, less those that it has removed.
int quiescence_observers(void);

/// This process ends with the one that started it.
void quiescence_end_with_parent(void);

#endif
