// The steps between clone and exec that confine a program. Not for Swift.
#ifndef GREENROOM_CONFINE_H
#define GREENROOM_CONFINE_H

#include "CLinux.h"

// Writes a number; returns how many digits it has.
size_t gr_decimal(char *text, long value);
int gr_write_once(const char *path, const char *text, size_t length);
// The view of the file system, of processes and of System V's memory that the program gets: 0, or -1 errno.
int gr_enter_namespace(const struct gr_spawn *what);
// No exec can give a capability back. As long as the process is root.
void gr_drop_bounds(void);
// As the program's user: no capability is left, and no key of the one who started the system.
int gr_drop_capabilities(void);
// The last step before exec: 0, or -1 errno. What the kernel does not have is left out.
int gr_confine(const struct gr_confinement *what);

#endif
