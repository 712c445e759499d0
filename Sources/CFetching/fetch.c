#include "CFetching.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// What is used of <curl/curl.h>, so that building needs nothing of it. These numbers are part of its interface.
enum {
    OPTION_WRITEDATA = 10001, OPTION_URL = 10002, OPTION_RANGE = 10007, OPTION_ERRORBUFFER = 10010,
    OPTION_WRITEFUNCTION = 20011, OPTION_USERAGENT = 10018, OPTION_HTTPHEADER = 10023, OPTION_HEADERDATA = 10029,
    OPTION_LOW_SPEED_LIMIT = 19, OPTION_LOW_SPEED_TIME = 20, OPTION_NOPROGRESS = 43, OPTION_FOLLOWLOCATION = 52,
    OPTION_XFERINFODATA = 10057, OPTION_MAXREDIRS = 68, OPTION_CONNECTTIMEOUT = 78, OPTION_HEADERFUNCTION = 20079,
    OPTION_NOSIGNAL = 99, OPTION_PROTOCOLS = 181, OPTION_REDIR_PROTOCOLS = 182, OPTION_XFERINFOFUNCTION = 20219,
};
enum { INFO_RESPONSE_CODE = 0x200002, PROTOCOL_HTTP = 1, PROTOCOL_HTTPS = 2 };
enum { NO_OPENSSL_CLEANUP = 0x00080000 };

static struct {
    bool is_there;
    void *(*easy_init)(void);
    int (*easy_setopt)(void *handle, int option, ...);
    int (*easy_perform)(void *handle);
    int (*easy_getinfo)(void *handle, int info, ...);
    void (*easy_cleanup)(void *handle);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    // Otherwise OpenSSL would take itself apart when the app exits, under a thread that still fetches.
    int (*openssl_init)(uint64_t, const void *) = NULL;
    *(void **)&openssl_init = dlsym(handle, "OPENSSL_init_crypto");
    if (openssl_init != NULL) openssl_init(NO_OPENSSL_CLEANUP, NULL);
    int (*global_init)(long) = NULL;
    *(void **)&global_init = dlsym(handle, "curl_global_init");
    *(void **)&library.easy_init = dlsym(handle, "curl_easy_init");
    *(void **)&library.easy_setopt = dlsym(handle, "curl_easy_setopt");
    *(void **)&library.easy_perform = dlsym(handle, "curl_easy_perform");
    *(void **)&library.easy_getinfo = dlsym(handle, "curl_easy_getinfo");
    *(void **)&library.easy_cleanup = dlsym(handle, "curl_easy_cleanup");
    *(void **)&library.easy_strerror = dlsym(handle, "curl_easy_strerror");
    *(void **)&library.slist_append = dlsym(handle, "curl_slist_append");
    *(void **)&library.slist_free_all = dlsym(handle, "curl_slist_free_all");
    library.is_there = global_init != NULL && library.easy_init != NULL && library.easy_setopt != NULL &&
                       library.easy_perform != NULL && library.easy_getinfo != NULL && library.easy_cleanup != NULL &&
                       library.easy_strerror != NULL && library.slist_append != NULL &&
                       library.slist_free_all != NULL && global_init(3) == 0;
}

bool gr_fetch_open(void) {
    pthread_once(&once, load);
    return library.is_there;
}

struct fetch {
    const struct gr_fetch_setup *setup;
    void *handle;
    int64_t length, whole;
    bool has_answered;
};

static size_t on_header(char *line, size_t size, size_t count, void *data) {
    struct fetch *fetch = data;
    size_t length = size * count;
    char text[256];
    if (length >= sizeof text) return length;
    memcpy(text, line, length);
    text[length] = 0;
    long long first, last, whole;
    // Each answer of a redirection begins anew.
    if (strncmp(text, "HTTP/", 5) == 0) fetch->length = fetch->whole = -1;
    if (strncasecmp(text, "content-length:", 15) == 0 && sscanf(text + 15, "%lld", &whole) == 1 && whole >= 0)
        fetch->length = whole;
    if (strncasecmp(text, "content-range:", 14) == 0 &&
        sscanf(text + 14, " bytes %lld-%lld/%lld", &first, &last, &whole) == 3 && whole >= 0)
        fetch->whole = whole;
    return length;
}

