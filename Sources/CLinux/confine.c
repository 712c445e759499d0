// What a started program may no longer do. Runs between clone and exec: only system calls, nothing allocated.
#define _GNU_SOURCE
#include "CLinux.h"
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define GR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define GR_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The filter of system calls knows x86-64 and aarch64."
#endif

// --- Capabilities and keys --------------------------------------------------------------------------------------

void gr_drop_bounds(void) {
    // Needs CAP_SETPCAP. Without it the process has none that exec could give it: it gets no new privileges.
    for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
        prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
}

int gr_drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    // 47 and 4: PR_CAP_AMBIENT and PR_CAP_AMBIENT_CLEAR_ALL.
    prctl(47, 4, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) != 0) return -1;
    // 1 is KEYCTL_JOIN_SESSION_KEYRING: the keys of the user who started the system stay behind. Not every kernel or
    // container has keys.
    syscall(SYS_keyctl, 1, NULL);
    return 0;
}

// --- System calls -----------------------------------------------------------------------------------------------

// Numbers from 424 on are the same everywhere. Debian 12's headers end at 450.
enum {
    GR_OPEN_TREE = 428, GR_MOVE_MOUNT = 429, GR_FSOPEN = 430, GR_FSCONFIG = 431, GR_FSMOUNT = 432, GR_FSPICK = 433,
    GR_IO_URING_SETUP = 425, GR_IO_URING_ENTER = 426, GR_IO_URING_REGISTER = 427, GR_CLONE3 = 435,
    GR_PIDFD_GETFD = 438, GR_MOUNT_SETATTR = 442, GR_QUOTACTL_FD = 443, GR_MEMFD_SECRET = 447, GR_OPEN_TREE_ATTR = 467,
    GR_FILE_SETATTR = 469,
};
#define GR_LAST_KNOWN_CALL 469

// Refused with EPERM, as the kernel does where the privilege is missing.
static const int refused[] = {
    // Keys of others, also through the kernel's helpers.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // Much kernel for few honest programs, which all get on without: io_uring's operations pass by this filter too.
    GR_IO_URING_SETUP, GR_IO_URING_ENTER, GR_IO_URING_REGISTER, SYS_userfaultfd, SYS_bpf, SYS_perf_event_open,
    SYS_fanotify_init, SYS_fanotify_mark, SYS_lookup_dcookie, SYS_open_by_handle_at,
    // The machine is not an app's.
    SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot,
    SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, GR_QUOTACTL_FD, SYS_clock_settime, SYS_settimeofday,
    SYS_sethostname, SYS_setdomainname, SYS_syslog, SYS_vhangup,
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS__sysctl,
#endif
    // The project that a file's space is counted for.
    GR_FILE_SETATTR,
};

static const int refused_mounts[] = {
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, GR_OPEN_TREE, GR_MOVE_MOUNT, GR_FSOPEN, GR_FSCONFIG,
    GR_FSMOUNT, GR_FSPICK, GR_MOUNT_SETATTR, GR_OPEN_TREE_ATTR,
};

// Where nothing else keeps processes of the same user apart.
static const int refused_looks[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, GR_PIDFD_GETFD,
};

#define GR_NAMESPACES \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80)

struct program {
    struct sock_filter code[BPF_MAXINSNS / 8];
    unsigned short length;
};

static void emit(struct program *program, unsigned short code, unsigned char yes, unsigned char no, unsigned value) {
    struct sock_filter one = {code, yes, no, value};
    if (program->length < sizeof program->code / sizeof program->code[0]) program->code[program->length] = one;
    program->length++;
}

static void answer(struct program *program, int error) {
    emit(program, BPF_RET | BPF_K, 0, 0, error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (unsigned)error);
}

static void load(struct program *program, size_t offset) {
    emit(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset);
}

// The low half, which is all that the kernel looks at where the argument is an int: both machines are little-endian.
static void load_argument(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

static void refuse(struct program *program, int number, int error) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)number);
    answer(program, error);
}

// Refuses a call whose argument has one of these bits.
static void refuse_bits(struct program *program, int number, int index, unsigned bits, int error) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (unsigned)number);
    load_argument(program, index);
    emit(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(program, error);
    answer(program, 0);
}

// Refuses a call whose argument is one of these.
static void refuse_values(
    struct program *program, int number, int index, const unsigned *values, int count, int error) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, (unsigned char)(2 * count + 2), (unsigned)number);
    load_argument(program, index);
    for (int i = 0; i < count; i++) refuse(program, (int)values[i], error);
    answer(program, 0);
}

