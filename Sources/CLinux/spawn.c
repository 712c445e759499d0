// Between clone and exec only async-signal-safe calls are allowed and nothing may be allocated; that is C's work.
#define _GNU_SOURCE
#include "CLinux.h"
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
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

__attribute__((noinline)) static void child(const struct gr_spawn *what, int joins_cgroup, int pipe) {
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
        // In a user namespace, whoever has every capability may not raise this one, and it is no reason not to start.
        int is_spared = what->limits[i].resource == RLIMIT_NICE;
        if (setrlimit(what->limits[i].resource, &limit) != 0 && !is_spared) fail(pipe, GR_STAGE_LIMITS);
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
static int await_exec(int pipe, const volatile int *pidfd, int milliseconds, int *stage, int *error) {
    struct failure failure;
    if (!becomes_readable(pipe, milliseconds)) {
        if (*pidfd >= 0) gr_pidfd_send_signal(*pidfd, SIGKILL);
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

// A child on its way to its program. Shared with the thread that waits for it: where a child hangs for ever, both it and
// this stay.
struct birth {
    const struct gr_spawn *what;
    // The child writes its failure there; nothing holds it open when the program runs.
    int pipe;
    int joins_cgroup;
    // Written by the kernel before the child runs.
    int pidfd;
    long pid;
    int error;
};

#if defined(__x86_64__) || defined(__aarch64__)
// The child runs in the memory of the one that makes it, on the same stack, while the calling thread waits: of a daemon
// of ten thousand apps no page is copied, and none is written to for the first time afterwards. No function may return
// in the child, not even libc's `syscall`, and none may take the place of this one's frame: the compiler does not see
// that `child` never returns.
static void (*volatile go_on)(const struct gr_spawn *, int, int) = child;

__attribute__((noinline)) static long clone_waiting(struct clone_args *arguments, const struct birth *birth) {
#ifdef __x86_64__
    long pid;
    __asm__ volatile("syscall"
                     : "=a"(pid)
                     : "a"((long)SYS_clone3), "D"(arguments), "S"(sizeof *arguments)
                     : "rcx", "r11", "memory");
#else
    register long number __asm__("x8") = SYS_clone3;
    register long pid __asm__("x0") = (long)arguments;
    register long size __asm__("x1") = sizeof *arguments;
    __asm__ volatile("svc 0" : "+r"(pid) : "r"(number), "r"(size) : "memory");
#endif
    if (pid == 0) {
        go_on(birth->what, birth->joins_cgroup, birth->pipe);
        _exit(127);
    }
    if (pid < 0) {
        errno = (int)-pid;
        return -1;
    }
    return pid;
}

static const uint64_t waits = CLONE_VM | CLONE_VFORK;
#else
static long clone_waiting(struct clone_args *arguments, const struct birth *birth) {
    long pid = syscall(SYS_clone3, arguments, sizeof *arguments);
    if (pid == 0) child(birth->what, birth->joins_cgroup, birth->pipe);
    return pid;
}

static const uint64_t waits = 0;
#endif

static long clone_child(struct birth *birth) {
    struct clone_args arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.flags = CLONE_PIDFD | waits;
    arguments.pidfd = (uint64_t)(uintptr_t)&birth->pidfd;
    arguments.exit_signal = SIGCHLD;
    if (birth->what->cgroup >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)birth->what->cgroup;
    }
    long pid = clone_waiting(&arguments, birth);
    if (pid >= 0 || (errno != ENOSYS && errno != E2BIG && errno != EINVAL)) return pid;
    // No clone3 (before 5.3, or a container forbids it) or no CLONE_INTO_CGROUP (before 5.7).
    birth->joins_cgroup = birth->what->cgroup >= 0;
    pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &birth->pidfd, NULL, NULL);
    if (pid == 0) child(birth->what, birth->joins_cgroup, birth->pipe);
    return pid;
}

// Children that have this process's memory may become other users, of which the kernel makes a process that nobody can
// look into. It is as before when none is left.
static pthread_mutex_t openness = PTHREAD_MUTEX_INITIALIZER;
static int children_inside, was_open;

static void enter_child(void) {
    pthread_mutex_lock(&openness);
    if (children_inside++ == 0) was_open = prctl(PR_GET_DUMPABLE) == 1;
    pthread_mutex_unlock(&openness);
}

static void leave_child(void) {
    pthread_mutex_lock(&openness);
    if (--children_inside == 0 && was_open && prctl(PR_GET_DUMPABLE) != 1) prctl(PR_SET_DUMPABLE, 1);
    pthread_mutex_unlock(&openness);
}

static void *bear(void *argument) {
    struct birth *birth = argument;
    enter_child();
    birth->pid = clone_child(birth);
    birth->error = errno;
    leave_child();
    close(birth->pipe);
    return NULL;
}

// On a thread of its own, since it waits and another one has to see whether it waits too long: 0, or an errno.
static int begin_birth(struct birth *birth, pthread_t *thread) {
    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    if (failed) return failed;
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    failed = pthread_create(thread, &attributes, bear, birth);
    pthread_attr_destroy(&attributes);
    return failed;
}

pid_t gr_spawn(const struct gr_spawn *what, int *pidfd, int *stage, int *error) {
    int pipe[2] = {-1, -1};
    *pidfd = -1;
    // Born there, the child would hang before its first instruction.
    if (what->cgroup >= 0 && is_frozen(what->cgroup)) {
        *stage = GR_STAGE_FROZEN;
        *error = EBUSY;
        return -1;
    }
    *stage = GR_STAGE_CLONE;
    struct birth *birth = malloc(sizeof *birth);
    if (birth == NULL || pipe2(pipe, O_CLOEXEC) != 0) {
        *error = errno;
        free(birth);
        return -1;
    }
    *birth = (struct birth){.what = what, .pipe = pipe[1], .pidfd = -1};
    // No handler of ours may run in the child before it has reset them; nor on a thread that nobody knows of.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failed = begin_birth(birth, &thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        *error = failed;
        close(pipe[0]);
        close(pipe[1]);
        free(birth);
        return -1;
    }
    int outcome = await_exec(pipe[0], &birth->pidfd, what->milliseconds, stage, error);
    close(pipe[0]);
    // The thread closed its end last, or ends with the child that was killed.
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 1;
    if (outcome == 0 ? pthread_join(thread, NULL) : pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end)) {
        // It hangs in the kernel, and is left to whoever collects children.
        pthread_detach(thread);
        return -1;
    }
    *pidfd = birth->pidfd;
    long pid = birth->pid;
    if (pid < 0) {
        *stage = GR_STAGE_CLONE;
        *error = birth->error;
        outcome = -1;
    }
    free(birth);
    if (outcome == 0) return (pid_t)pid;
    // It has exited or was killed.
    int status;
    if (*pidfd >= 0) {
        if (becomes_readable(*pidfd, 1000)) gr_wait_child(*pidfd, &status);
        close(*pidfd);
    }
    *pidfd = -1;
    return -1;
}
