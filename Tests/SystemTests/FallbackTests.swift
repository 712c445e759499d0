import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Where no cgroup can be written: SIGSTOP stands in for the freezer.
    @Suite("Without cgroups", .serialized) struct WithoutCgroups {
        private static let counter = "org.greenroom.examples.counter"
        private static let nobody: UInt32 = 65534

        enum User: String, CaseIterable, CustomTestStringConvertible {
            case root, ordinary
            var testDescription: String { rawValue }
            var uid: UInt32? { self == .root ? nil : nobody }
        }

        @Test("A suspended app is stopped as a whole, and comes back as the same processes", arguments: User.allCases)
        func session(user: User) throws {
            let system = try TestSystem(environment: ["GREENROOM_CGROUP": ""], uid: user.uid)
            defer { system.end() }
            #expect(system.cgroup == nil)
            try system.installPython(
                "parent",
                """
                def started(app):
                    for _ in range(5):
                        if os.fork() == 0:
                            time.sleep(1000)
                            os._exit(0)
                """)
            try system.installPlain("sleeper", command: "sleep 1000")
            try system.play(["open parent", "home"])
            try system.follower().wait("suspended", of: "parent")
            let before = try system.app("parent")
            #expect(before.state == "suspended" && before.pids.count == 6)
            #expect(system.isFrozen("parent", before.pids))
            try system.play(["open sleeper", "lock"])
            try system.follower().wait("suspended", of: "sleeper")
            let sleeper = try system.app("sleeper")
            #expect(system.isFrozen("sleeper", sleeper.pids))
            try system.play(["unlock", "open parent"])
            let after = try system.app("parent")
            #expect(after.state == "active" && after.pid == before.pid && after.pids == before.pids)
            #expect(after.pids.allSatisfy { ProcFS().stat(CInt($0)).map { !"Tt".contains($0.state) } ?? false })
            #expect(
                try system.callbacks("parent") == [
                    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
                    "didEnterBackground", "willEnterForeground", "didBecomeActive",
                ])
            try system.play(["close parent"])
            #expect(after.pids.allSatisfy { ProcFS().stat(CInt($0)).map { "ZX".contains($0.state) } ?? true })
        }

        @Test("A killed daemon finds stopped apps stopped; thaw without one lets them run")
        func restart() throws {
            let system = try TestSystem(environment: ["GREENROOM_CGROUP": ""])
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app", "home"])
            try system.follower().wait("suspended", of: "app")
            let before = try system.app("app")
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            let after = try system.app("app")
            #expect(after.state == "suspended" && after.pid == before.pid)
            #expect(system.isFrozen("app", after.pids))
            let (keeper, daemon) = (try PidFD(system.keeper()), try PidFD(system.daemon))
            try daemon.send(19)
            try keeper.send(9)
            try daemon.send(9)
            #expect(keeper.waitUntilDead(milliseconds: 20_000) && daemon.waitUntilDead(milliseconds: 20_000))
            try system.expect("thaw")
            #expect(!system.isFrozen("app", after.pids))
        }
    }
}
