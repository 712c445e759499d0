import Glibc
import LinuxSystem
import Testing

/// Groups named as a system names those of its apps.
private final class AppGroups {
    private let root: String
    let group: Cgroup

    init(_ name: String = #function) throws {
        let letters = name.filter(\.isLetter)
        root = "\(try #require(Machine.cgroups))/greenroom-test-\(CurrentProcess.pid)-\(letters)"
        _ = try Cgroup(creating: root)
        group = try Cgroup(creating: root + "/app-one")
    }

    func other(_ name: String) throws -> Cgroup { try Cgroup(creating: "\(root)/\(name)") }

    deinit {
        for child in Cgroup.children(of: root) { try? Cgroup.destroy(at: child) }
        try? Cgroup.destroy(at: root)
    }
}

@Suite(
    "Processes that left their app's group", .enabled(if: Machine.hasCgroups, "NOT TESTED: needs a writable cgroup v2"))
struct StrayTests {
    /// - Parameter birth: has a child `live`.
    private func parent(_ birth: String, in group: Cgroup) throws -> (program: PythonProgram, child: CInt) {
        let program = try PythonProgram(
            """
            come, go = os.pipe()
            def live():
                os.write(go, str(os.getpid()).encode())
                time.sleep(1000)
                os._exit(0)
            \(birth)
            answer = os.read(come, 16).decode()
            """, in: group)
        return (program, try #require(CInt(program.answer)))
    }

    private func move(_ pid: CInt, to group: Cgroup) throws {
        try Cgroup.write("\(pid)", to: group.path + "/cgroup.procs")
    }

    private func strays(_ groups: AppGroups, _ first: CInt) -> [Stray] {
        Stray.find(of: [Stray.Owner(group: groups.group.path, first: first, isFirstAlive: true)])[0]
    }

    @Test("A child that was moved away is found, and freezes with its app when it is brought back")
    func child() throws {
        let groups = try AppGroups()
        let (program, child) = try parent("if os.fork() == 0: live()", in: groups.group)
        defer { kill(child, SIGKILL) }
        #expect(strays(groups, program.pid).isEmpty)
        try move(child, to: groups.other("scope"))
        let found = strays(groups, program.pid)
        #expect(found.map(\.pid) == [child] && found.allSatisfy { $0.place.hasSuffix("/scope") })
        try groups.group.setFrozen(true)
        for stray in found { try stray.bringBack(to: groups.group.path) }
        #expect(try groups.group.waitUntilFrozen(milliseconds: 5000))
        #expect(Set(groups.group.processes()) == [program.pid, child])
        #expect(strays(groups, program.pid).isEmpty)
    }

    @Test("A first process that left is found, although its group is empty")
    func first() throws {
        let groups = try AppGroups()
        let program = try PythonProgram("", in: groups.group)
        try move(program.pid, to: groups.other("scope"))
        #expect(strays(groups, program.pid).map(\.pid) == [program.pid])
    }

    @Test("One that its parent left behind is found by its session")
    func session() throws {
        let groups = try AppGroups()
        let (program, child) = try parent(
            """
            if os.fork() == 0:
                if os.fork(): os._exit(0)
                live()
            """, in: groups.group)
        defer { kill(child, SIGKILL) }
        // Its session is that of the first process, as it is of an app.
        let leader = try #require(ProcFS().stat(child)?.session)
        try move(child, to: groups.other("scope"))
        #expect(strays(groups, leader).map(\.pid).contains(child), "of \(program.pid)")
    }

    @Test("A process in another app's group is no stray, nor is one that has ended")
    func others() throws {
        let groups = try AppGroups()
        let (program, child) = try parent("if os.fork() == 0: live()", in: groups.group)
        try move(child, to: groups.other("app-two"))
        #expect(strays(groups, program.pid).isEmpty)
        try move(child, to: groups.other("scope"))
        let found = strays(groups, program.pid)
        let process = try PidFD(child)
        kill(child, SIGKILL)
        #expect(found.map(\.pid) == [child])
        // Its parent does not collect it, so no other process can have its number.
        #expect(process.waitUntilDead(milliseconds: 10_000))
        #expect(strays(groups, program.pid).isEmpty)
    }
}

/// Processes and groups made of files.
@Suite("Which processes are strays")
struct StrayRuleTests {
    private let scratch: Scratch
    private let group: String

    init() throws {
        scratch = try Scratch()
        group = try scratch.directory("cg/greenroom-1a/app-one")
        _ = try scratch.file("cg/greenroom-1a/app-one/cgroup.procs", "11\n")
        try process(11, parent: 1, session: 10, in: "/greenroom-1a/app-one")
    }

    private func process(_ pid: Int, parent: Int, session: Int, in place: String) throws {
        let numbers = [parent, pid, session] + Array(repeating: 0, count: 13) + [1, 0, 700 + pid, 0]
        let line = "\(pid) (one) S " + numbers.map(String.init).joined(separator: " ")
        _ = try scratch.file("proc/\(pid)/stat", line + "\n")
        _ = try scratch.file("proc/\(pid)/cgroup", "0::\(place)\n")
    }

    private func strays(isFirstAlive: Bool) -> [CInt] {
        let owner = Stray.Owner(group: group, first: 10, isFirstAlive: isFirstAlive)
        return Stray.find(of: [owner], ProcFS(root: scratch.path + "/proc"))[0].map(\.pid)
    }

    @Test("A process that has got the number of the dead first one is left alone, with its children and its session")
    func reused() throws {
        try process(10, parent: 1, session: 10, in: "/user.slice/shell.scope")
        try process(12, parent: 10, session: 10, in: "/user.slice/shell.scope")
        #expect(strays(isFirstAlive: false).isEmpty)
        #expect(strays(isFirstAlive: true) == [10, 12])
    }

    @Test("The session of a dead first process is still the app's")
    func session() throws {
        try process(12, parent: 1, session: 10, in: "/user.slice/any.scope")
        #expect(strays(isFirstAlive: false) == [12])
    }

    @Test(
        "A scope that is named like an app's group is none",
        arguments: [
            ("/user.slice/greenroom-1a.slice/app-one.scope", true), ("/greenroom-2b/app-one", true),
            ("/greenroom-1a/other", true), ("/", true), ("/greenroom-1a/app-two", false),
            ("/user.slice/x.scope/greenroom-1a/app-one/inner", false),
        ])
    func names(place: String, isStray: Bool) throws {
        try process(12, parent: 11, session: 10, in: place)
        #expect(strays(isFirstAlive: true) == (isStray ? [12] : []))
        let owner = Stray.Owner(group: group, first: 10, isFirstAlive: true)
        #expect(Stray.isElsewhere(12, owner, ProcFS(root: scratch.path + "/proc")) == isStray)
        #expect(!Stray.isElsewhere(99, owner, ProcFS(root: scratch.path + "/proc")))
    }
}
