// One connection to a PipeWire daemon: what there is, and what becomes of what is asked.
#include "internal.h"
#include <errno.h>
#include <pipewire/extensions/metadata.h>
#include <pipewire/impl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void begin(void) { pw_init(NULL, NULL); }

void gr_pipewire_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}

static struct gr_properties properties_of(const struct spa_dict *dict) {
    _Static_assert(sizeof(struct gr_property) == sizeof(struct spa_dict_item), "both are a key and a value");
    if (dict == NULL) return (struct gr_properties){.items = NULL, .count = 0};
    return (struct gr_properties){.items = (const struct gr_property *)dict->items, .count = dict->n_items};
}

// --- The connection -------------------------------------------------------------------------------------------

static void on_done(void *data, uint32_t id, int number) {
    struct gr_graph *graph = data;
    if (id == PW_ID_CORE) graph->events->done(graph->owner, number);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *text) {
    (void)sequence;
    struct gr_graph *graph = data;
    graph->events->failed(graph->owner, id, -result, text);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .done = on_done,
    .error = on_error,
};

static void on_own_client(void *data, const struct pw_client_info *info) {
    struct gr_graph *graph = data;
    graph->events->named(graph->owner, info->id);
}

static const struct pw_client_events client_events = {
    PW_VERSION_CLIENT_EVENTS,
    .info = on_own_client,
};

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *dict) {
    (void)permissions, (void)version;
    static const char *const types[] = {
        [GR_NODE] = PW_TYPE_INTERFACE_Node,     [GR_PORT] = PW_TYPE_INTERFACE_Port,
        [GR_LINK] = PW_TYPE_INTERFACE_Link,     [GR_CLIENT] = PW_TYPE_INTERFACE_Client,
        [GR_DEVICE] = PW_TYPE_INTERFACE_Device, [GR_METADATA] = PW_TYPE_INTERFACE_Metadata,
    };
    struct gr_graph *graph = data;
    for (size_t kind = 0; kind < SPA_N_ELEMENTS(types); kind++) {
        if (!spa_streq(type, types[kind])) continue;
        graph->events->appeared(graph->owner, id, (enum gr_kind)kind, properties_of(dict));
        return;
    }
}

static void on_global_remove(void *data, uint32_t id) {
    struct gr_graph *graph = data;
    graph->events->went(graph->owner, id);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

// Only what this needs, whatever the machine's `client.conf` says: a service does not play, so it needs no thread with
// real-time priority and no converters.
static struct pw_context *context_of(struct pw_loop *loop) {
    struct pw_properties *properties = pw_properties_new(PW_KEY_CONFIG_NAME, "null", "log.level", "0", NULL);
    if (properties == NULL) return NULL;
    struct pw_context *context = pw_context_new(loop, properties, 0);
    if (context == NULL) return NULL;
    static const char *const modules[] = {
        "libpipewire-module-protocol-native", "libpipewire-module-client-node", "libpipewire-module-metadata"};
    pw_context_add_spa_lib(context, "support.*", "support/libspa-support");
    for (size_t i = 0; i < SPA_N_ELEMENTS(modules); i++) {
        if (pw_context_load_module(context, modules[i], NULL, NULL) != NULL) continue;
        int error = errno;
        pw_context_destroy(context);
        errno = error;
        return NULL;
    }
    return context;
}

static int connect_graph(struct gr_graph *graph, const char *socket) {
    graph->loop = pw_loop_new(NULL);
    if (graph->loop == NULL) return -errno;
    pw_loop_enter(graph->loop);
    graph->context = context_of(graph->loop);
    if (graph->context == NULL) return -errno;
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_REMOTE_NAME, socket, PW_KEY_APP_NAME, "Greenroom", PW_KEY_MEDIA_CATEGORY, "Manager", NULL);
    graph->core = pw_context_connect(graph->context, properties, 0);
    if (graph->core == NULL) return -errno;
    pw_core_add_listener(graph->core, &graph->core_listener, &core_events, graph);
    pw_client_add_listener(pw_core_get_client(graph->core), &graph->client_listener, &client_events, graph);
    graph->registry = pw_core_get_registry(graph->core, PW_VERSION_REGISTRY, 0);
    if (graph->registry == NULL) return -errno;
    pw_registry_add_listener(graph->registry, &graph->registry_listener, &registry_events, graph);
    return 0;
}

// A loop belongs to the thread that has entered it, and a queue has many threads.
#define WITHIN(graph) pw_loop_enter((graph)->loop)
#define WITHOUT(graph) pw_loop_leave((graph)->loop)

struct gr_graph *gr_graph_connect(const char *socket, const struct gr_graph_events *events, void *owner) {
    gr_pipewire_begin();
    struct gr_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL) return NULL;
    graph->events = events;
    graph->owner = owner;
    spa_list_init(&graph->objects);
    graph->socket = strdup(socket);
    int result = graph->socket != NULL ? connect_graph(graph, socket) : -ENOMEM;
    if (graph->loop != NULL) WITHOUT(graph);
    if (result == 0) return graph;
    gr_graph_close(graph);
    errno = -result;
    return NULL;
}

