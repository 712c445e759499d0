import Commands
import Foundation
import Glibc
import Model
import Testing
import Wire

@Suite("Speaking with the daemon")
struct ControlTests {
    @Test("Without a system there is nothing to wait for: exit code 3 and what to do")
    func noSystem() throws {
        let tool = try Tool()
        tool.patience = .seconds(600)
        let outcome = tool.run("apps")
        #expect(
            outcome
                == Tool.Outcome(
                    code: 3, output: "",
                    errors: "greenroom: no Greenroom is running in \(tool.home): start it with greenroom up\n"))
    }

    @Test("The app of a scheme is shown and chosen, and what is left out of an app is said")
    func defaultApp() throws {
        let tool = try Tool()
        let schemes = [
            SchemesInfo.Scheme(scheme: "https", app: "a", isChosen: true, claimants: ["a", "b"]),
            SchemesInfo.Scheme(scheme: "mailto", app: nil, isChosen: false, claimants: ["a", "b"]),
            SchemesInfo.Scheme(scheme: "notes", app: "b", isChosen: false, claimants: ["a", "b"]),
            SchemesInfo.Scheme(scheme: "x", app: nil, isChosen: false, claimants: []),
        ]
        let daemon = try FakeDaemon(in: tool.home) { request in
            switch request.method {
            case "apps": .result(AppInfo.json(of: [AppInfo(app: "a", name: "A", state: "not-running", kind: "plain")]))
            case "install": .result(["app": "a", "name": "A", "warnings": ["Icon is left out."]])
            default: .result(SchemesInfo(schemes: schemes).json)
            }
        }
        #expect(
            tool.run("default").output == """
                https: a, which you chose; b could
                mailto: no app yet; greenroom default mailto APP chooses a or b
                notes: b, which was installed last; a could
                x: no installed app claims it

                """)
        tool.run("default", "https://", "A")
        #expect(daemon.requests.last?.params["scheme"] == "https" && daemon.requests.last?.params["app"] == "a")
        tool.run("default", "https", "--none")
        #expect(daemon.requests.last?.params["none"] == true && daemon.requests.last?.params["app"] == nil)
        #expect(tool.run("default", "--none").code == 2 && tool.run("default", "https", "a", "--none").code == 2)
        let installed = tool.run("install", "/bin/sh")
        #expect(installed.output == "installed A as a\n" && installed.errors == "greenroom: Icon is left out.\n")
    }

    @Test("More apps than an answer has room for are asked for in pieces")
    func manyApps() throws {
        let tool = try Tool()
        let names = (0..<100).map { "app\($0)" }
        let daemon = try FakeDaemon(in: tool.home) { request in
            let last = request.params["after"]?.string.flatMap { names.firstIndex(of: $0) } ?? -1
            let page = names[(last + 1)...].prefix(40).map {
                AppInfo(app: $0, name: $0, state: "suspended", kind: "plain")
            }
            return .result(AppInfo.json(of: page))
        }
        let listed = try AppInfo.list(json: JSONValue(parsing: tool.run("apps", "--json").output))
        #expect(listed.map(\.app) == names)
        #expect(daemon.requests.map { $0.params["after"]?.string } == [nil, "app39", "app79"])
    }

    @Test("A daemon that knows nothing of pieces is not asked for ever")
    func allAppsAgain() throws {
        let tool = try Tool()
        let page = (0..<50).map { AppInfo(app: "app\($0)", name: "x", state: "suspended", kind: "plain") }
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(AppInfo.json(of: page)) }
        #expect(try AppInfo.list(json: JSONValue(parsing: tool.run("apps", "--json").output)).count == 50)
        #expect(daemon.requests.count == 2)
    }

    @Test("The memory of more apps than an answer has room for is asked for in pieces, and shown as one")
    func memoryOfManyApps() throws {
        let tool = try Tool()
        let apps = (0..<100).map { number in
            MemoryInfo.App(
                app: "app\(number)", state: "suspended", dirty: 1 << 20, purgeable: 0, clean: 0, limit: nil,
                next: number + 1)
        }
        let whole = MemoryInfo(
            budget: 8 << 30, available: 4 << 30, level: "normal", simulated: nil, apps: apps, killPath: nil)
        let daemon = try FakeDaemon(in: tool.home) { request in
            let last = request.params["after"]?.string.flatMap { name in apps.firstIndex { $0.app == name } } ?? -1
            var piece = whole
            piece.apps = Array(apps[(last + 1)...].prefix(40))
            return .result(piece.json)
        }
        #expect(try JSONValue(parsing: tool.run("memory", "--json").output) == whole.json)
        #expect(daemon.requests.map { $0.params["after"]?.string } == [nil, "app39", "app79"])
    }

    @Test("A system whose daemon does not come back in time is exit code 3 as well")
    func daemonStaysAway() throws {
        let tool = try Tool()
        tool.patience = .milliseconds(30)
        try tool.write("4711 99\n", to: "keeper.pid")
        let outcome = tool.run("home")
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("greenroom thaw lets the apps run"))
    }

    @Test("A daemon that restarts is waited for")
    func restart() throws {
        let tool = try Tool()
        tool.patience = .seconds(600)
        // The socket of a daemon that died: nobody listens.
        close(try FakeDaemon.listener(folder: tool.home, name: "control"))
        let running = tool.start("home")
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([:]) }
        #expect(try running.outcome() == Tool.Outcome(code: 0, output: "", errors: ""))
        #expect(daemon.methods == ["home"])
    }

    @Test("When a system is taken down meanwhile, nobody waits for it any longer")
    func takenDown() throws {
        let tool = try Tool()
        tool.patience = .seconds(600)
        try tool.write("4711 99\n", to: "keeper.pid")
        let running = tool.start("home")
        unsafe unlink("\(tool.home)/keeper.pid")
        #expect(try running.outcome().code == 3)
    }

    @Test("A command whose connection broke is repeated, and says so")
    func repetition() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            request.params["retry"]?.bool == true ? .result(["open": true]) : .crash
        }
        #expect(tool.run("switcher").output == "the switcher is open\n")
        #expect(
            daemon.requests.map(\.params) == [
                ["action": "open"], ["action": "open", "retry": true],
            ])
    }

    @Test("A daemon that accepts and does not answer is exit code 3, with its pid and what helps")
    func silence() throws {
        let tool = try Tool()
        tool.silence = .milliseconds(100)
        let process = try Child()
        try tool.write(process.record, to: "daemon.pid")
        let daemon = try FakeDaemon(in: tool.home) { _ in .nothing }
        for words in [["apps"], ["open", "app"], ["why", "app"], ["log", "--follow"]] {
            let outcome = tool.run(words)
            #expect(outcome.code == 3)
            #expect(outcome.errors.contains("takes connections and does not answer"), "\(outcome.errors)")
            #expect(outcome.errors.contains("greenroom down --force"))
        }
        withExtendedLifetime((daemon, process)) {}
    }

    @Test("A listener that nobody serves, and one that is full, are no daemon")
    func nobodyAccepts() throws {
        let tool = try Tool()
        (tool.silence, tool.patience) = (.milliseconds(100), .milliseconds(100))
        try tool.write("4711 99\n", to: "keeper.pid")
        let listener = try FakeDaemon.listener(folder: tool.home, name: "control")
        defer { close(listener) }
        // Every attempt stays in the queue, which ends up full.
        for _ in 0..<20 {
            #expect(tool.run("status").code == 3)
        }
    }

    @Test("A command may take as long as it likes, as long as the daemon answers what it can answer at once")
    func slowCommand() throws {
        let tool = try Tool()
        tool.silence = .milliseconds(100)
        let daemon = try FakeDaemon(in: tool.home) { [asked = Counter()] request in
            guard request.method == "status" else { return .nothing }
            let number = asked.next()
            let answer = RPCMessage.response(id: .int(Int64(number + 1)), result: Sample.status.json).encoded()
            let late = RPCMessage.response(id: .int(1), result: ["open": true]).encoded()
            return .raw(number < 4 ? answer : late)
        }
        #expect(tool.run("switcher") == Tool.Outcome(code: 0, output: "the switcher is open\n", errors: ""))
        #expect(daemon.methods == ["switcher", "status", "status", "status", "status"])
    }

    @Test("The supervisor's word that no daemon runs is exit code 3, also for who was still speaking")
    func supervisorAnswers() throws {
        let tool = try Tool()
        try tool.write("4711 99\n", to: "keeper.pid")
        let listener = try FakeDaemon.listener(folder: tool.home, name: "control")
        defer { close(listener) }
        let running = tool.start("apps")
        let peer = accept(listener, nil, nil)
        let error = RPCError(.noDaemon, "the daemon ended 7 times soon after its start")
        let bytes = RPCMessage.failure(id: nil, error).encoded()
        _ = unsafe bytes.withUnsafeBytes { unsafe write(peer, $0.baseAddress, $0.count) }
        close(peer)
        #expect(
            try running.outcome()
                == Tool.Outcome(
                    code: 3, output: "", errors: "greenroom: the daemon ended 7 times soon after its start\n"))
    }

    @Test("A daemon that dies of every attempt is given up")
    func crashLoop() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .crash }
        let outcome = tool.run("lock")
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("\(tool.home)/daemon.log"))
        #expect(daemon.requests.count == 20)
    }

    @Test("A daemon that talks rubbish is as good as dead")
    func rubbish() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            request.params["retry"] == nil ? .raw(Array("what?\n".utf8)) : .result([:])
        }
        #expect(tool.run("unlock").code == 0)
        #expect(daemon.requests.count == 2)
    }

    @Test("The daemon's no is exit code 1 and its own words, made harmless")
    func refusal() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in
            .failure(RPCError(.refused, "the device is locked\u{1B}[2J: greenroom unlock first"))
        }
        let outcome = tool.run("home")
        #expect(
            outcome
                == Tool.Outcome(
                    code: 1, output: "", errors: "greenroom: the device is locked^[[2J: greenroom unlock first\n"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A home whose path is too long for a socket's address works")
    func longHome() throws {
        let tool = try Tool(home: String(repeating: "long/", count: 60) + "home")
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(Sample.status.json) }
        let outcome = tool.run("status")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(daemon.methods == ["status"])
    }

    @Test("Messages of others do not pass for the answer")
    func strangeMessages() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in
            let stray = RPCMessage.notification(method: "x", params: nil).encoded()
            let other = RPCMessage.response(id: .int(99), result: ["open": false]).encoded()
            return .raw(stray + other + RPCMessage.response(id: .int(1), result: ["open": true]).encoded())
        }
        #expect(tool.run("switcher", "toggle").output == "the switcher is open\n")
        withExtendedLifetime(daemon) {}
    }

    @Test(
        "The home is where the environment says",
        arguments: [
            (["GREENROOM_HOME": "/a/b/../c"], "/a/c"), (["GREENROOM_HOME": "rel/x"], "/work dir/rel/x"),
            (["XDG_STATE_HOME": "/state", "HOME": "/u"], "/state/greenroom"),
            (["XDG_STATE_HOME": "relative", "HOME": "/u"], "/u/.local/state/greenroom"),
            (["GREENROOM_HOME": "", "HOME": "/u"], "/u/.local/state/greenroom"),
        ] as [([String: String], String)])
    func home(environment: [String: String], path: String) throws {
        #expect(try GreenroomHome(environment: environment, workingDirectory: "/work dir").path == path)
    }

    @Test("Without any home folder the user is told what to set")
    func noHome() {
        #expect(throws: CommandFailure.self) { try GreenroomHome(environment: [:], workingDirectory: "/") }
    }
}

