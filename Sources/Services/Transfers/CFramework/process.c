#define _GNU_SOURCE
#include "CBackgroundTransfer.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

// Glibc declares what is needed here only for programs that ask for its extensions.
pid_t cbt_start(const char *path, char *const arguments[], int log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid = -1;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, log, 1);
    posix_spawn_file_actions_adddup2(&files, log, 2);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int status = posix_spawn(&pid, path, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (status != 0) {
        errno = status;
        return -1;
    }
    return pid;
}

// The offset of URLSessionTaskMetrics.taskInterval, a DateInterval: the start, in seconds since 2001, and the duration.
extern const size_t task_interval_offset
    __asm__("$s20FoundationNetworking21URLSessionTaskMetricsC12taskInterval0A10Essentials04DateG0VvpWvd");

void cbt_set_task_interval(void *metrics, double start, double duration)
{
    double *interval = (double *)((char *)metrics + task_interval_offset);
    interval[0] = start;
    interval[1] = duration;
}

// The setter of URLSessionTask.error, which is Foundation's own. It takes the reference over, which may be NULL.
extern __attribute__((swiftcall)) void set_error(void *error, __attribute__((swift_context)) void *task)
    __asm__("$s20FoundationNetworking14URLSessionTaskC5errors5Error_pSgvs");
extern void swift_errorRetain(void *error);

void cbt_set_task_error(void *task, void *error)
{
    swift_errorRetain(error);
    set_error(error, task);
}
