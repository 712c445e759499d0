#include "library.h"
#include <dlfcn.h>
#include <pthread.h>

#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(59, 37, 100)
#error "libavcodec of FFmpeg 5.1 or later is needed (Debian 12: libavformat-dev)"
#endif

// Structures are laid out as these versions have them, so that no other ones are loaded.
#define FORMAT_LIBRARY "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)
#define CODEC_LIBRARY "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)
#define UTIL_LIBRARY "libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)

struct gr_media_library gr_media_library;

// Whether this thread is reading a file here. What the app itself does with the libraries is not touched.
static _Thread_local bool is_silent;

void gr_media_begin(void) { is_silent = true; }
void gr_media_end(void) { is_silent = false; }

static void log_what_is_not_ours(void *context, int level, const char *format, va_list arguments) {
    if (!is_silent) gr_media_library.av_log_default_callback(context, level, format, arguments);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *util = dlopen(UTIL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *codec = util != NULL ? dlopen(CODEC_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *format = codec != NULL ? dlopen(FORMAT_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (format == NULL) return;
    bool is_whole = true;
#define FIND_FORMAT(name) is_whole &= (*(void **)&gr_media_library.name = dlsym(format, #name)) != NULL;
#define FIND_CODEC(name) is_whole &= (*(void **)&gr_media_library.name = dlsym(codec, #name)) != NULL;
#define FIND_UTIL(name) is_whole &= (*(void **)&gr_media_library.name = dlsym(util, #name)) != NULL;
    GR_FORMAT_FUNCTIONS(FIND_FORMAT)
    GR_CODEC_FUNCTIONS(FIND_CODEC)
    GR_UTIL_FUNCTIONS(FIND_UTIL)
    gr_media_library.is_there = is_whole && gr_media_library.avcodec_version() >= AV_VERSION_INT(59, 37, 100);
    // A file of a few bytes may say that it has millions of packets.
    if (!gr_media_library.is_there) return;
    gr_media_library.av_max_alloc(GR_MEDIA_MOST_MEMORY);
    gr_media_library.av_log_set_callback(log_what_is_not_ours);
}

bool gr_media_load(void) {
    pthread_once(&once, load);
    return gr_media_library.is_there;
}

const char *gr_media_package(void) { return "libavformat" AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR); }

AVCodecContext *gr_media_make_context(const AVCodec *codec) {
    AVCodecContext *context = codec != NULL ? gr_media_library.avcodec_alloc_context3(codec) : NULL;
    if (context == NULL) return NULL;
    // What is wrong with a file is said by an error.
    context->log_level_offset = 100;
    context->thread_count = 1;
    return context;
}
