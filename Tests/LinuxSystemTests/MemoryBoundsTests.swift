import LinuxSystem
import Testing

/// The kernel's files, in a folder of the test's own.
private final class Tree {
    let root = "/tmp/greenroom-bounds-\(CurrentProcess.pid)-\(Clock.boot())"

    func write(_ path: String, _ text: String) throws {
        let file = "\(root)/\(path)"
        let folder = file.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        try FileSystem.makeDirectory(folder)
        try FileSystem.replace(file, with: Array(text.utf8))
    }

    /// A mount, with what it shows of the hierarchy.
    func mount(_ type: String, shows root: String = "/", options: String = "rw") -> String {
        "30 25 0:26 \(root) \(self.root)/mount rw,nosuid - \(type) cgroup \(options)\n"
    }

    func bounds(_ mounts: String, _ groups: String) throws -> MemoryBounds {
        try write("mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts)
        try write("cgroup", groups)
        return MemoryBounds(mountInfo: root + "/mountinfo", ownGroup: root + "/cgroup")
    }

    deinit { try? FileSystem.removeTree(root) }
}

@Suite("The memory limits around this process")
struct MemoryBoundsTests {
    private let tree = Tree()
    private static let megabyte: Int64 = 1 << 20

    private func version2(_ group: String, max: String, used: Int64, stat: String = "", high: String = "max") throws {
        let folder = group.isEmpty ? "mount" : "mount/\(group)"
        try tree.write("\(folder)/memory.max", max + "\n")
        try tree.write("\(folder)/memory.high", high + "\n")
        try tree.write("\(folder)/memory.current", "\(used)\n")
        try tree.write("\(folder)/memory.stat", stat)
        try tree.write("\(folder)/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n")
    }

    @Test("Of version 2 the smallest limit counts, wherever between the process and the root it is")
    func version2() throws {
        try version2("a/b/c", max: "max", used: 100)
        try version2("a/b", max: "419430400", used: 300 * Self.megabyte, stat: "anon 209715200\nshmem 1048576\n")
        try version2("a", max: "1073741824", used: 500 * Self.megabyte)
        let bounds = try tree.bounds(tree.mount("cgroup2"), "0::/a/b/c\n")
        #expect(bounds.limit?.bytes == 400 * Self.megabyte && bounds.limit?.path == "\(tree.root)/mount/a/b")
        let balance = try #require(bounds.balance)
        #expect(balance.available == 100 * Self.megabyte && balance.taken == 201 * Self.megabyte)
        #expect(bounds.kills == 1)
    }

    @Test("The group that is nearest to its limit says what is left, not the one with the smallest limit")
    func nearest() throws {
        try version2("a/b", max: "\(400 * Self.megabyte)", used: 10 * Self.megabyte)
        try version2("a", max: "\(1000 * Self.megabyte)", used: 990 * Self.megabyte)
        let bounds = try tree.bounds(tree.mount("cgroup2"), "0::/a/b\n")
        #expect(bounds.limit?.bytes == 400 * Self.megabyte)
        #expect(bounds.balance?.available == 10 * Self.megabyte)
    }

    @Test("What the kernel takes back without harm counts as available, and a group that is throttled as full")
    func reclaimable() throws {
        let megabyte = Self.megabyte
        let stat = "anon 1\ninactive_file \(40 * megabyte)\nactive_file \(20 * megabyte)\nslab_reclaimable 0\n"
        try version2("a", max: "max", used: 90 * megabyte, stat: stat, high: "\(100 * megabyte)")
        let bounds = try tree.bounds(tree.mount("cgroup2"), "0::/a\n")
        #expect(bounds.limit?.bytes == 100 * megabyte)
        #expect(bounds.balance?.available == 60 * megabyte)
    }

    @Test("A container sees its own group at the mount, with a namespace of its own and without")
    func container() throws {
        try version2("", max: "\(64 * Self.megabyte)", used: 0)
        #expect(try tree.bounds(tree.mount("cgroup2"), "0::/\n").limit?.bytes == 64 * Self.megabyte)
        let part = tree.mount("cgroup2", shows: "/docker/x")
        #expect(try tree.bounds(part, "0::/docker/x\n").limit?.bytes == 64 * Self.megabyte)
        // The process is outside what is mounted.
        #expect(try tree.bounds(tree.mount("cgroup2"), "0::/../y\n").limit?.bytes == 64 * Self.megabyte)
        #expect(try tree.bounds(part, "0::/elsewhere\n").limit?.bytes == 64 * Self.megabyte)
    }

    @Test("Of version 1 it is the controller's own hierarchy, also beside version 2")
    func version1() throws {
        let megabyte = Self.megabyte
        for (group, limit) in [("box", 200 * megabyte), ("", Int64.max / 4096 * 4096)] {
            let folder = group.isEmpty ? "mount" : "mount/\(group)"
            try tree.write("\(folder)/memory.limit_in_bytes", "\(limit)\n")
            try tree.write("\(folder)/memory.usage_in_bytes", "\(150 * megabyte)\n")
            try tree.write(
                "\(folder)/memory.stat",
                "cache 5\nrss 7\ntotal_cache 5\ntotal_rss \(90 * megabyte)\ntotal_shmem \(2 * megabyte)\n"
                    + "total_inactive_file \(30 * megabyte)\ntotal_active_file 0\n")
            try tree.write("\(folder)/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n")
        }
        let mounts = tree.mount("cgroup", options: "rw,memory") + "31 25 0:27 / /elsewhere rw - cgroup2 cgroup2 rw\n"
        let bounds = try tree.bounds(mounts, "9:name=systemd:/\n4:cpu,memory:/box\n0::/\n")
        #expect(bounds.limit?.bytes == 200 * megabyte && bounds.limit?.path == "\(tree.root)/mount/box")
        #expect(bounds.balance == ProcessMemory.Balance(available: 80 * megabyte, taken: 92 * megabyte))
        #expect(bounds.kills == 4)
    }

    @Test("Without groups, without limits, or with files that say nothing there is no limit")
    func none() throws {
        #expect(try tree.bounds("", "0::/a\n").limit == nil)
        #expect(try tree.bounds(tree.mount("cgroup2"), "0::/a\n").limit == nil)
        try version2("a", max: "max", used: 1)
        let bounds = try tree.bounds(tree.mount("cgroup2"), "0::/a\n")
        #expect(bounds.limit == nil && bounds.balance == nil)
        try version2("a", max: "", used: 1)
        #expect(bounds.limit == nil)
        #expect(MemoryBounds(mountInfo: "/none", ownGroup: "/none").limit == nil)
    }
}
