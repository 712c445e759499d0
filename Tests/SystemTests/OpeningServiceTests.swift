import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// A service that brings its app back: what its user answers belongs on the screen (docs/SERVICES.md).
    @Suite("Services that open apps", .serialized) struct OpeningServices {
        /// Opens its app when it is suspended, and once more when it is gone. Writes down all that it hears.
        private static let service = """
            #!/usr/bin/env python3
            import json, os, socket

            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(os.environ["GREENROOM_SERVICE_SOCKET"])
            heard, number, kept = open("heard", "a"), 0, []
            wanted = ["suspended", "not-running"]

            def ask(method, params):
                global number
                number += 1
                line = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                daemon.sendall(json.dumps(line).encode() + b"\\n")

            ask("hello", {"protocol": 1, "service": "bell", "holds": []})
            buffer = b""
            while True:
                data, descriptors, _, _ = socket.recv_fds(daemon, 65536, 8)
                if not data:
                    break
                kept += descriptors
                buffer += data
                while b"\\n" in buffer:
                    line, _, buffer = buffer.partition(b"\\n")
                    heard.write(line.decode() + "\\n")
                    heard.flush()
                    message = json.loads(line)
                    if message.get("method") == "attach":
                        answer = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
                        daemon.sendall(json.dumps(answer).encode() + b"\\n")
                    if message.get("method") == "app" and wanted and message["params"]["state"] == wanted[0]:
                        wanted.pop(0)
                        ask("wake", {"app": message["params"]["app"], "window": "rung", "because": "the bell was rung",
                                     "payload": json.dumps({"ring": 2 - len(wanted)})})
            """

        private static let declaration = """
            {"name": "bell", "program": "bell.py",
             "windows": [{"name": "rung", "sentence": "a bell", "callback": "open", "option": "localNotification"}]}
            """

        private static let app = """
            class Delegate(Base):
                def on_didBecomeActive(self, params):
                    if not hasattr(self, "stream"):
                        self.stream = app.connect("bell")

                def on_willFinishLaunching(self, params):
                    print("launched with", params["options"].get("localNotification"), flush=True)
            """

        private static func declare(_ home: String) throws {
            try FileSystem.makeDirectory(home + "/services", mode: 0o700)
            try FileSystem.replace("\(home)/services/bell.py", with: Array(service.utf8), mode: 0o755)
            try FileSystem.replace("\(home)/services/bell.json", with: Array(declaration.utf8), mode: 0o644)
        }

        private func heard(_ system: TestSystem, _ method: String) throws -> [JSONValue] {
            let lines = (system.contents("services/bell/heard") ?? "").split(separator: "\n")
            return try lines.map { try JSONValue(parsing: String($0)) }.filter { $0["method"]?.string == method }
        }

        @Test("A service opens its app when it is suspended, and when it is gone with what it is launched for")
        func opens() throws {
            let system = try TestSystem(prepare: Self.declare)
            defer { system.end() }
            try system.installPython(
                "ringer", Self.app, keys: "<key>UIBackgroundModes</key><array><string>audio</string></array>")
            try system.play(["open ringer"])
            try system.until("it is attached") { try !heard(system, "attach").isEmpty }
            let attach = try ServiceAttach(json: #require(try heard(system, "attach").first?["params"]))
            #expect(attach.name == "ringer" && attach.modes == ["audio"])
            #expect(FileSystem.exists(attach.bundle + "/Info.plist"), "\(attach.bundle)")
            let first = try system.app("ringer").pids
            try system.play(["home"])
            try system.until("it is back") { try system.app("ringer").state == "active" }
            #expect(try system.app("ringer").pids == first)
            #expect(try system.expect("why", "ringer").contains("the user opened ringer: the bell was rung"))
            try system.expect("close", "ringer")
            try system.until("another process is there") {
                try system.app("ringer").state == "active" && system.app("ringer").pids != first
            }
            let launches = system.output("ringer").filter { $0.contains("launched with") }
            #expect(launches == ["launched with None", "launched with {'ring': 2}"])
            try system.expect("close", "ringer")
            #expect(try heard(system, "windowEnded").isEmpty, "it was no window that ends")
        }
    }
}
