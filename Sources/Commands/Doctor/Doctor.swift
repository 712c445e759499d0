internal import LinuxSystem
package import Wire

/// Tries every mechanism of the kernel that Greenroom can use. Leaves nothing behind.
package struct Doctor {
    private let home: GreenroomHome
    private let environment: [String: String]

    /// - Parameter environment: in which a system would be started.
    package init(home: GreenroomHome, environment: [String: String] = [:]) {
        self.home = home
        self.environment = environment
    }

    /// The limits around the daemon, if one runs. It may be in other groups than this tool.
    private var bounds: MemoryBounds {
        guard let pid = Files.text(home.daemonFile).flatMap({ Int32($0.prefix { $0.isNumber }) }),
            FileSystem.exists("/proc/\(pid)/cgroup")
        else { return MemoryBounds() }
        return MemoryBounds(ownGroup: "/proc/\(pid)/cgroup")
    }

    package func findings() -> [DoctorFinding] {
        CgroupProbes().findings() + ProcessProbes().findings() + ConfinementProbes().findings()
            + PriorityProbes().findings() + MemoryProbes(bounds: bounds).findings()
            + StorageProbe(home: home).findings()
            + SettingProbes(home: home, environment: environment).findings()
    }

    /// What a daemon found counts more: it may live where this tool does not, for example in a delegated cgroup.
    package static func merged(_ own: [DoctorFinding], daemon: [DoctorFinding]) -> [DoctorFinding] {
        let told = Dictionary(daemon.map { ($0.mechanism, $0) }) { first, _ in first }
        let known = Set(own.map(\.mechanism))
        return own.map { told[$0.mechanism] ?? $0 } + daemon.filter { !known.contains($0.mechanism) }
    }
}
