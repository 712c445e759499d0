#include "CIOSFoundation.h"
#include <stdint.h>
#include <sys/types.h>
#include <sys/xattr.h>

// Foundation on Linux forgets values of files that it does not know how to keep, and URLs of both kinds come to four
// methods of `NSURL` for them. So the entries of these in the virtual table of `NSURL` are ours, before any code of the
// app runs. A Foundation that has them by other names does not link.

// NSURL, and its setResourceValues(_:), setResourceValue(_:forKey:), resourceValues(forKeys:) and
// getResourceValue(_:forKey:).
extern uintptr_t nsurl[] __asm__("$s10Foundation5NSURLCN");
extern void set_values(void) __asm__("$s10Foundation5NSURLC17setResourceValuesyySDyAA14URLResourceKeyVypGKF");
extern void set_value(void) __asm__("$s10Foundation5NSURLC16setResourceValue_6forKeyyypSg_AA011URLResourceG0VtKF");
extern void get_values(void)
    __asm__("$s10Foundation5NSURLC14resourceValues7forKeysSDyAA14URLResourceKeyVypGSayAGG_tKF");
extern void get_value(void) __asm__("$s10Foundation5NSURLC16getResourceValue_6forKeyyyXlSgz_AA011URLResourceG0VtKF");

// In IOSFoundation.
extern void iosfoundation_set_resource_values(void);
extern void iosfoundation_set_resource_value(void);
extern void iosfoundation_resource_values(void);
extern void iosfoundation_resource_value(void);

// The head of a class's metadata where there is no Objective-C (Swift's ABI, TypeMetadata.rst).
struct class_head {
    uintptr_t kind, superclass;
    uint32_t flags, instance_address_point, instance_size;
    uint16_t instance_alignment, reserved;
    uint32_t class_size, class_address_point;
};

static void replace(void (*original)(void), void (*ours)(void))
{
    const struct class_head *head = (const struct class_head *)nsurl;
    uintptr_t end = (head->class_size - head->class_address_point) / sizeof(uintptr_t);
    for (uintptr_t slot = sizeof *head / sizeof(uintptr_t); slot < end; slot++)
        if (nsurl[slot] == (uintptr_t)original)
            nsurl[slot] = (uintptr_t)ours;
}

__attribute__((constructor)) static void take_over(void)
{
    replace(set_values, iosfoundation_set_resource_values);
    replace(set_value, iosfoundation_set_resource_value);
    replace(get_values, iosfoundation_resource_values);
    replace(get_value, iosfoundation_resource_value);
}

long iosfoundation_attribute(const char *path, const char *name, void *value, size_t size)
{
    return getxattr(path, name, value, size);
}

int iosfoundation_set_attribute(const char *path, const char *name, const void *value, size_t size)
{
    return value ? setxattr(path, name, value, size, 0) : removexattr(path, name);
}
