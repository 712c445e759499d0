// Between clone and exec only async-signal-safe calls are allowed and nothing may be allocated; that is C's work.
#define _GNU_SOURCE
#include "CLinux.h"
#include "child.h"
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

int gr_write_once(const char *path, const char *text, size_t length) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t done = write(fd, text, length);
    close(fd);
    return done == (ssize_t)length ? 0 : -1;
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
        size_t length = gr_decimal(text, getpid());
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
        length += gr_decimal(text + length, score);
        gr_write_once("/proc/self/oom_score_adj", text, length);
    }
    if (what->hide && gr_enter_namespace(what) != 0) fail(pipe, GR_STAGE_NAMESPACE);
    if (map_descriptors(what, &pipe) != 0) fail(pipe, GR_STAGE_DESCRIPTORS);
    // After the descriptors, which a lower limit of open files would stop from moving.
    for (int i = 0; i < what->limit_count; i++) {
        struct rlimit limit = {what->limits[i].soft, what->limits[i].hard};
        if (setrlimit(what->limits[i].resource, &limit) != 0) fail(pipe, GR_STAGE_LIMITS);
    }
    if (what->controlling_terminal >= 0 && ioctl(what->controlling_terminal, TIOCSCTTY, 0) != 0)
        fail(pipe, GR_STAGE_SESSION);
    if (what->confinement) gr_drop_bounds();
    // Straight to the kernel: libc's functions want to change every thread, and wait for ever for those of the parent.
    if (what->change_user
        && (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, what->gid, what->gid, what->gid) != 0
            || syscall(SYS_setresuid, what->uid, what->uid, what->uid) != 0))
        fail(pipe, GR_STAGE_USER);
    if (what->confinement && gr_drop_capabilities() != 0) fail(pipe, GR_STAGE_USER);
    if (what->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(pipe, GR_STAGE_USER);
    if (what->directory && chdir(what->directory) != 0) fail(pipe, GR_STAGE_DIRECTORY);
    if (what->confinement && gr_confine(what->confinement) != 0) fail(pipe, GR_STAGE_CONFINEMENT);
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
