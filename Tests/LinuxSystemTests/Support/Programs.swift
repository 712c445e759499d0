import Glibc
import LinuxSystem
import SystemPackage
import Testing

/// A shell script as a process, killed at the latest with this object.
final class Script {
    let process: PidFD
    /// The other end of its standard input and output.
    let stream: Descriptor

    init(_ text: String, _ configure: (inout Spawn) -> Void = { _ in }) throws {
        let (ours, theirs) = try UnixSocket.pair()
        var spawn = Spawn(path: "/bin/sh", arguments: ["sh", "-c", text], environment: ["PATH=/usr/bin:/bin"])
        spawn.descriptors = [(theirs, 0), (theirs, 1)]
        configure(&spawn)
        process = try spawn.start()
        stream = ours
    }

    deinit {
        try? process.send(SIGKILL)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
    }

    func output() throws -> [String] { lines(try readToEnd(stream)) }

    func status() -> ProcessStatus? {
        _ = process.waitUntilDead(milliseconds: 10_000)
        return process.reap()
    }

    /// What it prints, and that it ended well.
    static func run(_ text: String, _ configure: (inout Spawn) -> Void = { _ in }) throws -> [String] {
        let script = try Script(text, configure)
        let output = try script.output()
        guard script.status() == .exited(0) else { throw SystemError("the script failed", .ioError, path: text) }
        return output
    }
}

/// What this machine lets the tests do. CI runs as root on a machine with cgroups, so nothing is left out there.
enum Machine {
    /// Made below this; nil where no cgroup of version 2 can be written: THE TESTS OF THE FREEZER ARE LEFT OUT THEN.
    static let cgroups: String? = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)
    static let hasCgroups = cgroups != nil

    /// Mounting needs CAP_SYS_ADMIN: THE TESTS OF THE SANDBOX ARE LEFT OUT WITHOUT IT.
    static let canMount: Bool = {
        guard CurrentProcess.isRoot, let scratch = try? Scratch(),
            let home = try? scratch.directory("home")
        else { return false }
        return (try? Script.run("true") { $0.sandbox = Spawn.Sandbox(hiding: home) }) != nil
    }()

    /// Some containers forbid them: THE TESTS OF ORDINARY USERS' SANDBOXES ARE LEFT OUT THEN.
    static let hasUserNamespaces = Spawn.Sandbox.worksForUsers(hiding: "/var/lib")
}

/// A cgroup of a test's own.
final class ScratchGroup {
    let group: Cgroup

    init(_ name: String = #function) throws {
        let letters = name.filter(\.isLetter)
        let root = try #require(Machine.cgroups)
        group = try Cgroup(creating: "\(root)/greenroom-test-\(CurrentProcess.pid)-\(letters)")
    }

    deinit { try? Cgroup.destroy(at: group.path) }
}
