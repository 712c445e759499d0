// libcurl (Debian: libcurl4-openssl-dev). Swift cannot call variadic functions, so each type of argument has a function.
#ifndef GREENROOM_CCURL_H
#define GREENROOM_CCURL_H

// The macros that check types need options that are constants.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef size_t (*gr_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef int (*gr_curl_seek)(void *context, curl_off_t offset, int origin);
typedef int (*gr_curl_on_socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned);
typedef int (*gr_curl_on_timeout)(CURLM *multi, long milliseconds, void *context);

static inline CURLcode gr_curl_begin(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode gr_curl_set(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode gr_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode gr_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode gr_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

static inline CURLcode gr_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

static inline void gr_curl_set_callbacks(
    CURL *easy, gr_curl_bytes header, gr_curl_bytes body, gr_curl_bytes supply, gr_curl_seek seek, void *context) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, supply);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
}

// What happens to sockets is the set's to know: `on_close` closes them.
static inline void gr_curl_set_close(CURL *easy, int (*on_close)(void *context, curl_socket_t socket), void *context) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

// The transfer connects to a socket of this process, whose address in the abstract namespace `name` has, instead of to the
// address that it was given. The library would not take a socket that is connected already (7.88 connects it again).
struct gr_curl_name {
    struct sockaddr_un address;
    unsigned int length;
};

static curl_socket_t gr_curl_open_local(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    const struct gr_curl_name *name = context;
    (void)purpose;
    address->family = AF_UNIX;
    address->socktype = SOCK_STREAM;
    address->protocol = 0;
    address->addrlen = name->length;
    memcpy(&address->addr, &name->address, name->length);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static inline void gr_curl_set_local(CURL *easy, struct gr_curl_name *name) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, gr_curl_open_local);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, name);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
}

// The service class (DSCP) of what a socket sends from now on. A socket of one family refuses the other's option.
static inline void gr_set_service_class(int socket, int service_class) {
    int field = (service_class & 0x3F) << 2;
    setsockopt(socket, IPPROTO_IP, IP_TOS, &field, sizeof field);
    setsockopt(socket, IPPROTO_IPV6, IPV6_TCLASS, &field, sizeof field);
}

static int gr_curl_mark(void *context, curl_socket_t socket, curlsocktype purpose) {
    (void)purpose;
    gr_set_service_class(socket, (int)(intptr_t)context);
    return CURL_SOCKOPT_OK;
}

// Also the packets that make a connection have it.
static inline void gr_curl_set_service_class(CURL *easy, int service_class) {
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, gr_curl_mark);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(intptr_t)service_class);
}

// A socket that waits for connections at a name that the kernel chooses; -1: there is none.
static inline int gr_curl_listen(struct gr_curl_name *name) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    memset(name, 0, sizeof *name);
    name->address.sun_family = AF_UNIX;
    socklen_t length = sizeof name->address.sun_family;
    if (bind(listener, (struct sockaddr *)&name->address, length) == 0 && listen(listener, 1) == 0) {
        length = sizeof name->address;
        if (getsockname(listener, (struct sockaddr *)&name->address, &length) == 0) {
            name->length = length;
            return listener;
        }
    }
    close(listener);
    return -1;
}

// `on_context` is called with the context of OpenSSL of each new connection.
static inline void gr_curl_set_tls(
    CURL *easy, CURLcode (*on_context)(CURL *easy, void *tls, void *context), void *context) {
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
}

static inline long gr_curl_number(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

static inline curl_off_t gr_curl_size(CURL *easy, CURLINFO info) {
    curl_off_t value = -1;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

static inline void *gr_curl_context(CURL *easy) {
    void *value = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
    return value;
}

static inline void gr_curl_multi_set_callbacks(
    CURLM *multi, gr_curl_on_socket on_socket, gr_curl_on_timeout on_timeout, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

static inline void gr_curl_multi_set(CURLM *multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}

// The next transfer that has ended, or null; its result is in `code`.
static inline CURL *gr_curl_multi_ended(CURLM *multi, CURLcode *code) {
    int left = 0;
    CURLMsg *message = NULL;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// Constants whose macros Swift does not read.
static const size_t gr_curl_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t gr_curl_read_pause = CURL_READFUNC_PAUSE;
static const size_t gr_curl_read_abort = CURL_READFUNC_ABORT;
static const unsigned int gr_curl_fields = CURLH_HEADER;
static const unsigned int gr_curl_interim_fields = CURLH_1XX;

#endif
