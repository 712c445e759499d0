import Commands
import Testing
import Wire

@Suite("Which app a person means")
struct AppNameTests {
    private static func daemon(_ tool: Tool) throws -> FakeDaemon {
        try FakeDaemon(in: tool.home) { request in
            switch (request.method, request.params["app"]?.string) {
            case ("apps", _): .result(Sample.apps)
            case (_, "org.greenroom.examples.journal"), (_, "vim"):
                .result(["app": .string(request.params["app"]?.string ?? ""), "pid": 7, "state": "active"])
            default: .failure(RPCError(.unknown, "no such app is installed"))
            }
        }
    }

    @Test(
        "The identifier, the name or the last component will do, whatever its case",
        arguments: ["org.greenroom.examples.journal", "Journal", "journal", "ORG.Greenroom.Examples.Journal"])
    func found(text: String) throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        let outcome = tool.run("open", text)
        #expect(outcome.output == "org.greenroom.examples.journal: active, pid 7\n")
        #expect(daemon.requests.last?.params["app"] == "org.greenroom.examples.journal")
    }

    @Test("A whole identifier is not looked up first")
    func direct() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        tool.run("close", "vim")
        #expect(daemon.methods == ["close"])
    }

    @Test("A name with spaces, which is no identifier, is looked up at once")
    func spaces() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        #expect(tool.run("close", "vi improved").code == 0)
        #expect(daemon.methods == ["apps", "close"])
    }

    @Test("Of an unknown app the nearest name is suggested")
    func suggestion() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        #expect(
            tool.run("open", "jornal")
                == Tool.Outcome(
                    code: 1, output: "",
                    errors:
                        "greenroom: there is no app jornal; did you mean Journal (org.greenroom.examples.journal)?\n"))
        #expect(tool.run("why", "xylophone").errors.hasSuffix("greenroom apps lists those that are installed\n"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A name that two apps have is refused with both identifiers")
    func ambiguity() throws {
        let names = AppNames([
            AppInfo(app: "a.mail", name: "Mail", state: "active", kind: "application"),
            AppInfo(app: "b.mail", name: "Post", state: "active", kind: "application"),
        ])
        #expect(throws: CommandFailure.failed("mail could be a.mail or b.mail: give the whole identifier")) {
            try names.identifier(for: "mail")
        }
        #expect(try names.identifier(for: "post") == "b.mail")
    }

    @Test("An identifier wins over another app's name")
    func identifierFirst() throws {
        let names = AppNames([
            AppInfo(app: "org.x.editor", name: "vim", state: "active", kind: "application"),
            AppInfo(app: "vim", name: "Vi", state: "active", kind: "plain"),
        ])
        #expect(try names.identifier(for: "VIM") == "vim")
    }

    @Test("Where nothing is installed, installing is what is suggested")
    func nothing() {
        #expect(throws: CommandFailure.failed("there is no app x; none is installed yet: greenroom install PATH")) {
            try AppNames([]).identifier(for: "x")
        }
    }
}
