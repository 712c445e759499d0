import Commands
import Foundation
import Testing
import Wire

@Suite("What a tool lets happen to the device")
struct SimulateTests {
    @Test(
        "The clock and shared stores are asked for as the protocol has it",
        arguments: [
            (["clock", "forward", "1h"], ["event": "clock", "by": 3600]),
            (["clock", "forward", "1h30m"], ["event": "clock", "by": 5400]),
            (["clock", "back", "90s"], ["event": "clock", "by": -90]),
            (["clock", "back", "2d"], ["event": "clock", "by": -172_800]),
            (["clock", "midnight"], ["event": "clock", "midnight": true]),
            (["clock", "real"], ["event": "clock", "real": true]),
            (["store", "contacts"], ["event": "store", "value": "contacts"]),
            (["store", "key value"], ["event": "store", "value": "key value"]),
        ] as [([String], JSONValue)])
    func requests(arguments: [String], params: JSONValue) throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([:]) }
        let context = tool.context(output: Page(), errors: Page())
        #expect(GreenroomCommand.main(arguments: ["simulate"] + arguments, in: context) == 0)
        #expect(daemon.requests.map(\.method) == ["simulate"])
        #expect(daemon.requests.first?.params == params)
    }

    @Test(
        "A time that is none, is missing or makes no sense is refused before the daemon is asked",
        arguments: [
            ["forward"], ["back"], ["forward", "an hour"], ["forward", "1h1h"], ["forward", "1m1h"],
            ["forward", "1.5h"], ["forward", "5"], ["forward", "99999999999999999999s"], ["forward", "40000d"],
            ["midnight", "1h"], ["real", "1h"], ["sideways", "1h"], [],
        ])
    func misuse(arguments: [String]) throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([:]) }
        let errors = Page()
        let context = tool.context(output: Page(), errors: errors)
        #expect(GreenroomCommand.main(arguments: ["simulate", "clock"] + arguments, in: context) != 0)
        #expect(daemon.requests.isEmpty && errors.text.contains("sage: greenroom"))
    }

    @Test(
        "Each button of the controls is pressed once, as the audio service's protocol has it",
        arguments: [
            (["next"], ["command": "next"]), (["previous"], ["command": "previous"]),
            (["begin-seeking-forward"], ["command": "beginSeekingForward"]),
            (["end-seeking-forward"], ["command": "endSeekingForward"]),
            (["begin-seeking-backward"], ["command": "beginSeekingBackward"]),
            (["end-seeking-backward"], ["command": "endSeekingBackward"]),
            (["beginSeekingForward"], ["command": "beginSeekingForward"]),
            (["skip-forward"], ["command": "skipForward", "value": 15.0]),
            (["skip-forward", "30"], ["command": "skipForward", "value": 30.0]),
            (["skip-backward", "2.5"], ["command": "skipBackward", "value": 2.5]),
            (["seek", "61.5"], ["command": "seek", "value": 61.5]),
        ] as [([String], JSONValue)])
    func buttons(arguments: [String], command: JSONValue) throws {
        let tool = try Tool()
        let path = tool.home + "/audio"
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(["path": .string(path)]) }
        let service = try FakeDaemon(in: tool.home, sockets: ["audio"]) { request in
            .result(request.method == "hello" ? ["protocol": 1] : ["status": "success"])
        }
        let outcome = tool.run(["audio"] + arguments)
        #expect(outcome == Tool.Outcome(code: 0, output: "", errors: ""))
        let asked = service.requests.filter { $0.method != "hello" }
        #expect(asked.map(\.method) == ["command"])
        let params = asked.first?.params
        #expect(params?["command"] == command["command"] && params?["value"]?.number == command["value"]?.number)
        withExtendedLifetime(daemon) {}
    }

    @Test(
        "Seconds are a number from 0 on",
        arguments: [["seek"], ["seek", "far"], ["skip-forward", "nan"], ["seek", "inf"]])
    func seconds(arguments: [String]) throws {
        let tool = try Tool()
        #expect(tool.run(["audio"] + arguments).errors.contains("sage: greenroom"))
    }
}
