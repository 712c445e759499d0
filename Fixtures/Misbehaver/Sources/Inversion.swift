import Glibc
import UIKit

/// Has the main thread wait for a thread that comes after it, until `Remote.release`.
enum Inversion {
    /// Never given back: threads wait for it.
    private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        return unsafe mutex
    }()
    private static let queue = DispatchQueue(label: "lower")
    private static let isHeld = DispatchSemaphore(value: 0)

    /// `mutex`, `idle` (the same, with `SCHED_IDLE`), `sync` (a queue, with `SCHED_IDLE`) or `lend` (a queue, to whose
    /// thread the main thread lends its nice value). The main thread waits after the present callback has returned.
    static func begin(by means: String) {
        let isQueue = means == "sync" || means == "lend"
        if isQueue {
            queue.async { hold(idle: means == "sync") }
        } else {
            Thread {
                unsafe pthread_mutex_lock(mutex)
                hold(idle: means == "idle")
                unsafe pthread_mutex_unlock(mutex)
            }.start()
        }
        isHeld.wait()
        DispatchQueue.main.async {
            if isQueue {
                queue.sync {}
            } else {
                unsafe pthread_mutex_lock(mutex)
                unsafe pthread_mutex_unlock(mutex)
            }
            say("waited")
        }
    }

    private static func hold(idle: Bool) {
        // Glibc's function for that is not in its module map.
        let name = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        _ = unsafe write(name, "lower", 5)
        close(name)
        // Of the calling thread, as Linux has it.
        if idle {
            var parameters = sched_param()
            guard unsafe sched_setscheduler(0, 5, &parameters) == 0 else { return say("cannot be idle") }
        } else {
            guard setpriority(CInt(PRIO_PROCESS.rawValue), 0, 19) == 0 else { return say("cannot be nice") }
        }
        isHeld.signal()
        Remote.awaitRelease()
    }
}
