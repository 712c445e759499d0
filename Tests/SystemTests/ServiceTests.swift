import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    /// Services that are programs of their own, and know Greenroom by docs/SERVICES.md alone: the example in Python, as
    /// it is, and once more with a key to guard.
    @Suite("Services", .serialized) struct Services {
        /// An app that asks a service for what each URL `NAME:WORD` says.
        private static let app = """
            import json

            class Delegate(Base):
                stream = None

                def say(self, message):
                    if self.stream is None:
                        self.stream = app.connect(SERVICE)
                        self.lines = self.stream.makefile("rwb")
                    self.lines.write(json.dumps(message).encode() + b"\\n")
                    self.lines.flush()
                    answer = self.lines.readline()
                    print("service said", answer.decode().strip(), flush=True)

                def on_openURL(self, params):
                    word = params["url"].split(":")[1]
                    try:
                        self.say({"start": {"goal": 100}} if word == "start" else {word: True})
                    except OSError as error:
                        self.stream = None
                        print("service refused", error, flush=True)

                def on_handleServiceEvents(self, params):
                    print("service woke", params["service"], params["kind"], params["payload"], flush=True)
                    app.complete(params["window"])
            """

        private func system() throws -> TestSystem {
            let system = try TestSystem(prepare: Self.declare)
            for (name, service) in [("walker", "steps"), ("singer", "probe")] {
                try system.installPython(
                    name, "SERVICE = \"\(service)\"\n" + Self.app, keys: Self.scheme(name))
            }
            try system.installPython(
                "star", "SERVICE = \"probe\"\n" + Self.app,
                keys: Self.scheme("star") + "<key>UIBackgroundModes</key><array><string>audio</string></array>")
            return system
        }

        private static func scheme(_ name: String) -> String {
            """
            <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
            <array><string>\(name)</string></array></dict></array>
            """
        }

        /// The example, and the same program as one that guards `audio`.
        private static func declare(_ home: String) throws {
            let source = Machine.repository + "/Examples/service-python"
            try FileSystem.makeDirectory(home + "/services", mode: 0o700)
            for (file, mode) in [("steps.py", 0o755), ("steps.json", 0o644)] as [(String, UInt32)] {
                let bytes = try #require(FileSystem.read("\(source)/\(file)"))
                // Everybody is to see that it counts.
                let text = String(decoding: bytes, as: UTF8.self)
                    .replacing(#"{"name": "counting","#, with: #"{"name": "counting", "mark": "counts","#)
                try FileSystem.replace("\(home)/services/\(file)", with: Array(text.utf8), mode: mode)
            }
            let probe = """
                {"name": "probe", "program": "steps.py", "mode": "audio",
                 "holds": [{"name": "counting", "sentence": "it sings"}], "windows": []}
                """
            try FileSystem.replace("\(home)/services/probe.json", with: Array(probe.utf8), mode: 0o644)
        }

        private func services(_ system: TestSystem) throws -> [ServiceInfo] {
            try JSONValue(parsing: system.expect("services", "--json")).array("services").map {
                try ServiceInfo(json: $0)
            }
        }

        private func service(_ system: TestSystem, _ name: String) throws -> ServiceInfo {
            try #require(try services(system).first { $0.service == name })
        }

        private func walk(_ system: TestSystem, _ steps: Int) throws {
            try FileSystem.replace(system.home + "/services/steps/sensor", with: Array("\(steps)\n".utf8))
        }

        private func expectOutput(_ system: TestSystem, _ app: String, _ text: String) throws {
            try system.until("\(app) prints \(text): \(system.output(app).suffix(3))") {
                system.output(app).contains { $0.contains(text) }
            }
        }

        @Test("A service by a stranger holds an app that counts, and wakes it at its goal")
        func stranger() throws {
            let system = try system()
            defer { system.end() }
            // Those of the home come first, then those of the system.
            let names = ["probe", "steps", "audio", "location", "notifications", "transfers"]
            #expect(try services(system).map(\.service) == names)
            #expect(try services(system).allSatisfy { $0.state == "idle" && $0.pid == nil && $0.holds == [] })
            #expect(try system.app("walker").marks.isEmpty)
            try system.play(["open walker", "open walker:start"])
            try expectOutput(system, "walker", "\"counting\": true")
            #expect(try service(system, "steps").state == "running")
            try system.play(["home"])
            #expect(try system.app("walker").state == "background")
            let why = try system.expect("why", "walker")
            #expect(why.contains("it counts the steps of its user") && why.contains("service steps"), "\(why)")
            let hold = try #require(try service(system, "steps").holds.first)
            #expect(hold.app.hasSuffix("walker") && hold.hold == "counting" && hold.counts)
            #expect(try system.app("walker").marks == ["counts"])
            #expect(try system.expect("status").contains("walker counts"))
            #expect(try system.expect("apps").contains("background, counts"))
            try system.play(["open walker", "open walker:stop", "home"])
            try expectOutput(system, "walker", "\"counting\": false")
            try system.follower().wait("suspended", of: "walker")
        }

        @Test("After the device was started anew a service knows its apps, and one that left something undone is there")
        func boot() throws {
            let system = try system()
            defer { system.end() }
            try system.play(["open walker", "open walker:start", "home"])
            try expectOutput(system, "walker", "\"counting\": true")
            try system.expect("down")
            try FileSystem.makeDirectory(system.home + "/services/probe", mode: 0o700)
            try FileSystem.replace(system.home + "/services/probe/unfinished", with: [])
            try system.up()
            try system.until("what was left undone is a reason to start it") {
                try service(system, "probe").state == "running"
            }
            #expect(try service(system, "steps").state == "idle")
            // As a developer would, by hand.
            let hello = """
                import socket, sys
                daemon = socket.socket(socket.AF_UNIX)
                daemon.connect(sys.argv[1])
                daemon.sendall(sys.argv[2].encode() + b"\\n")
                print(daemon.makefile().readline())
                """
            let message = RPCMessage.request(
                id: .int(1), method: "hello", params: ["protocol": 1, "service": "steps", "holds": []])
            let text = String(decoding: message.encoded().dropLast(), as: UTF8.self)
            let answer = try Child(
                "/usr/bin/python3", ["-c", hello, system.home + "/service", text], environment: [:]
            ).outcome().output
            guard case .response(_, let result) = try RPCMessage.parse(Array(answer.utf8.prefix { $0 != 10 })) else {
                Issue.record("\(answer)")
                return
            }
            let apps = try ServiceGreeting(json: result).apps
            #expect(apps.count == 1 && apps.first?.app.hasSuffix("walker") == true)
            #expect(apps.first?.state == "not-running")
        }

        @Test("Whoever is killed, the service states what it holds, and nobody is suspended or kept for nothing")
        func deaths() throws {
            let system = try system()
            defer { system.end() }
            try system.play(["open walker", "open walker:start", "home"])
            let app = try system.app("walker").pid
            var pid = try #require(try service(system, "steps").pid)
            for victim in ["service", "daemon", "both", "service"] {
                let daemon = try system.daemon
                if victim != "service" { try PidFD(daemon).send(SIGKILL) }
                if victim != "daemon" { try PidFD(CInt(pid)).send(SIGKILL) }
                try system.until("the service states what it holds after the death of \(victim)") {
                    guard let info = try? service(system, "steps") else { return false }
                    return info.state == "running" && (victim == "daemon" || info.pid != pid)
                        && info.holds.count == 1
                }
                pid = try #require(try service(system, "steps").pid)
                #expect(try system.app("walker").state == "background", "after the death of \(victim)")
                #expect(try system.app("walker").pid == app)
            }
            // Its goal is reached while nobody looks: the app is told.
            try walk(system, 150)
            try expectOutput(system, "walker", "service woke steps goal")
        }

        @Test(
            "With its key an app is held; without it, it uses the service on screen only, which stops before the freeze"
        )
        func key() throws {
            let system = try system()
            defer { system.end() }
            try system.play(["open star", "open star:start", "open singer", "open singer:start", "home"])
            try system.follower().wait("suspended", of: "singer")
            #expect(try system.app("star").state == "background")
            let entries = try system.entries().filter { $0.app?.hasSuffix("singer") == true }
            let stopped = try #require(entries.first { $0.event == "serviceStopped" })
            #expect(stopped.reason?.contains("background mode audio") == true, "\(stopped)")
            #expect(try service(system, "probe").holds.map(\.app).allSatisfy { $0.hasSuffix("star") })
            // What the service wrote down before it answered.
            let state = try #require(system.contents("services/probe/state.json"))
            #expect(state.contains("singer\": {\"process\": 1, \"counting\": false"), "\(state)")
        }

        /// How often somebody is killed; `GREENROOM_SERVICE_KILLS` says otherwise.
        private static let kills = CurrentProcess.environment("GREENROOM_SERVICE_KILLS").flatMap { Int($0) } ?? 8

        /// Those that the service says it counts for, as it wrote down before it answered.
        private func stated(_ system: TestSystem) throws -> Set<String> {
            let state = try JSONValue(parsing: system.contents("services/steps/state.json") ?? "{}")
            guard case .object(let apps) = state else { throw Trouble("state.json is no object") }
            return Set(apps.members.filter { $0.value["counting"] == .bool(true) }.map(\.key))
        }

        @Test("At whatever moment service and daemon die, what counts is what the service states, for five apps")
        func storm() throws {
            let names = (1...5).map { "walker\($0)" }
            let system = try TestSystem(prepare: Self.declare)
            defer { system.end() }
            for name in names {
                try system.installPython(name, "SERVICE = \"steps\"\n" + Self.app, keys: Self.scheme(name))
                try system.play(["open \(name)", "open \(name):start", "home"])
            }
            var dice = Dice(seed: 14)
            for round in 1...Self.kills {
                let app = names[Int.random(in: 0..<5, using: &dice)]
                let word = Bool.random(using: &dice) ? "start" : "stop"
                let order = try system.begin(["open", "\(app):\(word)"])
                let victims = try [[], [system.daemon]][Int.random(in: 0..<2, using: &dice)]
                let service = try service(system, "steps").pid
                // No wait for anything: the moment at which they die is what is drawn.
                usleep(UInt32.random(in: 0..<150_000, using: &dice))
                if victims.isEmpty || Bool.random(using: &dice), let service { try? PidFD(CInt(service)).send(SIGKILL) }
                for victim in victims { try PidFD(victim).send(SIGKILL) }
                _ = try order.outcome()
                try system.expect("home")
                let what = "round \(round), \(app) \(word)s"
                try system.until("\(what): what counts is what the service states") {
                    guard let info = try? self.service(system, "steps") else { return false }
                    let stated = try stated(system)
                    // One that is dead and holds nothing is started when somebody asks for it.
                    return Set(info.holds.filter(\.counts).map(\.app)) == stated
                        && (info.state == "running" || (info.state == "idle" && stated.isEmpty))
                }
                try system.until("\(what): who is held runs, and nobody else") {
                    let stated = try stated(system)
                    return try names.allSatisfy { name in
                        try system.app(name).state == (stated.contains(name) ? "background" : "suspended")
                    }
                }
            }
        }

        @Test("An app that asks for connections without an end takes the service from nobody")
        func greed() throws {
            let system = try system()
            defer { system.end() }
            try system.installPython(
                "greedy",
                """
                import json

                class Delegate(Base):
                    def on_openURL(self, params):
                        for number in range(1000):
                            line = {"jsonrpc": "2.0", "id": "g%d" % number, "method": "connect",
                                    "params": {"service": "steps"}}
                            app.connection.sendall(json.dumps(line).encode() + b"\\n")
                """, keys: Self.scheme("greedy"))
            try system.play(["open walker", "open walker:start"])
            let pid = try service(system, "steps").pid
            try system.play(["open greedy"])
            // It reads nothing meanwhile, so perhaps the daemon has closed its connection before it was heard.
            _ = try system.run("open", "greedy:x")
            try system.play(["open walker", "open walker:stop", "open walker:start"])
            try expectOutput(system, "walker", "\"counting\": false")
            let info = try service(system, "steps")
            #expect(info.state == "running" && info.pid == pid && info.holds.map(\.app) == ["walker"], "\(info)")
        }

        @Test("A service that hangs is replaced: who wants a connection gets an answer, and the next one is served")
        func hanging() throws {
            let system = try system()
            defer { system.end() }
            try system.play(["open walker", "open walker:start"])
            try expectOutput(system, "walker", "\"counting\": true")
            try system.play(["open singer"])
            let pid = try #require(try service(system, "steps").pid)
            // It is there and reads nothing, as one in an endless loop.
            try PidFD(CInt(pid)).send(SIGSTOP)
            try system.installPython("walker2", "SERVICE = \"steps\"\n" + Self.app, keys: Self.scheme("walker2"))
            try system.play(["open walker2", "open walker2:start"])
            try expectOutput(system, "walker2", "service refused")
            try system.until("another process took its place") {
                let info = try self.service(system, "steps")
                return info.state == "running" && info.pid != pid
            }
            // What it held goes on.
            #expect(try service(system, "steps").holds.map(\.app) == ["walker"])
            try system.play(["open walker2:start"])
            try expectOutput(system, "walker2", "\"counting\": true")
        }

        @Test("A service that hangs is replaced also where nobody wants a connection: it does not read the news")
        func deaf() throws {
            let system = try system()
            defer { system.end() }
            try system.play(["open walker", "open walker:start"])
            try expectOutput(system, "walker", "\"counting\": true")
            let pid = try #require(try service(system, "steps").pid)
            try PidFD(CInt(pid)).send(SIGSTOP)
            try system.play(["home"])
            try system.until("another process took its place", seconds: 90) {
                let info = try self.service(system, "steps")
                return info.state == "running" && info.pid != pid
            }
            #expect(try service(system, "steps").holds.map(\.app) == ["walker"])
        }

        @Test("What is no declaration is left out and named; who is no service is refused")
        func rubbish() throws {
            let system = try TestSystem { home in
                try Self.declare(home)
                for (name, text) in [
                    ("broken", "{"), ("upper", "{\"name\": \"A\", \"program\": \"x\"}"),
                    ("none", "{\"program\": \"x\"}"),
                    ("twice", "{\"name\": \"steps\", \"program\": \"x\"}"),
                ] {
                    try FileSystem.replace("\(home)/services/\(name).json", with: Array(text.utf8), mode: 0o644)
                }
                try FileSystem.replace("\(home)/services/open.json", with: Array("{}".utf8), mode: 0o666)
                // Nobody writes into it: whoever reads it waits for ever.
                #expect(unsafe mkfifo("\(home)/services/pipe.json", 0o600) == 0)
                let text = "{\"name\": \"silent\", \"program\": \"/bin/true\"}"
                try FileSystem.replace("\(home)/services/silent.json", with: Array(text.utf8), mode: 0o644)
            }
            defer { system.end() }
            let faulty = try services(system).filter { $0.state == "faulty" }
            #expect(
                faulty.map { $0.service.split(separator: "/").last ?? "" }
                    == ["broken.json", "none.json", "open.json", "pipe.json", "twice.json", "upper.json"])
            for words in ["", "{}\n", "[1]\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hold\"}\n"] {
                let socket = try UnixSocket.connect(to: system.home + "/service")
                _ = try socket.send(Array(words.utf8)[...])
            }
            try system.installPython("app", "SERVICE = \"silent\"\n" + Self.app, keys: Self.scheme("app"))
            try system.play(["open app", "open app:start"])
            try expectOutput(system, "app", "service refused")
            try system.expect("status")
        }
    }
}
