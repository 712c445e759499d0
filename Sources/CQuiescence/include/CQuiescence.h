#ifndef CQUIESCENCE_H
#define CQUIESCENCE_H

#include <stdbool.h>

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

#endif
