#define _GNU_SOURCE
#include <linux/netlink.h>
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

// As in linux/pidfd.h of kernel 6.15; Debian 12's headers are older.
struct gr_pidfd_info {
    uint64_t mask, cgroupid;
    uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};
#define GR_PIDFD_GET_INFO _IOWR(0xFF, 11, struct gr_pidfd_info)
#define GR_PIDFD_INFO_EXIT (1UL << 3)

int gr_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
int gr_pidfd_send_signal(int pidfd, int signal) { return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0); }
long gr_process_pageout(int pidfd, const unsigned long *ranges, int count) {
    struct iovec vector[512];
    if (count > 512) count = 512;
    for (int i = 0; i < count; i++) {
        vector[i].iov_base = (void *)ranges[2 * i];
        vector[i].iov_len = ranges[2 * i + 1];
    }
    return syscall(SYS_process_madvise, pidfd, vector, (size_t)count, 21 /* MADV_PAGEOUT */, 0);
}

int gr_process_mrelease(int pidfd) { return (int)syscall(SYS_process_mrelease, pidfd, 0); }

// As in linux/sched/types.h, which cannot be included beside sched.h.
struct gr_sched_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

int gr_get_scheduling(pid_t thread, struct gr_scheduling *what) {
    struct gr_sched_attr attr;
    memset(&attr, 0, sizeof attr);
    if (syscall(SYS_sched_getattr, thread, &attr, sizeof attr, 0) != 0) return -1;
    *what = (struct gr_scheduling){attr.policy, attr.flags, attr.nice, attr.priority,
                                   attr.runtime, attr.deadline, attr.period};
    // Of a real-time thread the call does not tell the nice value that it has beside.
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, (id_t)thread);
    if (nice != -1 || errno == 0) what->nice = nice;
    return 0;
}

int gr_set_scheduling(pid_t thread, const struct gr_scheduling *what) {
    struct gr_sched_attr attr = {sizeof attr, what->policy, what->flags, what->nice, what->priority,
                                 what->runtime, what->deadline, what->period};
    return (int)syscall(SYS_sched_setattr, thread, &attr, 0);
}

int gr_get_io_priority(pid_t thread) { return (int)syscall(SYS_ioprio_get, 1 /* IOPRIO_WHO_PROCESS */, thread); }
int gr_set_io_priority(pid_t thread, int value) { return (int)syscall(SYS_ioprio_set, 1, thread, value); }

ssize_t gr_read_memory(pid_t process, uint64_t address, void *bytes, size_t length) {
    struct iovec here = {bytes, length}, there = {(void *)(uintptr_t)address, length};
    return process_vm_readv(process, &here, 1, &there, 1, 0);
}

int gr_is_futex(long number) { return number == SYS_futex; }

uint64_t gr_real_time_limit(pid_t process) {
    struct rlimit limit = {0, 0};
    return prlimit(process, RLIMIT_RTPRIO, NULL, &limit) == 0 ? limit.rlim_cur : 0;
}

int gr_pidfd_exit_status(int pidfd, int *status) {
    struct gr_pidfd_info info;
    memset(&info, 0, sizeof info);
    info.mask = GR_PIDFD_INFO_EXIT;
    if (ioctl(pidfd, GR_PIDFD_GET_INFO, &info) != 0) return -1;
    if (!(info.mask & GR_PIDFD_INFO_EXIT)) return 0;
    *status = info.exit_code;
    return 1;
}

