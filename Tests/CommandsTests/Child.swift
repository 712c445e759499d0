import Foundation
import Glibc

/// A process that sleeps, in a group of its own.
final class Child {
    let pid: pid_t

    init(environment: [String: String] = [:]) throws {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The threads of a test block signals, which a child would inherit.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/sleep"), strdup("1000"), nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer {
            unsafe arguments.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, "/bin/sleep", nil, &attributes, &arguments, &variables)
        guard result == 0 else { throw POSIXError(.ENOEXEC) }
        self.pid = pid
    }

    deinit {
        kill(pid, SIGKILL)
        _ = waitpid(pid, nil, 0)
    }

    /// Stops it and returns once it is stopped.
    func stop() {
        kill(pid, SIGSTOP)
        _ = waitpid(pid, nil, WUNTRACED)
    }

    /// Returns once it runs again.
    func waitUntilContinued() { _ = waitpid(pid, nil, WCONTINUED) }

    /// The signal that ended it.
    func signalThatEnded() -> Int32 {
        var status: Int32 = 0
        // It has ended already, or never will.
        return unsafe waitpid(pid, &status, WNOHANG) == pid ? status & 0x7F : -1
    }

    /// It sleeps as it was made to, once it has begun to; who ended or stopped it did so before this.
    var isUntouched: Bool {
        while let state, "RD".contains(state) { sched_yield() }
        return state == "S"
    }

    var state: Character? { Self.stat(pid)?.first?.first }

    /// As `keeper.pid` has it.
    var record: String { "\(pid) \(Self.stat(pid)?[19] ?? "?")\n" }

    private static func stat(_ pid: pid_t) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}

/// A cgroup of its own for a test, where the machine lets one be made.
final class TestCgroup {
    let path: String
    static let mount = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { folder in
        FileManager.default.fileExists(atPath: "\(folder)/cgroup.subtree_control")
            && FileManager.default.isWritableFile(atPath: "\(folder)/cgroup.procs")
    }

    init() throws {
        guard let mount = Self.mount else { throw POSIXError(.EROFS) }
        path = "\(mount)/greenroom-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? write("1", to: "cgroup.kill")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            unsafe rmdir("\(path)/\(name)")
        }
        unsafe rmdir(path)
    }

    func add(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
    }

    func write(_ text: String, to name: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(path)/\(name)"))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    func contents(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}
