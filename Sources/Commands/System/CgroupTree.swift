internal import LinuxSystem
internal import Model
internal import SystemPackage

/// The cgroups of one system, handled without a daemon.
struct CgroupTree {
    let root: String

    private static let appPrefix = "app-"
    private static let interval = Model.Span.milliseconds(20)
    /// Controllers of the old hierarchies that may hold a group of the same name.
    private static let legacyControllers = ["pids", "memory"]

    /// The tree that a home's file names; `nil` where there is none (any more).
    init?(home: GreenroomHome) {
        guard let text = Files.text(home.cgroupFile) else { return nil }
        let path = text.split(separator: "\n").first.map(String.init) ?? ""
        // The file is the user's own, yet a wrong line in it must not kill what is not Greenroom's.
        guard path.hasPrefix("/"), path.split(separator: "/").count > 1, !path.contains("/../"),
            Files.exists("\(path)/cgroup.procs")
        else { return nil }
        root = path
    }

    /// Parents before children.
    private var groups: [String] { Self.tree(root) }

    private static func tree(_ path: String) -> [String] { [path] + Cgroup.children(of: path).flatMap(tree) }

    /// An app's identifier where the group is an app's.
    private func name(_ group: String) -> String {
        guard group != root else { return "the system" }
        let path = group.dropFirst(root.count + 1)
        return String(path.hasPrefix(Self.appPrefix) ? path.dropFirst(Self.appPrefix.count) : path)
    }

    /// Lets everything run; returns the names of what was frozen.
    func thaw() throws(CommandFailure) -> [String] {
        var thawed: [String] = []
        for group in groups {
            guard Files.text("\(group)/cgroup.freeze")?.first == "1" else { continue }
            do throws(SystemError) {
                try Cgroup.write("0", to: "\(group)/cgroup.freeze")
            } catch {
                if error.errno == .noSuchFileOrDirectory { continue }
                throw .failed("\(name(group)) cannot be thawed: \(error)")
            }
            thawed.append(name(group))
        }
        return thawed
    }

    /// Kills everything and removes the groups; returns how many processes there were.
    func kill(within time: Model.Span) throws(CommandFailure) -> Int {
        let count = Cgroup.processes(at: root).count
        let limit = TimeLimit(in: time)
        let watch = FolderWatch("\(root)/cgroup.events")
        var isAgain = false
        while true {
            try? Cgroup.kill(at: root, again: isAgain)
            isAgain = true
            let left = Cgroup.processes(at: root)
            if left.isEmpty, try remove() { return count }
            guard !limit.isOver else {
                throw .failed(
                    left.isEmpty ? "the cgroup \(root) stays busy" : "these processes do not end: \(Self.list(left))")
            }
            watch.wait(atMost: min(limit.left, Self.interval))
        }
    }

    private static func list(_ processes: [CInt]) -> String {
        processes.map { pid in
            "\(pid)" + (ProcFS().isUninterruptible(pid) ? " (waits in the kernel, for a device or a file server)" : "")
        }.joined(separator: ", ")
    }

    /// False while the kernel still takes the last processes apart.
    private func remove() throws(CommandFailure) -> Bool {
        for controller in Self.legacyControllers {
            guard let mount = CgroupRoot.legacyMountPoint(of: controller), let name = root.split(separator: "/").last
            else { continue }
            try? Cgroup.remove(at: "\(mount)/\(name)")
        }
        // Those of apps lie beside the system's own there.
        if let mount = CgroupRoot.legacyMountPoint(of: "cpu"), let name = root.split(separator: "/").last {
            for group in Cgroup.children(of: mount) where group.hasPrefix("\(mount)/\(name)-") {
                try? Cgroup.remove(at: group)
            }
        }
        do throws(SystemError) {
            try Cgroup.remove(at: root)
            return true
        } catch {
            if error.errno == .resourceBusy { return false }
            throw .failed("the cgroup cannot be removed: \(error)")
        }
    }
}
