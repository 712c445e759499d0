import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    @Suite("Recordings", .serialized) struct Recordings {
        /// Copies the journal as it is, as a person would with `cp`.
        private func copy(_ system: TestSystem, as name: String) throws -> String {
            let (source, target) = ("\(system.home)/journal", "\(system.folder)/\(name)")
            try FileSystem.makeDirectory(target)
            for file in FileSystem.names(in: source) where !file.hasSuffix(".new") {
                guard let bytes = FileSystem.read("\(source)/\(file)") else { continue }
                try FileSystem.replace("\(target)/\(file)", with: bytes)
            }
            return target
        }

        @Test("What a killed daemon recorded replays to its last event, at whatever moment it died")
        func killed() throws {
            let system = try TestSystem()
            defer { system.end() }
            let menagerie = try Menagerie(system)
            var dice = Dice(seed: 11)
            var last = 0
            for round in 1...12 {
                let daemon = try PidFD(system.daemon)
                let app = Menagerie.all.randomElement(using: &dice) ?? Menagerie.editor
                let command = try system.begin(round % 3 == 0 ? ["home"] : ["open", app])
                // No wait for anything: the moment at which it dies is what is drawn.
                usleep(UInt32.random(in: 0..<30_000, using: &dice))
                // The keeper starts another one, which writes to a segment of its own.
                try daemon.send(SIGKILL)
                #expect(daemon.waitUntilDead(milliseconds: 20_000))
                let recording = try copy(system, as: "killed-\(round)")
                _ = try command.outcome()
                let result = try system.expectReplay(of: recording)
                let events = try #require(result["events"]?.int)
                #expect(result["equal"] == true && events >= last, "round \(round)")
                last = events
            }
            // Whoever answers has adopted, and written that down.
            _ = try system.daemon
            let result = try system.expectReplay()
            #expect(result["restarts"] == 12 && result["systems"] == 1)
            withExtendedLifetime(menagerie) {}
        }

        @Test("What a running daemon recorded so far says what its apps do, and why")
        func running() throws {
            let system = try TestSystem()
            defer { system.end() }
            let menagerie = try Menagerie(system)
            let app = Menagerie.python[0]
            try system.play(["open \(app)", "home", "open \(app)", "simulate call"])
            try menagerie.expectWhole("before it is copied")
            let recording = try copy(system, as: "running")
            let apps = try system.apps()
            let shown = try JSONValue(
                parsing: system.expect("replay", recording, "--until", String(system.lastSequence), "--json"))
            let replayed = try AppInfo.list(json: try #require(shown["apps"]))
            #expect(replayed.map(\.app) == apps.map(\.app))
            #expect(replayed.map(\.state) == apps.map(\.state))
            #expect(replayed.map(\.since) == apps.map(\.since))
            #expect(replayed.map(\.pid) == apps.map(\.pid))
            #expect(shown["interruptions"] == ["call"])
            let why = try JSONValue(parsing: system.expect("why", app, "--json"))
            let again = try JSONValue(parsing: system.expect("replay", recording, "--why", app, "--json"))
            #expect(again["because"] == why["because"] && again["state"] == why["state"])
        }

        @Test("A real session becomes a scenario, which comes to the same end in virtual time")
        func asScenario() throws {
            let system = try TestSystem()
            defer { system.end() }
            _ = try Menagerie(system)
            let (first, second) = (Menagerie.python[0], Menagerie.python[1])
            try system.play([
                "open \(first)", "home", "open \(second)", "simulate call", "simulate call --decline", "lock", "unlock",
                "open \(Menagerie.radio)", "close \(first)", "open \(Menagerie.guest)", "restart \(first)",
            ])
            let file = "\(system.folder)/session.yaml"
            let scenario = try system.expect("replay", system.home, "--as-scenario")
            try FileSystem.replace(file, with: Array(scenario.utf8))
            let outcome = try system.run("run", file)
            #expect(outcome.code == 0, "\(outcome.output)\(scenario)")
        }
    }
}
