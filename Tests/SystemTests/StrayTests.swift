import ContractSuite
import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// The tests move processes of an app into another group, as a service manager does for a scope.
    @Suite(
        "Processes that leave their app's group", .serialized,
        .enabled(if: Machine.cgroupRoot != nil && Machine.isRoot, "NOT TESTED: needs root and a writable cgroup v2"))
    struct Strays {
        private static let parent = """
            def started(app):
                child = os.fork()
                if child == 0:
                    while True: time.sleep(0.01)
                print("child", child, flush=True)
            """

        /// A system beside a user's service manager, and the group of a scope.
        private struct World {
            let system: TestSystem
            let scope: Cgroup

            init() throws {
                let place = "/var/lib/greenroom-strays-\(CurrentProcess.pid)"
                for folder in [place, place + "/systemd"] { try FileSystem.makeDirectory(folder) }
                _ = try Descriptor.open("\(place)/systemd/private", .write, create: 0o600)
                defer { try? FileSystem.removeTree(place) }
                system = try TestSystem(environment: ["XDG_RUNTIME_DIR": place])
                let root = try #require(Machine.cgroupRoot)
                scope = try Cgroup(creating: "\(root)/greenroom-scope-\(CurrentProcess.pid)")
                try system.installPython("terminal", parent)
                try system.play(["open terminal"])
            }

            func child() throws -> CInt {
                try system.until("the child") { system.output("terminal").contains { $0.hasPrefix("child ") } }
                let line = try #require(system.output("terminal").last { $0.hasPrefix("child ") })
                return try #require(CInt(line.dropFirst(6)))
            }

            func leave(_ pid: CInt) throws { try Cgroup.write("\(pid)", to: scope.path + "/cgroup.procs") }

            func isBack(_ pid: CInt) -> Bool { ProcFS().cgroup(pid)?.hasSuffix("/app-terminal") == true }

            func end() {
                system.end()
                #expect(scope.processes().isEmpty)
                try? Cgroup.destroy(at: scope.path)
            }
        }

        @Test("A child that left is suspended with its app")
        func child() throws {
            let world = try World()
            defer { world.end() }
            let child = try world.child()
            try world.leave(child)
            try world.system.play(["home"])
            try world.system.follower().wait("suspended", of: "terminal")
            try world.system.until("the child's return") { world.isBack(child) }
            let app = try world.system.app("terminal")
            #expect(app.pids.contains(Int(child)) && world.system.isFrozen("terminal", app.pids))
            let log = try #require(world.system.contents("daemon.log"))
            #expect(log.contains("terminal: its process \(child) had left for"), "\(log)")
        }

        @Test("An app whose first process left is suspended and ended as if it had not")
        func first() throws {
            let world = try World()
            defer { world.end() }
            let (first, child) = (try world.system.firstProcess("terminal"), try world.child())
            for pid in [first, child] { try world.leave(pid) }
            // The kernel says that its group is empty.
            try world.system.until("the return of both") { world.isBack(first) && world.isBack(child) }
            try world.system.play(["home"])
            try world.system.follower().wait("suspended", of: "terminal")
            #expect(world.system.isFrozen("terminal", [Int(first)]))
            try world.system.play(["open terminal"])
            try world.leave(first)
            try world.system.play(["close terminal"])
            try world.system.until("its end") { try world.system.app("terminal").pids.isEmpty }
            #expect(kill(first, 0) != 0 && kill(child, 0) != 0)
        }
    }
}
