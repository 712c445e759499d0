package import Wire

/// Tries every mechanism of the kernel that Greenroom can use. Leaves nothing behind.
package struct Doctor {
    private let home: GreenroomHome

    package init(home: GreenroomHome) { self.home = home }

    package func findings() -> [DoctorFinding] {
        CgroupProbes().findings() + ProcessProbes().findings() + ConfinementProbes().findings()
            + PriorityProbes().findings() + MemoryProbes().findings() + StorageProbe(folder: home.path).findings()
    }

    /// What a daemon found counts more: it may live where this tool does not, for example in a delegated cgroup.
    package static func merged(_ own: [DoctorFinding], daemon: [DoctorFinding]) -> [DoctorFinding] {
        let told = Dictionary(daemon.map { ($0.mechanism, $0) }) { first, _ in first }
        let known = Set(own.map(\.mechanism))
        return own.map { told[$0.mechanism] ?? $0 } + daemon.filter { !known.contains($0.mechanism) }
    }
}
