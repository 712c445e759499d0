// libcurl, loaded when an app first plays something of the network: linking it, or FoundationNetworking, would cost
// every app that plays a file half of its launch. Its options are variable arguments, which Swift cannot call.
#ifndef GREENROOM_CFETCHING_H
#define GREENROOM_CFETCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Loads the library, once.
bool gr_fetch_open(void);

struct gr_fetch_setup {
    const char *url;
    // The first byte that is wanted.
    int64_t offset;
    const char *user_agent;
    // "Name: value", ended by NULL.
    const char *_Nullable const *_Nullable headers;
    // The status of an answer, its length as far as it says so (-1 otherwise), and the length of the whole.
    bool (*answered)(void *owner, long status, int64_t length, int64_t whole);
    // Returns whether it goes on. It may wait.
    bool (*received)(void *owner, const void *bytes, size_t count);
    // Asked about once a second.
    bool (*is_wanted)(void *owner);
    void *owner;
};

// Fetches by HTTP or HTTPS and follows redirections. Returns 0 when all has come; the library's number otherwise,
// with a sentence in `text`.
int gr_fetch(const struct gr_fetch_setup *setup, char *text, size_t size);

#pragma clang assume_nonnull end

#endif
