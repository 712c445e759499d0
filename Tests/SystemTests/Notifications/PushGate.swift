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

    /// The gateway is a package of its own: its program is built elsewhere, and put beside those of the device.
    private static let programs = [Machine.programs, "\(Machine.repository)/.build/bin"].first {
        FileSystem.exists("\($0)/greenroom-pushgate")
    }

    static let isThere = programs != nil && Machine.find("curl") != nil && Machine.find("openssl") != nil

    private let programs: String
    private let home: String
    private let environment: [String: String]
    private let authority: String
    /// What it prints of where it listens, so that it listens there again.
    private var addresses: JSONValue = [:]
    private var server: Child?
    private var bearer = ""

    /// - Parameter folder: of the test; the gateway keeps its keys in it.
    init(in folder: String) throws {
        programs = try #require(Self.programs)
        home = "\(folder)/gateway"
        environment = ["PATH": CurrentProcess.environment("PATH") ?? "/usr/bin:/bin", "HOME": folder]
        let words = ["pushgate", "init", "--home", home, "--listen", "127.0.0.1:0", "--link", "127.0.0.1:0", "--json"]
        let made = try Child("\(programs)/greenroom", words, environment: environment).outcome()
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
        let server = try Child("\(programs)/greenroom-pushgate", words, environment: environment)
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

    // MARK: The provider

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

/// A system with a gateway, and an app with a token.
struct PushWorld {
    static let silent = #"{"aps":{"content-available":1},"message":"m1","more":{"numbers":[1,2]}}"#
    static let alert = #"{"aps":{"alert":{"body":"Read them","title":"News"},"badge":3},"message":"m1"}"#

    let system: TestSystem
    let gate: PushGate
    let beacon: Beacon
    private(set) var token = ""

    /// - Parameter window: seconds of a push's window, where the test is not to wait for 30 of them.
    init(
        _ device: Device? = nil, environment: [String: String] = [:], window: Double? = nil, isRegistered: Bool = true
    ) throws {
        system = try TestSystem(device: device, environment: environment) { home in
            if let window { try Self.declare(home, window) }
        }
        try system.play(["simulate network wifi"])
        gate = try PushGate(in: system.folder)
        beacon = try Beacon(in: system)
        try gate.connect(system)
        if isRegistered { token = try beacon.register() }
    }

    /// A declaration in the home comes before the one beside the programs.
    private static func declare(_ home: String, _ window: Double) throws {
        let file = "\(Machine.programs)/services/notifications.json"
        let text = String(decoding: try #require(FileSystem.read(file)), as: UTF8.self)
        try FileSystem.makeDirectory("\(home)/services", mode: 0o700)
        try FileSystem.replace(
            "\(home)/services/notifications.json",
            with: Array(
                text.replacing("../greenroom-pushd", with: "\(Machine.programs)/greenroom-pushd")
                    .replacing("\"time\": 30", with: "\"time\": \(window)").utf8), mode: 0o644)
    }

    @discardableResult
    func send(
        _ payload: String, type: String = "alert", _ headers: String..., at location: SourceLocation = #_sourceLocation
    ) throws -> PushGate.Answer {
        let answer = try gate.send(payload, to: token, topic: Beacon.app, type: type, headers)
        #expect(answer.status == 200, "\(answer)", sourceLocation: location)
        return answer
    }

    func sendSilent(_ message: String = "m1", at location: SourceLocation = #_sourceLocation) throws {
        let payload = Self.silent.replacing("m1", with: message)
        try send(payload, type: "background", "apns-priority: 5", at: location)
    }

    /// The three silent pushes that wake an app at once; it is suspended again.
    func spendBudget() throws {
        try beacon.sleeps()
        for number in 1...3 {
            try sendSilent("m\(number)")
            try beacon.hears("push", number)
            try beacon.isOn("suspended")
        }
    }

    /// The messages of which the app was told by these.
    func messages(_ event: String) throws -> [String] {
        try beacon.heard(event).compactMap { $0["payload"]?["message"]?.string ?? $0["message"]?.string }
    }
}
