// NATS's client for C (Debian: libnats-dev).
//
// None of its variadic functions and none of its streaming parts (STAN) is used.
#ifndef GREENROOM_CNATS_H
#define GREENROOM_CNATS_H

#include <nats/nats.h>

#endif