static int wait_status(const siginfo_t *info) {
    if (info->si_code == CLD_EXITED) return info->si_status << 8;
    return info->si_status | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

static int await_end(idtype_t kind, id_t id, int options, siginfo_t *info) {
    memset(info, 0, sizeof *info);
    int done;
    do done = waitid(kind, id, info, WEXITED | WNOHANG | __WALL | options);
    while (done < 0 && errno == EINTR);
    if (done < 0) return -1;
    return info->si_pid == 0 ? 0 : 1;
}

int gr_wait_child(int pidfd, int *status) {
    siginfo_t info;
    int done = await_end((idtype_t)P_PIDFD, (id_t)pidfd, 0, &info);
    if (done == 1) *status = wait_status(&info);
    return done;
}

int gr_peek_any_child(int *pid, int *status) {
    siginfo_t info;
    int done = await_end(P_ALL, 0, WNOWAIT, &info);
    if (done != 1) return done;
    *pid = info.si_pid;
    *status = wait_status(&info);
    return 1;
}

int gr_peer_pidfd(int socket) {
    int fd = -1;
    socklen_t length = sizeof fd;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &length) != 0) return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int gr_peer_credentials(int socket, pid_t *pid, uid_t *uid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    return 0;
}

int gr_set_flags(int fd, int nonblocking, int close_on_exec) {
    int status = fcntl(fd, F_GETFL);
    if (status < 0) return -1;
    status = nonblocking ? status | O_NONBLOCK : status & ~O_NONBLOCK;
    if (fcntl(fd, F_SETFL, status) != 0) return -1;
    return fcntl(fd, F_SETFD, close_on_exec ? FD_CLOEXEC : 0);
}

int gr_set_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
int gr_set_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
static _Atomic int locks_memory = 0;
// Both below unlock memory for a moment and lock it again: of two at once, one would lock what the other is giving back.
static pthread_mutex_t giving_back = PTHREAD_MUTEX_INITIALIZER;

int gr_lock_memory_on_fault(void) {
    int result = mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    if (result == 0) locks_memory = 1;
    return result;
}

void gr_return_free_memory(void) {
    pthread_mutex_lock(&giving_back);
    // The kernel takes no page back that is locked (madvise, EINVAL).
    int locked = locks_memory;
    if (locked) munlockall();
    malloc_trim(0);
    if (locked) mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    pthread_mutex_unlock(&giving_back);
}

static void forget_code(void) {
    enum { MOST = 512 };
    static struct { uintptr_t from, to; } found[MOST];
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) return;
    // First all of them: what the file says changes with what is done.
    char *line = NULL;
    size_t room = 0, count = 0;
    while (count < MOST && getline(&line, &room, maps) > 0) {
        char access[5];
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &found[count].from, &found[count].to, access) == 3 &&
            strcmp(access, "r-xp") == 0 && strchr(line, '/') != NULL) {
            count++;
        }
    }
    free(line);
    fclose(maps);
    for (size_t i = 0; i < count; i++) {
        void *place = (void *)found[i].from;
        size_t length = found[i].to - found[i].from;
        // Nobody writes there, so that the file has all of it. Locked pages are not given back (EINVAL).
        if (locks_memory) munlock(place, length);
        madvise(place, length, MADV_DONTNEED);
        if (locks_memory) mlock2(place, length, MLOCK_ONFAULT);
    }
}

void gr_forget_code(void) {
    pthread_mutex_lock(&giving_back);
    forget_code();
    pthread_mutex_unlock(&giving_back);
}

int gr_punch_hole(int fd, int64_t length) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, length);
}
int gr_openat_directory(int directory, const char *name) {
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int gr_set_window_size(int terminal, uint16_t rows, uint16_t columns) {
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    return ioctl(terminal, TIOCSWINSZ, &size);
}

int gr_open_pty(int *master, int *slave) {
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    if (openpty(master, slave, NULL, NULL, &size) != 0) return -1;
    fcntl(*master, F_SETFD, FD_CLOEXEC);
    fcntl(*slave, F_SETFD, FD_CLOEXEC);
    return 0;
}

int gr_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, fd, &event);
}

