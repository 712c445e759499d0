#define _GNU_SOURCE
#include "CQuiescence.h"
#include "interposing.h"

// How many observers the app has added to notification centers, and removed. Foundation keeps them where nobody can
// count them. Its methods are Swift's, whose arguments C cannot hand on: these count and jump, with all registers as
// they were.

atomic_int quiescence_added, quiescence_removed;
void *quiescence_add, *quiescence_add_unsafely, *quiescence_remove, *quiescence_remove_named;

#define CENTER "$s20FoundationEssentials18NotificationCenterC0A0E"
#define ADD CENTER "11addObserver7forName6object5queue"
#define ADD_SENDABLE ADD "5usingAD16NSObjectProtocol_pAD14NSNotificationC0H0VSg_ypSgAD14OperationQueueCSgyAD0C0VYbctF"
#define ADD_UNSAFELY                                                                                                   \
    ADD "10usingBlockAD16NSObjectProtocol_pAD14NSNotificationC0H0VSg_ypSgAD14OperationQueueCSgyAD0C0VctF"
#define REMOVE CENTER "14removeObserveryyypF"
#define REMOVE_NAMED CENTER "14removeObserver_4name6objectyyp_AD14NSNotificationC4NameVSgypSgtF"

#if defined(__x86_64__)
#define JUMP(counter, original) "lock incl " #counter "(%rip)\n jmp *" #original "(%rip)\n"
#elif defined(__aarch64__)
// The linker's own scratch registers. Two threads at once may be counted as one.
#define JUMP(counter, original)                                                                                        \
    "adrp x16, " #counter "\n ldr w17, [x16, :lo12:" #counter "]\n add w17, w17, #1\n str w17, [x16, :lo12:" #counter \
    "]\n adrp x16, " #original "\n ldr x16, [x16, :lo12:" #original "]\n br x16\n"
#else
#error "the call of this processor is not known"
#endif

#define COUNTS(symbol, counter, original)                                                                              \
    __asm__(".text\n .p2align 4\n .weak \"" symbol "\"\n .type \"" symbol "\", %function\n \"" symbol "\":\n"          \
            JUMP(counter, original) ".size \"" symbol "\", . - \"" symbol "\"\n")

COUNTS(ADD_SENDABLE, quiescence_added, quiescence_add);
COUNTS(ADD_UNSAFELY, quiescence_added, quiescence_add_unsafely);
COUNTS(REMOVE, quiescence_removed, quiescence_remove);
COUNTS(REMOVE_NAMED, quiescence_removed, quiescence_remove_named);

__attribute__((constructor)) static void find(void)
{
    quiescence_add = dlsym(RTLD_NEXT, ADD_SENDABLE);
    quiescence_add_unsafely = dlsym(RTLD_NEXT, ADD_UNSAFELY);
    quiescence_remove = dlsym(RTLD_NEXT, REMOVE);
    quiescence_remove_named = dlsym(RTLD_NEXT, REMOVE_NAMED);
}

int quiescence_observers(void)
{
    return atomic_load(&quiescence_added) - atomic_load(&quiescence_removed);
}
