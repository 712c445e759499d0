import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("Cgroups", .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"))
struct CgroupTests {
    /// Forks without end, a few processes at a time; each writes a line when it runs.
    private static let storm = "while :; do (echo x; (echo y) & wait) & (echo z) & wait; done"

    private func start(_ script: String, in group: Cgroup) throws -> Script {
        let directory = try group.directory
        return try Script(script) { $0.cgroup = directory }
    }

    @Test("A program is in its cgroup from its first instruction")
    func bornInside() throws {
        let scratch = try ScratchGroup()
        // Nothing but the shell itself: another process would be in the group as well.
        let text = "while read group; do case $group in 0::*) echo $group; esac; done </proc/self/cgroup; read line"
        let script = try start(text, in: scratch.group)
        #expect(scratch.group.processes() == [script.process.pid])
        let line = try readLine(script.stream)
        let name = try #require(scratch.group.path.split(separator: "/").last)
        #expect(line.hasSuffix("/\(name)"))
        #expect(ProcFS().cgroup(script.process.pid)?.hasSuffix("/\(name)") == true)
    }

    @Test("Processes of groups below are found, whether there were such groups before or not")
    func below() throws {
        let scratch = try ScratchGroup()
        #expect(Cgroup.children(of: scratch.group.path).isEmpty)
        let inner = try Cgroup(creating: scratch.group.path + "/inner")
        defer { unsafe rmdir(inner.path) }
        let script = try start("read line", in: inner)
        #expect(scratch.group.processes() == [script.process.pid])
        #expect(Cgroup.children(of: scratch.group.path) == [inner.path])
        try inner.kill()
        #expect(try inner.waitUntilEmpty(milliseconds: 5000))
    }

    @Test("Of the kernel's list only numbers that fit are processes")
    func processNumbers() {
        #expect(Cgroup.parseProcesses(Array("1\n23\n4194304\n".utf8)) == [1, 23, 4_194_304])
        #expect(Cgroup.parseProcesses(Array("12\n99999999999\nx\n-4\n7".utf8)) == [12, 7])
        #expect(Cgroup.parseProcesses([]) == [])
    }

    @Test("A freeze is confirmed, stops the program, and a thaw lets it go on")
    func freezeAndThaw() throws {
        let scratch = try ScratchGroup()
        let script = try start("while read line; do echo $line; done", in: scratch.group)
        try script.stream.writeAll(Array("one\n".utf8))
        #expect(try readLine(script.stream) == "one")
        try scratch.group.setFrozen(true)
        #expect(try scratch.group.waitUntilFrozen(milliseconds: 5000))
        #expect(scratch.group.readEvents() == Cgroup.Events(isPopulated: true, isFrozen: true))
        try script.stream.writeAll(Array("two\n".utf8))
        #expect(!isReady(script.stream, milliseconds: 50))
        try scratch.group.setFrozen(false)
        #expect(try readLine(script.stream) == "two")
        #expect(!scratch.group.readEvents().isFrozen)
    }

    @Test("A storm of forks freezes as a whole")
    func freezeStorm() throws {
        let scratch = try ScratchGroup()
        let script = try start(Self.storm, in: scratch.group)
        for _ in 0..<10 {
            #expect(isReady(script.stream))
            try scratch.group.setFrozen(true)
            #expect(try scratch.group.waitUntilFrozen(milliseconds: 5000))
            let frozen = scratch.group.processes()
            var drained: [UInt8] = []
            try script.stream.setNonblocking(true)
            while case .bytes = try script.stream.read(into: &drained, upTo: 65_536) {}
            #expect(!isReady(script.stream, milliseconds: 10))
            #expect(scratch.group.processes() == frozen)
            try scratch.group.setFrozen(false)
        }
    }

    @Test("Nothing of a storm of forks survives a kill", arguments: [false, true])
    func killStorm(withoutTheFile: Bool) throws {
        let scratch = try ScratchGroup("killStorm\(withoutTheFile)")
        let script = try start(Self.storm, in: scratch.group)
        #expect(isReady(script.stream))
        if withoutTheFile {
            try Cgroup.killOneByOne(at: scratch.group.path)
        } else {
            try scratch.group.kill()
        }
        #expect(try scratch.group.waitUntilEmpty(milliseconds: 5000))
        #expect(script.status() == .signaled(SIGKILL))
        #expect(scratch.group.processes().isEmpty)
    }

    @Test("A frozen program dies of SIGKILL, and its group then is neither populated nor in the way")
    func frozenDies() throws {
        let scratch = try ScratchGroup()
        let script = try start("read line", in: scratch.group)
        try scratch.group.setFrozen(true)
        #expect(try scratch.group.waitUntilFrozen(milliseconds: 5000))
        try script.process.send(SIGKILL)
        #expect(script.status() == .signaled(SIGKILL))
        #expect(try scratch.group.waitUntilEmpty(milliseconds: 5000))
        try Cgroup.remove(at: scratch.group.path)
        #expect(!FileSystem.exists(scratch.group.path))
    }

    @Test("Nothing is born into a frozen group, its own freeze or an ancestor's")
    func frozenIsRefused() throws {
        let scratch = try ScratchGroup()
        let inner = try Cgroup(creating: scratch.group.path + "/inner")
        try scratch.group.setFrozen(true)
        #expect(try inner.waitUntilFrozen(milliseconds: 5000))
        for group in [scratch.group, inner] {
            let error = #expect(throws: SpawnError.self) { try start("true", in: group) }
            #expect(error?.stage == "frozen cgroup")
        }
        try scratch.group.setFrozen(false)
        #expect(try start("exit 3", in: inner).status() == .exited(3))
    }

    @Test("Opening a group that exists leaves it as it is: a suspended app stays suspended")
    func openingChangesNothing() throws {
        let scratch = try ScratchGroup()
        try scratch.group.setFrozen(true)
        #expect(try Cgroup(creating: scratch.group.path).waitUntilFrozen(milliseconds: 5000))
    }

    @Test("A populated group is not removed, but it is destroyed with all that is below it")
    func removeAndDestroy() throws {
        let scratch = try ScratchGroup()
        let inner = try Cgroup(creating: scratch.group.path + "/inner")
        let script = try start("read line", in: inner)
        let error = #expect(throws: SystemError.self) { try Cgroup.remove(at: scratch.group.path) }
        #expect(error?.errno == .resourceBusy)
        #expect(Cgroup.processes(at: scratch.group.path) == [script.process.pid])
        #expect(Cgroup.children(of: scratch.group.path) == [inner.path])
        try Cgroup.destroy(at: scratch.group.path)
        #expect(!FileSystem.exists(scratch.group.path))
        #expect(script.status() == .signaled(SIGKILL))
        try Cgroup.destroy(at: scratch.group.path)
    }

    @Test("The end of the last process is news for an epoll")
    func eventsReachEpoll() throws {
        let scratch = try ScratchGroup()
        let epoll = try Epoll()
        let script = try start("read line", in: scratch.group)
        #expect(scratch.group.readEvents().isPopulated)
        try epoll.add(scratch.group.eventsDescriptor.rawValue, .priority, token: 77)
        try script.process.send(SIGKILL)
        var ready: [Epoll.Ready] = []
        let deadline = Clock.monotonic() + 5_000_000_000
        repeat {
            try epoll.wait(milliseconds: 5000, &ready)
            #expect(ready.first?.token == 77)
            #expect(ready.first?.events.contains(.priority) == true)
            scratch.group.acknowledge()
        } while scratch.group.readEvents().isPopulated && Clock.monotonic() < deadline
        #expect(!scratch.group.readEvents().isPopulated)
        // Looking takes no news away, acknowledging does: nothing more is reported.
        scratch.group.acknowledge()
        try epoll.wait(milliseconds: 0, &ready)
        #expect(ready.isEmpty)
    }

    @Test("Processor time grows with work")
    func processorTime() throws {
        let scratch = try ScratchGroup()
        let before = try #require(scratch.group.processorMicroseconds())
        let script = try start("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", in: scratch.group)
        #expect(script.status() == .exited(0))
        #expect(try #require(scratch.group.processorMicroseconds()) > before)
    }
}

@Suite("Where cgroups are")
struct CgroupRootTests {
    private func detect(_ scratch: Scratch, mounts: String, own: String, isRoot: Bool) throws -> String? {
        CgroupRoot.detect(
            mountInfo: try scratch.file("mountinfo", mounts), ownGroup: try scratch.file("cgroup", own),
            isRoot: isRoot)
    }

    private func group(_ scratch: Scratch, _ name: String) throws -> String {
        let path = try scratch.directory(name)
        _ = try scratch.file(name + "/cgroup.procs")
        return path
    }

    @Test("For root it is the top of the mount, for users their own group")
    func rootAndUser() throws {
        let scratch = try Scratch()
        let mount = try group(scratch, "cg")
        let own = try group(scratch, "cg/user.slice/app")
        let mounts = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            38 31 0:38 / \(mount) rw,relatime shared:4 - cgroup2 cgroup2 rw

            """
        let groups = "9:name=systemd:/x\n0::/user.slice/app\n"
        #expect(try detect(scratch, mounts: mounts, own: groups, isRoot: true) == mount)
        #expect(try detect(scratch, mounts: mounts, own: groups, isRoot: false) == own)
    }

    @Test("Where the group of root has a memory limit, or one above it has, apps are within it")
    func limited() throws {
        let scratch = try Scratch()
        let mount = try group(scratch, "cg")
        let own = try group(scratch, "cg/system.slice/greenroom")
        let mounts = "38 31 0:38 / \(mount) rw - cgroup2 cgroup2 rw\n"
        let groups = "0::/system.slice/greenroom\n"
        _ = try scratch.file("cg/system.slice/greenroom/memory.max", "max\n")
        #expect(try detect(scratch, mounts: mounts, own: groups, isRoot: true) == mount)
        _ = try scratch.file("cg/system.slice/memory.max", "419430400\n")
        #expect(try detect(scratch, mounts: mounts, own: groups, isRoot: true) == own)
        // Of version 1, which the apps inherit.
        let legacy = "39 31 0:39 / \(scratch.path)/legacy rw - cgroup cgroup rw,memory\n"
        _ = try scratch.file("legacy/box/memory.limit_in_bytes", "1000000\n")
        let both = "4:memory:/box\n0::/system.slice/greenroom\n"
        #expect(try detect(scratch, mounts: mounts + legacy, own: both, isRoot: true) == mount)
    }

    @Test("A group that has become one of threads is none in which apps can be started")
    func threaded() throws {
        let scratch = try Scratch()
        let own = try group(scratch, "cg/session")
        let mounts = "38 31 0:38 / \(scratch.path)/cg rw - cgroup2 cgroup2 rw\n"
        for (type, isUsable) in [("domain", true), ("domain threaded", false), ("threaded", false)] {
            _ = try scratch.file("cg/session/cgroup.type", type + "\n")
            #expect(try detect(scratch, mounts: mounts, own: "0::/session\n", isRoot: false) == (isUsable ? own : nil))
        }
    }

    @Test("A group that has processes is not divided, but for the root of the hierarchy")
    func divided() throws {
        let scratch = try Scratch()
        let parent = try group(scratch, "cg")
        let apps = try group(scratch, "cg/greenroom-1")
        func enabled(processes: String, isRoot: Bool) throws -> [String] {
            for name in ["cg", "cg/greenroom-1"] {
                _ = try scratch.file(name + "/cgroup.controllers", "cpu io memory pids\n")
                _ = try scratch.file(name + "/cgroup.subtree_control")
                _ = try scratch.file(name + "/cgroup.type", "domain\n")
            }
            if isRoot { FileSystem.remove(parent + "/cgroup.type") }
            _ = try scratch.file("cg/cgroup.procs", processes)
            Cgroup.enable("pids", below: apps)
            return [parent, apps].map { group in
                String(decoding: FileSystem.read(group + "/cgroup.subtree_control") ?? [], as: UTF8.self)
            }
        }
        #expect(try enabled(processes: "", isRoot: false) == ["+pids", "+pids"])
        #expect(try enabled(processes: "1\n", isRoot: true) == ["+pids", "+pids"])
        #expect(try enabled(processes: "4711\n", isRoot: false) == ["", ""])
        // In a container, of processes outside of it.
        #expect(try enabled(processes: "0\n", isRoot: false) == ["", ""])
    }

    @Test("A mount of a part of the hierarchy, at a path with a space")
    func partialMount() throws {
        let scratch = try Scratch()
        let own = try group(scratch, "c g/inner")
        let mounts = "38 31 0:38 /box/one \(scratch.path)/c\\040g rw - cgroup2 cgroup2 rw\n"
        #expect(try detect(scratch, mounts: mounts, own: "0::/box/one/inner\n", isRoot: false) == own)
    }

    @Test(
        "Without a mount, or without a group to write, there is none",
        arguments: [
            "", "garbage", "38 31 0:39 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n", "- cgroup2\n", "1 2 - cgroup2 x y\n",
            "38 31 0:38 / /nonexistent/cgroup rw - cgroup2 cgroup2 rw\n",
        ])
    func none(mounts: String) throws {
        #expect(try detect(Scratch(), mounts: mounts, own: "0::/\n", isRoot: true) == nil)
        #expect(try detect(Scratch(), mounts: mounts, own: "", isRoot: false) == nil)
    }

    @Test("A controller of version 1 is found by its name, not by a part of it")
    func legacy() throws {
        let scratch = try Scratch()
        let mounts = try scratch.file(
            "mountinfo",
            """
            33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct
            40 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids

            """)
        #expect(CgroupRoot.legacyMountPoint(of: "pids", mountInfo: mounts) == "/cg/pids")
        #expect(CgroupRoot.legacyMountPoint(of: "cpu", mountInfo: mounts) == nil)
    }

    @Test(
        "Events are read line by line and garbage means neither",
        arguments: [
            ("populated 1\nfrozen 0\n", true, false), ("populated 0\nfrozen 1\n", false, true),
            ("frozen 1\npopulated 1", true, true), ("", false, false), ("populated 10\nfrozen", false, false),
            ("xpopulated 1\n", false, false),
        ])
    func events(text: String, isPopulated: Bool, isFrozen: Bool) {
        let events = Cgroup.parseEvents(Array(text.utf8)[...])
        #expect(events == Cgroup.Events(isPopulated: isPopulated, isFrozen: isFrozen))
    }
}
