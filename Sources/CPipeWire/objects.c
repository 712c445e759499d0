// What nodes, clients, devices and metadata tell.
#include "internal.h"
#include <pipewire/extensions/metadata.h>
#include <spa/debug/types.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/audio/type-info.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <string.h>

static struct gr_properties properties_of(const struct spa_dict *dict) {
    if (dict == NULL) return (struct gr_properties){.items = NULL, .count = 0};
    return (struct gr_properties){.items = (const struct gr_property *)dict->items, .count = dict->n_items};
}

static void on_node_info(void *data, const struct pw_node_info *info) {
    struct gr_object *object = data;
    bool has_properties = (info->change_mask & PW_NODE_CHANGE_MASK_PROPS) != 0 && info->props != NULL;
    if (!has_properties && (info->change_mask & PW_NODE_CHANGE_MASK_STATE) == 0) return;
    struct gr_node_state state = {
        .state = info->state,
        .error = info->error,
        .has_properties = has_properties,
        .properties = properties_of(has_properties ? info->props : NULL),
    };
    object->graph->events->node_changed(object->graph->owner, object->id, state);
}

static void read_volumes(struct gr_object *object, const struct spa_pod *param) {
    struct gr_volumes volumes = {.count = 0};
    struct spa_pod_prop *property;
    if (!spa_pod_is_object(param)) return;
    SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)param, property) {
        switch (property->key) {
        case SPA_PROP_channelVolumes:
            volumes.count = spa_pod_copy_array(&property->value, SPA_TYPE_Float, volumes.volumes, GR_MOST_CHANNELS);
            break;
        case SPA_PROP_mute:
            spa_pod_get_bool(&property->value, &volumes.is_muted);
            break;
        case SPA_PROP_softVolumes:
            volumes.soft_count =
                spa_pod_copy_array(&property->value, SPA_TYPE_Float, volumes.soft_volumes, GR_MOST_CHANNELS);
            break;
        default:
            break;
        }
    }
    // Other properties come in objects of their own.
    if (volumes.count > 0) object->graph->events->volumes_changed(object->graph->owner, object->id, volumes);
}

static void on_node_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
    (void)sequence, (void)index, (void)next;
    if (param == NULL) return;
    if (id == SPA_PARAM_Props) read_volumes(data, param);
}

static const struct pw_node_events node_events = {
    PW_VERSION_NODE_EVENTS,
    .info = on_node_info,
    .param = on_node_param,
};

// What the other connection is for.
static const struct pw_node_events control_events = {
    PW_VERSION_NODE_EVENTS,
    .param = on_node_param,
};

static void on_client_info(void *data, const struct pw_client_info *info) {
    struct gr_object *object = data;
    if ((info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) == 0) return;
    object->graph->events->described(object->graph->owner, object->id, properties_of(info->props));
}

static const struct pw_client_events client_events = {
    PW_VERSION_CLIENT_EVENTS,
    .info = on_client_info,
};

static void on_device_info(void *data, const struct pw_device_info *info) {
    struct gr_object *object = data;
    if ((info->change_mask & PW_DEVICE_CHANGE_MASK_PROPS) == 0) return;
    object->graph->events->described(object->graph->owner, object->id, properties_of(info->props));
}

static void on_device_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
    (void)sequence, (void)index, (void)next;
    struct gr_object *object = data;
    struct gr_route route;
    if (id != SPA_PARAM_Route || param == NULL ||
        spa_pod_parse_object(
            param, SPA_TYPE_OBJECT_ParamRoute, NULL, SPA_PARAM_ROUTE_index, SPA_POD_Int(&route.index),
            SPA_PARAM_ROUTE_device, SPA_POD_Int(&route.device)) < 0)
        return;
    object->graph->events->route_found(object->graph->owner, object->id, route);
}

static const struct pw_device_events device_events = {
    PW_VERSION_DEVICE_EVENTS,
    .info = on_device_info,
    .param = on_device_param,
};

static int on_metadata(void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    struct gr_object *object = data;
    object->graph->events->metadata_changed(object->graph->owner, object->id, subject, key, type, value);
    return 0;
}

static const struct pw_metadata_events metadata_events = {
    PW_VERSION_METADATA_EVENTS,
    .property = on_metadata,
};

static void on_link_info(void *data, const struct pw_link_info *info) {
    struct gr_object *object = data;
    if ((info->change_mask & PW_LINK_CHANGE_MASK_STATE) == 0) return;
    object->graph->events->link_changed(object->graph->owner, object->id, info->state);
}

static const struct pw_link_events link_events = {
    PW_VERSION_LINK_EVENTS,
    .info = on_link_info,
};

void gr_object_listen(struct gr_object *object) {
    switch (object->kind) {
    case GR_NODE:
        pw_node_add_listener(
            (struct pw_node *)object->proxy, &object->object_listener,
            object->is_control ? &control_events : &node_events, object);
        break;
    case GR_CLIENT:
        pw_client_add_listener((struct pw_client *)object->proxy, &object->object_listener, &client_events, object);
        break;
    case GR_DEVICE:
        pw_device_add_listener((struct pw_device *)object->proxy, &object->object_listener, &device_events, object);
        break;
    case GR_METADATA:
        pw_metadata_add_listener(
            (struct pw_metadata *)object->proxy, &object->object_listener, &metadata_events, object);
        break;
    case GR_LINK:
        pw_link_add_listener((struct pw_link *)object->proxy, &object->object_listener, &link_events, object);
        break;
    case GR_PORT:
        break;
    }
}
