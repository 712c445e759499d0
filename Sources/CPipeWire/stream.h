// What streams and their connection share.
#ifndef GREENROOM_CPIPEWIRE_STREAM_H
#define GREENROOM_CPIPEWIRE_STREAM_H

#include "internal.h"

struct gr_engine {
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct spa_list streams;
    void (*ended)(void *owner, int32_t error);
    void *owner;
};

// What the real-time thread last knew of the time, under a counter that is odd while it writes.
struct clock {
    atomic_uint sequence;
    _Atomic int64_t now, frames_before;
    _Atomic uint64_t total;
};

struct gr_stream {
    struct spa_list link;
    struct gr_engine *engine;
    struct gr_ring *ring;
    struct pw_stream *stream;
    struct spa_hook listener;
    char *name;
    struct pw_properties *properties;
    uint32_t rate, channels;
    bool is_capture, wants_active, is_closed;
    // While it is refused: how often it was, and when it is tried again.
    unsigned refusals;
    struct spa_source *retry;
    void (*changed)(void *owner, enum gr_stream_state state, const char *text);
    void *owner;
    struct clock clock;
    _Atomic int64_t last_position;
    // Of the real-time thread; it goes when the stream is disconnected.
    const struct spa_io_position *position;
    // Frames of a cycle in the upper half and frames per second in the lower; 0 until the graph has run for it.
    _Atomic uint64_t cycle, cycle_time;
};

// With the engine locked.
void gr_stream_begin(struct gr_stream *stream);
void gr_stream_disconnect(struct gr_stream *stream);
void gr_stream_forget_refusals(struct gr_stream *stream);

#endif
