internal import Glibc

/// Starts a detached thread that takes none of the signals that apps handle: handlers run on threads that the app
/// knows. Others it takes, for example the one by which Swift's runtime stops all threads to print a backtrace.
///
/// Its stack has the usual size, of which only what is touched costs memory.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var handled = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&handled)
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2, SIGWINCH] {
        unsafe sigaddset(&handled, signal)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &handled, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let status = unsafe pthread_create(
        &thread, nil,
        { argument in
            if let argument = unsafe argument { unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, argument)
    if status == 0 {
        pthread_detach(thread)
    } else {
        // The daemon hears nothing from this process then, and reports that the app did not launch.
        unsafe Unmanaged<Body>.fromOpaque(argument).release()
    }
}

/// Waits on the calling thread.
func pause(milliseconds: Int) {
    var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    var asked = rest
    while unsafe nanosleep(&asked, &rest) != 0, errno == EINTR { asked = rest }
}
