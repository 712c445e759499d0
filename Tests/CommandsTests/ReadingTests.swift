import Commands
import Foundation
import Testing
import Wire

@Suite("What the reading commands print")
struct ReadingTests {
    @Test("apps is a table for people")
    func apps() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(Sample.apps) }
        #expect(
            tool.run("apps").output == """
                   NAME         STATE        SINCE     PID  MEMORY  IDENTIFIER                      WHY IT MAY RUN
                ❄  Journal      suspended    5 s ago  4711   10 MB  org.greenroom.examples.journal
                ●  Vi IMproved  active       1 h ago  4800          vim                             on screen
                ▶  Radio        background   2 d ago  5000          org.example.radio               audio “Evening show”
                ○  Gone         not-running                         org.example.gone

                """)
        withExtendedLifetime(daemon) {}
    }

    @Test("memory warns of many small mappings, in a sentence that says what to do")
    func memory() throws {
        let tool = try Tool()
        let apps = [("splinter", 1432), ("whole", 1000)].map { name, tiny in
            MemoryInfo.App(
                app: name, state: "suspended", dirty: 10 << 20, purgeable: 0, clean: 1 << 20, limit: nil, next: 1,
                tinyMappings: tiny)
        }
        let info = MemoryInfo(
            budget: 1 << 30, available: 1 << 29, level: "normal", simulated: nil, apps: apps, killPath: nil)
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(info.json) }
        #expect(
            tool.run("memory").output == """
                512 MB of 1024 MB available, pressure normal
                APP       STATE      DIRTY  PURGEABLE  CLEAN  LIMIT  NEXT
                splinter  suspended  10 MB       0 MB   1 MB            1
                whole     suspended  10 MB       0 MB   1 MB            1

                splinter maps 1432 pieces of files below 16 KB: each costs a mapping, and too many of them end an app. \
                Keep what is small in one file, and map that.

                """)
        #expect(try MemoryInfo(json: info.json) == info)
        withExtendedLifetime(daemon) {}
    }

    @Test("A name full of control characters stays in its cell")
    func hostileName() throws {
        let tool = try Tool()
        tool.isTerminal = true
        tool.environment = ["NO_COLOR": "1"]
        let app = AppInfo(app: "evil", name: "\u{1B}]0;owned\u{7}\nfake", state: "active", kind: "plain")
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(AppInfo.json(of: [app])) }
        let output = tool.run("apps").output
        #expect(output.contains("^[]0;owned^G^Jfake"))
        #expect(!output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        withExtendedLifetime(daemon) {}
    }

    @Test("Colours are for terminals, and NO_COLOR is heeded")
    func colours() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(Sample.apps) }
        #expect(!tool.run("apps").output.contains("\u{1B}"))
        tool.isTerminal = true
        #expect(tool.run("apps").output.contains("\u{1B}[34m❄\u{1B}[0m"))
        tool.environment = ["NO_COLOR": "1"]
        #expect(!tool.run("apps").output.contains("\u{1B}"))
        withExtendedLifetime(daemon) {}
    }

    @Test(
        "--json is the daemon's answer with all its keys, those that the tool does not know included",
        arguments: [
            ["apps"], ["status"], ["why", "vim"], ["reports"], ["reports", "list"], ["reports", "show", "7"],
            ["output", "vim"],
        ])
    func json(arguments: [String]) throws {
        let tool = try Tool()
        let answer: JSONValue = [["app": "vim", "pid": nil, "later": [1.5, "\u{9B}"]], ["x": true]]
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(answer) }
        let page = Page()
        let context = tool.context(output: page, errors: Page())
        #expect(GreenroomCommand.main(arguments: arguments + ["--json"], in: context) == 0)
        #expect(page.text.hasSuffix("\n"))
        #expect(page.text.dropLast().contains("\n") == false)
        #expect(try JSONValue(parsing: page.text) == answer)
        withExtendedLifetime(daemon) {}
    }

    @Test("An answer of another shape is an error that says so")
    func otherVersion() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([["app": 1]]) }
        let outcome = tool.run("apps")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("Is it of another version?"))
        withExtendedLifetime(daemon) {}
    }

    @Test("status says what is on the screen")
    func status() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(Sample.status.json) }
        #expect(
            tool.run("status").output == """
                Greenroom 0.1.0 in \(tool.home)
                  daemon         pid 77, protocol 1
                  device         linux
                  screen         vim in front, call over it, locked

                """)
        withExtendedLifetime(daemon) {}
    }

    @Test("why speaks in sentences, from the state back to the first cause")
    func why() throws {
        let tool = try Tool()
        let answer = WhyAnswer(
            app: "org.greenroom.examples.journal", name: "Journal", state: "suspended",
            because: [
                WhyAnswer.Step(
                    seq: 9, at: "2026-11-21T10:03:04.500000Z", event: "suspended",
                    reason: "it is not on screen, and no assertion entitles it to run in the background"),
                WhyAnswer.Step(
                    seq: 8, at: "2026-11-21T10:03:04.400000Z", event: "didEnterBackground",
                    reason: "it is no longer on screen"),
                WhyAnswer.Step(
                    seq: 7, at: "2026-11-21T10:03:03.000000Z", event: "homePressed", reason: "the user pressed Home"),
            ])
        let daemon = try FakeDaemon(in: tool.home) { request in
            .result(request.method == "apps" ? Sample.apps : answer.json)
        }
        #expect(
            tool.run("why", "org.greenroom.examples.journal").output == """
                Journal is suspended because it is not on screen, and no assertion entitles it to run in the background, \
                since 12:03:04 (5 s ago).
                That came from: its didEnterBackground was called, because it is no longer on screen, \
                at 12:03:04 (5 s ago).
                  which came from: the user pressed Home, at 12:03:03 (6 s ago).

                """)
        withExtendedLifetime(daemon) {}
    }

    @Test("why names the condition that is missing for a fetch, and when it is looked at next")
    func whyNotFetched() throws {
        let tool = try Tool()
        let answer = WhyAnswer(
            app: "org.greenroom.examples.journal", state: "suspended", because: [],
            waits: [
                WhyAnswer.Wish(
                    what: "a background fetch", missing: "there is no network", next: nil,
                    changesWith: "when there is a network"),
                WhyAnswer.Wish(
                    what: "the refresh task “sync”", missing: "it asked to begin not before then",
                    next: "2026-11-21T11:03:04.500000Z", changesWith: nil),
            ])
        let daemon = try FakeDaemon(in: tool.home) { request in
            .result(request.method == "apps" ? Sample.apps : answer.json)
        }
        let output = tool.run("why", "org.greenroom.examples.journal").output
        #expect(
            output.contains(
                "It waits for a background fetch: there is no network; looked at when there is a network.\n"))
        #expect(output.contains("the refresh task “sync”: it asked to begin not before then; looked at next 13:03:04"))
        withExtendedLifetime(daemon) {}
    }

    @Test("fetch says what an app asked for, what it waits for, and what its fetches were good for")
    func fetch() throws {
        let tool = try Tool()
        var info = FetchInfo(app: "org.example.news", name: "News", interval: 3600, isAllowed: true)
        info.missing = "there is no network"
        info.changesWith = "when there is a network"
        info.reason = "the chance is small"
        info.expected = [
            FetchInfo.Opening(from: "2026-11-21T11:00:00.000000Z", to: "2026-11-21T12:00:00.000000Z", chance: 0.75)
        ]
        info.decisions = [
            FetchInfo.Decision(
                began: "2026-11-21T10:00:00.000000Z", ended: nil, result: "newData", expected: 0.5, verdict: "hit",
                openedAfter: 600, joules: 9.5)
        ]
        let answer = FetchInfo.json(of: [info])
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(answer) }
        let output = tool.run("fetch").output
        for part in [
            "News (org.example.news): every 3600 s at most",
            "waits: there is no network; looked at when there is a network",
            "plan: the chance is small", "75 %", "newData, opened 600 s later (0.5 openings expected, 9.5 J)",
        ] { #expect(output.contains(part), "\(output)") }
        #expect(try JSONValue(parsing: tool.run("fetch", "--json").output) == answer)
        withExtendedLifetime(daemon) {}
    }

    @Test("An app of which the log knows nothing any more is still said to be what it is")
    func whyUnknown() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            .result(
                request.method == "apps"
                    ? Sample.apps
                    : WhyAnswer(app: "org.example.gone", name: "Gone", state: "not-running", because: []).json)
        }
        #expect(
            tool.run("why", "gone").output == "Gone is not running. The log tells no more about it.\n")
        withExtendedLifetime(daemon) {}
    }

    @Test("reports lists them with Apple's hexadecimal codes")
    func reports() throws {
        let tool = try Tool()
        let report = ReportSummary(
            id: "41", app: "vim", at: "2026-11-21T10:03:04.500000Z", namespace: "SPRINGBOARD", code: 0x8bad_f00d,
            reason: "exhausted real (wall clock) time allowance of 20.00 seconds\nmore")
        let daemon = try FakeDaemon(in: tool.home) { request in
            switch request.method {
            case "apps": .result(Sample.apps)
            default: .result(ReportSummary.json(of: request.params["app"] == "vim" ? [report] : []))
            }
        }
        #expect(
            tool.run("reports", "--app", "VIM").output == """
                ID  WHEN      APP  NAMESPACE    CODE        REASON
                41  12:03:04  vim  SPRINGBOARD  0x8badf00d  exhausted real (wall clock) time allowance of 20.00 seconds

                """)
        #expect(tool.run("reports").output == "there are no reports\n")
        withExtendedLifetime(daemon) {}
    }

    @Test("Reports on an app that was uninstalled are still found")
    func goneReports() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { .result($0.method == "apps" ? Sample.apps : []) }
        #expect(tool.run("reports", "--app", "org.example.uninstalled").code == 0)
        #expect(daemon.requests.last?.params == ["app": "org.example.uninstalled"])
    }

    @Test("reports show prints an .ips file: the header on the first line, then the report")
    func ips() throws {
        let tool = try Tool()
        let answer: JSONValue = [
            "header": ["name": "Journal", "bug_type": "309"], "report": ["termination": ["code": 2_343_432_205]],
        ]
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(answer) }
        #expect(tool.run("reports", "41").output == tool.run("reports", "show", "41").output)
        #expect(tool.run("reports", "41", "--app", "vim").code == 2)
        #expect(
            tool.run("reports", "show", "41").output == """
                {"name":"Journal","bug_type":"309"}
                {
                  "termination": {
                    "code": 2343432205
                  }
                }

                """)
        #expect(daemon.requests.first?.params == ["id": "41"])
    }
}
