// Streams of an app.
#include "stream.h"
#include <errno.h>
#include <spa/param/audio/format-utils.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- The real-time thread -------------------------------------------------------------------------------------

static void note_time(struct gr_stream *stream, uint64_t before) {
    struct pw_time time;
    if (pw_stream_get_time_n(stream->stream, &time, sizeof time) < 0 || time.rate.denom == 0) return;
    int64_t delay = time.delay * (int64_t)stream->rate * time.rate.num / time.rate.denom;
    int64_t waiting = delay + (int64_t)time.buffered + (int64_t)time.queued;
    struct clock *clock = &stream->clock;
    atomic_fetch_add(&clock->sequence, 1);
    atomic_store_explicit(&clock->now, time.now, memory_order_relaxed);
    atomic_store_explicit(&clock->frames_before, (int64_t)before - waiting, memory_order_relaxed);
    atomic_store_explicit(&clock->total, gr_ring_moved(stream->ring), memory_order_relaxed);
    atomic_fetch_add(&clock->sequence, 1);
}

// A wish is only a wish: what the graph does is in its clock, and may change with any cycle.
static void note_cycle(struct gr_stream *stream) {
    const struct spa_io_position *position = stream->position;
    if (position == NULL || position->clock.rate.num == 0) return;
    uint32_t rate = position->clock.rate.denom / position->clock.rate.num;
    uint32_t frames = (uint32_t)SPA_MIN(position->clock.duration, (uint64_t)UINT32_MAX);
    if (rate == 0 || frames == 0) return;
    atomic_store_explicit(&stream->cycle, (uint64_t)frames << 32 | rate, memory_order_relaxed);
    atomic_store_explicit(&stream->cycle_time, position->clock.nsec, memory_order_relaxed);
}

static void on_process(void *data) {
    struct gr_stream *stream = data;
    note_cycle(stream);
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream->stream);
    if (buffer == NULL) return;
    struct spa_data *memory = &buffer->buffer->datas[0];
    uint32_t stride = stream->channels * (uint32_t)sizeof(float);
    if (memory->data != NULL && stream->is_capture) {
        uint32_t offset = SPA_MIN(memory->chunk->offset, memory->maxsize);
        uint32_t size = SPA_MIN(memory->chunk->size, memory->maxsize - offset);
        gr_ring_supply(stream->ring, SPA_PTROFF(memory->data, offset, const float), size / stride);
    } else if (memory->data != NULL) {
        uint32_t frames = memory->maxsize / stride;
        if (buffer->requested > 0) frames = SPA_MIN(frames, (uint32_t)buffer->requested);
        note_time(stream, gr_ring_moved(stream->ring));
        gr_ring_drain(stream->ring, memory->data, frames);
        atomic_store_explicit(&stream->clock.total, gr_ring_moved(stream->ring), memory_order_release);
        memory->chunk->offset = 0;
        memory->chunk->stride = (int32_t)stride;
        memory->chunk->size = frames * stride;
        buffer->size = frames;
    }
    pw_stream_queue_buffer(stream->stream, buffer);
}

// --- One stream -----------------------------------------------------------------------------------------------

// Pauses from a tenth of a second to 6.4: not quite thirteen seconds in all.
enum { MOST_REFUSALS = 7, SHORTEST_PAUSE = 100 };

static struct pw_loop *loop_of(struct gr_stream *stream) { return pw_thread_loop_get_loop(stream->engine->loop); }

static void on_retry(void *data, uint64_t expirations) {
    (void)expirations;
    struct gr_stream *stream = data;
    gr_stream_disconnect(stream);
    if (!stream->is_closed && stream->engine->core != NULL) gr_stream_begin(stream);
}

// A session manager refuses a stream that it sees before its devices, as when both have just begun, and says nothing
// when it has one. And any client may destroy the node of any stream.
static bool tries_again(struct gr_stream *stream) {
    if (stream->is_closed || stream->refusals >= MOST_REFUSALS) return false;
    if (stream->retry == NULL) stream->retry = pw_loop_add_timer(loop_of(stream), on_retry, stream);
    if (stream->retry == NULL) return false;
    uint64_t pause = (uint64_t)SHORTEST_PAUSE << stream->refusals++;
    struct timespec time = {.tv_sec = (time_t)(pause / 1000), .tv_nsec = (long)(pause % 1000) * SPA_NSEC_PER_MSEC};
    return pw_loop_update_timer(loop_of(stream), stream->retry, &time, NULL, false) >= 0;
}

void gr_stream_forget_refusals(struct gr_stream *stream) {
    stream->refusals = 0;
    if (stream->retry != NULL) pw_loop_destroy_source(loop_of(stream), stream->retry);
    stream->retry = NULL;
}

static void on_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    (void)old;
    struct gr_stream *stream = data;
    if (state == PW_STREAM_STATE_STREAMING) stream->refusals = 0;
    // Without a server it connects when there is one.
    if (state == PW_STREAM_STATE_UNCONNECTED && stream->engine->core != NULL) {
        state = PW_STREAM_STATE_ERROR;
        error = "another program removed the stream";
    }
    if (state == PW_STREAM_STATE_ERROR && tries_again(stream)) state = PW_STREAM_STATE_CONNECTING;
    stream->changed(stream->owner, (enum gr_stream_state)state, error);
}