int64_t gr_clock(int clock_id) {
    struct timespec now;
    clock_gettime(clock_id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int gr_close_range(unsigned first, unsigned last) { return (int)syscall(SYS_close_range, first, last, 0); }

enum { MAXIMUM = 8 };

ssize_t gr_send(int socket, const void *bytes, size_t length, const int *descriptors, int count) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int) * MAXIMUM)]; } control;
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > MAXIMUM) { errno = EINVAL; return -1; }
    if (count > 0 && descriptors) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
        memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * (size_t)count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t gr_receive(int socket, void *bytes, size_t length, int *descriptors, int *count, int *truncated) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int) * MAXIMUM)]; } control;
    struct iovec part = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *count = 0;
    *truncated = 0;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        int number = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < number; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + sizeof(int) * (size_t)i, sizeof fd);
            if (*count < MAXIMUM) descriptors[(*count)++] = fd;
            else close(fd);
        }
    }
    if (message.msg_flags & MSG_CTRUNC) {
        for (int i = 0; i < *count; i++) close(descriptors[i]);
        *count = 0;
        *truncated = 1;
    }
    return got;
}

void gr_store_release(void *where, uint64_t value) { __atomic_store_n((uint64_t *)where, value, __ATOMIC_RELEASE); }
uint64_t gr_load_acquire(const void *where) { return __atomic_load_n((const uint64_t *)where, __ATOMIC_ACQUIRE); }

int gr_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }
ssize_t gr_send_now(int socket, const void *bytes, size_t length) {
    return send(socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}
int gr_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 3); }
int gr_open(const char *path, int flags, unsigned mode) { return open(path, flags | O_CLOEXEC, mode); }

int gr_cgroup_kill(int fd) { return pwrite(fd, "1", 1, 0) == 1 ? 0 : -1; }

int gr_kill_listed(int fd) {
    char text[1024];
    pid_t pid = 0;
    int count = 0;
    // A rehearsal reads nothing: this has the memory there all the same.
    memset(text, 0, sizeof text);
    if (lseek(fd, 0, SEEK_SET) != 0) return -1;
    for (;;) {
        ssize_t length = read(fd, text, sizeof text);
        if (length < 0) return -1;
        if (length == 0) return count;
        for (ssize_t at = 0; at < length; at++) {
            if (text[at] >= '0' && text[at] <= '9') {
                pid = pid * 10 + (text[at] - '0');
            } else {
                if (pid > 1 && kill(pid, SIGKILL) == 0) count++;
                pid = 0;
            }
        }
    }
}

int gr_pidfd_open_thread(pid_t thread) { return (int)syscall(SYS_pidfd_open, thread, O_EXCL /* PIDFD_THREAD */); }

int gr_share(pid_t one, pid_t other, enum gr_shared what) {
    long order = syscall(SYS_kcmp, one, other, (int)what, 0, 0);
    return order < 0 ? -1 : order == 0;
}

int gr_look(const char *path, struct gr_look *look) {
    struct statx found;
    // What a file system in user space has to be asked for is not worth waiting for.
    int done = statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
                     STATX_TYPE | STATX_INO | STATX_NLINK | STATX_BLOCKS | STATX_UID, &found);
    if (done != 0) return -1;
    *look = (struct gr_look){(uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor, found.stx_ino,
                             (int64_t)found.stx_blocks * 512, found.stx_nlink, found.stx_uid};
    return 0;
}

uint64_t gr_memory_device(void) {
    struct stat status;
    int fd = memfd_create("greenroom", MFD_CLOEXEC);
    if (fd < 0) return 0;
    int done = fstat(fd, &status);
    close(fd);
    return done == 0 ? (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev) : 0;
}

int64_t gr_memory_in(const char *path) {
    struct statfs found;
    if (statfs(path, &found) != 0 || found.f_type != 0x01021994 /* TMPFS_MAGIC */) return -1;
    return (int64_t)(found.f_blocks - found.f_bfree) * (int64_t)found.f_bsize;
}

int64_t gr_unread(int fd) {
    int count = 0;
    return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

int64_t gr_pipe_memory(int fd) {
    int size = fcntl(fd, F_GETPIPE_SZ);
    if (size < 0) return -1;
    // How many of its pages hold something is not told: one byte is enough for a page.
    return gr_unread(fd) > 0 ? size : 0;
}

int gr_netlink(int protocol, unsigned groups) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}