static bool answer(struct fetch *fetch) {
    if (fetch->has_answered) return true;
    fetch->has_answered = true;
    long status = 0;
    library.easy_getinfo(fetch->handle, INFO_RESPONSE_CODE, &status);
    return fetch->setup->answered(fetch->setup->owner, status, fetch->length, fetch->whole);
}

static size_t on_data(char *bytes, size_t size, size_t count, void *data) {
    struct fetch *fetch = data;
    if (!answer(fetch)) return 0;
    return fetch->setup->received(fetch->setup->owner, bytes, size * count) ? size * count : 0;
}

static int on_progress(void *data, int64_t a, int64_t b, int64_t c, int64_t d) {
    (void)a, (void)b, (void)c, (void)d;
    struct fetch *fetch = data;
    return fetch->setup->is_wanted(fetch->setup->owner) ? 0 : 1;
}

int gr_fetch(const struct gr_fetch_setup *setup, char *text, size_t size) {
    text[0] = 0;
    if (!gr_fetch_open()) {
        snprintf(text, size, "the Debian package libcurl4 is not installed");
        return -1;
    }
    struct fetch fetch = {.setup = setup, .handle = library.easy_init(), .length = -1, .whole = -1};
    if (fetch.handle == NULL) return -1;
    char error[256] = "", range[32];
    void *headers = NULL;
    for (const char *const *header = setup->headers; header != NULL && *header != NULL; header++)
        headers = library.slist_append(headers, *header);
    library.easy_setopt(fetch.handle, OPTION_URL, setup->url);
    library.easy_setopt(fetch.handle, OPTION_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
    library.easy_setopt(fetch.handle, OPTION_REDIR_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
    library.easy_setopt(fetch.handle, OPTION_FOLLOWLOCATION, 1L);
    library.easy_setopt(fetch.handle, OPTION_MAXREDIRS, 10L);
    library.easy_setopt(fetch.handle, OPTION_NOSIGNAL, 1L);
    library.easy_setopt(fetch.handle, OPTION_CONNECTTIMEOUT, 20L);
    library.easy_setopt(fetch.handle, OPTION_LOW_SPEED_LIMIT, 1L);
    library.easy_setopt(fetch.handle, OPTION_LOW_SPEED_TIME, 20L);
    library.easy_setopt(fetch.handle, OPTION_USERAGENT, setup->user_agent);
    library.easy_setopt(fetch.handle, OPTION_ERRORBUFFER, error);
    library.easy_setopt(fetch.handle, OPTION_HEADERFUNCTION, on_header);
    library.easy_setopt(fetch.handle, OPTION_HEADERDATA, &fetch);
    library.easy_setopt(fetch.handle, OPTION_WRITEFUNCTION, on_data);
    library.easy_setopt(fetch.handle, OPTION_WRITEDATA, &fetch);
    library.easy_setopt(fetch.handle, OPTION_NOPROGRESS, 0L);
    library.easy_setopt(fetch.handle, OPTION_XFERINFOFUNCTION, on_progress);
    library.easy_setopt(fetch.handle, OPTION_XFERINFODATA, &fetch);
    if (headers != NULL) library.easy_setopt(fetch.handle, OPTION_HTTPHEADER, headers);
    snprintf(range, sizeof range, "%lld-", (long long)setup->offset);
    library.easy_setopt(fetch.handle, OPTION_RANGE, range);
    int result = library.easy_perform(fetch.handle);
    // An answer without a byte.
    if (result == 0) answer(&fetch);
    if (result != 0) snprintf(text, size, "%s", error[0] != 0 ? error : library.easy_strerror(result));
    library.easy_cleanup(fetch.handle);
    if (headers != NULL) library.slist_free_all(headers);
    return result;
}
