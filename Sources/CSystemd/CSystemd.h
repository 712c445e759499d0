// libsystemd's D-Bus client (Debian: libsystemd-dev). It needs the library, not a running systemd.
//
// None of the variadic functions is used: values are appended and read one at a time, since their types are known at
// run time only.
#ifndef GREENROOM_CSYSTEMD_H
#define GREENROOM_CSYSTEMD_H

#include <poll.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#endif
