internal import Glibc
internal import Model
internal import SystemPackage

/// The cgroups of one system, handled without a daemon.
struct CgroupTree {
    let root: String

    private static let interval = Span.milliseconds(20)

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
    var groups: [String] { Self.tree(root) }

    private static func tree(_ path: String) -> [String] {
        [path] + Files.folders(in: path).flatMap { tree("\(path)/\($0)") }
    }

    private func name(_ group: String) -> String {
        group == root ? "the system" : String(group.dropFirst(root.count + 1))
    }

    /// Lets everything run; returns the names of what was frozen.
    func thaw() throws(CommandFailure) -> [String] {
        var thawed: [String] = []
        for group in groups {
            guard Files.text("\(group)/cgroup.freeze")?.first == "1" else { continue }
            do throws(Errno) {
                try Files.write("0", to: "\(group)/cgroup.freeze")
            } catch .noSuchFileOrDirectory {
                continue
            } catch {
                throw .failed("\(name(group)) cannot be thawed: \(error) on \(group)/cgroup.freeze")
            }
            thawed.append(name(group))
        }
        return thawed
    }

    var processes: [Int32] {
        groups.flatMap { group in
            (Files.text("\(group)/cgroup.procs") ?? "").split(separator: "\n").compactMap { Int32($0) }
        }
    }

    /// Kills everything and removes the groups; returns how many processes there were.
    func kill(within time: Span) throws(CommandFailure) -> Int {
        let count = processes.count
        let limit = TimeLimit(in: time)
        let watch = FolderWatch("\(root)/cgroup.events")
        while true {
            killOnce()
            if processes.isEmpty, try remove() { return count }
            guard !limit.isOver else {
                let left = processes.map(String.init).joined(separator: ", ")
                throw .failed(
                    left.isEmpty ? "the cgroup \(root) stays busy" : "these processes do not end: \(left)")
            }
            watch.wait(atMost: min(limit.left, Self.interval))
        }
    }

    /// By `cgroup.kill`, which no fork escapes; before Linux 5.14 one by one.
    private func killOnce() {
        do throws(Errno) {
            try Files.write("1", to: "\(root)/cgroup.kill")
        } catch {
            for process in processes where process != getpid() { _ = Glibc.kill(process, SIGKILL) }
        }
    }

    /// False while the kernel still takes the last processes apart.
    private func remove() throws(CommandFailure) -> Bool {
        for group in groups.reversed() where unsafe rmdir(group) != 0 {
            switch errno {
            case ENOENT: continue
            case EBUSY: return false
            default: throw .failed("the cgroup \(group) cannot be removed: \(Files.lastError)")
            }
        }
        return true
    }
}
