// One thread serves all streams of a process; its connection may come and go, and the streams stay.
#include "stream.h"
#include <errno.h>
#include <stdlib.h>

static void on_error(void *data, uint32_t id, int sequence, int result, const char *text) {
    (void)sequence, (void)text;
    struct gr_engine *engine = data;
    if (id == PW_ID_CORE && result == -EPIPE) engine->ended(engine->owner, EPIPE);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .error = on_error,
};

struct gr_engine *gr_engine_start(void (*ended)(void *owner, int32_t error), void *owner) {
    gr_pipewire_begin();
    struct gr_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) return NULL;
    engine->ended = ended;
    engine->owner = owner;
    spa_list_init(&engine->streams);
    int error = 0;
    engine->loop = pw_thread_loop_new("pipewire", NULL);
    if (engine->loop == NULL) error = errno;
    if (error == 0) {
        // Its module gives the thread that plays its priority, where that is allowed.
        struct pw_properties *properties = pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL);
        engine->context = pw_context_new(pw_thread_loop_get_loop(engine->loop), properties, 0);
        if (engine->context == NULL) error = errno;
    }
    if (error == 0 && pw_thread_loop_start(engine->loop) < 0) error = EAGAIN;
    if (error == 0) return engine;
    gr_engine_stop(engine);
    errno = error;
    return NULL;
}

void gr_engine_stop(struct gr_engine *engine) {
    gr_engine_disconnect(engine);
    if (engine->loop != NULL) pw_thread_loop_stop(engine->loop);
    if (engine->context != NULL) pw_context_destroy(engine->context);
    if (engine->loop != NULL) pw_thread_loop_destroy(engine->loop);
    free(engine);
}

int gr_engine_connect(struct gr_engine *engine, const char *socket) {
    pw_thread_loop_lock(engine->loop);
    int result = 0;
    bool is_new = engine->core == NULL;
    if (is_new) {
        engine->core = pw_context_connect(
            engine->context, pw_properties_new(PW_KEY_REMOTE_NAME, socket, NULL), 0);
        if (engine->core == NULL) result = -errno;
    }
    if (is_new && result == 0) {
        pw_core_add_listener(engine->core, &engine->core_listener, &core_events, engine);
        struct gr_stream *stream;
        spa_list_for_each(stream, &engine->streams, link) gr_stream_begin(stream);
    }
    pw_thread_loop_unlock(engine->loop);
    return result;
}

void gr_engine_disconnect(struct gr_engine *engine) {
    if (engine->core == NULL) return;
    pw_thread_loop_lock(engine->loop);
    struct gr_stream *stream;
    spa_list_for_each(stream, &engine->streams, link) {
        gr_stream_forget_refusals(stream);
        gr_stream_disconnect(stream);
        stream->changed(stream->owner, GR_STREAM_LOST, NULL);
    }
    spa_hook_remove(&engine->core_listener);
    pw_core_disconnect(engine->core);
    engine->core = NULL;
    pw_thread_loop_unlock(engine->loop);
}

bool gr_engine_is_connected(struct gr_engine *engine) {
    pw_thread_loop_lock(engine->loop);
    bool is_connected = engine->core != NULL;
    pw_thread_loop_unlock(engine->loop);
    return is_connected;
}
