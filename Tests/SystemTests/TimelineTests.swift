import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    @Suite("The timeline", .serialized) struct Timeline {
        private static let counter = "org.greenroom.examples.counter"

        /// Apps of both kinds, everything that a person does, a crash, and a daemon that is killed.
        private func tour(_ system: TestSystem) throws {
            try system.installPython("reader")
            try system.installPython("radio")
            try system.installPlain("editor", command: "cat", terminal: true)
            try system.play(["open reader", "home", "exempt radio", "open radio", "open editor"])
            _ = try system.follower().wait("suspended", of: "reader")
            try system.play(["open reader", "simulate call", "simulate call --decline", "switcher"])
            try system.play(["switcher", "lock", "unlock"])
            let daemon = try PidFD(system.daemon)
            // As it dies its last decisions are on their way to the disk.
            try system.play(["home"])
            try daemon.send(SIGKILL)
            #expect(daemon.waitUntilDead(milliseconds: 20_000))
            try system.play(["exempt radio --off", "open editor", "open reader"])
            let crashed: Int = try #require(system.app("reader").pid)
            try PidFD(CInt(crashed)).send(11)
            _ = try system.follower().wait("terminated", of: "reader")
            try system.play(["close editor", "home"])
        }

        private func write(_ text: String, _ name: String, _ system: TestSystem) throws -> String {
            let path = "\(system.folder)/\(name)"
            try FileSystem.replace(path, with: Array(text.utf8))
            return path
        }

        /// What the reader counted; whatever differs from the log is an issue. With `editing`, of another log.
        @discardableResult
        private func read(_ system: TestSystem, editing edit: (String) -> String = { $0 }, fails: Bool = false) throws
            -> JSONValue
        {
            let log = try write(edit(system.expect("log", "--json")), "log.jsonl", system)
            let apps = try write(system.expect("apps", "--json"), "apps.json", system)
            let trace = "\(system.folder)/trace.json"
            try system.expect("timeline", "--export", trace)
            let reader = try Child(
                "/usr/bin/python3", ["\(Machine.repository)/Tests/TraceEvents/reader.py", trace, log, apps],
                environment: [:]
            ).outcome()
            #expect(reader.code == (fails ? 1 : 0), "\(reader.output)\(reader.errors)")
            return try JSONValue(parsing: try #require(reader.output.split(separator: "\n").last.map(String.init)))
        }

        @Test("An independent reader finds the log's states and times in the exported file, and the file in its format")
        func export() throws {
            let system = try TestSystem()
            defer { system.end() }
            try tour(system)
            let summary = try read(system)
            #expect(try #require(summary["states"]?.int) >= 20 && summary["apps"]?.int == 3)
            #expect(try #require(summary["assertions"]?.int) == 1 && #require(summary["counters"]?.int) > 0)
            // It must be able to find a fault: the same against a log that says something else.
            try read(system, editing: { $0.replacing("suspended", with: "resumed") }, fails: true)
        }

        @Test("Daemons that are killed at any moment lose nothing of it and tell nothing twice")
        func killed() throws {
            let system = try TestSystem()
            defer { system.end() }
            let menagerie = try Menagerie(system)
            var dice = Dice(seed: 12)
            for round in 1...12 {
                let daemon = try PidFD(system.daemon)
                let app = Menagerie.all.randomElement(using: &dice) ?? Menagerie.editor
                let command = try system.begin(round % 3 == 0 ? ["home"] : ["open", app])
                // No wait for anything: the moment at which it dies is what is drawn.
                usleep(UInt32.random(in: 0..<200_000, using: &dice))
                try daemon.send(SIGKILL)
                #expect(daemon.waitUntilDead(milliseconds: 20_000))
                _ = try command.outcome()
            }
            try menagerie.expectWhole("after twelve daemons")
            try read(system)
        }

        @Test("The same records, one a line, since a moment and of one app; a picture; and what cannot be read is said")
        func command() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("reader")
            try system.installPython("radio")
            try system.play(["open reader", "home", "open radio"])
            let suspended = try system.follower().wait("suspended", of: "reader")
            let all = try records(system.expect("timeline", "--json"))
            #expect(all.contains { $0["kind"] == "state" && $0["state"] == "suspended" && $0["app"] == "reader" })
            #expect(all.contains { $0["kind"] == "entry" && $0["event"] == "homePressed" })
            let one = try records(system.expect("timeline", "--json", "--app", "radio"))
            #expect(one.compactMap { $0["app"]?.string }.allSatisfy { $0 == "radio" } && one.count > 5)
            let since = try records(system.expect("timeline", "--json", "--since", suspended.at))
            #expect(since.count < all.count)
            let radio = try #require(since.first { $0["app"] == "radio" && $0["kind"] == "state" })
            #expect(try #require(radio["state"]?.string) != "suspended")
            let picture = try system.expect("timeline")
            #expect(picture.contains("░") && picture.contains("█ active"))
            #expect(try system.run("timeline", "--since", "tomorrow").code == 2)
            let refused = try system.ask("timeline", ["since": "tomorrow"])
            #expect(refused["error"]?["data"]?["parameter"] == "since")
        }

        private func records(_ text: String) throws -> [JSONValue] {
            try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        }

        @Test(
            "Processor time is told while an app computes, and of one that stands still nothing is asked",
            arguments: [[:], ["GREENROOM_CGROUP": ""]])
        func processor(_ environment: [String: String]) throws {
            let system = try TestSystem(environment: environment)
            defer { system.end() }
            try system.installPython(
                "busy",
                "import threading\ndef burn():\n    while True: pass\nthreading.Thread(target=burn, daemon=True).start()\n"
            )
            try system.play(["open busy"])
            let patience = Patience(seconds: 20)
            var used: [JSONValue] = []
            while used.count < 2, !patience.isOver {
                try system.pass(seconds: 0.3)
                used = try records(system.expect("timeline", "--json", "--app", "busy")).filter { $0["kind"] == "cpu" }
            }
            let (time, over) = (used.last?["used"]?.number ?? 0, used.last?["over"]?.number ?? 1)
            #expect(time / over > 0.2, "it computes all the time: \(used)")
            try system.play(["home"])
            _ = try system.follower().wait("suspended", of: "busy")
            // The last look comes within a second, and what is on its way to the disk arrives; what comes again every
            // second never ends.
            let daemon = try system.daemon
            var wakeups: Int64 = -1
            for _ in 0..<12 where wakeups != 0 {
                let before = try #require(ProcFS().contextSwitches(daemon))
                try system.pass(seconds: 2.5)
                wakeups = try #require(ProcFS().contextSwitches(daemon)) - before
            }
            #expect(wakeups == 0)
            let count = try records(system.expect("timeline", "--json")).count
            try system.pass(seconds: 3)
            #expect(try records(system.expect("timeline", "--json")).count == count)
        }

        @Test("It goes on after the system was down, and what was then is still there")
        func down() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("reader")
            try system.play(["open reader", "home"])
            try system.expect("down")
            try system.up()
            try system.play(["open reader"])
            let states = try records(system.expect("timeline", "--json", "--app", "reader"))
                .filter { $0["kind"] == "state" }.compactMap { $0["state"]?.string }
            #expect(states.contains("not-running") && states.last == "active")
            #expect(states.count { $0 == "active" } == 2)
        }
    }
}
