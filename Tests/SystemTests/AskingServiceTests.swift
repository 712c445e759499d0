import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Services that ask each other by way of the daemon: docs/SERVICES.md, sections 3 and 4.
    @Suite("Services that ask each other") struct AskingServices {
        /// Connects, says hello, and goes on by what its name says.
        private static let program = """
            #!/usr/bin/env python3
            import json, os, socket, sys

            name = os.environ["GREENROOM_SERVICE"]
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(os.environ["GREENROOM_SERVICE_SOCKET"])
            lines = stream.makefile("rwb")

            def send(message):
                lines.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
                lines.flush()

            def hear(id):
                while True:
                    message = json.loads(lines.readline())
                    if message.get("id") == id:
                        return message

            send({"id": 0, "method": "hello", "params": {"protocol": 1, "service": name, "holds": []}})
            hear(0)
            if name == "asker":
                asked = [("echo", "say"), ("nobody", "say"), ("probe", "say"), ("echo", "die"), ("echo", "again")]
                for id, (service, method) in enumerate(asked, 1):
                    params = {"service": service, "method": method, "params": {"n": id}}
                    send({"id": id, "method": "ask", "params": params})
                    answer = hear(id)
                    print(service, method, answer.get("result"), answer.get("error", {}).get("code"), flush=True)
            for line in lines:
                message = json.loads(line)
                if message.get("method") == "ask":
                    if message["params"]["method"] == "die":
                        os._exit(1)
                    send({"id": message["id"], "result": message["params"]})
            """

        private static func declare(_ home: String) throws {
            try FileSystem.makeDirectory(home + "/services", mode: 0o700)
            try FileSystem.replace("\(home)/services/program.py", with: Array(program.utf8), mode: 0o755)
            for (name, rest) in [
                ("asker", #""start": "always", "asks": ["echo", "nobody"]"#), ("echo", #""start": "onDemand""#),
                ("probe", #""start": "onDemand""#),
            ] {
                let text = #"{"name": "\#(name)", "program": "program.py", \#(rest)}"#
                try FileSystem.replace("\(home)/services/\(name).json", with: Array(text.utf8), mode: 0o644)
            }
        }

        @Test("One that is declared is started and answers; others are refused, and a death is said")
        func asks() throws {
            let system = try TestSystem(prepare: Self.declare)
            defer { system.end() }
            func log() -> [String] {
                let bytes = FileSystem.read(system.home + "/services/asker/log", limit: 1 << 16) ?? []
                return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            }
            try system.until("all is answered: \(log())") { log().count >= 5 }
            #expect(
                log() == [
                    "echo say {'service': 'asker', 'method': 'say', 'params': {'n': 1}} None",
                    "nobody say None \(RPCError.Code.unknown.rawValue)",
                    "probe say None \(RPCError.Code.refused.rawValue)",
                    "echo die None \(RPCError.Code.ended.rawValue)",
                    "echo again {'service': 'asker', 'method': 'again', 'params': {'n': 5}} None",
                ])
            let services = try JSONValue(parsing: system.expect("services", "--json")).array("services")
            #expect(services.first { $0["service"]?.string == "probe" }?["state"]?.string == "idle")
        }
    }
}
