// Faults that end a process: which one it was is left where another process finds it.
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <signal.h>

static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
static struct sigaction before[NSIG];
static volatile uint64_t *place;

static void note(int signal, siginfo_t *info, void *context) {
    (void)context;
    int number = errno;
    *place = (uint64_t)signal;
    // What is there to do then (a backtrace, a core file) is done as if nobody had listened: an instruction that
    // failed fails again, and what was sent is sent again.
    sigaction(signal, &before[signal], NULL);
    if (info->si_code <= 0) raise(signal);
    errno = number;
}

int gr_note_faults(volatile uint64_t *where) {
    place = where;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = note;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        if (sigaction(fatal[i], &action, &before[fatal[i]]) != 0) return -1;
    }
    return 0;
}
