internal import FoundationEssentials
internal import LinuxSystem

/// What the machine offers, found out once at start.
struct HostEnvironment: Sendable {
    /// The directory below which every app has its cgroup; `nil` for the SIGSTOP fallback.
    let cgroup: String?
    /// The group of this system of the v1 `pids` controller in a hybrid layout.
    let legacyPids: String?
    /// What the names of its apps' groups of the v1 `cpu` controller begin with.
    let legacyProcessors: String?
    /// The first of the uids that apps get; `nil` where they share the daemon's.
    let uidBase: UInt32?
    /// Apps see nothing of the home but their own parts.
    let isSandboxed: Bool
    /// What sandboxed apps see emptied: the home, or the first folder on the way to it that their users could not pass.
    let hidden: String
    /// Apps share the daemon's user, and each has its sandbox in a user namespace.
    let makesUserNamespaces: Bool
    /// Apps can ask the user's service manager to move processes into other groups.
    let hasUserManager: Bool
    /// Variables of a graphical session, for plain programs.
    let display: [String]

    static let uidCount: UInt32 = 1 << 14

    init(home: Home) {
        let isRoot = CurrentProcess.isRoot
        let number = Self.hash(home.path)
        cgroup = CgroupRoot.detect(isRoot: isRoot).map { "\($0)/greenroom-\(String(number, radix: 16))" }
        let name = cgroup?.split(separator: "/").last
        func legacy(_ controller: String) -> String? {
            guard isRoot, let name, let mount = CgroupRoot.legacyMountPoint(of: controller) else { return nil }
            return "\(mount)/\(name)"
        }
        legacyPids = legacy("pids")
        legacyProcessors = legacy("cpu")
        let ownUsers = isRoot && CurrentProcess.environment("GREENROOM_SHARED_UID") == nil
        // A range that no distribution uses; homes take different parts of it. Below it are those of homes that were
        // made when each had 4,096, which their apps keep.
        uidBase = ownUsers ? 0x6780_0000 + UInt32(number % 64) * Self.uidCount : nil
        makesUserNamespaces = !isRoot && Self.allowsUserNamespaces(for: home)
        isSandboxed = ownUsers || makesUserNamespaces
        // An ordinary user's apps see the user's files outside the home.
        hidden = ownUsers ? FileSystem.firstClosed(onTheWayTo: home.path) : home.path
        hasUserManager =
            cgroup != nil
            && CurrentProcess.environment("XDG_RUNTIME_DIR").map { FileSystem.exists($0 + "/systemd/private") } ?? false
        let names = [
            "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER",
            "PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR",
        ]
        display = names.compactMap { name in
            CurrentProcess.environment(name).map { "\(name)=\($0)" }
        }
    }

    var hasDisplay: Bool { display.contains { $0.hasPrefix("DISPLAY=") || $0.hasPrefix("WAYLAND_DISPLAY=") } }

    func cgroupPath(_ app: String) -> String? { cgroup.map { "\($0)/app-\(app)" } }

    /// Whose group it is; `nil`: no app's.
    func app(ofGroup path: String) -> String? {
        guard let start = cgroupPath(""), path.hasPrefix(start) else { return nil }
        return String(path.dropFirst(start.count))
    }

    /// Some distributions and containers forbid them.
    private static func allowsUserNamespaces(for home: Home) -> Bool {
        guard CurrentProcess.environment("GREENROOM_USER_NAMESPACES") != "0" else { return false }
        return Spawn.Sandbox.worksForUsers(hiding: home.path)
    }

    /// FNV-1a: the same name for the same home, every time.
    private static func hash(_ text: String) -> UInt32 {
        text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

struct Refusal {
    let refused: String

    init?(json: [UInt8]) {
        struct Shape: Decodable { let refused: String }
        guard let shape = try? JSONDecoder().decode(Shape.self, from: Data(json)) else { return nil }
        refused = shape.refused
    }
}
