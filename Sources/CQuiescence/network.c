#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"
#include <stdlib.h>

// Transfers of URLSession. Foundation hands each to libcurl and takes it back when it is over; meanwhile sources of
// libdispatch watch its sockets and libcurl's timers. A transfer that the app's work began counts as work until it is
// taken back, and so do the handlers of these sources, and what they give on: the app has been told before it ends.
// What libcurl waits for stays real time, since a server does.

// Parts of the interface of FoundationNetworking, which calls them for nothing but its sessions.
int CFURLSessionMultiHandleAddHandle(void *multi, void *transfer);
int CFURLSessionMultiHandleRemoveHandle(void *multi, void *transfer);
int CFURLSessionMultiHandleAction(void *multi, int socket, int events, int *running);

/// How deep this thread is in calls of libcurl, which makes sources by calling back.
static __thread unsigned depth;

bool quiescence_is_networks(void)
{
    return depth > 0;
}

struct transfer {
    struct transfer *next;
    void *handle;
    unsigned portion;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct transfer *transfers;

static void add(void *handle)
{
    struct transfer *transfer = malloc(sizeof *transfer);
    pthread_mutex_lock(&lock);
    *transfer = (struct transfer) { transfers, handle, quiescence_begin_transfer() };
    transfers = transfer;
    pthread_mutex_unlock(&lock);
}

/// Nothing, if it is not known.
static void take_back(void *handle)
{
    pthread_mutex_lock(&lock);
    struct transfer **place = &transfers;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    struct transfer *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    if (found)
        quiescence_end_transfer(found->portion);
    free(found);
}

__attribute__((weak)) int CFURLSessionMultiHandleAddHandle(void *multi, void *transfer)
{
    ORIGINAL(CFURLSessionMultiHandleAddHandle);
    // Before it begins: it may be over at once.
    bool counts = quiescence_routes();
    if (counts)
        add(transfer);
    depth++;
    int code = original(multi, transfer);
    depth--;
    if (counts && code)
        take_back(transfer);
    return code;
}

__attribute__((weak)) int CFURLSessionMultiHandleRemoveHandle(void *multi, void *transfer)
{
    ORIGINAL(CFURLSessionMultiHandleRemoveHandle);
    depth++;
    int code = original(multi, transfer);
    depth--;
    take_back(transfer);
    return code;
}

__attribute__((weak)) int CFURLSessionMultiHandleAction(void *multi, int socket, int events, int *running)
{
    ORIGINAL(CFURLSessionMultiHandleAction);
    depth++;
    int code = original(multi, socket, events, running);
    depth--;
    return code;
}
