import ContractSuite
import Glibc
import LinuxSystem
import Testing

extension SystemTests {
    /// What connections leave behind in the services that accept them.
    @Suite("Connections to services", .serialized) struct ServiceConnections {
        private static let count = 10_000

        /// Connects and leaves again and again; every tenth time it says what apps say first.
        private static let restless = """
            import json
            hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": 1}}).encode()
            def started(app): threading.Thread(target=connect, daemon=True).start()
            def connect():
                for service in ["transfers", "location", "audio", "notifications"]:
                    refused = 0
                    for number in range(\(count)):
                        try: connection = app.connect(service)
                        except ConnectionRefusedError: refused += 1; continue
                        if number % 10 == 0: connection.sendall(hello + b"\\n")
                        if number % 20 == 0: connection.recv(4096)
                        connection.close()
                    print("left", service, "refused", refused, flush=True)
            """

        private func descriptors(of service: String, _ system: TestSystem) throws -> Int {
            let text = try #require(system.contents("services/\(service)/pid"))
            let pid = try #require(text.split(separator: " ").first.flatMap { CInt($0) })
            return FileSystem.names(in: "/proc/\(pid)/fd").count
        }

        @Test("Ten thousand connections of an app to each service leave nothing behind, and other apps have theirs")
        func app() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("restless", Self.restless, keys: Self.modes)
            try system.installPython(
                "calm",
                """
                def started(app):
                    for service in ["transfers", "location", "audio", "notifications"]:
                        app.connect(service)
                        print("has", service, flush=True)
                """, keys: Self.modes)
            let daemon = try system.daemon
            let before = FileSystem.names(in: "/proc/\(daemon)/fd").count
            try system.play(["open restless"])
            for service in ["transfers", "location", "audio", "notifications"] {
                try system.until("all connections to \(service)", seconds: 120) {
                    system.output("restless").contains { $0.hasPrefix("left \(service)") }
                }
                try system.until("\(service) has few descriptors") { try descriptors(of: service, system) < 100 }
            }
            try system.play(["open calm"])
            for service in ["transfers", "location", "audio", "notifications"] {
                try system.awaitOutput("has \(service)", of: "calm")
            }
            try system.until("the daemon has few descriptors") {
                FileSystem.names(in: "/proc/\(daemon)/fd").count < before + 40
            }
        }

        private static let modes = """
            <key>UIBackgroundModes</key><array><string>audio</string><string>location</string></array>
            """

        @Test(
            "Ten thousand connections of tools leave nothing behind",
            arguments: ["transfers", "location", "notifications"])
        func tools(_ service: String) throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("calm", "def started(app): app.connect(\"\(service)\"); print(\"up\", flush=True)")
            try system.play(["open calm"])
            try system.awaitOutput("up", of: "calm")
            let before = try descriptors(of: service, system)
            for number in 0..<Self.count {
                let socket = try UnixSocket.connect(to: "\(system.home)/services/\(service)/control")
                // The service may already have closed a connection above its limit.
                if number % 10 == 0 { _ = try? socket.send(Array("{\"jsonrpc\":\"2.0\"\n".utf8)[...]) }
            }
            try system.until("they are gone") { try descriptors(of: service, system) <= before + 16 }
        }
    }
}
