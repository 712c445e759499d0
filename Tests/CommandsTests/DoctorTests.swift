import Commands
import Foundation
import Glibc
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
            "memory limit", "memory outside processes", "lock of the home", "SO_PASSRIGHTS", "file descriptors",
            "protected hard links",
            "Swift's crash reporter",
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

    /// What the doctor finds of a tree of files that says what `/proc` would.
    private static func settings(
        of tool: Tool, files: Int? = 4096, links: String? = "1\n", _ variables: [String: String] = [:]
    ) throws -> [String: DoctorFinding] {
        let line = files.map { "Max open files            1024                 \($0)                 files\n" }
        try tool.write(line ?? "", to: "../proc/self/limits")
        if let links { try tool.write(links, to: "../proc/sys/fs/protected_hardlinks") }
        let home = try GreenroomHome(environment: ["GREENROOM_HOME": tool.home], workingDirectory: "/")
        let probes = SettingProbes(home: home, environment: variables, proc: tool.path("proc"))
        return Dictionary(uniqueKeysWithValues: probes.findings().map { ($0.mechanism, $0) })
    }

    @Test(
        "An interface that sends by priority puts the background last; another one leaves it in the way",
        arguments: [
            (["pfifo_fast"] as [String]?, false, DoctorFinding.Status.ok),
            (["mq", "pfifo_fast", "pfifo_fast"], false, .ok),
            (["noqueue"], false, .ok), ([], false, .ok), (["mq", "fq_codel", "fq_codel"], false, .replaced),
            (["cake", "ingress"], false, .replaced), (["prio", "fq_codel"], false, .replaced),
            (["fq_codel"], true, .ok), (["fq"], false, .replaced), (nil, false, .replaced), (nil, true, .ok),
        ])
    func backgroundTraffic(disciplines: [String]?, isWireless: Bool, status: DoctorFinding.Status) {
        func finding(isMarked: Bool, _ interface: String?) -> DoctorFinding {
            BackgroundTrafficProbe(
                isMarked: isMarked, interface: interface, isWireless: isWireless, disciplines: disciplines
            ).finding()
        }
        let found = finding(isMarked: true, "eth0")
        #expect(found.status == status && found.detail.contains("eth0"))
        #expect(found.cost?.contains("tc qdisc replace dev eth0") ?? (status == .ok))
        #expect(finding(isMarked: true, nil).status == .ok)
        #expect(finding(isMarked: false, "eth0").status == .missing)
    }

    @Test(
        "The discipline fq sends by priority since Linux 6.8",
        arguments: [
            ("6.8.0-31-generic\n", true), ("7.0-rc1\n", true), ("6.7.12\n", false), ("5.10.0\n", false), ("", false),
        ])
    func fairQueue(release: String, divides: Bool) {
        let probe = BackgroundTrafficProbe(
            isMarked: true, interface: "eth0", isWireless: false, disciplines: ["mq", "fq"], release: release)
        #expect(probe.finding().status == (divides ? .ok : .replaced))
    }

    @Test("Few descriptors mean few tools and apps; enough are enough")
    func descriptors() throws {
        let few = try Self.settings(of: Tool(), files: 1024)["file descriptors"]
        #expect(few?.status == .replaced)
        #expect(few?.detail == "the limit is 1024 (ulimit -Hn)")
        #expect(few?.instead == "at most 256 tools are served at a time")
        #expect(try Self.settings(of: Tool())["file descriptors"]?.status == .ok)
        #expect(try Self.settings(of: Tool(), files: nil)["file descriptors"]?.status == .missing)
    }

    @Test("Where anyone may link to anyone's files, it says so and how to forbid it", arguments: ["0\n", "1\n", nil])
    func hardLinks(value: String?) throws {
        let finding = try #require(Self.settings(of: Tool(), links: value)["protected hard links"])
        #expect(finding.status == (value == "1\n" ? .ok : .missing))
        #expect((finding.cost ?? "").contains("sysctl -w fs.protected_hardlinks=1") == (value != "1\n"))
    }

    @Test(
        "Crashes that leave a helper are named, also those of a daemon that was started otherwise",
        arguments: [
            (nil, true), ("enable=no", true), ("color=no,enable=off", true), ("enable=yes", false), ("color=no", false),
            ("", false),
        ] as [(String?, Bool)])
    func crashReporter(chosen: String?, isOff: Bool) throws {
        let tool = try Tool()
        let variables = chosen.map { ["SWIFT_BACKTRACE": $0] } ?? [:]
        let own = try #require(Self.settings(of: tool, variables)["Swift's crash reporter"])
        #expect(own.status == (isOff ? .ok : .replaced), "\(own)")
        let process = try Child()
        try tool.write(process.record, to: "daemon.pid")
        let text = chosen.map { "A=B\0SWIFT_BACKTRACE=\($0)\0" } ?? "A=B\0"
        try tool.write(text, to: "../proc/\(process.pid)/environ")
        let other = try #require(Self.settings(of: tool, ["SWIFT_BACKTRACE": "x"])["Swift's crash reporter"])
        #expect(other.status == (isOff ? .ok : .replaced), "\(other)")
    }

    /// The only finding of that name, as the command prints it.
    private static func lock(of tool: Tool) throws -> DoctorFinding? {
        let findings = try DoctorFinding.list(json: JSONValue(parsing: tool.run("doctor", "--json").output))
        return findings.first { $0.mechanism == "lock of the home" }
    }

    @Test("A home whose lock is held by what is no system, or cannot be taken, is named; a system may hold it")
    func lock() throws {
        let tool = try Tool()
        #expect(try Self.lock(of: tool)?.status == .ok)
        #expect(tool.contents("lock") == nil)
        try tool.write("", to: "lock")
        #expect(try Self.lock(of: tool)?.status == .ok)
        let file = unsafe open("\(tool.home)/lock", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        let held = try #require(try Self.lock(of: tool))
        #expect(held.status == .missing && held.detail.contains("a process that is no Greenroom"), "\(held)")
        let process = try Child()
        try tool.write(process.record, to: "lock")
        #expect(try Self.lock(of: tool)?.status == .ok)
        let other = try Tool()
        try other.write("", to: "lock/file")
        let folder = try #require(try Self.lock(of: other))
        #expect(folder.status == .missing && folder.cost?.contains("set GREENROOM_HOME") == true, "\(folder)")
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
        // It also asks for the services of notifications and audio, which have their own say.
        #expect(daemon.methods == ["doctor", "service", "service"])
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