// Allows a call only if its argument is one of these.
static void allow_values(
    struct program *program, int number, int index, const unsigned *values, int count, int error) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, (unsigned char)(2 * count + 2), (unsigned)number);
    load_argument(program, index);
    for (int i = 0; i < count; i++) refuse(program, (int)values[i], 0);
    answer(program, error);
}

// Threads it may have. Also with the rights of a namespace of its own, which it does not get.
static void refuse_processes(struct program *program) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 6, SYS_clone);
    load_argument(program, 0);
    emit(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, GR_NAMESPACES & ~0x80);
    answer(program, EPERM);
    emit(program, BPF_JMP | BPF_JSET | BPF_K, 1, 0, CLONE_THREAD);
    answer(program, EPERM);
    answer(program, 0);
#ifdef __x86_64__
    refuse(program, SYS_fork, EPERM);
    refuse(program, SYS_vfork, EPERM);
#endif
    refuse(program, GR_CLONE3, ENOSYS);
}

// Shared memory, which no limit of a process counts. It may map files of the disk.
static void refuse_shared_memory(struct program *program) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 7, SYS_mmap);
    load_argument(program, 3);
    emit(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, MAP_HUGETLB);
    answer(program, EPERM);
    emit(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, MAP_SHARED | MAP_ANONYMOUS);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, MAP_SHARED | MAP_ANONYMOUS);
    answer(program, EPERM);
    answer(program, 0);
    refuse(program, SYS_memfd_create, EPERM);
    refuse(program, SYS_shmget, EPERM);
}

static void filter_arguments(struct program *program, int options) {
    // Often called ones first. TIOCSTI and TIOCLINUX type into a terminal; the others take a file out of its project.
    const unsigned controls[] = {0x5412, 0x541C, 0x401C5820, 0x40086602};
    refuse_values(program, SYS_ioctl, 1, controls, 4, EPERM);
    // No group counts the memory of such a process.
    if (options & GR_CONFINE_ALONE) refuse_shared_memory(program);
    // Huge pages come out of a pool that belongs to nobody's limit.
    refuse_bits(program, SYS_mmap, 3, MAP_HUGETLB, EPERM);
    refuse_bits(program, SYS_memfd_create, 1, MFD_HUGETLB, EPERM);
    refuse_bits(program, SYS_shmget, 2, SHM_HUGETLB, EPERM);
    // Of netlink only what getifaddrs and udev need; the protocol is the third argument.
    const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6}, protocols[] = {NETLINK_ROUTE, NETLINK_KOBJECT_UEVENT};
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 15, SYS_socket);
    load_argument(program, 0);
    for (int i = 0; i < 3; i++) refuse(program, (int)families[i], 0);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_NETLINK);
    answer(program, EAFNOSUPPORT);
    load_argument(program, 2);
    for (int i = 0; i < 2; i++) refuse(program, (int)protocols[i], 0);
    answer(program, EAFNOSUPPORT);
    // 0x40000 is ADDR_NO_RANDOMIZE, for debuggers; the last one asks.
    const unsigned personalities[] = {0, 0x8, 0x40000, 0xffffffff};
    allow_values(program, SYS_personality, 0, personalities, 4, EPERM);
    if (options & GR_CONFINE_ALONE) refuse_processes(program);
    if (!(options & GR_CONFINE_NAMESPACES)) {
        refuse_bits(program, SYS_unshare, 0, GR_NAMESPACES, EPERM);
        // 0x80 is no namespace here, but part of a signal.
        refuse_bits(program, SYS_clone, 0, GR_NAMESPACES & ~0x80, EPERM);
        // Its flags lie in memory, where they cannot be checked: everything falls back to clone.
        refuse(program, GR_CLONE3, ENOSYS);
    }
    const unsigned trace_me[] = {PTRACE_TRACEME}, dumpable[] = {PR_SET_DUMPABLE};
    // Its tracer would be the daemon, and an app that is debugged has no time limits.
    if (options & GR_CONFINE_UNTRACEABLE) refuse_values(program, SYS_ptrace, 0, trace_me, 1, EPERM);
    if (!(options & GR_CONFINE_SHARED_USER)) return;
    // The limits of others; only its own may be changed.
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 9, SYS_prlimit64);
    load_argument(program, 0);
    refuse(program, 0, 0);
    // Both halves of an address.
    load_argument(program, 2);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
    load(program, offsetof(struct seccomp_data, args) + 8 * 2 + 4);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    answer(program, 0);
    answer(program, EPERM);
    // A process without it hides its memory and its files from a daemon of the same user.
    refuse_values(program, SYS_prctl, 0, dumpable, 1, EPERM);
}

