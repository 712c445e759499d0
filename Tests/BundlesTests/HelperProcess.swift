import Glibc
import Testing

/// One run of the built `greenroom-bundle`, with what it cost.
struct HelperRun {
    let output: String
    /// The exit status, or 128 + the signal that ended it.
    let status: Int32
    let wallClock: Duration
    let peakBytes: Int

    static func inspect(_ path: String, staging: String) throws -> HelperRun {
        try HelperRun(arguments: ["inspect", path, staging])
    }

    init(arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        var peak: [Int32] = [-1, -1]
        try #require(unsafe pipe(&peak) == 0)
        defer { close(peak[0]) }
        // Only the child's own end may keep the pipe open, in helpers that other tests start at this moment too.
        for end in ends + peak { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        var actions = unsafe posix_spawn_file_actions_t()
        try #require(unsafe posix_spawn_file_actions_init(&actions) == 0)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        try #require(unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0)
        try #require(unsafe posix_spawn_file_actions_adddup2(&actions, peak[1], 3) == 0)

        // A child's peak begins with what its parent had when it was born: a small parent in between measures it alone.
        let words = unsafe (["python3", "-c", Self.measured, try Self.program()] + arguments).map { unsafe strdup($0) }
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let spawned = unsafe posix_spawnp(&child, "python3", &actions, nil, words + [nil], environ)
        close(ends[1])
        close(peak[1])
        try #require(spawned == 0, "python3 cannot be run")

        let collected = Self.everything(from: ends[0])
        let measured = String(decoding: Self.everything(from: peak[0]), as: UTF8.self)
        var waited: Int32 = 0
        while unsafe waitpid(child, &waited, 0) < 0 { try #require(errno == EINTR) }
        let numbers = measured.split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 2, "the helper was not measured")
        wallClock = .nanoseconds(numbers[0])
        peakBytes = numbers[1] * 1024
        status = waited & 0x7f == 0 ? (waited >> 8) & 0xff : 128 + (waited & 0x7f)
        output = String(decoding: collected, as: UTF8.self)
    }

    /// Runs what it is given, ends as that did, and tells how many nanoseconds it took and the kilobytes that it had at
    /// most.
    private static let measured = """
        import os, resource, subprocess, sys, time
        began = time.monotonic_ns()
        code = subprocess.run(sys.argv[1:], close_fds=True).returncode
        took = time.monotonic_ns() - began
        os.write(3, f"{took} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}".encode())
        sys.exit(code if code >= 0 else 128 - code)
        """

    private static func everything(from descriptor: Int32) -> [UInt8] {
        var collected: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count <= 0 { return collected }
            collected += buffer.prefix(count)
        }
    }

    /// The helper lies beside the test program; `swift build --build-tests` and `swift test` build both.
    private static func program() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        try #require(count > 0)
        let own = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let folder = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex)
        for candidate in ["\(folder)/greenroom-bundle", "\(CommandLine.arguments[0])/../greenroom-bundle"]
        where unsafe access(candidate, X_OK) == 0 {
            return candidate
        }
        return try #require(nil as String?, "greenroom-bundle was not built beside \(own)")
    }
}
