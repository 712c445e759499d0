#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

// Foundation's initializers of URLSession know nothing of sessions of ours, and they cannot be overridden: they are
// not `required`, and callers name them directly. So their entry points are taken over: a program's own definition of a
// symbol comes before that of a shared library. Optimized callers allocate by themselves and call `init` (…fc), others
// call the allocating entry (…fC), whose own call of `init` stays within the library.
//
// The symbols are weak, so that a program with Foundation linked statically keeps Foundation's; there the overloads of
// URLSession+Background.swift do it, and what they miss is refused (RefusingURLProtocol.swift).

#define SWIFTCALL __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define INTERPOSED __attribute__((weak, visibility("default")))

// URLSession.init(configuration:), URLSession.shared and URLSession.init(configuration:delegate:delegateQueue:).
#define PREFIX "$s20FoundationNetworking10URLSessionC13configuration"
#define PLAIN PREFIX "AcA0C13ConfigurationC_tc"
#define SHARED "$s20FoundationNetworking10URLSessionC6sharedACvgZ"
#define FULL PREFIX "8delegate0E5QueueAcA0C13ConfigurationC_AA0C8Delegate_pSg0A009OperationF0CSgtc"

typedef SWIFTCALL void *(*getter)(CONTEXT void *self);
typedef SWIFTCALL void *(*plain)(void *configuration, CONTEXT void *self);
// A delegate is two words: the object, and how it conforms.
typedef SWIFTCALL void *(*full)(void *configuration, void *delegate, void *conformance, void *queue, CONTEXT void *self);

extern void swift_release(void *object);
// In URLSession+Background.swift.
extern SWIFTCALL bool greenroom_url_session_is_background(void *configuration);
extern SWIFTCALL void greenroom_url_session_adopt(void *session, void *delegate, void *conformance);
// In URLSession+Foreground.swift.
extern SWIFTCALL void greenroom_url_session_adopt_foreground(void *session);

// The library's allocating entry may call `init` through the symbol that is taken over as well.
static __thread bool is_within;

static void *make_plain(const char *name, void *configuration, void *self)
{
    plain original = (plain)dlsym(RTLD_NEXT, name);
    if (is_within)
        return original(configuration, self);
    if (!greenroom_url_session_is_background(configuration)) {
        void *foreground = original(configuration, self);
        greenroom_url_session_adopt_foreground(foreground);
        return foreground;
    }
    is_within = true;
    void *session = original(configuration, self);
    is_within = false;
    greenroom_url_session_adopt(session, NULL, NULL);
    return session;
}

static void *make_full(
    const char *name, void *configuration, void *delegate, void *conformance, void *queue, void *self)
{
    full original = (full)dlsym(RTLD_NEXT, name);
    if (is_within)
        return original(configuration, delegate, conformance, queue, self);
    if (!greenroom_url_session_is_background(configuration)) {
        void *foreground = original(configuration, delegate, conformance, queue, self);
        greenroom_url_session_adopt_foreground(foreground);
        return foreground;
    }
    // The adopted session keeps the delegate, and gives it up when it is invalid; Foundation's would for ever.
    is_within = true;
    void *session = original(configuration, NULL, NULL, queue, self);
    is_within = false;
    greenroom_url_session_adopt(session, delegate, conformance);
    swift_release(delegate);
    return session;
}

INTERPOSED SWIFTCALL void *cbt_shared(CONTEXT void *type) __asm__(SHARED);
INTERPOSED SWIFTCALL void *cbt_plain_allocating(void *configuration, CONTEXT void *type) __asm__(PLAIN "fC");
INTERPOSED SWIFTCALL void *cbt_plain(void *configuration, CONTEXT void *self) __asm__(PLAIN "fc");
INTERPOSED SWIFTCALL void *cbt_full_allocating(
    void *configuration, void *delegate, void *conformance, void *queue, CONTEXT void *type) __asm__(FULL "fC");
INTERPOSED SWIFTCALL void *cbt_full(
    void *configuration, void *delegate, void *conformance, void *queue, CONTEXT void *self) __asm__(FULL "fc");

INTERPOSED SWIFTCALL void *cbt_shared(CONTEXT void *type)
{
    // Foundation makes it for itself, past the initializers.
    void *session = ((getter)dlsym(RTLD_NEXT, SHARED))(type);
    greenroom_url_session_adopt_foreground(session);
    return session;
}

INTERPOSED SWIFTCALL void *cbt_plain_allocating(void *configuration, CONTEXT void *type)
{
    return make_plain(PLAIN "fC", configuration, type);
}

INTERPOSED SWIFTCALL void *cbt_plain(void *configuration, CONTEXT void *self)
{
    return make_plain(PLAIN "fc", configuration, self);
}

INTERPOSED SWIFTCALL void *cbt_full_allocating(
    void *configuration, void *delegate, void *conformance, void *queue, CONTEXT void *type)
{
    return make_full(FULL "fC", configuration, delegate, conformance, queue, type);
}

INTERPOSED SWIFTCALL void *cbt_full(
    void *configuration, void *delegate, void *conformance, void *queue, CONTEXT void *self)
{
    return make_full(FULL "fc", configuration, delegate, conformance, queue, self);
}
