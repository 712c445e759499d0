import ContractSuite
import Glibc
import LinuxSystem
import Testing

extension SystemTests {
    /// Apps of the same user as the daemon, which could open the sockets for tools.
    @Suite(
        "Apps that pass for tools", .serialized, .enabled(if: Machine.cgroupRoot != nil, "NOT TESTED: needs a cgroup"))
    struct Pretenders {
        /// A child connects for the app, and is gone before anybody looks; the app itself connects as well.
        private static func pretender(_ path: String, _ start: String) -> String {
            """
            import json, socket
            hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params":
                {"protocol": 1, "role": "control", "client": "greenroom/1"}}).encode() + b"\\n"
            def started(app): threading.Thread(target=pretend, daemon=True).start()
            def pretend():
                print("up", flush=True)
                while not os.path.exists("\(start)"): time.sleep(0.01)
                connections = [socket.socket(socket.AF_UNIX) for _ in range(3)]
                child = os.fork()
                if child == 0:
                    connections[0].connect("\(path)")
                    os._exit(0)
                os.waitpid(child, 0)
                connections[1].connect("\(path)")
                # Its first process is gone, and it lives on in another one.
                child = os.fork()
                if child == 0:
                    if os.fork(): os._exit(0)
                    connections[2].connect("\(path)")
                    print("connected", flush=True)
                    time.sleep(60)
                    os._exit(0)
                os.waitpid(child, 0)
                for number, connection in enumerate(connections):
                    connection.settimeout(30)
                    try:
                        connection.sendall(hello)
                        answer = connection.recv(4096)
                    except OSError as error:
                        answer = b""
                    isRefused = not answer or b"for the user's tools" in answer
                    print("answer", number, "refused" if isRefused else "let in", flush=True)
            """
        }

        @Test(
            "Neither an app nor a process of it that is gone is let in",
            arguments: [
                "control", "services/transfers/control", "services/location/control",
                "services/notifications/control",
            ])
        func refused(_ name: String) throws {
            let system = try TestSystem(environment: ["GREENROOM_SHARED_UID": "1"])
            defer { system.end() }
            let parts = name.split(separator: "/")
            let start = "\(system.folder)/start"
            if parts.count > 1 {
                let body = "def started(app): app.connect(\"\(parts[1])\"); print(\"has it\", flush=True)"
                try system.installPython("honest", body)
                try system.play(["open honest"])
                try system.awaitOutput("has it", of: "honest")
            }
            try system.installPython("pretender", Self.pretender("\(system.home)/\(name)", start))
            try system.play(["open pretender"])
            try system.awaitOutput("up", of: "pretender")
            let text = parts.count > 1 ? system.contents("services/\(parts[1])/pid") : "\(try system.daemon)"
            let pid = try #require(text?.split(separator: " ").first.flatMap { CInt($0) })
            // They are accepted when all of them have connected.
            kill(pid, SIGSTOP)
            defer { kill(pid, SIGCONT) }
            try system.write("", to: start)
            try system.until("the app has connected") {
                (system.contents("run/pretender/output") ?? "").contains("connected")
            }
            kill(pid, SIGCONT)
            for number in 0..<3 { try system.awaitOutput("answer \(number) refused", of: "pretender") }
            try system.expect("status")
        }
    }
}
