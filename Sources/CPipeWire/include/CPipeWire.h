// PipeWire as plain functions. Its own interface is macros over tables of methods and inline functions that build
// "pods", which Swift cannot call; and what its real-time thread runs must be C.
#ifndef GREENROOM_CPIPEWIRE_H
#define GREENROOM_CPIPEWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Makes the library ready, once in a process; every function below that connects does it too.
void gr_pipewire_begin(void);

// --- The graph, as a service sees and changes it --------------------------------------------------------------

typedef struct gr_graph gr_graph;

enum gr_kind { GR_NODE = 0, GR_PORT, GR_LINK, GR_CLIENT, GR_DEVICE, GR_METADATA };

enum { GR_MOST_CHANNELS = 64 };

struct gr_property {
    const char *key;
    const char *value;
};

struct gr_properties {
    const struct gr_property *_Nullable items;
    size_t count;
};

struct gr_node_state {
    // As PipeWire counts: -1 error, 0 creating, 1 suspended, 2 idle, 3 running.
    int32_t state;
    const char *_Nullable error;
    // Where the properties did not change there are none.
    bool has_properties;
    struct gr_properties properties;
};

// The volume that the user set, and the one that is used in its place while there is one.
struct gr_volumes {
    uint32_t count;
    float volumes[GR_MOST_CHANNELS];
    bool is_muted;
    uint32_t soft_count;
    float soft_volumes[GR_MOST_CHANNELS];
};

// Where the volume of a device is set: the route that this part of it uses.
struct gr_route {
    int32_t index;
    int32_t device;
};

// All of them are called by `gr_graph_iterate`, with what is valid until they return.
struct gr_graph_events {
    // Everything that was asked before `gr_graph_synchronize` returned this number is done.
    void (*done)(void *owner, int32_t number);
    // The same for `gr_control_synchronize`.
    void (*control_done)(void *owner, int32_t number);
    // With `id` 0 and EPIPE the connection has ended.
    void (*failed)(void *owner, uint32_t id, int32_t error, const char *_Nullable text);
    // The number of this connection's own client.
    void (*named)(void *owner, uint32_t client);
    void (*appeared)(void *owner, uint32_t id, enum gr_kind kind, struct gr_properties properties);
    void (*went)(void *owner, uint32_t id);
    // Of a bound client or device.
    void (*described)(void *owner, uint32_t id, struct gr_properties properties);
    void (*node_changed)(void *owner, uint32_t id, struct gr_node_state state);
    // As PipeWire counts: -2 error, -1 not linked, 0 to 2 before it has buffers, 3 paused, 4 active.
    void (*link_changed)(void *owner, uint32_t id, int32_t state);
    void (*volumes_changed)(void *owner, uint32_t id, struct gr_volumes volumes);
    void (*route_found)(void *owner, uint32_t id, struct gr_route route);
    void (*metadata_changed)(
        void *owner, uint32_t id, uint32_t subject, const char *_Nullable key, const char *_Nullable type,
        const char *_Nullable value);
};

// Connects to the daemon that listens at `socket`. NULL with errno where it cannot.
gr_graph *_Nullable gr_graph_connect(const char *socket, const struct gr_graph_events *events, void *owner);
void gr_graph_close(gr_graph *graph);
// Becomes readable when `gr_graph_iterate` has something to do.
int gr_graph_descriptor(gr_graph *graph);
// Does what there is to do, `turns` times at most. Whether there may be more.
bool gr_graph_iterate(gr_graph *graph, int turns);
// Has everything written that was asked: without it the next `gr_graph_iterate` does.
int32_t gr_graph_synchronize(gr_graph *graph);

// Hears of what an object is besides what it appeared with. 0, or a negative errno.
int gr_graph_bind(gr_graph *graph, uint32_t id, enum gr_kind kind);
// Destroys a global: a link.
void gr_graph_destroy(gr_graph *graph, uint32_t id);
// A link that stays when this connection ends. Whether there is one, `appeared` says before the next `done`.
int gr_graph_link(gr_graph *graph, uint32_t from_node, uint32_t from_port, uint32_t to_node, uint32_t to_port);

// These concern bound objects, and do nothing where there is none. The daemon does what they ask by itself, but for
// devices that its session manager serves.

// Whether `volumes_changed` comes, now and with every change.
void gr_node_watch_volumes(gr_graph *graph, uint32_t id, bool watches);
// What the user would set. `muted` is -1 to leave that as it is; without volumes they stay.
void gr_node_set_volumes(gr_graph *graph, uint32_t id, const float *_Nullable volumes, uint32_t count, int muted);
void gr_device_watch_routes(gr_graph *graph, uint32_t id);
void gr_device_set_volumes(
    gr_graph *graph, uint32_t id, struct gr_route route, const float *_Nullable volumes, uint32_t count, int muted);
void gr_metadata_set(
    gr_graph *graph, uint32_t id, uint32_t subject, const char *key, const char *_Nullable type,
    const char *_Nullable value);

// These concern nodes of clients, which must answer. While one is asked the daemon does nothing else that the same
// connection asks, however long that takes: so they have a connection of their own, which is opened when it is needed.

