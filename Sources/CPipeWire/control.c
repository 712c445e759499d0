// The connection for what clients must answer. The daemon stops reading from a connection that has set a parameter of a
// client's node until the client has answered: a frozen client would hold up everything else that is asked there.
#include "internal.h"
#include <errno.h>

static void on_done(void *data, uint32_t id, int number) {
    struct gr_graph *graph = data;
    if (id == PW_ID_CORE) graph->events->control_done(graph->owner, number);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *text) {
    (void)sequence, (void)text;
    struct gr_graph *graph = data;
    // It must not be closed from here.
    if (id == PW_ID_CORE && result == -EPIPE) graph->is_control_broken = true;
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .done = on_done,
    .error = on_error,
};

static struct pw_core *control(struct gr_graph *graph) {
    if (graph->is_control_broken) gr_control_close(graph);
    if (graph->control != NULL) return graph->control;
    graph->control = pw_context_connect(
        graph->context,
        pw_properties_new(
            PW_KEY_REMOTE_NAME, graph->socket, PW_KEY_APP_NAME, "Greenroom control", PW_KEY_MEDIA_CATEGORY, "Manager",
            NULL),
        0);
    if (graph->control != NULL)
        pw_core_add_listener(graph->control, &graph->control_listener, &core_events, graph);
    return graph->control;
}

void gr_control_close(struct gr_graph *graph) {
    if (graph->control == NULL) return;
    struct gr_object *object, *next;
    spa_list_for_each_safe(object, next, &graph->objects, link) {
        if (object->is_control) pw_proxy_destroy(object->proxy);
    }
    spa_hook_remove(&graph->control_listener);
    pw_core_disconnect(graph->control);
    graph->control = NULL;
    graph->is_control_broken = false;
}

int32_t gr_control_synchronize(struct gr_graph *graph) {
    struct pw_core *core = control(graph);
    return core != NULL ? pw_core_sync(core, PW_ID_CORE, 0) : -1;
}

struct pw_node *gr_control_node(struct gr_graph *graph, uint32_t id) {
    struct pw_core *core = control(graph);
    if (core == NULL) return NULL;
    struct gr_object *object;
    spa_list_for_each(object, &graph->objects, link) {
        if (object->id == id && object->is_control) return (struct pw_node *)object->proxy;
    }
    // A registry only as long as it takes: it would tell of everything that comes and goes.
    struct pw_registry *registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    if (registry == NULL) return NULL;
    object = gr_object_make(graph, registry, id, GR_NODE, true);
    int error = errno;
    pw_proxy_destroy((struct pw_proxy *)registry);
    errno = error;
    return object != NULL ? (struct pw_node *)object->proxy : NULL;
}
