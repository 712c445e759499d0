// What nodes, devices and metadata are told.
#define _GNU_SOURCE
#include "internal.h"
#include <pipewire/extensions/metadata.h>
#include <spa/debug/types.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/audio/type-info.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <stdlib.h>
#include <string.h>

static struct pw_node *node(struct gr_graph *graph, uint32_t id) {
    struct gr_object *object = gr_graph_find(graph, id, GR_NODE);
    return object != NULL ? (struct pw_node *)object->proxy : NULL;
}

// --- Which volumes are told -----------------------------------------------------------------------------------

static void watch_volumes(struct pw_node *target, bool watches) {
    uint32_t ids[] = {SPA_PARAM_Props};
    if (target != NULL) pw_node_subscribe_params(target, ids, watches ? 1 : 0);
}

void gr_node_watch_volumes(struct gr_graph *graph, uint32_t id, bool watches) {
    watch_volumes(node(graph, id), watches);
}

void gr_control_watch_volumes(struct gr_graph *graph, uint32_t id, bool watches) {
    watch_volumes(gr_control_node(graph, id), watches);
}

// --- Formats and ports ----------------------------------------------------------------------------------------

static void suspend(struct pw_node *target) {
    if (target != NULL) pw_node_send_command(target, &SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Suspend));
}

void gr_control_suspend(struct gr_graph *graph, uint32_t id) {
    struct pw_node *target = gr_control_node(graph, id);
    if (target == NULL) return;
    suspend(target);
    // Of a command there is no answer. A stream has no monitor: setting this changes nothing, and has one.
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    pw_node_set_param(
        target, SPA_PARAM_Props, 0,
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_monitorMute, SPA_POD_Bool(false)));
}

static uint32_t channel_named(const char *name) {
    for (const struct spa_type_info *type = spa_type_audio_channel; type->name != NULL; type++) {
        if (spa_streq(spa_debug_type_short_name(type->name), name)) return type->type;
    }
    return SPA_AUDIO_CHANNEL_UNKNOWN;
}

static void configure_ports(struct pw_node *target, bool is_input, const char *channels) {
    char *names = strdup(channels);
    if (target == NULL || names == NULL) {
        free(names);
        return;
    }
    // Ports have the rate of the graph, whatever this says; without one it is refused.
    struct spa_audio_info_raw format = {.format = SPA_AUDIO_FORMAT_F32P, .rate = 48000};
    char *rest = names;
    for (char *name = strsep(&rest, ","); name != NULL && format.channels < GR_MOST_CHANNELS;
         name = strsep(&rest, ","))
        format.position[format.channels++] = channel_named(name);
    free(names);
    uint8_t memory[2048];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_pod *pod = spa_format_audio_raw_build(&builder, SPA_PARAM_Format, &format);
    struct spa_pod *param = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamPortConfig, SPA_PARAM_PortConfig, SPA_PARAM_PORT_CONFIG_direction,
        SPA_POD_Id(is_input ? SPA_DIRECTION_INPUT : SPA_DIRECTION_OUTPUT), SPA_PARAM_PORT_CONFIG_mode,
        SPA_POD_Id(SPA_PARAM_PORT_CONFIG_MODE_dsp), SPA_PARAM_PORT_CONFIG_monitor, SPA_POD_Bool(is_input),
        SPA_PARAM_PORT_CONFIG_format, SPA_POD_Pod(pod));
    pw_node_set_param(target, SPA_PARAM_PortConfig, 0, param);
}

void gr_control_configure_ports(struct gr_graph *graph, uint32_t id, bool is_input, const char *channels) {
    struct pw_node *target = gr_control_node(graph, id);
    // One that runs refuses.
    suspend(target);
    configure_ports(target, is_input, channels);
}

// --- Volumes --------------------------------------------------------------------------------------------------

static void add_volumes(
    struct spa_pod_builder *builder, uint32_t key, const float *volumes, uint32_t count, uint32_t mute_key,
    int muted) {
    if (volumes != NULL && count > 0 && count <= GR_MOST_CHANNELS)
        spa_pod_builder_add(builder, key, SPA_POD_Array(sizeof(float), SPA_TYPE_Float, count, volumes), 0);
    if (muted >= 0) spa_pod_builder_add(builder, mute_key, SPA_POD_Bool(muted > 0), 0);
}

static void set_volumes(
    struct pw_node *target, uint32_t key, const float *volumes, uint32_t count, uint32_t mute_key, int muted) {
    if (target == NULL) return;
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    add_volumes(&builder, key, volumes, count, mute_key, muted);
    pw_node_set_param(target, SPA_PARAM_Props, 0, spa_pod_builder_pop(&builder, &frame));
}

void gr_node_set_volumes(struct gr_graph *graph, uint32_t id, const float *volumes, uint32_t count, int muted) {
    set_volumes(node(graph, id), SPA_PROP_channelVolumes, volumes, count, SPA_PROP_mute, muted);
}

void gr_control_set_soft_volumes(
    struct gr_graph *graph, uint32_t id, const float *volumes, uint32_t count, bool is_muted) {
    struct pw_node *target = gr_control_node(graph, id);
    set_volumes(target, SPA_PROP_softVolumes, volumes, count, SPA_PROP_softMute, is_muted ? 1 : 0);
}

void gr_control_end_soft_volumes(struct gr_graph *graph, uint32_t id, bool is_muted) {
    // To set anything that is the user's ends them.
    set_volumes(gr_control_node(graph, id), SPA_PROP_channelVolumes, NULL, 0, SPA_PROP_mute, is_muted ? 1 : 0);
}

void gr_device_watch_routes(struct gr_graph *graph, uint32_t id) {
    struct gr_object *object = gr_graph_find(graph, id, GR_DEVICE);
    uint32_t ids[] = {SPA_PARAM_Route};
    if (object != NULL) pw_device_subscribe_params((struct pw_device *)object->proxy, ids, 1);
}

void gr_device_set_volumes(
    struct gr_graph *graph, uint32_t id, struct gr_route route, const float *volumes, uint32_t count, int muted) {
    struct gr_object *object = gr_graph_find(graph, id, GR_DEVICE);
    if (object == NULL) return;
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_pod_frame outer, inner;
    spa_pod_builder_push_object(&builder, &outer, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route);
    spa_pod_builder_add(
        &builder, SPA_PARAM_ROUTE_index, SPA_POD_Int(route.index), SPA_PARAM_ROUTE_device, SPA_POD_Int(route.device),
        0);
    spa_pod_builder_prop(&builder, SPA_PARAM_ROUTE_props, 0);
    spa_pod_builder_push_object(&builder, &inner, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    add_volumes(&builder, SPA_PROP_channelVolumes, volumes, count, SPA_PROP_mute, muted);
    spa_pod_builder_pop(&builder, &inner);
    spa_pod_builder_prop(&builder, SPA_PARAM_ROUTE_save, 0);
    spa_pod_builder_bool(&builder, true);
    struct spa_pod *param = spa_pod_builder_pop(&builder, &outer);
    pw_device_set_param((struct pw_device *)object->proxy, SPA_PARAM_Route, 0, param);
}

void gr_metadata_set(
    struct gr_graph *graph, uint32_t id, uint32_t subject, const char *key, const char *type, const char *value) {
    struct gr_object *object = gr_graph_find(graph, id, GR_METADATA);
    if (object != NULL) pw_metadata_set_property((struct pw_metadata *)object->proxy, subject, key, type, value);
}
