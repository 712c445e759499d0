// What classes of service and waiting threads tell each other. Not for Swift.
#ifndef CUIKIT_CLASSES_H
#define CUIKIT_CLASSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// A nice value for another thread of this process. What is below 0 is not passed on to threads and processes that it
// makes.
bool cuikit_lend_nice(pid_t thread, int value);
// The calling thread has chosen its own: what it was lent it gives back to that.
void cuikit_nice_was_chosen(int value);

#endif
