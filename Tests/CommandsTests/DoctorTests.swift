import Commands
import Foundation
import Testing
import Wire

@Suite("doctor")
struct DoctorTests {
    private static let finding = DoctorFinding(
        mechanism: "freezer", status: .replaced, detail: "no\u{1B}pe", instead: "signals", cost: "less")

    @Test("It works without a system, names every mechanism once, and leaves nothing behind")
    func alone() throws {
        let tool = try Tool()
        let outcome = tool.run("doctor", "--json")
        #expect(outcome.code == 0)
        let findings = try DoctorFinding.list(json: JSONValue(parsing: outcome.output))
        #expect(Set(findings.map(\.mechanism)).count == findings.count)
        for mechanism in [
            "cgroup v2", "freezer", "pidfd", "pressure (PSI)", "swap", "punched holes", "quotas of containers",
        ] {
            #expect(findings.contains { $0.mechanism == mechanism }, "\(mechanism): \(outcome.output)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.home).isEmpty)
    }

    @Test("What is replaced says by what, and what is missing says what that costs")
    func complete() throws {
        let tool = try Tool()
        let home = try GreenroomHome(environment: ["GREENROOM_HOME": tool.home], workingDirectory: "/")
        for finding in Doctor(home: home).findings() {
            #expect(!finding.detail.isEmpty)
            switch finding.status {
            case .ok: #expect(finding.instead == nil && finding.cost == nil, "\(finding)")
            case .replaced: #expect(finding.instead != nil, "\(finding)")
            case .missing: #expect(finding.instead == nil && finding.cost != nil, "\(finding)")
            }
        }
    }

    @Test("A daemon that runs knows better")
    func daemon() throws {
        let tool = try Tool()
        let own = DoctorFinding(mechanism: "of the daemon", status: .ok, detail: "yes")
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(DoctorFinding.json(of: [Self.finding, own])) }
        let findings = try DoctorFinding.list(json: JSONValue(parsing: tool.run("doctor", "--json").output))
        #expect(findings.filter { $0.mechanism == "freezer" } == [Self.finding])
        #expect(findings.last == own)
        #expect(findings.count > 10)
        withExtendedLifetime(daemon) {}
    }

    @Test("A daemon that cannot tell does not keep the tool from telling")
    func mute() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .failure(.methodNotFound("doctor")) }
        #expect(tool.run("doctor").code == 0)
        #expect(daemon.methods == ["doctor"])
    }

    @Test("People read what is there, what stands in, and what that costs")
    func page() {
        let findings = [DoctorFinding(mechanism: "cgroup v2", status: .ok, detail: "yes"), Self.finding]
        #expect(
            DoctorPage(style: Style(isColoured: false)).rendered(findings) == """
                ✓ cgroup v2  yes
                ~ freezer    no^[pe
                             instead: signals
                             cost: less
                mechanisms: 1 ok, 1 replaced, 0 missing

                """)
    }
}
