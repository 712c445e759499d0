internal import Glibc

/// Starts a detached thread that takes no signals: an app's handlers run on threads that the app knows.
///
/// Its stack has the usual size, of which only what is touched costs memory.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
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
