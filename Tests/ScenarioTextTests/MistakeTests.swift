import Model
import ScenarioText
import Simulation
import Testing

/// What a user is told of a mistake: file, line, column, what is wrong, and what was expected.
@Suite("Mistakes in a scenario")
struct MistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        var text: String
        var says: [String]

        init(_ text: String, _ says: String...) {
            self.text = text
            self.says = says
        }

        var testDescription: String { says.first ?? "" }
    }

    private static func scenario(_ lines: String...) -> String {
        (["name: x", "device: ios-7", "apps: {journal: {}, radio: {}}"] + lines).joined(separator: "\n")
    }

    private static func step(_ step: String) -> String { scenario("timeline:", "  - {at: 0s, \(step)}") }

    static let files: [Mistake] = [
        Mistake("", "x.yaml:1:1: the file is empty; expected a scenario"),
        Mistake("\n  \n", "x.yaml:1:1: the file is empty"),
        Mistake("# only a comment\n", "x.yaml:1:1: the file is empty"),
        Mistake(
            "just text", "x.yaml:1:1: the text `just text` is no mapping; expected scenario: a mapping with the keys"),
        Mistake("- a\n- b", "x.yaml:1:1: a list is no mapping"),
        Mistake("name: [a", "x.yaml:", "this cannot be read: did not find expected ',' or ']'"),
        Mistake("name: x\n\tdevice: ios-7", "x.yaml:2:1: a tab in the indentation; expected spaces"),
        Mistake("name: \u{1}", "x.yaml:1:7: a control character (byte 1); expected text"),
        Mistake(
            "a: &b c\nd: *b", "x.yaml:2:4: anchors (&name) and aliases (*name) are not read; expected the value itself"),
        Mistake("# &c\n&a [b]: *a", "x.yaml:2:9: anchors (&name) and aliases (*name) are not read"),
        Mistake("# *c\n? &a b\n: \"# \", *a", "x.yaml:3:9: anchors (&name) and aliases (*name) are not read"),
        Mistake("name: !int 3\ndevice: ios-7", "x.yaml:1:7: a tag (`!int`); expected the value alone"),
        Mistake("name: x\n---\nname: y", "x.yaml:", "but found another document"),
        Mistake("name: x\nname: y", "x.yaml:", "`name` is there twice in one mapping; expected each key once"),
        Mistake(
            "nam: x\ndevice: ios-7",
            "x.yaml:1:1: there is no key `nam` (did you mean name?) in a scenario; expected one of "
                + "name, rows, device", "x.yaml:1:1: the scenario has no `name`; expected `name`: text"),
        Mistake("name: x", "the scenario has no `device`; expected `device`: a profile's name, or a mapping"),
        Mistake(
            "name: x\ndevice: ios7",
            "x.yaml:2:9: there is no profile `ios7` (did you mean ios-7?); expected one of linux,"),
        Mistake("name: ' '\ndevice: ios-7", "x.yaml:1:7: the name is empty; expected what the scenario shows"),
        Mistake("? [a]\n: b", "x.yaml:1:3: a list is no key; expected a word"),
    ]

    static let devicesAndApps: [Mistake] = [
        Mistake(
            "name: x\ndevice: {profile: ios-7, freezeLimit: fast}",
            "x.yaml:2:39: `fast` is not a time; expected a time such as 0s"),
        Mistake(
            "name: x\ndevice: {freezeLimit: 1s}",
            "x.yaml:2:9: the device has no `profile`; expected `profile`: a profile's name"),
        Mistake(
            "name: x\ndevice: {profile: ios-7, locking: never}",
            "there is no choice `never`; expected one of leavesInactive, sendsToBackground"),
        Mistake(
            "name: x\ndevice: {profile: ios-7, callbackLimits: {didEnterBackgrond: 1s}}",
            "there is no delegate method `didEnterBackgrond` (did you mean didEnterBackground?); expected one of willFinish"
        ),
        Mistake(
            "name: x\ndevice: {profile: ios-7, freezeAttempts: 0}",
            "`0` is not a count; expected a whole number from 1 to 254"),
        Mistake(
            scenario("seed: -1"),
            "x.yaml:4:7: `-1` is not a seed; expected a whole number from 0 to 18446744073709551615"),
        Mistake(scenario("rows: [L4, lifecycle]"), "x.yaml:4:12: `lifecycle` is not a row; expected a row such as L4"),
        Mistake(
            scenario("rates: {crash: 1001}"),
            "`1001` is not a rate in a thousand; expected a whole number from 0 to 1000"),
        Mistake(scenario("duration: 5"), "x.yaml:4:11: `5` is not a time; expected a time such as"),
        Mistake(scenario("duration: 4000d"), "`4000d` is too long; expected a time of up to 3650d"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a b: {}}",
            "x.yaml:3:8: `a b` cannot be an app's name; expected letters, digits"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {identifier: i}, b: {identifier: i}}",
            "x.yaml:3:28: another app has the identifier i too; expected an identifier for each app"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {modes: [audio, vioce]}}",
            "there is no background mode `vioce`; expected one of audio"),
        Mistake(
            "name: x\ndevice: ios-7\nservices: {s: {mode: beat}}\napps: {a: {modes: [beat, beet]}}",
            "x.yaml:4:26: there is no background mode `beet` (did you mean beat?); expected one of audio"),
        Mistake(
            "name: x\ndevice: ios-7\nservices: {s: {mode: two words}}",
            "x.yaml:3:22: `two words` cannot be a background mode; expected a word"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {modes: audio}}",
            "x.yaml:3:19: the text `audio` is no list; expected a list of background modes"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {plain: yes}}", "x.yaml:3:19: `yes` is neither; expected true or false"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {schemes: [1x]}}", "`1x` is not a URL scheme; expected a letter, then"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {plain: true, on: {didBecomeActive: [exit 0]}}}",
            "a plain program has no delegate methods; expected no `on`"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {memory: {dirty: 20 MB}}}",
            "`20 MB` is not a size; expected a size such as 20MB"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {memory: {dirty: 9999999GB}}}", "is too much; expected a size of up to"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {manners: {polite: true}}}",
            "there is no key `polite` in a manners; expected one of connects"),
        Mistake(
            "name: x\ndevice: ios-7\napps: {a: {manners: {launchFailure: {stage: execve}}}}",
            "the launch failure has no `errorNumber`; expected `errorNumber`: number",
            "the launch failure has no `message`; expected `message`: text"),
    ]

    static let phrases: [Mistake] = [
        Mistake(
            step("do: open jurnal"),
            "x.yaml:5:18: there is no app `jurnal` (did you mean journal?); expected one of journal, radio in `open APP [as ROLE]`"
        ),
        Mistake(
            step("do: opne journal"),
            "`opne` begins no input (did you mean open?); expected one of `open APP [as ROLE]`, `open URL`, `home`"),
        Mistake(step("do: open"), "the phrase ends too early; expected APP in `open APP [as ROLE]` or `open URL`"),
        Mistake(step("do: open journal as third"), "there is no place on the screen `third`; expected one of primary"),
        Mistake(step("do: open journal now"), "`now` is wrong here; expected `as` in `open APP [as ROLE]`"),
        Mistake(step("do: home now"), "`now` is too much; expected nothing more in `home`"),
        Mistake(step("do: ''"), "input is missing; expected one of `open APP"),
        Mistake(step("do: let radio dance"), "`dance` begins no action; expected one of `begin task TEXT`"),
        Mistake(step("do: let radio begin vido"), "`vido` is wrong here; expected `task` in `begin task TEXT`"),
        Mistake(step("do: clock forward soon"), "`soon` is not a time; expected a time such as"),
        Mistake(step("do: let radio exit 256"), "`256` is not an exit status; expected a whole number from 0 to 255"),
        Mistake(
            step("do: let radio after 1s " + String(repeating: "after 1s ", count: 40) + "exit 0"),
            "too many actions within each other; expected at most 16"),
        Mistake(
            step("fault: crash radio SIGFOO"),
            "there is no signal `SIGFOO` (did you mean SIGFPE?); expected one of SIGHUP"),
        Mistake(step("fault: crash radio 65"), "`65` is not a signal; expected a whole number from 1 to 64"),
        Mistake(step("fault: hang radio in didEnterForeground"), "there is no delegate method `didEnterForeground`"),
        Mistake(step("fault: unfreezable radio on"), "`on` is wrong here; expected `off` in `unfreezable APP [off]`"),
        Mistake(step("do: open \"radio"), "`\"radio` is not a text in double quotes; expected"),
    ]

    static let timelines: [Mistake] = [
        Mistake(
            scenario("timeline:", "  - {at: 5s, do: home}", "  - {at: 3s, do: lock}"),
            "x.yaml:6:10: 3s comes before 5s of line 5; expected steps in the order of their moments"),
        Mistake(
            step("do: home, fault: crash radio"),
            "x.yaml:5:5: the step has do and fault; expected one of do, fault and expect in each step"),
        Mistake(
            scenario("timeline:", "  - {at: 0s}"),
            "x.yaml:5:5: the step does nothing; expected one of do, fault and expect"),
        Mistake(scenario("timeline:", "  - {do: home}"), "x.yaml:5:5: the step has no `at`; expected `at`: TIME"),
        Mistake(step("do: []"), "the list is empty; expected an input, or several"),
        Mistake(step("do: {open: radio}"), "a mapping is no text; expected input"),
        Mistake(scenario("timeline: {at: 0s}"), "x.yaml:4:11: a mapping is no list; expected a list of steps"),
        Mistake(
            step("expect: radio susp"),
            "there is no state `susp`; expected one of not-running, inactive, active, background, suspended"),
        Mistake(
            step("expect: rdio suspended"), "`rdio` is no app and begins no expectation (did you mean radio?); expected"
        ),
        Mistake(
            step("expect: {calbacks: radio}"),
            "there is no expectation `calbacks` (did you mean callbacks?); expected a phrase such as"),
        Mistake(step("expect: {callbacks: radio}"), "the callbacks has no `are`; expected `are`: list of CALLBACK"),
        Mistake(
            step("expect: {callbacks: radio, are: didBecomeActive}"),
            "the text `didBecomeActive` is no list; expected a list of delegate methods"),
        Mistake(step("expect: {callbacks: radio, are: }"), "there is no list; expected a list of delegate methods"),
        Mistake(step("expect: {never: suspended}"), "suspended is told of an app; expected `APP suspended`"),
        Mistake(
            step("expect: {never: radio locked}"),
            "locked is told of the device, not of an app; expected `locked` alone"),
        Mistake(
            step("expect: {never: radio suspendet}"),
            "there is no event of the log `suspendet` (did you mean suspended?)"),
        Mistake(
            step("expect: {never: radio suspended because crash}"),
            "`crash` is not in double quotes; expected a text: \"…\""),
        Mistake(
            step("expect: {from: locked, to: unlocked, atLeast: 2s, atMost: 1s}"),
            "atLeast is more than atMost; expected a time that is possible"),
        Mistake(
            step("expect: {energy: radio, atLeast: 2J, atMost: 1.9J}"),
            "atLeast is more than atMost; expected an energy that is possible"),
        Mistake(step("expect: {energy: radio}"), "no energy is named; expected `atLeast`, `atMost` or both"),
        Mistake(
            step("expect: {energy: radio, atMost: 12 J}"),
            "`12 J` is not an amount of energy; expected joules such as 12J"),
        Mistake(step("expect: {energy: radio, atMost: 2000kJ}"), "`2000kJ` is too much; expected joules up to 1000kJ"),
        Mistake(
            step("expect: {energy: the systm, atMost: 1J}"), "there is no app `the systm`; expected one of journal"),
        Mistake(
            step("expect: {energy: the device, for: fetching, atMost: 1J}"),
            "there is no activity `fetching`; expected one of use, transfer"),
        Mistake(
            step("expect: {energy: the system, by: screen, atMost: 1J}"),
            "there is no part of the device `screen`; expected one of cellular, wifi, gps, processor"),
        Mistake(
            step("expect: {reports: radio, are: [watchdog]}"),
            "`watchdog` is not a report's code; expected a whole number from 0 to 18446744073709551615"),
        Mistake(
            step("expect: {order: [locked, telly suspended]}"),
            "x.yaml:5:39: `telly` is no app and begins no log entry; expected one of `EVENT [because TEXT]`, `APP EVENT "
                + "[because TEXT]` with one of journal, radio"),
    ]

    private static func read(_ text: String) -> String {
        do {
            _ = try ScenarioReader.read(Array(text.utf8), file: "x.yaml")
            return "it was read"
        } catch {
            return error.description
        }
    }

    @Test("Each is told with its place and what was expected", arguments: files + devicesAndApps + phrases + timelines)
    func mistake(_ mistake: Mistake) {
        let found = Self.read(mistake.text)
        for text in mistake.says { #expect(found.contains(text), "\(text)\n\(found)") }
        for line in found.split(separator: "\n") {
            #expect(line.hasPrefix("x.yaml:") && line.contains("; expected "), "\(line)")
        }
    }

    @Test("One look finds several, in the order of their places")
    func several() {
        let text = """
            name: x
            device: ios-8
            sed: 3
            apps:
              radio: {startup: fast}
            timeline:
              - {at: 2s, do: open telly}
              - {at: 1s, expect: radio dead}
            """
        let lines = Self.read(text).split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.prefix { $0 != ";" } } == [
                "x.yaml:2:9: there is no profile `ios-8` (did you mean ios-7?)",
                "x.yaml:3:1: there is no key `sed` (did you mean seed?) in a scenario",
                "x.yaml:5:20: `fast` is not a time",
                "x.yaml:7:18: there is no app `telly`",
                "x.yaml:8:10: 1s comes before 2s of line 7",
                "x.yaml:8:22: there is no state `dead`",
            ])
    }

    @Test("A file that cannot be read says why")
    func unreadable() {
        let error = #expect(throws: ScenarioErrors.self) { try ScenarioReader.read(path: "/nowhere/x.yaml") }
        #expect(
            error?.description == "/nowhere/x.yaml:1:1: the file cannot be read: No such file or directory; "
                + "expected a file with a scenario")
        #expect(throws: ScenarioErrors.self) { try ScenarioReader.read(path: "/tmp") }
        #expect(throws: ScenarioErrors.self) { try ScenarioReader.read(path: "/dev/zero") }
    }

    @Test("Bytes that are not UTF-8 are found where they are")
    func encoding() {
        let error = #expect(throws: ScenarioErrors.self) {
            try ScenarioReader.read(Array("name: x\ndevice: ü".utf8) + [0xFF] + Array("\n".utf8), file: "x.yaml")
        }
        #expect(error?.description == "x.yaml:2:10: this is not UTF-8; expected text in UTF-8")
    }
}