static int do_set_position(
    struct spa_loop *loop, bool async, uint32_t sequence, const void *data, size_t size, void *user_data) {
    (void)loop, (void)async, (void)sequence, (void)size;
    ((struct gr_stream *)user_data)->position = *(const struct spa_io_position *const *)data;
    return 0;
}

// Between two cycles: the memory is not there any more when this returns with none.
static void set_position(struct gr_stream *stream, const struct spa_io_position *position) {
    struct pw_data_loop *loop = pw_context_get_data_loop(stream->engine->context);
    pw_data_loop_invoke(loop, do_set_position, 0, &position, sizeof position, true, stream);
}

static void on_io(void *data, uint32_t id, void *area, uint32_t size) {
    if (id != SPA_IO_Position) return;
    set_position(data, area != NULL && size >= sizeof(struct spa_io_position) ? area : NULL);
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state,
    .io_changed = on_io,
    .process = on_process,
};

void gr_stream_disconnect(struct gr_stream *stream) {
    if (stream->stream == NULL) return;
    // Its last states are of no interest.
    spa_hook_remove(&stream->listener);
    set_position(stream, NULL);
    pw_stream_destroy(stream->stream);
    stream->stream = NULL;
}

// The usual order of so many channels; where there is none they have no place.
static void place_channels(struct spa_audio_info_raw *format) {
    static const uint32_t surround[] = {
        SPA_AUDIO_CHANNEL_FL,  SPA_AUDIO_CHANNEL_FR, SPA_AUDIO_CHANNEL_FC, SPA_AUDIO_CHANNEL_LFE,
        SPA_AUDIO_CHANNEL_SL,  SPA_AUDIO_CHANNEL_SR, SPA_AUDIO_CHANNEL_RL, SPA_AUDIO_CHANNEL_RR,
    };
    bool is_usual = format->channels == 2 || format->channels == 6 || format->channels == 8;
    for (uint32_t i = 0; i < format->channels; i++)
        format->position[i] = is_usual ? surround[i] : SPA_AUDIO_CHANNEL_AUX0 + i;
    if (format->channels == 1) format->position[0] = SPA_AUDIO_CHANNEL_MONO;
}

static int connect_stream(struct gr_stream *stream) {
    if (stream->engine->core == NULL) return -ENOTCONN;
    stream->stream = pw_stream_new(stream->engine->core, stream->name, pw_properties_copy(stream->properties));
    if (stream->stream == NULL) return -errno;
    spa_zero(stream->listener);
    pw_stream_add_listener(stream->stream, &stream->listener, &stream_events, stream);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_raw format = {
        .format = SPA_AUDIO_FORMAT_F32, .rate = stream->rate, .channels = stream->channels};
    place_channels(&format);
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    enum pw_stream_flags flags =
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
    if (!stream->wants_active) flags |= PW_STREAM_FLAG_INACTIVE;
    return pw_stream_connect(
        stream->stream, stream->is_capture ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, params, 1);
}

void gr_stream_begin(struct gr_stream *stream) {
    int result = connect_stream(stream);
    if (result >= 0) return;
    gr_stream_disconnect(stream);
    if (result == -ENOTCONN) {
        stream->changed(stream->owner, GR_STREAM_LOST, NULL);
    } else {
        stream->changed(stream->owner, GR_STREAM_ERROR, strerror(-result));
    }
}

struct gr_stream *gr_stream_open(const struct gr_stream_setup *setup) {
    struct gr_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->engine = setup->engine;
    stream->ring = setup->ring;
    stream->rate = setup->rate;
    stream->channels = setup->channels;
    stream->is_capture = setup->is_capture;
    stream->changed = setup->changed;
    stream->owner = setup->owner;
    stream->name = strdup(setup->name);
    stream->properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, setup->is_capture ? "Capture" : "Playback", NULL);
    if (stream->name == NULL || stream->properties == NULL) {
        free(stream->name);
        free(stream);
        errno = ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < setup->properties.count; i++)
        pw_properties_set(stream->properties, setup->properties.items[i].key, setup->properties.items[i].value);
    pw_thread_loop_lock(stream->engine->loop);
    spa_list_append(&stream->engine->streams, &stream->link);
    gr_stream_begin(stream);
    pw_thread_loop_unlock(stream->engine->loop);
    return stream;
}

void gr_stream_close(struct gr_stream *stream) {
    pw_thread_loop_lock(stream->engine->loop);
    if (!stream->is_closed) spa_list_remove(&stream->link);
    stream->is_closed = true;
    gr_stream_forget_refusals(stream);
    gr_stream_disconnect(stream);
    pw_thread_loop_unlock(stream->engine->loop);
}

void gr_stream_free(struct gr_stream *stream) {
    gr_stream_close(stream);
    pw_properties_free(stream->properties);
    free(stream->name);
    free(stream);
}

