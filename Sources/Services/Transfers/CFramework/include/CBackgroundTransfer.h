#ifndef CBACKGROUNDTRANSFER_H
#define CBACKGROUNDTRANSFER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts a program that outlives this process and has nothing of it: a session of its own, no signals blocked or
/// ignored, /dev/null to read, `log` to write. Returns its pid, or -1 with errno.
pid_t cbt_start(const char *path, char *const arguments[], int log);

/// Writes the properties that Foundation keeps for itself. `metrics` is a URLSessionTaskMetrics.
void cbt_set_task_interval(void *metrics, double start, double duration);

/// Writes the property that only Foundation's own protocols can. `task` is a URLSessionTask, `error` Swift's box of one.
void cbt_set_task_error(void *task, void *error);

#endif
