// PipeWire's client library (Debian: libpipewire-0.3-dev).
//
// Swift imports nothing of it: its interface is macros and inline functions. `CPipeWire` wraps those; this target
// only says how the library is found and linked.
#ifndef GREENROOM_CPIPEWIRELIBRARY_H
#define GREENROOM_CPIPEWIRELIBRARY_H

#endif
