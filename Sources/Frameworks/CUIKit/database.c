#define _GNU_SOURCE
#include "CUIKit.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// SQLite keeps the pages that a connection has read, and gives them back only when it is asked to, connection by
// connection. It lists its connections nowhere, so the functions that open one are taken over, as in cache.c: UIKit does not
// need SQLite, and a program without it calls none of this. (sqlite3_auto_extension would tell of connections as well, but
// it initializes SQLite, and an app that configures it later gets an error.) A program with SQLite linked statically keeps
// SQLite's own, and its pages.

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_mutex sqlite3_mutex;

enum {
    sqlite_ok = 0,
    sqlite_error = 1,
    open_without_mutex = 0x00008000,
    open_with_mutex = 0x00010000,
    utf8 = 1
};

#define INTERPOSED __attribute__((weak, visibility("default")))

// The same name in SQLite's library, also in one that was loaded later for another library alone.
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found)
        return found;
    void *library = dlopen("libsqlite3.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    found = dlsym(library, name);
    dlclose(library);
    return found;
}

#define NEXT(function, name) __typeof__(function) *name = (__typeof__(function) *)next(#function)

// As SQLite declares them; its headers are not there on every machine.
int sqlite3_open(const char *file, sqlite3 **connection);
int sqlite3_open16(const void *file, sqlite3 **connection);
int sqlite3_open_v2(const char *file, sqlite3 **connection, int flags, const char *file_system);
extern int sqlite3_db_release_memory(sqlite3 *connection);
extern sqlite3_mutex *sqlite3_db_mutex(sqlite3 *connection);
extern int sqlite3_mutex_try(sqlite3_mutex *mutex);
extern void sqlite3_mutex_leave(sqlite3_mutex *mutex);
extern int sqlite3_set_clientdata(sqlite3 *connection, const char *name, void *data, void (*destroy)(void *));
extern int sqlite3_create_collation_v2(
    sqlite3 *connection, const char *name, int encoding, void *data,
    int (*compare)(void *, int, const void *, int, const void *), void (*destroy)(void *));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3 **connections;
static size_t count, room;

static bool add(sqlite3 *connection)
{
    pthread_mutex_lock(&lock);
    if (count == room) {
        size_t more = room ? room * 2 : 8;
        sqlite3 **larger = reallocarray(connections, more, sizeof *larger);
        if (larger) {
            connections = larger;
            room = more;
        }
    }
    bool has_room = count < room;
    if (has_room)
        connections[count++] = connection;
    pthread_mutex_unlock(&lock);
    return has_room;
}

// SQLite calls this when the connection is gone, however that came about, and holds its mutex.
static void forget(void *connection)
{
    pthread_mutex_lock(&lock);
    for (size_t place = 0; place < count; place++)
        if (connections[place] == connection) {
            connections[place] = connections[--count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

static int compare_never(void *data, int length, const void *text, int other_length, const void *other)
{
    (void)data, (void)length, (void)text, (void)other_length, (void)other;
    return 0;
}

static int opened(int result, sqlite3 **connection)
{
    static const char name[] = "greenroom.memory";
    if (result != sqlite_ok || !connection || !*connection || !add(*connection))
        return result;
    NEXT(sqlite3_set_clientdata, keep);
    NEXT(sqlite3_create_collation_v2, collate);
    int kept = sqlite_error;
    if (keep)
        kept = keep(*connection, name, *connection, forget);
    else if (collate)
        // Before SQLite 3.44: what nobody uses, and is destroyed with the connection.
        kept = collate(*connection, name, utf8, *connection, compare_never, forget);
    if (kept != sqlite_ok)
        forget(*connection);
    return result;
}

INTERPOSED int sqlite3_open(const char *file, sqlite3 **connection)
{
    NEXT(sqlite3_open, original);
    return original ? opened(original(file, connection), connection) : sqlite_error;
}

INTERPOSED int sqlite3_open16(const void *file, sqlite3 **connection)
{
    NEXT(sqlite3_open16, original);
    return original ? opened(original(file, connection), connection) : sqlite_error;
}

INTERPOSED int sqlite3_open_v2(const char *file, sqlite3 **connection, int flags, const char *file_system)
{
    NEXT(sqlite3_open_v2, original);
    // A connection without a mutex could not be touched from here while another thread uses it.
    if (flags & open_without_mutex)
        flags = (flags & ~open_without_mutex) | open_with_mutex;
    return original ? opened(original(file, connection, flags, file_system), connection) : sqlite_error;
}

static bool knows_any(void)
{
    pthread_mutex_lock(&lock);
    bool any = count > 0;
    pthread_mutex_unlock(&lock);
    return any;
}

void cuikit_free_database_caches(void)
{
    if (!knows_any())
        return;
    NEXT(sqlite3_db_release_memory, release);
    NEXT(sqlite3_db_mutex, mutex_of);
    NEXT(sqlite3_mutex_try, try);
    NEXT(sqlite3_mutex_leave, leave);
    if (!release || !mutex_of || !try || !leave)
        return;
    // Nobody waits for a connection's mutex who has this lock, so whoever closes one waits here for a moment at most.
    pthread_mutex_lock(&lock);
    for (size_t place = 0; place < count; place++) {
        sqlite3_mutex *mutex = mutex_of(connections[place]);
        // One that is in use keeps what it has: the app's callback cannot wait for a query.
        if (!mutex || try(mutex) != sqlite_ok)
            continue;
        release(connections[place]);
        leave(mutex);
    }
    pthread_mutex_unlock(&lock);
}
