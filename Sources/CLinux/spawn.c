// Between clone and exec only async-signal-safe calls are allowed and nothing may be allocated; that is C's work.
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

struct failure { int stage; int error; };

static void fail(int pipe, int stage) {
    struct failure failure = {stage, errno};
    ssize_t ignored = write(pipe, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static size_t decimal(char *text, long value) {
    char digits[24];
    size_t count = 0, length = 0;
    do digits[count++] = (char)('0' + value % 10); while ((value /= 10) > 0);
    while (count > 0) text[length++] = digits[--count];
    return length;
}

static int write_once(const char *path, const char *text, size_t length) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t done = write(fd, text, length);
    close(fd);
    return done == (ssize_t)length ? 0 : -1;
}

// mkdir -p for the part of `path` below `root`.
static int make_parents(const char *path, size_t root, int is_file) {
    char copy[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof copy) { errno = ENAMETOOLONG; return -1; }
    memcpy(copy, path, length + 1);
    for (size_t i = root + 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != 0) continue;
        if (copy[i] == 0 && is_file) break;
        char kept = copy[i];
        copy[i] = 0;
        if (mkdir(copy, 0755) != 0 && errno != EEXIST) return -1;
        copy[i] = kept;
    }
    return 0;
}

static int enter_namespace(const struct gr_spawn *what) {
    int sources[64], directory[64];
    if (what->bind_count > 64) { errno = E2BIG; return -1; }
    if (unshare(CLONE_NEWNS) != 0) return -1;
    // Later mounts of the system still come in; none of ours goes out.
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return -1;
    for (int i = 0; i < what->bind_count; i++) {
        struct stat status;
        sources[i] = open(what->binds[i].source, O_PATH | O_CLOEXEC | O_NOFOLLOW);
        if (sources[i] < 0 || fstat(sources[i], &status) != 0) return -1;
        directory[i] = S_ISDIR(status.st_mode);
    }
    if (mount("greenroom", what->hide, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711,size=64k") != 0) return -1;
    size_t root = strlen(what->hide);
    for (int i = 0; i < what->bind_count; i++) {
        const struct gr_bind *bind = &what->binds[i];
        char source[40] = "/proc/self/fd/";
        source[14 + decimal(source + 14, sources[i])] = 0;
        if (make_parents(bind->target, root, !directory[i]) != 0) return -1;
        if (!directory[i]) {
            int fd = open(bind->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (fd < 0) return -1;
            close(fd);
        }
        if (mount(source, bind->target, NULL, MS_BIND, NULL) != 0) return -1;
        unsigned long flags = MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV;
        if (bind->read_only) flags |= MS_RDONLY;
        if (mount(NULL, bind->target, NULL, flags, NULL) != 0) return -1;
        close(sources[i]);
    }
    for (int i = 0; i < what->link_count; i++)
        if (symlink(what->links[i].target, what->links[i].path) != 0) return -1;
    return mount(NULL, what->hide, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

static int map_descriptors(const struct gr_spawn *what, int *pipe) {
    // First out of the way of every target, then into place.
    int sources[32], highest = 64;
    if (what->mapping_count > 32) { errno = E2BIG; return -1; }
    for (int i = 0; i < what->mapping_count; i++)
        if (what->mappings[i].target >= highest) highest = what->mappings[i].target + 1;
    for (int i = 0; i < what->mapping_count; i++) {
        sources[i] = fcntl(what->mappings[i].source, F_DUPFD_CLOEXEC, highest);
        if (sources[i] < 0) return -1;
    }
    int moved = fcntl(*pipe, F_DUPFD_CLOEXEC, highest);
    if (moved < 0) return -1;
    *pipe = moved;
    for (int fd = 0; fd < highest; fd++) {
        int kept = 0;
        for (int i = 0; i < what->mapping_count; i++) {
            if (what->mappings[i].target != fd) continue;
            if (dup2(sources[i], fd) < 0) return -1;
            kept = 1;
        }
        if (!kept) close(fd);
    }
    // The rest is close-on-exec already or becomes so: 4 is CLOSE_RANGE_CLOEXEC (5.11).
    if (syscall(SYS_close_range, (unsigned)highest, ~0U, 4) == 0) return 0;
    struct rlimit limit = {1024, 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    for (int fd = highest; (rlim_t)fd < limit.rlim_cur; fd++)
        if (fd != *pipe) close(fd);
    return 0;
}

// What CLONE_INTO_CGROUP does, for kernels that lack it (before 5.7).
static int join_cgroup(int directory) {
    int fd = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t done = write(fd, "0", 1);
    close(fd);
    return done == 1 ? 0 : -1;
}

static void child(const struct gr_spawn *what, int joins_cgroup, int pipe) {
    // All zero is the default in every architecture's layout. libc would leave out the two signals that it uses itself.
    uint64_t plain[8] = {0};
    for (int number = 1; number < NSIG; number++) syscall(SYS_rt_sigaction, number, plain, NULL, sizeof(uint64_t));
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (joins_cgroup && join_cgroup(what->cgroup) != 0) fail(pipe, GR_STAGE_CGROUP);
    // Before the sandbox too: the parents of what is bound have to be passable for the program's user.
    umask(022);
    if (what->new_session ? setsid() < 0 : setpgid(0, 0) != 0) fail(pipe, GR_STAGE_SESSION);
    if (what->birth >= 0) {
        char text[24];
        size_t length = decimal(text, getpid());
        text[length++] = '\n';
        if (write(what->birth, text, length) != (ssize_t)length) fail(pipe, GR_STAGE_SESSION);
    }
    for (int i = 0; i < what->join_count; i++)
        if (write(what->joins[i], "0", 1) != 1) fail(pipe, GR_STAGE_CGROUP);
    if (what->oom_score != INT32_MIN) {
        char text[24];
        size_t length = 0;
        long score = what->oom_score;
        if (score < 0) { text[length++] = '-'; score = -score; }
        length += decimal(text + length, score);
        write_once("/proc/self/oom_score_adj", text, length);
    }
    if (what->hide && enter_namespace(what) != 0) fail(pipe, GR_STAGE_NAMESPACE);
    if (map_descriptors(what, &pipe) != 0) fail(pipe, GR_STAGE_DESCRIPTORS);
    // After the descriptors, which a lower limit of open files would stop from moving.
    for (int i = 0; i < what->limit_count; i++) {
        struct rlimit limit = {what->limits[i].soft, what->limits[i].hard};
        if (setrlimit(what->limits[i].resource, &limit) != 0) fail(pipe, GR_STAGE_LIMITS);
    }
    if (what->controlling_terminal >= 0 && ioctl(what->controlling_terminal, TIOCSCTTY, 0) != 0)
        fail(pipe, GR_STAGE_SESSION);
    // Straight to the kernel: libc's functions want to change every thread, and wait for ever for those of the parent.
    if (what->change_user
        && (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, what->gid, what->gid, what->gid) != 0
            || syscall(SYS_setresuid, what->uid, what->uid, what->uid) != 0))
        fail(pipe, GR_STAGE_USER);
    if (what->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(pipe, GR_STAGE_USER);
    if (what->directory && chdir(what->directory) != 0) fail(pipe, GR_STAGE_DIRECTORY);
    execve(what->path, what->arguments, what->environment);
    fail(pipe, GR_STAGE_EXEC);
}

static int becomes_readable(int fd, int milliseconds) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int64_t end = gr_clock(CLOCK_MONOTONIC) + (int64_t)milliseconds * 1000000;
    while (1) {
        int ready = poll(&wait, 1, milliseconds);
        if (ready >= 0 || errno != EINTR) return ready > 0;
        // Signals must not prolong the wait.
        int64_t left = end - gr_clock(CLOCK_MONOTONIC);
        milliseconds = left > 0 ? (int)(left / 1000000) : 0;
    }
}

// Reads the child's failure; 0 when the pipe closed without one, which exec does.
static int await_exec(int pipe, int pidfd, int milliseconds, int *stage, int *error) {
    struct failure failure;
    if (!becomes_readable(pipe, milliseconds)) {
        gr_pidfd_send_signal(pidfd, SIGKILL);
        *stage = GR_STAGE_TIMEOUT;
        *error = ETIMEDOUT;
        return -1;
    }
    ssize_t got;
    do got = read(pipe, &failure, sizeof failure); while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof failure) return 0;
    *stage = failure.stage;
    *error = failure.error;
    return -1;
}

static int starts_with_one(int directory, const char *name) {
    char digit = 0;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = read(fd, &digit, 1);
    close(fd);
    return got == 1 && digit == '1';
}

// By its own wish or, which only the events tell, by an ancestor's.
static int is_frozen(int directory) {
    char text[128] = {0};
    if (starts_with_one(directory, "cgroup.freeze")) return 1;
    int fd = openat(directory, "cgroup.events", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    return got > 0 && strstr(text, "frozen 1") != NULL;
}

// *joins_cgroup: the child still has to go there.
static long clone_child(const struct gr_spawn *what, int *pidfd, int *joins_cgroup) {
    struct clone_args arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.flags = CLONE_PIDFD;
    arguments.pidfd = (uint64_t)(uintptr_t)pidfd;
    arguments.exit_signal = SIGCHLD;
    if (what->cgroup >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)what->cgroup;
    }
    *joins_cgroup = 0;
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid >= 0 || (errno != ENOSYS && errno != E2BIG && errno != EINVAL)) return pid;
    // No clone3 (before 5.3, or a container forbids it) or no CLONE_INTO_CGROUP (before 5.7).
    *joins_cgroup = what->cgroup >= 0;
    return syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, pidfd, NULL, NULL);
}

pid_t gr_spawn(const struct gr_spawn *what, int *pidfd, int *stage, int *error) {
    int pipe[2];
    // Born there, the child would hang before its first instruction.
    if (what->cgroup >= 0 && is_frozen(what->cgroup)) {
        *stage = GR_STAGE_FROZEN;
        *error = EBUSY;
        return -1;
    }
    if (pipe2(pipe, O_CLOEXEC) != 0) {
        *stage = GR_STAGE_CLONE;
        *error = errno;
        return -1;
    }
    // No handler of ours may run in the child before it has reset them.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *pidfd = -1;
    int joins_cgroup = 0;
    long pid = clone_child(what, pidfd, &joins_cgroup);
    if (pid == 0) child(what, joins_cgroup, pipe[1]);
    int failed = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe[1]);
    if (pid < 0) {
        close(pipe[0]);
        *stage = GR_STAGE_CLONE;
        *error = failed;
        return -1;
    }
    int outcome = await_exec(pipe[0], *pidfd, what->milliseconds, stage, error);
    close(pipe[0]);
    if (outcome == 0) return (pid_t)pid;
    // It has exited or was killed. Should it hang in the kernel, it is left to whoever collects children.
    int status;
    if (becomes_readable(*pidfd, 1000)) gr_wait_child(*pidfd, &status);
    close(*pidfd);
    *pidfd = -1;
    return -1;
}
