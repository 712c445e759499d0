// A node that listens to others and keeps the highest sample that it heard.
#include "internal.h"
#include <errno.h>
#include <pipewire/filter.h>
#include <stdio.h>
#include <stdlib.h>

struct gr_meter {
    struct gr_graph *graph;
    struct pw_filter *filter;
    struct spa_hook listener;
    uint32_t inputs;
    void *ports[GR_MOST_CHANNELS];
    struct pw_proxy *links[GR_MOST_CHANNELS];
    uint32_t link_count;
    _Atomic uint32_t peak, cycles;
};

static void on_process(void *data, struct spa_io_position *position) {
    struct gr_meter *meter = data;
    if (position == NULL) return;
    uint32_t frames = (uint32_t)position->clock.duration;
    bool is_given = false;
    for (uint32_t i = 0; i < meter->inputs; i++) {
        const float *samples = pw_filter_get_dsp_buffer(meter->ports[i], frames);
        if (samples == NULL) continue;
        gr_raise(&meter->peak, samples, frames);
        is_given = true;
    }
    if (is_given) atomic_fetch_add(&meter->cycles, 1);
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS,
    .process = on_process,
};

static int open_meter(struct gr_meter *meter) {
    // Passive, so that the devices of what it listens to may sleep. It must never be run for its own sake.
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_NODE_NAME, "greenroom-meter", PW_KEY_NODE_PASSIVE, "true", PW_KEY_NODE_WANT_DRIVER, "false",
        PW_KEY_NODE_AUTOCONNECT, "false", PW_KEY_MEDIA_NAME, "meter", "greenroom.meter", "true", NULL);
    meter->filter = pw_filter_new(meter->graph->core, "greenroom-meter", properties);
    if (meter->filter == NULL) return -errno;
    pw_filter_add_listener(meter->filter, &meter->listener, &filter_events, meter);
    for (uint32_t i = 0; i < meter->inputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "input_%u", i);
        meter->ports[i] = pw_filter_add_port(
            meter->filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 1,
            pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL), NULL, 0);
        if (meter->ports[i] == NULL) return -errno;
    }
    return pw_filter_connect(meter->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
}

struct gr_meter *gr_meter_open(struct gr_graph *graph, uint32_t inputs) {
    if (inputs == 0 || inputs > GR_MOST_CHANNELS) {
        errno = EINVAL;
        return NULL;
    }
    struct gr_meter *meter = calloc(1, sizeof *meter);
    if (meter == NULL) return NULL;
    meter->graph = graph;
    meter->inputs = inputs;
    pw_loop_enter(graph->loop);
    int result = open_meter(meter);
    pw_loop_leave(graph->loop);
    if (result >= 0) return meter;
    gr_meter_close(meter);
    errno = -result;
    return NULL;
}

void gr_meter_close(struct gr_meter *meter) {
    pw_loop_enter(meter->graph->loop);
    for (uint32_t i = 0; i < meter->link_count; i++) pw_proxy_destroy(meter->links[i]);
    if (meter->filter != NULL) pw_filter_destroy(meter->filter);
    pw_loop_leave(meter->graph->loop);
    free(meter);
}

uint32_t gr_meter_node(struct gr_meter *meter) { return pw_filter_get_node_id(meter->filter); }

int gr_meter_link(struct gr_meter *meter, uint32_t from_node, uint32_t from_port, uint32_t to_port) {
    if (meter->link_count == GR_MOST_CHANNELS) return -ENOSPC;
    struct pw_proxy *proxy = gr_graph_make_link(
        meter->graph, from_node, from_port, gr_meter_node(meter), to_port, PW_KEY_LINK_PASSIVE);
    if (proxy == NULL) return -errno;
    meter->links[meter->link_count++] = proxy;
    return 0;
}

float gr_meter_peak(struct gr_meter *meter) { return gr_as_float(atomic_load(&meter->peak)); }

uint32_t gr_meter_cycles(struct gr_meter *meter) { return atomic_load(&meter->cycles); }
