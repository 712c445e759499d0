// What the files of this target share.
#ifndef GREENROOM_CPIPEWIRE_INTERNAL_H
#define GREENROOM_CPIPEWIRE_INTERNAL_H

#include "CPipeWire.h"
#include <pipewire/pipewire.h>
#include <stdatomic.h>

struct gr_graph {
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook core_listener, registry_listener, client_listener;
    const struct gr_graph_events *events;
    void *owner;
    struct spa_list objects;
    // The connection for what clients must answer, while there is one.
    struct pw_core *control;
    struct spa_hook control_listener;
    bool is_control_broken;
    char *socket;
};

// A global that this connection is bound to. It is the user data of its proxy.
struct gr_object {
    struct spa_list link;
    struct gr_graph *graph;
    struct pw_proxy *proxy;
    uint32_t id;
    enum gr_kind kind;
    bool is_control;
    struct spa_hook proxy_listener, object_listener;
};

struct gr_object *gr_graph_find(struct gr_graph *graph, uint32_t id, enum gr_kind kind);
// A node as the other connection has it; NULL with errno.
struct pw_node *gr_control_node(struct gr_graph *graph, uint32_t id);
struct gr_object *gr_object_make(
    struct gr_graph *graph, struct pw_registry *registry, uint32_t id, enum gr_kind kind, bool is_control);
// Asks for a link that has one more property, which is set: NULL with errno.
struct pw_proxy *gr_graph_make_link(
    struct gr_graph *graph, uint32_t from_node, uint32_t from_port, uint32_t to_node, uint32_t to_port,
    const char *flag);
// Listens to what its interface tells, and asks for all of it.
void gr_object_listen(struct gr_object *object);

struct gr_ring {
    float *samples;
    uint32_t channels, capacity;
    bool is_capture;
    int descriptor;
    // Frames that were put in and taken out, since the beginning. Each is changed by one thread.
    _Atomic uint64_t written, read;
    // Frames that were taken out to be thrown away.
    _Atomic uint64_t discarded;
    _Atomic uint32_t mark, misses, peak;
    // Whether the mark is to be told of; whether nothing follows.
    atomic_bool is_armed, is_finished;
    // Of the real-time thread: whether the last cycle missed already.
    bool is_missing;
};

// The real-time thread's side. Both return the frames that were moved.
uint32_t gr_ring_drain(struct gr_ring *ring, float *samples, uint32_t frames);
uint32_t gr_ring_supply(struct gr_ring *ring, const float *samples, uint32_t frames);
void gr_ring_discard(struct gr_ring *ring);

// Raises a maximum that another thread takes. The bits of floats that are not negative have the order of their values.
void gr_raise(_Atomic uint32_t *highest, const float *samples, uint32_t count);
float gr_as_float(uint32_t bits);

#endif
