import LinuxSystem
import Testing
import Wire

/// A real gateway on this machine, and a provider: curl.
final class PushGate {
    /// What curl is told by the gateway.
    struct Answer: Hashable {
        var status: Int
        var reason: String?
    }

    static let isThere =
        FileSystem.exists("\(Machine.programs)/greenroom-pushgate") && Machine.find("curl") != nil
        && Machine.find("openssl") != nil

    private let home: String
    private let environment: [String: String]
    private let authority: String
    /// What it prints of where it listens, so that it listens there again.
    private var addresses: JSONValue = [:]
    private var server: Child?
    private var bearer = ""

    /// - Parameter folder: of the test; the gateway keeps its keys in it.
    init(in folder: String) throws {
        home = "\(folder)/gateway"
        environment = ["PATH": CurrentProcess.environment("PATH") ?? "/usr/bin:/bin", "HOME": folder]
        let words = ["pushgate", "init", "--home", home, "--listen", "127.0.0.1:0", "--link", "127.0.0.1:0", "--json"]
        let made = try Child("\(Machine.programs)/greenroom", words, environment: environment).outcome()
        guard made.code == 0 else { throw Trouble("greenroom pushgate init: \(made.errors)") }
        let instructions = try JSONValue(parsing: made.output)
        authority = try #require(instructions["authority"]?.string)
        try FileSystem.replace("\(folder)/instructions.json", with: Array(made.output.utf8))
        let script = "\(Machine.repository)/Fixtures/servers/provider.py"
        let signed = try Child(
            "/usr/bin/python3", [script, "\(folder)/instructions.json"], environment: environment
        ).outcome()
        guard signed.code == 0 else { throw Trouble("provider.py: \(signed.errors)") }
        bearer = String(signed.output.prefix { !$0.isNewline })
        try start()
    }

    func start() throws {
        var words = ["serve", "--home", home, "--threads", "1", "--log-level", "warning"]
        for option in ["listen", "link", "metrics"] {
            words += ["--\(option)", addresses[option]?.string ?? "127.0.0.1:0"]
        }
        let server = try Child("\(Machine.programs)/greenroom-pushgate", words, environment: environment)
        addresses = try JSONValue(parsing: server.line(Patience()))
        self.server = server
    }

    func kill() throws {
        try server?.process.send(9)
        _ = try server?.outcome()
        server = nil
    }

    private func port(_ option: String) -> String {
        String(addresses[option]?.string?.split(separator: ":").last ?? "")
    }

    /// Tells a system that its pushes come from here.
    func connect(_ system: TestSystem, at location: SourceLocation = #_sourceLocation) throws {
        try system.expect(
            "push", "gateway", "greenroom-push://localhost:\(port("link"))", "--ca", authority, at: location)
    }

    /// Sends a message as any provider does.
    func send(
        _ payload: String, to token: String, topic: String, type: String = "alert", _ headers: [String] = []
    ) throws -> Answer {
        var words = ["--silent", "--show-error", "--http2", "--cacert", authority, "--write-out", "\n%{http_code}"]
        let all = ["authorization: bearer \(bearer)", "apns-topic: \(topic)", "apns-push-type: \(type)"] + headers
        for header in all { words += ["--header", header] }
        words += ["--data-binary", payload, "https://localhost:\(port("listen"))/3/device/\(token)"]
        let outcome = try Child(#require(Machine.find("curl")), words, environment: environment).outcome()
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        guard outcome.code == 0, let status = lines.last.flatMap({ Int($0) }) else {
            throw Trouble("curl: \(outcome.errors)")
        }
        let body = lines.dropLast().joined(separator: "\n")
        return Answer(status: status, reason: body.isEmpty ? nil : try JSONValue(parsing: body)["reason"]?.string)
    }
}
