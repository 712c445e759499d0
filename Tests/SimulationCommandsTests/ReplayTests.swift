import Foundation
import Model
import PolicyCore
import Testing
import Wire

@Suite("greenroom replay")
struct ReplayCommandTests {
    private let simulator: Simulator
    private let recording: WrittenRecording

    init() throws {
        simulator = try Simulator()
        recording = try WrittenRecording(simulator.folder + "/recording/journal")
    }

    private func json(_ outcome: Simulator.Outcome) throws -> JSONValue { try JSONValue(parsing: outcome.output) }

    @Test("Says that everything is equal, how much that was, and what happened on the way")
    func equal() throws {
        recording.playMorning()
        try recording.begin(.continued)
        recording.perform(.lock(wait: true))
        try recording.begin(.restarted)
        recording.post(.adopted([]))
        try recording.save()
        let outcome = simulator.run("replay", "recording")
        #expect(
            outcome.output == """
                every effect is equal: 32 effects of 23 events
                2 checkpoints on the way, all equal
                from 2026-11-21 11:00:00.000 to 2026-11-21 11:00:01.016, 1 s
                entries 1 to 18 of the log
                after event 22 a daemon took over from one that died

                """)
        #expect(outcome.code == 0 && outcome.errors.isEmpty)
        let json = try json(simulator.run("replay", "recording", "--json"))
        #expect(json["equal"] == true && json["events"] == 23 && json["restarts"] == 1 && json["systems"] == 1)
        #expect(json["from"] == "2026-11-21T09:00:00.000000Z" && json["divergence"] == nil)
    }

    @Test("Says where a recording was cut")
    func cut() throws {
        recording.playMorning()
        try recording.save(cutting: 1)
        let outcome = simulator.run("replay", "recording/journal/1.events")
        #expect(outcome.code == 0)
        let file = "\(simulator.folder)/recording/journal/1.events"
        #expect(outcome.output.contains("\ncut after event 21: \(file) ends within a record\n"))
        #expect(outcome.output.contains("\nthe effects of 1 event were not recorded"))
    }

    @Test("Shows what every app did when an entry of the log was written, and what led there")
    func until() throws {
        recording.playMorning()
        recording.perform(.lock(wait: true))
        try recording.save()
        let outcome = simulator.run("replay", "recording", "--until", "9")
        #expect(
            outcome.output == """
                2026-11-21 11:00:01.008, after event 14 and entry 9 of the log

                   NAME   STATE     SINCE     PID  MEMORY  IDENTIFIER         WHY IT MAY RUN
                ◐  Radio  inactive  now      4700          org.example.radio  on screen
                ●  Notes  active    1 s ago  4701          org.example.notes

                     1  11:00:00.000  device                        booted                the device booted
                     2  11:00:00.000  device                        openRequested         the user opened Notes
                     3  11:00:00.000  org.example.notes             launched              the user opened Notes
                     4  11:00:00.002  org.example.notes             willFinishLaunching   it launched to be shown on screen  2.0 ms
                     5  11:00:00.004  org.example.notes             didFinishLaunching    it launched to be shown on screen  2.0 ms
                     6  11:00:00.006  org.example.notes             didBecomeActive       it is on screen and nothing lies over it  2.0 ms
                     7  11:00:01.006  device                        openRequested         the user opened Radio
                     8  11:00:01.006  org.example.radio             launched              the user opened Radio
                     9  11:00:01.008  org.example.radio             willFinishLaunching   it launched to be shown on screen  2.0 ms

                """)
        #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }

    @Test("Says what lay over the apps")
    func surface() throws {
        recording.playMorning()
        recording.perform(.interrupt(.call, wait: true))
        recording.perform(.sleep(wait: true))
        try recording.save()
        let outcome = simulator.run("replay", "recording", "--until", "16")
        #expect(
            outcome.output.contains("\nthe device was asleep, the device was locked, an incoming call lay over the"))
        let json = try json(simulator.run("replay", "recording", "--until", "16", "--json"))
        #expect(json["asleep"] == true && json["interruptions"] == ["call"] && json["front"] == "org.example.radio")
    }

    @Test("Explains an app at any moment as why would have done then")
    func why() throws {
        recording.playMorning()
        recording.pass(.seconds(60))
        recording.perform(.lock(wait: true))
        try recording.save()
        let then = simulator.run("replay", "recording", "--until", "7", "--why", "notes")
        #expect(
            then.output == """
                2026-11-21 11:00:01.006, after event 11 and entry 7 of the log
                Notes is active on the screen because it is on screen and nothing lies over it, since 11:00:00 (1 s ago).
                That came from: its didFinishLaunching was called, because it launched to be shown on screen, at 11:00:00 (1 s ago).
                  which came from: its willFinishLaunching was called, because it launched to be shown on screen, at 11:00:00 (1 s ago).
                    which came from: it was launched, because the user opened Notes, at 11:00:00 (1 s ago).
                      which came from: the user opened Notes, at 11:00:00 (1 s ago).

                """)
        let atTheEnd = simulator.run("replay", "recording", "--why", "Notes")
        #expect(
            atTheEnd.output == """
                2026-11-21 11:01:01.016, after event 22 and entry 15 of the log
                Notes is suspended because it is not on screen, and no assertion entitles it to run in the background, since 11:00:01 (1 min ago).
                That came from: its didEnterBackground was called, because it is no longer on screen, at 11:00:01 (1 min ago).
                  which came from: its willResignActive was called, because it is no longer what the user acts on, at 11:00:01 (1 min ago).
                    which came from: the user opened Radio, at 11:00:01 (1 min ago).

                """)
        let json = try json(simulator.run("replay", "recording", "--why", "org.example.notes", "--json"))
        #expect(json["state"] == "suspended" && json["older"] == nil)
        #expect(json["because"]?.array?.count == 4)
    }

    @Test("A chain of causes that is older than the recording says so")
    func older() throws {
        recording.playMorning()
        try recording.begin(.continued)
        recording.perform(.lock(wait: true))
        try recording.save()
        let outcome = simulator.run("replay", "recording/journal/2.events", "--why", "notes")
        #expect(
            outcome.output == """
                2026-11-21 11:00:01.016, after event 1 and entry 15 of the log
                Notes is suspended. The log tells no more about it.
                What led there, entry 14, is older than the recording, which begins with 15.

                """)
        #expect(
            try json(simulator.run("replay", "recording/journal/2.events", "--why", "notes", "--json"))["older"] == 14)
    }

    @Test("An entry that the recording does not have, and an app that there was not, are named")
    func unknown() throws {
        recording.playMorning()
        try recording.begin(.continued)
        recording.perform(.lock(wait: true))
        try recording.save()
        func error(_ arguments: String...) -> String {
            let outcome = simulator.run("replay", "recording/journal/2.events", arguments[0], arguments[1])
            #expect(outcome.code == 1 && outcome.output.isEmpty)
            return outcome.errors
        }
        #expect(
            error("--until", "3") == "greenroom: the recording begins with entry 15 of the log: entry 3 is older\n")
        #expect(
            error("--until", "300")
                == "greenroom: the recording ends with entry 15 of the log: there is no entry 300\n")
        #expect(
            error("--why", "nobody")
                == "greenroom: there is no app nobody; greenroom replay PATH --until SEQ lists those that there were\n")
        #expect(
            error("--why", "note") == "greenroom: there is no app note; did you mean Notes (org.example.notes)?\n")
    }

    @Test("Fails where an effect came out differently, and tells which")
    func diverges() throws {
        recording.playMorning()
        recording.post(.command(CommandID(99), .lock(wait: true))) { Array($0.dropLast()) }
        try recording.save()
        let outcome = simulator.run("replay", "recording")
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                greenroom: event 22 at 2026-11-21T09:00:01.016000Z diverges (command 99: lock): effect 3 was not there, and is now deliver to org.example.radio: 4 willResignActive, 5 didEnterBackground (from entry 15). Before it: entry 14: org.example.notes suspended, because it is not on screen, and no assertion entitles it to run in the background
                If the version of Greenroom that recorded this is the one that replays it, that is a fault in Greenroom: please report it with the recording.

                """)
        let again = simulator.run("replay", "recording", "--json")
        #expect(again.code == 1)
        let divergence = try #require(json(again)["divergence"])
        #expect(divergence["event"] == 22 && divergence["what"] == "command 99: lock")
    }

    @Test("Is a verb of the tool, which hands it on to a program of its own")
    func tool() throws {
        recording.playMorning()
        try recording.save()
        let own = simulator.run("replay", "recording")
        let products = CommandLine.arguments[0].split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: products + "/greenroom")
        process.arguments = ["replay", "recording"]
        process.currentDirectoryURL = URL(fileURLWithPath: simulator.folder)
        process.environment = ["TZ": "Etc/GMT-2"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(printed == own.output && complaint.isEmpty)
        #expect(process.terminationStatus == 0)
    }

    @Test("Fails with a sentence where there is no recording, and with the usage where the command line is wrong")
    func misuse() {
        let nothing = simulator.run("replay", "nothing")
        #expect(nothing.code == 1 && nothing.errors == "greenroom: there is no \(simulator.folder)/nothing\n")
        #expect(simulator.run("replay").code == 2)
        #expect(simulator.run("replay", "recording", "--until", "soon").code == 2)
    }
}
