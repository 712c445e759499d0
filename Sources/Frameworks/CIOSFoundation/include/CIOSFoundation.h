#ifndef CIOSFOUNDATION_H
#define CIOSFOUNDATION_H

#include <stddef.h>

/// What there is of an extended attribute of a file: bytes in it, up to `size` of them in `value`; -1, and `errno`, if
/// there is none. The corresponding C function is `getxattr`.
long iosfoundation_attribute(const char *path, const char *name, void *value, size_t size);

/// Sets it, or removes it where `value` is `NULL`; -1, and `errno`, where that fails. The corresponding C functions are
/// `setxattr` and `removexattr`, which Glibc's module of Swift does not have.
int iosfoundation_set_attribute(const char *path, const char *name, const void *value, size_t size);

#endif
