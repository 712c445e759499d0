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
        Stray.find(of: [(groups.group.path, first)])[0]
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
        kill(child, SIGKILL)
        #expect(found.map(\.pid) == [child])
        // Nobody has collected it, so its number is its own.
        while ProcFS().stat(child)?.isOver == false { usleep(1000) }
        #expect(strays(groups, program.pid).isEmpty)
    }
}
