import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    @Suite("Kill storms", .serialized) struct KillStorms {
        private static func number(_ name: String, default value: Int) -> Int {
            CurrentProcess.environment(name).flatMap { Int($0) } ?? value
        }

        /// GREENROOM_KILLS=200 GREENROOM_SEED=7 swift test --filter KillStorms
        private static let kills = number("GREENROOM_KILLS", default: 25)
        private static let seed = number("GREENROOM_SEED", default: 1)

        /// What a person does with the device, at random, as far as it is possible now.
        private struct Session {
            var dice: Dice
            var isLocked = false
            var isRinging = false
            var isSwitcherOpen = false
            var guestRuns = false

            /// Nothing lies over the screen.
            var isHome: Bool { !isLocked && !isRinging && !isSwitcherOpen }

            mutating func next() -> [String] {
                if isRinging {
                    isRinging = false
                    return ["simulate", "call", "--decline"]
                }
                if isLocked {
                    isLocked = false
                    return ["unlock"]
                }
                if isSwitcherOpen {
                    isSwitcherOpen = false
                    return ["switcher", "close"]
                }
                switch Int.random(in: 0..<14, using: &dice) {
                case 10..<14:
                    let verb = guestRuns ? ["open", "close", "close", "restart"].randomElement(using: &dice) : "open"
                    return [verb ?? "open", Menagerie.guest]
                case 0..<5: return ["open", Menagerie.all.randomElement(using: &dice) ?? Menagerie.editor]
                case 5, 6: return ["home"]
                case 7:
                    isLocked = true
                    return ["lock"]
                case 8:
                    isSwitcherOpen = true
                    return ["switcher", "open"]
                default:
                    isRinging = true
                    return ["simulate", "call"]
                }
            }
        }

        private static func kill(_ pid: CInt) throws {
            let process = try PidFD(pid)
            try process.send(SIGKILL)
            #expect(process.waitUntilDead(milliseconds: 20_000))
        }

        @Test("A daemon that is killed at random moments loses no app, no state and no callback")
        func daemon() throws {
            let system = try TestSystem()
            defer { system.end() }
            var menagerie = try Menagerie(system)
            var session = Session(dice: Dice(seed: UInt64(Self.seed)))
            for round in 1...Self.kills {
                let words = session.next()
                let context: Comment = "seed \(Self.seed), kill \(round), \(words.joined(separator: " "))"
                let daemon = try system.daemon
                let command = try system.begin(words)
                // The random moment of the kill.
                // No wait for anything: the moment at which it dies is what is drawn.
                usleep(UInt32.random(in: 0..<40_000, using: &session.dice))
                try Self.kill(daemon)
                let outcome = try command.outcome()
                #expect(outcome.code == 0, "\(context): \(outcome.errors)")
                #expect(try system.daemon != daemon)
                let apps = try menagerie.expectWhole(context)
                session.guestRuns = apps.contains { $0.app == Menagerie.guest && $0.state != "not-running" }
            }
            try menagerie.expectCallbacks("after the storm with seed \(Self.seed)")
            while !session.isHome { try system.play([session.next().joined(separator: " ")]) }
            try menagerie.expectWorking("after the storm with seed \(Self.seed)")
            try menagerie.expectCallbacks("at the end, seed \(Self.seed)")
            for name in Menagerie.all + [Menagerie.guest] {
                // That a suspended server listens is reported, and no end.
                for report in try system.reports(name) where report.code != 0xdead_0ea2 {
                    let before = try system.entries().filter { $0.at <= report.at }.suffix(12)
                    let story = before.map { "\($0.seq) \($0.app ?? "-") \($0.event)" }.joined(separator: ", ")
                    Issue.record("\(name) has a report: \(report.reason); \(story)")
                }
            }
        }

        @Test("A tool that lost the answer and repeats its command is not refused for what is done already")
        func repetition() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            for event in ["call-decline", "call-accept", "call-end", "sms-dismiss", "alert-dismiss"] {
                let first = try system.ask("simulate", ["event": .string(event)])
                #expect(first["error"]?["code"]?.int == -32001, "\(event): \(first)")
                let again = try system.ask("simulate", ["event": .string(event), "retry": true])
                #expect(again["result"] != nil, "\(event): \(again)")
            }
            try system.play(["close app"])
            #expect(try system.ask("close", ["app": "app", "retry": true])["result"] != nil)
            #expect(try system.ask("uninstall", ["app": "app"])["result"] != nil)
            #expect(try system.ask("uninstall", ["app": "app"])["error"]?["code"]?.int == -32004)
            #expect(try system.ask("uninstall", ["app": "app", "retry": true])["result"] != nil)
        }

        @Test("An app that crashes at whatever moment of the daemon's restart has a report of its signal")
        func crashes() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            for round in 0..<16 {
                try system.play(["open app"])
                let (app, daemon) = (CInt(try #require(system.app("app").pid)), try PidFD(system.daemon))
                let seen = try system.lastSequence
                try daemon.send(SIGKILL)
                try system.pass(seconds: Double(round) / 500)
                try PidFD(app).send(SIGSEGV)
                try system.follower().wait("terminated", of: "app", after: seen)
                let reports = try system.reports("app")
                #expect(reports.count == round + 1, "crashed \(round * 2) ms after the daemon")
                #expect(reports.allSatisfy { $0.namespace == "SIGNAL" && $0.code == 11 })
            }
        }

        /// While the keeper is stopped, it collects nobody and tells nothing.
        @Test("A keeper that is late with the status of an orphan costs no report", arguments: [true, false])
        func late(isAdopted: Bool) throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            let (seen, app) = (try system.lastSequence, try PidFD(CInt(#require(system.app("app").pid))))
            let keeper = try PidFD(system.keeper())
            let name = system.contents("daemon.pid")
            try Self.kill(system.daemon)
            if isAdopted {
                _ = try system.follower().wait(for: "a new daemon", after: seen) { $0.event == "daemonRestarted" }
                try keeper.send(SIGSTOP)
                try app.send(SIGSEGV)
            } else {
                while system.contents("daemon.pid") == name { sched_yield() }
                let words = try #require(system.contents("daemon.pid")).split { " \n".contains($0) }
                let daemon = try PidFD(CInt(words[0]) ?? 0)
                try daemon.send(SIGSTOP)
                try keeper.send(SIGSTOP)
                try app.send(SIGSEGV)
                #expect(app.waitUntilDead(milliseconds: 20_000))
                try daemon.send(SIGCONT)
            }
            // Answers when it has adopted what it found.
            _ = try system.status()
            try keeper.send(SIGCONT)
            try system.follower().wait("terminated", of: "app", after: seen)
            #expect(try system.reports("app").map { "\($0.namespace) \($0.code)" } == ["SIGNAL 11"])
        }

        @Test("A daemon lets go of the processes that it took over when they have ended")
        func lettingGo() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            let old = try system.daemon
            try Self.kill(old)
            // Answers when it has adopted what it found.
            _ = try system.status()
            let daemon = try system.daemon
            #expect(daemon != old)
            #expect(heldDead(by: daemon) == 0)
            try system.play(["close app"])
            try system.until("nothing of the process is left") { heldDead(by: daemon) == 0 }
            #expect(try system.daemon == daemon)
        }

        /// Descriptors of processes that are dead and collected.
        private func heldDead(by pid: CInt) -> Int {
            let folder = "/proc/\(pid)/fdinfo"
            return FileSystem.names(in: folder).count { name in
                let info = FileSystem.read("\(folder)/\(name)", limit: 4096) ?? []
                return String(decoding: info, as: UTF8.self).split(separator: "\n").contains("Pid:\t-1")
            }
        }

        @Test("A keeper that is killed is replaced, and no app notices")
        func keeper() throws {
            let system = try TestSystem()
            defer { system.end() }
            var menagerie = try Menagerie(system)
            var seen = 0
            for round in 1...3 {
                let (keeper, daemon) = (try system.keeper(), try system.daemon)
                try Self.kill(keeper)
                // The daemon takes the keeper's place, and a new daemon follows.
                seen = try system.follower().wait(for: "a new daemon", after: seen) { $0.event == "daemonRestarted" }
                    .seq
                #expect(try system.daemon != daemon)
                #expect(try system.keeper() != keeper)
                try menagerie.expectWhole("keeper killed \(round) times")
                try menagerie.expectWorking("keeper killed \(round) times")
            }
            try menagerie.expectCallbacks("keeper killed")
        }

        @Test("When keeper and daemon are killed together, up finds every app as it was")
        func both() throws {
            let system = try TestSystem()
            defer { system.end() }
            var menagerie = try Menagerie(system)
            for round in 1...2 {
                try killBoth(system)
                try system.up()
                try menagerie.expectWhole("killed both \(round) times")
                try menagerie.expectWorking("killed both \(round) times")
            }
            try menagerie.expectCallbacks("killed both")
        }

        @Test("Without keeper and daemon, thaw lets every app run, and down leaves nothing")
        func thaw() throws {
            let system = try TestSystem()
            defer { system.end() }
            let menagerie = try Menagerie(system)
            try system.play(["home"])
            let apps = try menagerie.expectWhole("before")
            #expect(apps.filter { $0.state == "suspended" }.count == 4, "all but the exempt one and the guest")
            try killBoth(system)
            #expect(apps.filter { system.isFrozen($0.app, $0.pids) }.count == 4, "they stay as they are")
            try system.expect("thaw")
            for app in apps {
                #expect(!system.isFrozen(app.app, app.pids))
                for pid in app.pids { #expect(ProcFS().stat(CInt(pid)) != nil) }
            }
        }

        /// The keeper first, stopped: neither may come to the other's help.
        private func killBoth(_ system: TestSystem) throws {
            let (keeper, daemon) = (try PidFD(system.keeper()), try PidFD(system.daemon))
            try daemon.send(SIGSTOP)
            try keeper.send(SIGKILL)
            try daemon.send(SIGKILL)
            #expect(keeper.waitUntilDead(milliseconds: 20_000) && daemon.waitUntilDead(milliseconds: 20_000))
        }
    }
}