static void refuse_all(struct program *program, const int *numbers, size_t size) {
    for (size_t i = 0; i < size / sizeof numbers[0]; i++) refuse(program, numbers[i], EPERM);
}

// Without arguments to look at, the kernel decides once per call, when the filter is installed.
static int filter_calls(int options, int is_domain) {
    struct program program;
    program.length = 0;
    load(&program, offsetof(struct seccomp_data, arch));
    emit(&program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, GR_ARCHITECTURE);
    answer(&program, ENOSYS);
    load(&program, offsetof(struct seccomp_data, nr));
    // Calls of kernels to come, which may do anything, and on x86-64 those of x32.
    emit(&program, BPF_JMP | BPF_JGT | BPF_K, 0, 1, GR_LAST_KNOWN_CALL);
    answer(&program, ENOSYS);
    filter_arguments(&program, options);
    refuse_all(&program, refused, sizeof refused);
    if (!(options & GR_CONFINE_NAMESPACES)) refuse_all(&program, refused_mounts, sizeof refused_mounts);
    if ((options & GR_CONFINE_SHARED_USER) && !is_domain) refuse_all(&program, refused_looks, sizeof refused_looks);
    // Its pages are never written out, and while it lives the machine cannot hibernate.
    refuse(&program, GR_MEMFD_SECRET, ENOSYS);
    answer(&program, 0);
    if (program.length > sizeof program.code / sizeof program.code[0]) { errno = E2BIG; return -1; }
    struct sock_fprog filter = {program.length, program.code};
    // 1 is SECCOMP_SET_MODE_FILTER, 4 SECCOMP_FILTER_FLAG_SPEC_ALLOW: older kernels would slow every app down else.
    if (syscall(SYS_seccomp, 1, 4, &filter) == 0) return 0;
    return syscall(SYS_seccomp, 1, 0, &filter) == 0 || errno == ENOSYS || errno == EINVAL ? 0 : -1;
}

// --- Landlock ---------------------------------------------------------------------------------------------------

// As in the kernel of version 6.12; Debian 12's headers know only the first field.
struct ruleset { uint64_t files, network, scopes; };

enum { GR_SCOPE_ABSTRACT_SOCKETS = 1, GR_SCOPE_SIGNALS = 2, GR_REFER = 1 << 13, GR_TRUNCATE = 1 << 14 };

#define GR_WRITES_TO_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE | GR_TRUNCATE)
#define GR_WRITES \
    (GR_WRITES_TO_FILES | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE \
     | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG \
     | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK \
     | LANDLOCK_ACCESS_FS_MAKE_SYM | GR_REFER)

int gr_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

// A path that is not there gets no rule.
static void allow_writes(int rules, const char *path, uint64_t handled) {
    struct landlock_path_beneath_attr rule = {.allowed_access = handled};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return;
    long done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    if (done != 0 && errno == EINVAL) {
        // Not a directory.
        rule.allowed_access &= GR_WRITES_TO_FILES;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.parent_fd);
}

// 1 if the process is in a domain of its own: no process outside can be looked into from there. 0 where the kernel
// has none.
static int enter_domain(const struct gr_confinement *what) {
    int version = gr_landlock_version();
    struct ruleset rules = {0};
    if (version >= 6) rules.scopes = GR_SCOPE_SIGNALS | GR_SCOPE_ABSTRACT_SOCKETS;
    if (what->options & GR_CONFINE_ABSTRACT_SOCKETS) rules.scopes &= ~(uint64_t)GR_SCOPE_ABSTRACT_SOCKETS;
    // The first version forbids to move files between directories, everywhere.
    if (version >= 2 && what->writable_count > 0) rules.files = GR_WRITES;
    if (version == 2) rules.files &= ~(uint64_t)GR_TRUNCATE;
    if (rules.scopes == 0 && rules.files == 0) return 0;
    size_t size = version >= 6 ? sizeof rules : version >= 4 ? offsetof(struct ruleset, scopes) : sizeof rules.files;
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (fd < 0) return 0;
    if (rules.files != 0)
        for (int i = 0; i < what->writable_count; i++) allow_writes(fd, what->writable[i], rules.files);
    long done = syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
    return done == 0;
}

int gr_confine(const struct gr_confinement *what) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    int is_domain = enter_domain(what);
    return filter_calls(what->options, is_domain);
}