void gr_graph_close(struct gr_graph *graph) {
    if (graph->loop != NULL) WITHIN(graph);
    gr_control_close(graph);
    struct gr_object *object;
    spa_list_consume(object, &graph->objects, link) pw_proxy_destroy(object->proxy);
    if (graph->registry != NULL) {
        spa_hook_remove(&graph->registry_listener);
        pw_proxy_destroy((struct pw_proxy *)graph->registry);
    }
    if (graph->core != NULL) {
        spa_hook_remove(&graph->client_listener);
        spa_hook_remove(&graph->core_listener);
        pw_core_disconnect(graph->core);
    }
    if (graph->context != NULL) pw_context_destroy(graph->context);
    if (graph->loop != NULL) {
        WITHOUT(graph);
        pw_loop_destroy(graph->loop);
    }
    free(graph->socket);
    free(graph);
}

int gr_graph_descriptor(struct gr_graph *graph) { return pw_loop_get_fd(graph->loop); }

bool gr_graph_iterate(struct gr_graph *graph, int turns) {
    WITHIN(graph);
    int done = 1;
    while (done > 0 && turns-- > 0) done = pw_loop_iterate(graph->loop, 0);
    WITHOUT(graph);
    return done > 0;
}

int32_t gr_graph_synchronize(struct gr_graph *graph) { return pw_core_sync(graph->core, PW_ID_CORE, 0); }

// --- Globals --------------------------------------------------------------------------------------------------

struct gr_object *gr_graph_find(struct gr_graph *graph, uint32_t id, enum gr_kind kind) {
    struct gr_object *object;
    spa_list_for_each(object, &graph->objects, link) {
        if (object->id == id && object->kind == kind && !object->is_control) return object;
    }
    return NULL;
}

static void on_proxy_destroy(void *data) {
    struct gr_object *object = data;
    spa_list_remove(&object->link);
    spa_hook_remove(&object->proxy_listener);
    spa_hook_remove(&object->object_listener);
}

// Its global went, which the registry says too.
static void on_proxy_removed(void *data) {
    struct gr_object *object = data;
    pw_proxy_destroy(object->proxy);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .destroy = on_proxy_destroy,
    .removed = on_proxy_removed,
};

struct gr_object *gr_object_make(
    struct gr_graph *graph, struct pw_registry *registry, uint32_t id, enum gr_kind kind, bool is_control) {
    static const struct {
        const char *type;
        uint32_t version;
    } interfaces[] = {
        [GR_NODE] = {PW_TYPE_INTERFACE_Node, PW_VERSION_NODE},
        [GR_LINK] = {PW_TYPE_INTERFACE_Link, PW_VERSION_LINK},
        [GR_CLIENT] = {PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT},
        [GR_DEVICE] = {PW_TYPE_INTERFACE_Device, PW_VERSION_DEVICE},
        [GR_METADATA] = {PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA},
    };
    if ((size_t)kind >= SPA_N_ELEMENTS(interfaces) || interfaces[kind].type == NULL) {
        errno = EINVAL;
        return NULL;
    }
    struct pw_proxy *proxy =
        pw_registry_bind(registry, id, interfaces[kind].type, interfaces[kind].version, sizeof(struct gr_object));
    if (proxy == NULL) return NULL;
    struct gr_object *object = pw_proxy_get_user_data(proxy);
    object->graph = graph;
    object->proxy = proxy;
    object->id = id;
    object->kind = kind;
    object->is_control = is_control;
    spa_list_append(&graph->objects, &object->link);
    pw_proxy_add_listener(proxy, &object->proxy_listener, &proxy_events, object);
    gr_object_listen(object);
    return object;
}

int gr_graph_bind(struct gr_graph *graph, uint32_t id, enum gr_kind kind) {
    if (gr_graph_find(graph, id, kind) != NULL) return 0;
    return gr_object_make(graph, graph->registry, id, kind, false) != NULL ? 0 : -errno;
}

void gr_graph_destroy(struct gr_graph *graph, uint32_t id) { pw_registry_destroy(graph->registry, id); }

struct pw_proxy *gr_graph_make_link(
    struct gr_graph *graph, uint32_t from_node, uint32_t from_port, uint32_t to_node, uint32_t to_port,
    const char *flag) {
    struct pw_properties *properties = pw_properties_new(flag, "true", NULL);
    if (properties == NULL) return NULL;
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_NODE, "%u", from_node);
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", from_port);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_NODE, "%u", to_node);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", to_port);
    struct pw_proxy *proxy = pw_core_create_object(
        graph->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
    int error = errno;
    pw_properties_free(properties);
    errno = error;
    return proxy;
}

int gr_graph_link(
    struct gr_graph *graph, uint32_t from_node, uint32_t from_port, uint32_t to_node, uint32_t to_port) {
    struct pw_proxy *proxy =
        gr_graph_make_link(graph, from_node, from_port, to_node, to_port, PW_KEY_OBJECT_LINGER);
    if (proxy == NULL) return -errno;
    // The link stays; the registry tells of it.
    pw_proxy_destroy(proxy);
    return 0;
}
