import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    /// One home has one keeper and one daemon, whoever begins and whoever dies.
    @Suite("One system a home", .serialized) struct ParallelUps {
        private static let rounds = 6

        /// Processes of this home by the name of their program.
        private func count(_ name: String, _ system: TestSystem) -> Int {
            system.processes.count { ProcFS().commandName($0) == name }
        }

        private func expectOne(_ system: TestSystem, _ round: Int, at location: SourceLocation = #_sourceLocation)
            throws
        {
            let status = try system.run("status")
            #expect(status.code == 0, "round \(round): \(status.errors)", sourceLocation: location)
            #expect(count("greenroom-keep", system) == 1, "round \(round)", sourceLocation: location)
            #expect(count("greenroomd", system) == 1, "round \(round)", sourceLocation: location)
        }

        @Test("Of four that begin at once one serves, and the others say which")
        func four() throws {
            let system = try TestSystem()
            defer { system.end() }
            for round in 1...Self.rounds {
                try system.expect("down")
                let ups = try (0..<4).map { _ in try system.begin(["up", "--detach"]) }
                let outcomes = try ups.map { try $0.outcome() }
                #expect(outcomes.filter { $0.code == 0 }.count == 1, "round \(round): \(outcomes.map(\.errors))")
                let keeper = try system.keeper()
                for outcome in outcomes where outcome.code != 0 {
                    #expect(outcome.code == 1)
                    #expect(outcome.errors.contains("is already running in \(system.home), pid \(keeper)"))
                }
                try expectOne(system, round)
            }
        }

        @Test("The same folder by another path is the same home")
        func links() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.expect("down")
            let link = "\(system.folder)/link"
            try FileSystem.link(to: system.home, at: link)
            let home = system.home
            for round in 1...2 {
                var ups: [Child] = []
                for path in [home, link, "\(link)/../link/.", home] {
                    system.environment["GREENROOM_HOME"] = path
                    ups.append(try system.begin(["up", "--detach"]))
                }
                system.environment["GREENROOM_HOME"] = home
                let outcomes = try ups.map { try $0.outcome() }
                #expect(outcomes.filter { $0.code == 0 }.count == 1, "round \(round): \(outcomes.map(\.errors))")
                try expectOne(system, round)
                // By the link it is reached, and taken down.
                system.environment["GREENROOM_HOME"] = link
                try system.expect("status")
                try system.expect("down")
                system.environment["GREENROOM_HOME"] = home
                #expect(system.processes.isEmpty)
            }
            try system.up()
        }

        @Test("Keepers and daemons that are killed while others begin leave one system that works")
        func kills() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            let app = try system.app("app").pid
            var dice = Dice(seed: 7)
            for round in 1...Self.rounds {
                // Both, or one of them: then the other takes its place while somebody else wants it.
                let names = [["keeper.pid"], ["daemon.pid"], ["keeper.pid", "daemon.pid"]][round % 3]
                for name in names {
                    let pid = system.contents(name)?.split { " \n".contains($0) }.first.flatMap { CInt($0) }
                    if let pid { try? PidFD(pid).send(SIGKILL) }
                }
                let ups = try (0..<4).map { _ in try system.begin(["up", "--detach"]) }
                // One more of those that just begin, at a random moment.
                // No wait for anything: the moment at which it dies is what is drawn.
                usleep(UInt32.random(in: 0..<60_000, using: &dice))
                if round % 2 == 0, let keeper = try? system.keeper() { try? PidFD(keeper).send(SIGKILL) }
                for outcome in try ups.map({ try $0.outcome() }) {
                    #expect(outcome.code == 0 || outcome.code == 1, "round \(round): \(outcome.errors)")
                }
                // Whoever was killed together with the one that had begun in its place left a home without a system.
                if try system.run("status").code == 3 { try system.up() }
                try expectOne(system, round)
                #expect(try system.app("app").pid == app, "round \(round): the app did not live through it")
            }
        }

        @Test("Who dies while somebody begins a system is no system that runs already")
        func dying() throws {
            let system = try TestSystem()
            defer { system.end() }
            var dice = Dice(seed: 8)
            for round in 1...Self.rounds {
                let supervisors = try [system.keeper(), system.daemon].map { try PidFD($0) }
                // Still there and silent, as who is dying is for a moment.
                for process in supervisors { try process.send(SIGSTOP) }
                let up = try system.begin(["up", "--detach"])
                // No wait for anything: the moment at which they are dead is what is drawn.
                usleep(UInt32.random(in: 0..<200_000, using: &dice))
                for process in supervisors { try process.send(SIGKILL) }
                let outcome = try up.outcome()
                #expect(outcome.code == 0, "round \(round): \(outcome.errors)")
                try expectOne(system, round)
            }
        }

        @Test("Commands that begin and end a system at the same time leave one that works, or none")
        func downs() throws {
            let system = try TestSystem()
            defer { system.end() }
            for round in 1...Self.rounds {
                let commands = [["down"], ["up", "--detach"], ["down", "--force"], ["up", "--detach"]]
                let running = try commands.map { try system.begin($0) }
                for outcome in try running.map({ try $0.outcome() }) {
                    #expect([0, 1, 3].contains(outcome.code), "round \(round): \(outcome.errors)")
                }
                if try system.run("status").code == 3 {
                    // Nobody is left to see to an app.
                    _ = try system.run("down")
                    #expect(system.processes.isEmpty, "round \(round)")
                    try system.up()
                }
                try expectOne(system, round)
            }
        }
    }
}
