import LinuxSystem
import TestPace

/// What these tests find on the machine. They run the real programs; what is missing skips them, loudly.
enum Machine {
    /// `.build/<triple>/<configuration>`, where the test bundle lies beside the programs; `GREENROOM_TEST_PROGRAMS`
    /// names another folder, for example one of installed programs.
    static let programs: String = {
        if let given = CurrentProcess.environment("GREENROOM_TEST_PROGRAMS"), !given.isEmpty { return given }
        return folder(of: CurrentProcess.executablePath ?? CommandLine.arguments[0])
    }()

    /// The root of the repository.
    static let repository: String = (0..<4).reduce(#filePath) { path, _ in folder(of: path) }

    static let isRoot = CurrentProcess.isRoot
    /// Ordinary users can make sandboxes.
    static let hasUserNamespaces = Spawn.Sandbox.worksForUsers(hiding: "/var/lib")
    static let hasPython = find("python3") != nil
    static let cgroupRoot = CgroupRoot.detect(isRoot: isRoot)
    static let hasPrograms = [
        "greenroom", "greenroomd", "greenroom-keeper", "greenroom-bundle", "greenroom-replay", "greenroom-simulator",
    ].allSatisfy { FileSystem.exists("\(programs)/\($0)") }
    /// Real processes in cgroups, each app under a user of its own.
    static let isComplete = isRoot && hasPython && cgroupRoot != nil && hasPrograms
    static let complaint =
        "NOT TESTED: the system tests need root, a writable cgroup v2, python3 and the built programs in \(programs)"

    /// A name of this machine that leads to itself, and of which only that says so.
    static let ownName: String? = {
        guard let hostname = FileSystem.read("/proc/sys/kernel/hostname"), let getent = find("getent") else {
            return nil
        }
        let name = String(decoding: hostname.filter { $0 > 0x20 }, as: UTF8.self)
        let found = try? Child(getent, ["ahostsv4", name], environment: [:]).outcome()
        return found?.output.hasPrefix("127.") == true && name != "localhost" ? name : nil
    }()

    static func folder(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// `GREENROOM_TEST_PART` may be 2/3: then every third of them, beginning with the second. All, if it is not so.
    static func part<T>(of all: [T]) -> [T] {
        let words = (CurrentProcess.environment("GREENROOM_TEST_PART") ?? "").split(separator: "/").map { Int($0) }
        guard words.count == 2, let part = words[0], let parts = words[1], parts >= part, part >= 1 else { return all }
        return stride(from: part - 1, to: all.count, by: parts).map { all[$0] }
    }

    static func find(_ program: String) -> String? {
        (CurrentProcess.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
            .first(where: FileSystem.exists)
    }
}

/// What a test waited for in vain, or could not do.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A wait that works ends with an event, long before this; it is there so that a test fails instead of hanging.
struct Patience {
    static let usual = 60.0
    private let end: Int64

    init(seconds: Double = Patience.usual) { end = Clock.monotonic() + Pace.nanoseconds(seconds: seconds) }

    /// For `poll`.
    var milliseconds: CInt { CInt(max(0, min(600_000, (end - Clock.monotonic()) / 1_000_000))) }
    var isOver: Bool { Clock.monotonic() >= end }
}