void gr_stream_set_active(struct gr_stream *stream, bool is_active) {
    pw_thread_loop_lock(stream->engine->loop);
    stream->wants_active = is_active;
    if (stream->stream != NULL) pw_stream_set_active(stream->stream, is_active);
    pw_thread_loop_unlock(stream->engine->loop);
}

static void reconnect_stream(struct gr_stream *stream) {
    gr_stream_forget_refusals(stream);
    gr_stream_disconnect(stream);
    if (!stream->is_closed) gr_stream_begin(stream);
}

void gr_stream_restart(struct gr_stream *stream) {
    pw_thread_loop_lock(stream->engine->loop);
    reconnect_stream(stream);
    pw_thread_loop_unlock(stream->engine->loop);
}

static void set_wish(struct gr_stream *stream, const char *key, const char *value, bool *is_new, bool *is_withdrawn) {
    const char *before = pw_properties_get(stream->properties, key);
    if (spa_streq(before, value)) return;
    *is_new = true;
    if (value == NULL) *is_withdrawn = true;
    pw_properties_set(stream->properties, key, value);
}

void gr_stream_set_wishes(struct gr_stream *stream, const char *latency, const char *rate) {
    pw_thread_loop_lock(stream->engine->loop);
    bool is_new = false, is_withdrawn = false;
    set_wish(stream, PW_KEY_NODE_LATENCY, latency, &is_new, &is_withdrawn);
    set_wish(stream, PW_KEY_NODE_RATE, rate, &is_new, &is_withdrawn);
    if (is_withdrawn && stream->stream != NULL) {
        // The daemon keeps the last wish of a node, even when its property goes: only a new node has none.
        reconnect_stream(stream);
    } else if (is_new && stream->stream != NULL) {
        struct spa_dict_item items[2];
        uint32_t count = 0;
        if (latency != NULL) items[count++] = SPA_DICT_ITEM_INIT(PW_KEY_NODE_LATENCY, latency);
        if (rate != NULL) items[count++] = SPA_DICT_ITEM_INIT(PW_KEY_NODE_RATE, rate);
        pw_stream_update_properties(stream->stream, &SPA_DICT_INIT(items, count));
    }
    pw_thread_loop_unlock(stream->engine->loop);
}

struct gr_cycle gr_stream_cycle(struct gr_stream *stream) {
    uint64_t cycle = atomic_load_explicit(&stream->cycle, memory_order_relaxed);
    return (struct gr_cycle){
        .frames = (uint32_t)(cycle >> 32),
        .rate = (uint32_t)cycle,
        .time = atomic_load_explicit(&stream->cycle_time, memory_order_relaxed),
    };
}

static int do_discard(
    struct spa_loop *loop, bool async, uint32_t sequence, const void *data, size_t size, void *user_data) {
    (void)loop, (void)async, (void)sequence, (void)data, (void)size;
    gr_ring_discard(user_data);
    return 0;
}

void gr_stream_flush(struct gr_stream *stream) {
    pw_thread_loop_lock(stream->engine->loop);
    if (stream->stream != NULL) pw_stream_flush(stream->stream, false);
    // Between two cycles, so that the ring is never used by two threads at once.
    struct pw_data_loop *loop = pw_context_get_data_loop(stream->engine->context);
    pw_data_loop_invoke(loop, do_discard, 0, NULL, 0, true, stream->ring);
    pw_thread_loop_unlock(stream->engine->loop);
}

uint64_t gr_stream_position(struct gr_stream *stream) {
    if (stream->is_capture) return gr_ring_moved(stream->ring);
    struct clock *clock = &stream->clock;
    unsigned before, after;
    int64_t now, frames, total;
    do {
        before = atomic_load(&clock->sequence);
        now = atomic_load_explicit(&clock->now, memory_order_relaxed);
        frames = atomic_load_explicit(&clock->frames_before, memory_order_relaxed);
        total = (int64_t)atomic_load_explicit(&clock->total, memory_order_relaxed);
        after = atomic_load(&clock->sequence);
    } while (before != after || (before & 1) != 0);
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t elapsed = (int64_t)time.tv_sec * SPA_NSEC_PER_SEC + time.tv_nsec - now;
    // What was given is played by then at the latest, and after days a product would overflow.
    elapsed = SPA_CLAMP(elapsed, 0, 60 * (int64_t)SPA_NSEC_PER_SEC);
    int64_t played = SPA_MIN(frames + elapsed * stream->rate / (int64_t)SPA_NSEC_PER_SEC, total);
    int64_t last = atomic_load(&stream->last_position);
    while (played > last && !atomic_compare_exchange_weak(&stream->last_position, &last, played)) {
    }
    return (uint64_t)SPA_MAX(played, last);
}

uint32_t gr_stream_node(struct gr_stream *stream) {
    pw_thread_loop_lock(stream->engine->loop);
    uint32_t node = stream->stream != NULL ? pw_stream_get_node_id(stream->stream) : SPA_ID_INVALID;
    pw_thread_loop_unlock(stream->engine->loop);
    return node;
}
