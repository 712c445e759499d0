import Commands
import Testing
import Wire

@Suite("What energy prints") struct EnergyTests {
    private static let info = EnergyInfo(
        radio: "lte", state: "tail", awakeFor: 3.25, wakeups: 12, sent: 2_500, received: 31_000_000, joules: 20,
        shares: [
            EnergyInfo.Share(app: nil, service: "push", part: "wifi", joules: 0.5),
            EnergyInfo.Share(app: "org.example.radio", service: "streaming", part: "cellular", joules: 19.5),
        ],
        traffic: [
            EnergyInfo.Traffic(app: nil, service: "push", sent: 500, received: 0),
            EnergyInfo.Traffic(app: "org.example.radio", service: "streaming", sent: 2_000, received: 31_000_000),
        ], counting: "kernel")

    @Test("What was spent, what the radio is doing, and whose share is the largest")
    func table() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(Self.info.json) }
        let output = tool.run("energy").output
        #expect(output.contains("20.0 J in all, 2500 B sent, 31 MB received; the cellular radio was woken 12 times"))
        #expect(output.contains("radio lte: tail, awake for 3.3 s more"))
        let lines = output.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines[6].contains("org.example.radio") && lines[6].contains("2000 B") && lines[6].contains("31 MB"))
        #expect(lines[7].contains("apps that are gone") && lines[7].contains("500 B"))
        #expect(lines[3].contains("org.example.radio") && lines[3].contains("19.5") && lines[3].contains("97.5 %"))
        #expect(lines[4].contains("the system") && lines[4].contains("push") && lines[4].contains("2.5 %"))
        withExtendedLifetime(daemon) {}
    }

    @Test("Without a network and without traffic it says so; --json is the daemon's answer")
    func empty() throws {
        let tool = try Tool()
        let info = EnergyInfo(
            radio: nil, state: "idle", awakeFor: 0, wakeups: 0, sent: 0, received: 0, joules: 0, shares: [])
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(info.json) }
        let output = tool.run("energy").output
        #expect(output.hasPrefix("0.0 J in all") && output.hasSuffix("no network\n"))
        #expect(try EnergyInfo(json: JSONValue(parsing: tool.run("energy", "--json").output)) == info)
        withExtendedLifetime(daemon) {}
    }
}
