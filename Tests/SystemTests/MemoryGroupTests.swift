import Glibc
import LinuxSystem
import Testing
import Wire

/// A memory cgroup with a limit, as a container or a service manager makes one: of version 1 or 2.
private final class LimitedGroup {
    let path: String

    static let parent: (path: String, isLegacy: Bool)? = {
        if let legacy = CgroupRoot.legacyMountPoint(of: "memory") { return (legacy, true) }
        guard let root = CgroupRoot.mountPoint(),
            let controllers = FileSystem.read(root + "/cgroup.controllers"),
            String(decoding: controllers, as: UTF8.self).contains("memory")
        else { return nil }
        return (root, false)
    }()

    init(megabytes: Int) throws {
        guard let parent = Self.parent else { throw Trouble("no memory controller") }
        path = "\(parent.path)/greenroom-test-\(CurrentProcess.pid)-\(Clock.boot())"
        if !parent.isLegacy { try Cgroup.write("+memory", to: parent.path + "/cgroup.subtree_control") }
        try FileSystem.makeDirectory(path, mode: 0o755)
        let limit = parent.isLegacy ? "memory.limit_in_bytes" : "memory.max"
        try Cgroup.write("\(megabytes << 20)", to: "\(path)/\(limit)")
    }

    /// Runs a command in it.
    var entry: [String] { ["/bin/sh", "-c", "echo $$ >\(path)/cgroup.procs && exec \"$@\"", "sh"] }

    /// Waits for the last processes and removes the group.
    func remove() throws {
        let numbers = (FileSystem.read(path + "/cgroup.procs") ?? []).split(separator: UInt8(ascii: "\n"))
        for number in numbers.compactMap({ CInt(String(decoding: $0, as: UTF8.self)) }) {
            if let process = try? PidFD(number) { _ = process.waitUntilDead(milliseconds: 20_000) }
        }
        guard unsafe rmdir(path) == 0 else { throw Trouble("\(path) cannot be removed") }
    }
}

extension SystemTests {
    /// A container has less memory than its machine.
    @Suite(
        "A group with a memory limit", .serialized,
        .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"),
        .enabled(if: LimitedGroup.parent != nil, "NOT TESTED: the kernel has no memory controller"))
    struct MemoryGroups {
        @Test("Its limit is the budget: a suspended app ends before the kernel would end the visible one")
        func budget() throws {
            let group = try LimitedGroup(megabytes: 400)
            let system = try TestSystem(within: group.entry)
            defer {
                system.end()
                #expect(throws: Never.self) { try group.remove() }
            }
            #expect(try system.memory().budget == 400 << 20)
            #expect(try system.expect("doctor").contains("the budget is 400 MB of the machine's"))
            try system.installGreedy("small", "large")
            try system.play(["open small"])
            try system.take(120, in: "small")
            try system.play(["open large"])
            try system.follower().wait("suspended", of: "small")
            try system.take(280, in: "large")
            try system.follower().wait("terminated", of: "small")
            let report = try #require(try system.reports("small").first)
            #expect(report.namespace == "JETSAM" && report.reason.contains("vm-pageshortage"), "\(report)")
            #expect(try system.app("large").state == "active" && system.reports("large").isEmpty)
        }

        @Test("An end by the kernel's choice is reported as that, and one by a person's SIGKILL is not")
        func kernel() throws {
            let group = try LimitedGroup(megabytes: 300)
            let system = try TestSystem(within: group.entry)
            defer {
                system.end()
                #expect(throws: Never.self) { try group.remove() }
            }
            try system.installGreedy("other", "large")
            try system.play(["open other"])
            try PidFD(try system.firstProcess("other")).send(SIGKILL)
            try system.follower().wait("terminated", of: "other")
            #expect(try system.reports("other").first?.namespace == "SIGNAL")
            try system.play(["open large"])
            let process = try PidFD(try system.firstProcess("large"))
            let daemon = try PidFD(system.daemon)
            // It sees nothing of the shortage before it is over.
            try daemon.send(SIGSTOP)
            try system.order("large", url: "misbehave://take?mb=400")
            let isDead = process.waitUntilDead(milliseconds: 60_000)
            try daemon.send(SIGCONT)
            #expect(isDead)
            try system.follower().wait("terminated", of: "large")
            let report = try #require(try system.reports("large").first)
            #expect(report.namespace == "JETSAM" && report.code == 4, "\(report)")
            #expect(report.reason.contains("the kernel ended large"), "\(report)")
        }
    }
}