@Suite("How a command line is read")
struct UsageTests {
    @Test(
        "Wrong usage is exit code 2, on standard error",
        arguments: [
            ["nonsense"], ["close"], ["open"], ["open", "a", "b"], ["open", "a", "--as", "top"], ["switcher", "up"],
            ["simulate", "call", "--accept", "--end"], ["simulate", "earthquake"], ["log", "--lines", "many"],
            ["log", "--lines=-1"], ["up", "--memory", "lots"], ["apps", "--jsn"], ["reports", "show"],
        ])
    func misuse(arguments: [String]) throws {
        let (output, errors) = (Page(), Page())
        let tool = try Tool()
        let code = GreenroomCommand.main(arguments: arguments, in: tool.context(output: output, errors: errors))
        #expect(code == 2)
        #expect(output.text.isEmpty)
        #expect(errors.text.hasPrefix("greenroom: "))
        #expect(errors.text.contains("sage: greenroom"))
    }

    @Test("Help, version and completion are asked for: exit code 0, on standard output")
    func asked() throws {
        let tool = try Tool()
        for arguments in [["--help"], [], ["help", "open"], ["simulate"]] {
            let output = Page()
            let context = tool.context(output: output, errors: Page())
            #expect(GreenroomCommand.main(arguments: arguments, in: context) == 0)
            #expect(output.text.contains("USAGE: greenroom"))
        }
        #expect(tool.run("--version").output == "greenroom 0.1.0 (protocol 1)\n")
        #expect(tool.run("--generate-completion-script", "bash").output.contains("_greenroom"))
    }

