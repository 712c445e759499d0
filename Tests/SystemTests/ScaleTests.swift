import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// With more apps than are taken over before anything is answered.
    @Suite("Many apps", .serialized) struct Scale {
        private static let count = 150
        private static let running = 6

        private func install(_ count: Int, in system: TestSystem) throws {
            for number in 0..<count {
                let file = "\(system.folder)/many\(number).desktop"
                let text = """
                    [Desktop Entry]
                    Type=Application
                    Name=many\(number)
                    Exec=/bin/sleep infinity

                    """
                try FileSystem.replace(file, with: Array(text.utf8), mode: 0o644)
                _ = try system.ask("install", ["path": .string(file)])
            }
        }

        private func kill(_ system: TestSystem) throws {
            let daemon = try PidFD(system.daemon)
            try daemon.send(SIGKILL)
            #expect(daemon.waitUntilDead(milliseconds: 20_000))
        }

        private func events(_ system: TestSystem) throws -> Int {
            try #require(system.expectReplay()["events"]?.int)
        }

        @Test("The next daemon takes over what lives, answers meanwhile, and carries out what it is told meanwhile")
        func recovery() throws {
            let system = try TestSystem()
            defer { system.end() }
            try install(Self.count, in: system)
            for number in 0..<Self.running { try system.play(["open many\(number)", "home"]) }
            try system.until("all are suspended") {
                try system.apps().count { $0.state == "suspended" } == Self.running
            }
            let (apps, before) = (try system.apps(), try events(system))
            try kill(system)
            // One of these is held back until all are known, if it comes soon enough.
            let why = try system.begin(["why", "many0"])
            let open = try system.begin(["open", "many1"])
            #expect(try why.outcome().code == 0)
            #expect(try open.outcome().code == 0)
            try system.until("all are known") { try system.status().adopting == nil }
            #expect(try system.app("many1").state == "active")
            try system.expect("home")
            try system.until("all are suspended") {
                try system.apps().count { $0.state == "suspended" } == Self.running
            }
            let again = try system.apps()
            #expect(again.map(\.app) == apps.map(\.app) && again.map(\.pid) == apps.map(\.pid))
            #expect(again.map(\.pids) == apps.map(\.pids))
            // What the Core knows it is not told again: there would be one event for each app.
            let told = try events(system) - before
            #expect(told < Self.count, "\(told) events")
            // Its first process is watched again, and so is its group.
            let pid = try #require(apps.first { $0.app == "many2" }?.pid)
            try PidFD(CInt(pid)).send(SIGKILL)
            try system.until("its end is seen") { try system.app("many2").state == "not-running" }
        }

        @Test(
            "An app that is uninstalled and installed again while others are taken over is there",
            arguments: [false, true])
        func order(runs: Bool) throws {
            let system = try TestSystem()
            defer { system.end() }
            try install(Self.count, in: system)
            if runs { try system.play(["open many0"]) }
            try kill(system)
            // They wait for the next daemon, which reads both before it knows what lives.
            let answers = try system.ask([
                ("uninstall", ["app": "many0"]), ("install", ["path": .string("\(system.folder)/many0.desktop")]),
            ])
            #expect(answers.allSatisfy { $0["error"] == nil }, "\(answers)")
            try system.until("all are known") { try system.status().adopting == nil }
            #expect(try system.apps().contains { $0.app == "many0" })
        }

        @Test("A daemon that is killed before its checkpoint is there costs nothing, again and again")
        func deaths() throws {
            let system = try TestSystem()
            defer { system.end() }
            try install(Self.count, in: system)
            try system.play(["open many0", "home"])
            let pid = try #require(try system.app("many0").pid)
            for _ in 0..<4 { try kill(system) }
            try system.until("all are known") { try system.status().adopting == nil }
            #expect(try system.app("many0").pid == pid)
            #expect(try system.apps().count == Self.count)
            // Of a daemon that died before it had adopted nothing is left to count.
            let restarts = try #require(system.expectReplay()["restarts"]?.int)
            #expect((1...4).contains(restarts))
        }
    }
}
