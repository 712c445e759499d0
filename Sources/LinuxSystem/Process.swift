internal import CLinux
internal import Glibc
internal import SystemPackage

/// The time on the kernel's clocks, in nanoseconds.
package enum Clock {
    package static func boot() -> Int64 { gr_clock(CLOCK_BOOTTIME) }
    package static func monotonic() -> Int64 { gr_clock(CLOCK_MONOTONIC) }
    package static func wall() -> Int64 { gr_clock(CLOCK_REALTIME) }
    /// What this process has used of the processor.
    package static func processor() -> Int64 { gr_clock(CLOCK_PROCESS_CPUTIME_ID) }
    /// What the calling thread has used of the processor.
    package static func threadTime() -> Int64 { gr_clock(CLOCK_THREAD_CPUTIME_ID) }
}

/// How a process ended.
package enum ProcessStatus: Hashable, Sendable {
    case exited(CInt)
    case signaled(CInt)

    init(waitStatus status: CInt) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signaled(signal)
    }
}

/// A process that cannot be mistaken for another, whatever becomes of its number. Readable once it is dead.
package final class PidFD: Sendable {
    package let pid: CInt
    package let descriptor: Descriptor

    init(pid: CInt, owning fd: CInt) {
        self.pid = pid
        descriptor = Descriptor(owning: fd)
    }

    /// The corresponding C function is `pidfd_open`.
    package init(_ pid: CInt) throws(SystemError) {
        self.pid = pid
        descriptor = Descriptor(owning: try check("pidfd_open", path: String(pid)) { gr_pidfd_open(pid) })
    }

    /// One thread of a process, while that goes on (kernel 6.9); to look at what it has. The corresponding C function
    /// is `pidfd_open`.
    package init(thread: CInt) throws(SystemError) {
        pid = thread
        let fd = try check("pidfd_open", path: String(thread)) { gr_pidfd_open_thread(thread) }
        descriptor = Descriptor(owning: fd)
    }

    /// The corresponding C function is `pidfd_send_signal`.
    package func send(_ signal: CInt) throws(SystemError) {
        let fd = descriptor.rawValue
        try check("pidfd_send_signal", path: String(pid)) { gr_pidfd_send_signal(fd, signal) }
    }

    package var isDead: Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// Waits for the end, at most so long; for teardown and tools, never on a loop.
    package func waitUntilDead(milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) == 1
    }

    /// Collects a child's status; for others asks the kernel, which tells since 6.15.
    package func reap() -> ProcessStatus? {
        var status: CInt = 0
        if unsafe gr_wait_child(descriptor.rawValue, &status) == 1 { return ProcessStatus(waitStatus: status) }
        if unsafe gr_pidfd_exit_status(descriptor.rawValue, &status) == 1 { return ProcessStatus(waitStatus: status) }
        return nil
    }

    /// Takes back a killed process's memory at once. The corresponding C function is `process_mrelease`.
    package func releaseMemory() throws(SystemError) {
        let fd = descriptor.rawValue
        try check("process_mrelease") { gr_process_mrelease(fd) }
    }
}

/// Things that a process does to itself.
package enum CurrentProcess {
    package static var pid: CInt { getpid() }
    package static var isRoot: Bool { geteuid() == 0 }
    package static var uid: UInt32 { getuid() }
    package static var gid: UInt32 { getgid() }

    /// Orphans below this process become its children. The corresponding C function is `prctl`.
    package static func becomeSubreaper() throws(SystemError) { try check("prctl") { gr_set_subreaper() } }

    package static func setName(_ name: String) { _ = unsafe gr_set_name(name) }

    /// Keeps every page that is used from now on in memory. The corresponding C function is `mlockall`.
    package static func lockMemoryOnFault() throws(SystemError) { try check("mlockall") { gr_lock_memory_on_fault() } }

    /// What of the process is in memory and in no file; `nil`: the kernel does not say.
    package static var anonymousBytes: Int64? {
        guard let bytes = FileSystem.read("/proc/self/statm", limit: 256) else { return nil }
        let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        return pages.count > 2 ? (pages[1] - pages[2]) * ProcessMemory.pageSize : nil
    }

    /// Gives what was freed back to the kernel. Takes some milliseconds, in which others may wait for memory.
    package static func returnFreeMemory() { gr_return_free_memory() }

    /// Gives back the code that only the start has needed; what is still needed comes again as it is used.
    package static func forgetCode() { gr_forget_code() }

    /// As many descriptors as the hard limit allows.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(GR_RLIMIT_FILES, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(GR_RLIMIT_FILES, &limit)
    }

    /// How many descriptors this process can have.
    package static var descriptorLimit: Int {
        var limit = rlimit()
        return unsafe getrlimit(GR_RLIMIT_FILES, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 1024
    }

    /// Ignored: a broken connection is an error of `write`.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    package static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// All variables, as `NAME=value`.
    package static var allEnvironment: [String] {
        (FileSystem.read("/proc/self/environ") ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    package static var executablePath: String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return nil }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Becomes another program; returns only if that fails. Descriptors that are not close-on-exec go along.
    package static func exec(_ path: String, _ arguments: [String]) -> SystemError {
        var list: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe list.append(nil)
        unsafe execv(path, &list)
        unsafe list.forEach { unsafe free($0) }
        return .last("execv", path: path)
    }

    /// Collects one dead child of any kind, after `tell` has been told how it ended: who finds it gone can have learnt
    /// why. Only for a process whose children are nobody else's to wait for. The corresponding C function is `waitid`.
    package static func reapAnyChild(tell: (CInt, ProcessStatus) -> Void) -> Bool {
        var (pid, status): (CInt, CInt) = (0, 0)
        guard unsafe gr_peek_any_child(&pid, &status) == 1 else { return false }
        tell(pid, ProcessStatus(waitStatus: status))
        return waitpid(pid, nil, CInt(bitPattern: 0x4000_0000)) == pid
    }

    /// The kernel's name for this boot.
    package static var bootID: String {
        let bytes = try? Descriptor.open("/proc/sys/kernel/random/boot_id", .read).readAll(limit: 64)
        return String(decoding: (bytes ?? []).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
