/// Names of Apple's kernel and C library that Linux lacks, and what to use instead.
///
/// `canImport(Darwin)` is true in iOS code, so such code is compiled.
enum DarwinNames {
    /// A sentence about a name that Linux lacks; `nil`: the compiler knows the name, or says that there is none.
    static func sentence(about name: String) -> String? {
        guard let advice = advice(about: name) else { return nil }
        return "Linux has no \(name): \(advice), "
            + "or put the code that needs it between #if canImport(ObjectiveC) and #endif"
    }

    private static func advice(about name: String) -> String? {
        switch name {
        case "mach_absolute_time", "mach_approximate_time", "mach_continuous_time", "mach_timebase_info",
            "mach_timebase_info_data_t", "clock_gettime_nsec_np", "CLOCK_UPTIME_RAW":
            "use DispatchTime.now() or ContinuousClock"
        case "task_info", "task_threads", "thread_info", "mach_task_self_", "mach_task_basic_info",
            "mach_task_basic_info_data_t", "task_vm_info", "task_vm_info_data_t", "host_statistics",
            "host_statistics64",
            "mach_host_self", "vm_statistics64", "vm_statistics64_data_t", "proc_pidinfo", "proc_pid_rusage",
            "kinfo_proc":
            "read the numbers of the process in /proc/self"
        case "kqueue", "kevent", "kevent64": "use a dispatch source"
        case "copyfile", "clonefile", "removefile": "use FileManager"
        case "pthread_main_np": "use Thread.isMainThread"
        case "pthread_mach_thread_np", "pthread_threadid_np": "use pthread_self()"
        case "F_FULLFSYNC": "use fsync(_:)"
        default: nil
        }
    }
}