    @Test(
        "Each command asks for what it is called",
        arguments: [
            (["home"], "home", ["wait": true]), (["home", "--no-wait"], "home", ["wait": false]),
            (["lock"], "lock", ["wait": true]), (["unlock"], "unlock", ["wait": true]),
            (["switcher", "close"], "switcher", ["action": "close"]),
            (["close", "vim"], "close", ["wait": true, "app": "vim"]),
            (["restart", "vim", "--no-wait"], "restart", ["wait": false, "app": "vim"]),
            (["exempt", "vim"], "exempt", ["exempt": true, "app": "vim"]),
            (["exempt", "vim", "--off"], "exempt", ["exempt": false, "app": "vim"]),
            (["open", "vim", "--as", "pip"], "open", ["wait": true, "as": "pip", "app": "vim"]),
            (["open", "journal://entry/1"], "open", ["wait": true, "url": "journal://entry/1"]),
            (["open", "mailto:a@b"], "open", ["wait": true, "url": "mailto:a@b"]),
            (["simulate", "call"], "simulate", ["event": "call", "wait": true]),
            (["simulate", "call", "--accept"], "simulate", ["event": "call-accept", "wait": true]),
            (["simulate", "call", "--decline"], "simulate", ["event": "call-decline", "wait": true]),
            (["simulate", "call", "--end"], "simulate", ["event": "call-end", "wait": true]),
            (["simulate", "sms"], "simulate", ["event": "sms", "wait": true]),
            (["simulate", "sms", "--open"], "simulate", ["event": "sms-open", "wait": true]),
            (["simulate", "sms", "--dismiss"], "simulate", ["event": "sms-dismiss", "wait": true]),
            (["simulate", "alert"], "simulate", ["event": "alert", "wait": true]),
            (["simulate", "alert", "--dismiss"], "simulate", ["event": "alert-dismiss", "wait": true]),
            (["simulate", "sleep"], "simulate", ["event": "sleep", "wait": true]),
            (["simulate", "wake"], "simulate", ["event": "wake", "wait": true]),
            (["simulate", "reboot", "--no-wait"], "simulate", ["event": "reboot", "wait": false]),
            (["simulate", "low-power", "on"], "simulate", ["event": "low-power", "value": true]),
            (["simulate", "low-power", "off"], "simulate", ["event": "low-power", "value": false]),
            (["simulate", "low-power", "real"], "simulate", ["event": "low-power", "real": true]),
            (["simulate", "thermal", "serious"], "simulate", ["event": "thermal", "value": "serious"]),
            (["simulate", "thermal", "real"], "simulate", ["event": "thermal", "real": true]),
            (
                ["simulate", "orientation", "landscape-left"], "simulate",
                ["event": "orientation", "value": "landscape-left"]
            ),
            (["simulate", "orientation", "real"], "simulate", ["event": "orientation", "real": true]),
            (["simulate", "screenshot"], "simulate", ["event": "screenshot"]),
        ] as [([String], String, JSONValue)])
    func requests(arguments: [String], method: String, params: JSONValue) throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([:]) }
        let context = tool.context(output: Page(), errors: Page())
        #expect(GreenroomCommand.main(arguments: arguments, in: context) == 0)
        #expect(daemon.requests.count == 1)
        #expect(daemon.requests.first?.method == method)
        #expect(daemon.requests.first?.params == params)
    }

    @Test("What is to be uninstalled is asked for by its identifier, so that a repetition means what the first meant")
    func uninstall() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            if request.method == "apps" { return .result(Sample.apps) }
            return request.params["retry"]?.bool == true ? .result([:]) : .crash
        }
        #expect(tool.run("uninstall", "Radio", "--keep-data") == Tool.Outcome(code: 0, output: "", errors: ""))
        #expect(
            daemon.requests.map(\.params) == [
                [:], ["app": "org.example.radio", "keepData": true],
                ["app": "org.example.radio", "keepData": true, "retry": true],
            ])
        #expect(tool.run("uninstall", "Radoi").code == 1)
        #expect(daemon.methods.count { $0 == "uninstall" } == 2)
    }

    @Test("A relative path is installed from where the user is")
    func install() throws {
        let tool = try Tool()
        try tool.write("x", to: "Journal.app")
        let daemon = try FakeDaemon(in: tool.home) { _ in
            .result(["app": "org.example.journal", "name": "Journal\u{7}", "kind": "application"])
        }
        #expect(tool.run("install", "home/Journal.app").output == "installed Journal^G as org.example.journal\n")
        #expect(daemon.requests.first?.params == ["path": .string("\(tool.home)/Journal.app")])
        #expect(
            tool.run("install", "nowhere.app").errors == "greenroom: there is no file \(tool.path("nowhere.app"))\n")
        #expect(daemon.requests.count == 1)
    }
}
