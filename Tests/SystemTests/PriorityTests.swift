import ContractSuite
import Glibc
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// `docs/PRIORITY.md` on real processes, by what the kernel says of them.
    @Suite("Priority in the background", .serialized) struct Priority {
        /// Needs CAP_SYS_NICE, and where the kernel counts real-time in groups, a group that has some.
        static let canBeRealTime: Bool = {
            guard (try? Scheduling(policy: Scheduling.fifo, priority: 1).apply(to: 0)) != nil else { return false }
            return (try? Scheduling(policy: Scheduling.other).apply(to: 0)) != nil
        }()

        enum Place: String, CaseIterable, CustomTestStringConvertible {
            case root, withoutCgroups, ordinary
            var testDescription: String { rawValue }

            func system() throws -> TestSystem {
                switch self {
                case .root: try TestSystem()
                case .withoutCgroups: try TestSystem(environment: ["GREENROOM_CGROUP": ""])
                case .ordinary: try TestSystem(environment: ["GREENROOM_CGROUP": ""], uid: 65534)
                }
            }
        }

        /// With threads and a child process.
        private static let busy = """
            import threading
            def started(app):
                for _ in range(3): threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()
                if os.fork() == 0:
                    time.sleep(1000)
                    os._exit(0)
            """

        private func threads(_ app: AppInfo) -> [CInt] { app.pids.flatMap { ProcFS().threads(CInt($0)) } }

        private func disks(_ app: AppInfo) -> Set<DiskPriority> {
            Set(threads(app).compactMap { try? DiskPriority(of: $0) })
        }

        private func policies(_ app: AppInfo) -> Set<UInt32> {
            Set(threads(app).compactMap { try? Scheduling(of: $0).policy })
        }

        private func expect(soon what: Comment, _ system: TestSystem, _ condition: () throws -> Bool) throws {
            let patience = Patience()
            while try !condition(), !patience.isOver { try system.pass(seconds: 0.02) }
            #expect(try condition(), what)
        }

        @Test(
            "What runs in the background gives way in all its threads, across a daemon's death",
            arguments: Place.allCases)
        func everyThread(place: Place) throws {
            let system = try place.system()
            defer { system.end() }
            try system.installPython("worker", Self.busy)
            try system.play(["exempt worker", "open worker"])
            try expect(soon: "the child", system) { try system.app("worker").pids.count == 2 }
            let app = try system.app("worker")
            #expect(threads(app).count >= 5 && disks(app) == [.none] && !system.isSlowed("worker", app.pids))
            try system.play(["home"])
            try expect(soon: "lowered", system) { disks(app) == [.idle] && system.isSlowed("worker", app.pids) }
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            #expect(disks(app) == [.idle] && system.isSlowed("worker", app.pids))
            try system.play(["open worker"])
            try expect(soon: "given back", system) { disks(app) == [.none] && !system.isSlowed("worker", app.pids) }
            #expect(policies(app) == [Scheduling.other])
            #expect(try system.app("worker").pids == app.pids)
        }

        @Test(
            "An app's main thread comes before its others, where nice values count within the app only",
            .enabled(
                if: CurrentProcess.canRaiseLimits && Autogroup.isOn && ContractApps.areBuilt,
                "NOT TESTED: needs CAP_SYS_RESOURCE, autogroups and Misbehaver"))
        func mainThread() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.expect("install", ContractApps.make(TestApp("radio", .application), in: system))
            try system.play(["open radio"])
            let main = try system.firstProcess("radio")
            #expect(try Scheduling(of: main).nice == -4)
            let others = ProcFS().threads(main).filter { $0 != main }
            // Those that have ended meanwhile have none.
            #expect(others.compactMap { try? Scheduling(of: $0).nice }.allSatisfy { $0 >= -2 })
        }

        @Test(
            "Real-time is taken from what runs in the background, and given back across a daemon's death",
            .enabled(if: canBeRealTime, "NOT TESTED: nothing may be real-time here"))
        func realTime() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("player", Self.busy)
            try system.play(["exempt player", "open player"])
            try expect(soon: "the child", system) { try system.app("player").pids.count == 2 }
            let app = try system.app("player")
            let thread = try #require(threads(app).dropFirst().first)
            let own = Scheduling(policy: Scheduling.fifo, priority: 10)
            try own.apply(to: thread)
            try system.play(["home"])
            try expect(soon: "taken", system) { policies(app) == [Scheduling.other] }
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            #expect(policies(app) == [Scheduling.other])
            try system.play(["open player"])
            try expect(soon: "given back", system) { try Scheduling(of: thread) == own }
        }

        @Test(
            "All that runs in the background is one group to the scheduler, and who leaves it does not come after the rest",
            .enabled(if: LegacyGroups.areThere, "no cpu controller of the v1 hierarchy beside the v2 one"))
        func commonGroup() throws {
            let system = try TestSystem()
            defer { system.end() }
            for name in ["one", "two"] {
                try system.installPython(name, Self.busy)
                try system.play(["exempt \(name)", "open \(name)"])
            }
            try system.play(["home"])
            let (one, two) = (try system.app("one"), try system.app("two"))
            let groups = LegacyGroups(system)
            try expect(soon: "together", system) {
                groups.members("~background").isSuperset(of: (one.pids + two.pids).map { CInt($0) })
            }
            #expect(groups.number("~background", "cpu.idle") == 1)
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            try system.play(["open one"])
            try expect(soon: "out of it", system) { groups.members("one") == Set(one.pids.map { CInt($0) }) }
            try expect(soon: "the other left in it", system) {
                groups.members("~background") == Set(two.pids.map { CInt($0) })
                    && groups.number("~background", "cpu.idle") == 1
            }
            try system.play(["close one", "close two"])
            #expect(groups.members("~background").isEmpty)
        }

        @Test(
            "Who has many processes gives way in a group of its own: to move them would hold up what is opened",
            .enabled(if: LegacyGroups.areThere, "no cpu controller of the v1 hierarchy beside the v2 one"))
        func manyProcesses() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("worker", Self.busy)
            try system.installPython(
                "many",
                """
                def started(app):
                    for _ in range(30):
                        if os.fork() == 0:
                            time.sleep(1000)
                            os._exit(0)
                """)
            try system.play(["exempt many", "exempt worker", "open many"])
            try expect(soon: "all of them", system) { try system.app("many").pids.count == 31 }
            try system.play(["open worker", "home"])
            let groups = LegacyGroups(system)
            // It went there later, so the other's turn is over.
            try expect(soon: "the one with few is moved", system) { !groups.members("~background").isEmpty }
            #expect(groups.members("many").count == 31 && groups.number("many", "cpu.idle") == 1)
            let pids = try system.app("many").pids
            #expect(groups.members("~background").isDisjoint(with: pids.map { CInt($0) }))
            try system.play(["open many"])
            #expect(groups.number("many", "cpu.idle") == 0)
        }

        @Test("A new process of an app has nothing of what the one before had")
        func successor() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("worker", Self.busy)
            try system.play(["exempt worker", "open worker", "home"])
            let before = try system.app("worker")
            try expect(soon: "lowered", system) { system.isSlowed("worker", before.pids) }
            try PidFD(CInt(#require(before.pid))).send(9)
            try system.follower().wait("terminated", of: "worker")
            try system.play(["open worker"])
            let after = try system.app("worker")
            #expect(after.pid != before.pid && !system.isSlowed("worker", after.pids))
            #expect(disks(after) == [.none])
        }
    }
}

/// The groups of the v1 `cpu` controller that a system has.
private struct LegacyGroups {
    static let areThere = CurrentProcess.isRoot && CgroupRoot.legacyMountPoint(of: "cpu") != nil

    private let start: String

    init(_ system: TestSystem) {
        let name = (system.cgroup ?? "").split(separator: "/").last ?? ""
        start = "\(CgroupRoot.legacyMountPoint(of: "cpu") ?? "")/\(name)-"
    }

    func members(_ group: String) -> Set<CInt> { Set(Cgroup.processes(at: start + group)) }

    func number(_ group: String, _ file: String) -> Int? {
        FileSystem.read("\(start)\(group)/\(file)").flatMap { Int(String(decoding: $0.dropLast(), as: UTF8.self)) }
    }
}
