import LinuxSystem

/// Small file systems in memory, for root's tests.
enum Mounts {
    /// Whether this process may mount.
    static let work: Bool = {
        guard CurrentProcess.isRoot, let scratch = try? Scratch() else { return false }
        return (try? within(scratch.path) {}) != nil
    }()

    /// Runs `body` while a file system is mounted at the path.
    static func within(_ path: String, size: String = "1m", _ body: () throws -> Void) throws {
        _ = try Script.run("mount -t tmpfs -o size=\(size) greenroom-test '\(path)' 2>&1")
        defer { _ = try? Script.run("umount '\(path)'") }
        try body()
    }
}