// What was asked before is done, and the clients have answered, when `control_done` comes with the number. -1 where it
// cannot be asked.
int32_t gr_control_synchronize(gr_graph *graph);
// Forgets what a client does not answer, and which volumes are watched.
void gr_control_close(gr_graph *graph);
void gr_control_watch_volumes(gr_graph *graph, uint32_t id, bool watches);
// What is used in place of what the user set, until the user sets something again.
void gr_control_set_soft_volumes(gr_graph *graph, uint32_t id, const float *volumes, uint32_t count, bool is_muted);
// The user's setting is used again.
void gr_control_end_soft_volumes(gr_graph *graph, uint32_t id, bool is_muted);
// Gives a node a port for each channel; they are named as in `audio.channel`, with commas between them.
void gr_control_configure_ports(gr_graph *graph, uint32_t id, bool is_input, const char *channels);
// Takes its formats and buffers away, and waits for its client.
void gr_control_suspend(gr_graph *graph, uint32_t id);

// --- Measuring what a node puts out ---------------------------------------------------------------------------

typedef struct gr_meter gr_meter;

// A node with so many inputs, one channel each. NULL with errno.
gr_meter *_Nullable gr_meter_open(gr_graph *graph, uint32_t inputs);
void gr_meter_close(gr_meter *meter);
// The number of its node; UINT32_MAX until it has one.
uint32_t gr_meter_node(gr_meter *meter);
// Listens to a port until it is closed, without keeping its device awake.
int gr_meter_link(gr_meter *meter, uint32_t from_node, uint32_t from_port, uint32_t to_port);
// The highest absolute sample since it was opened, and how often it was given some.
float gr_meter_peak(gr_meter *meter);
uint32_t gr_meter_cycles(gr_meter *meter);

// --- Frames between a program and the real-time thread --------------------------------------------------------

typedef struct gr_ring gr_ring;

// Frames of `channels` interleaved samples, between one thread that writes and one that reads. NULL with errno.
gr_ring *_Nullable gr_ring_new(uint32_t channels, uint32_t capacity, bool is_capture);
// Closes the descriptor too.
void gr_ring_free(gr_ring *ring);
// An eventfd: readable when a playback ring has come down to the mark, or a capture ring up to it.
int gr_ring_descriptor(gr_ring *ring);
void gr_ring_set_mark(gr_ring *ring, uint32_t frames);
// The program's side: frames that were moved. It hears of the mark again only after one of these.
uint32_t gr_ring_write(gr_ring *ring, const float *samples, uint32_t frames);
uint32_t gr_ring_read(gr_ring *ring, float *samples, uint32_t frames);
// Frames that wait to be read.
uint32_t gr_ring_fill(gr_ring *ring);
// Nothing follows: an empty ring is no underrun from here on. Writing takes it back.
void gr_ring_finish(gr_ring *ring);
// Frames that went through it and were not thrown away.
uint64_t gr_ring_moved(gr_ring *ring);
// How often a playback ring was empty, or a capture ring full, when the real-time thread came.
uint32_t gr_ring_misses(gr_ring *ring);
// The highest absolute sample since the last time.
float gr_ring_take_peak(gr_ring *ring);

// --- Streams of an app ----------------------------------------------------------------------------------------

typedef struct gr_engine gr_engine;
typedef struct gr_stream gr_stream;

enum gr_stream_state {
    GR_STREAM_LOST = -2,
    GR_STREAM_ERROR = -1,
    GR_STREAM_UNCONNECTED = 0,
    GR_STREAM_CONNECTING = 1,
    GR_STREAM_PAUSED = 2,
    GR_STREAM_STREAMING = 3,
};

// A thread that serves all streams of a process, with a connection that may come and go. `ended` is called from that
// thread; disconnect and connect from another one then. NULL with errno.
gr_engine *_Nullable gr_engine_start(void (*ended)(void *owner, int32_t error), void *owner);
// Without streams.
void gr_engine_stop(gr_engine *engine);
// 0, or a negative errno. The streams that there are connect too.
int gr_engine_connect(gr_engine *engine, const char *socket);
// The streams stay, and are lost.
void gr_engine_disconnect(gr_engine *engine);
bool gr_engine_is_connected(gr_engine *engine);

struct gr_stream_setup {
    gr_engine *engine;
    // Has to outlive the stream.
    gr_ring *ring;
    const char *name;
    uint32_t rate;
    uint32_t channels;
    bool is_capture;
    struct gr_properties properties;
    // Called from any thread, with the engine locked.
    void (*changed)(void *owner, enum gr_stream_state state, const char *_Nullable text);
    void *owner;
};

// It begins paused. NULL with errno.
gr_stream *_Nullable gr_stream_open(const struct gr_stream_setup *setup);
// Ends it; the rest of its functions do nothing from here on.
void gr_stream_close(gr_stream *stream);
// Closes it too.
void gr_stream_free(gr_stream *stream);
void gr_stream_set_active(gr_stream *stream, bool is_active);
// Connects again after an error.
void gr_stream_restart(gr_stream *stream);
// What it would like of the graph, as PipeWire's properties `node.latency` and `node.rate` say it; NULL to have no such
// wish. Nothing obliges the graph, which serves the wish for the shortest cycle within the limits of its configuration.
void gr_stream_set_wishes(gr_stream *stream, const char *_Nullable latency, const char *_Nullable rate);

struct gr_cycle {
    // 0 until the graph has run for the stream.
    uint32_t frames;
    uint32_t rate;
    // When it last ran, in nanoseconds of the monotonic clock.
    uint64_t time;
};

// What the graph did when it last ran for the stream.
struct gr_cycle gr_stream_cycle(gr_stream *stream);
// Throws away what waits in the ring and in the stream. Not while another thread uses the ring.
void gr_stream_flush(gr_stream *stream);
// Frames that were heard, or recorded.
uint64_t gr_stream_position(gr_stream *stream);
// Its node in the graph, UINT32_MAX while it has none.
uint32_t gr_stream_node(gr_stream *stream);

#pragma clang assume_nonnull end

#endif
