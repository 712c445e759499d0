import ContractSuite
import FoundationEssentials
import Glibc
import LinuxSystem
import Model
import Testing
import Wire

/// The contract suite's view of a real system: commands and reads go through the control socket as the tool's do, what
/// apps heard is what they printed, and what is frozen says the kernel.
final class RealContractDevice: ContractDevice {
    private let system: TestSystem
    private var line: ControlLine
    private var requests: [Ticket: (line: ControlLine, id: Int64)] = [:]
    private var entries: [Entry] = []
    private var tracers: [String: Child] = [:]
    /// Who is connected to an app.
    private var peers: [String: [Descriptor]] = [:]

    /// This machine may be busy with other things. A limit that is not honoured at all ends nothing.
    let latency = Model.Span.seconds(5)

    init(_ profile: DeviceProfile) throws {
        let text = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
        system = try TestSystem(device: .profile(text), gpu: true, prepare: Self.declareProbe)
        line = try ControlLine("\(system.home)/control")
        try follow()
    }

    func end() {
        tracers = [:]
        system.end()
    }

    /// Contracts know of breaches only: what goes wrong between test and system is one as well.
    private func attempt<T>(_ body: () throws -> T) throws(Breach) -> T {
        do {
            return try body()
        } catch {
            throw Breach("\(error)")
        }
    }

    // MARK: The connection

    private func reconnect() throws {
        guard !line.isOpen else { return }
        line = try ControlLine("\(system.home)/control")
        try follow()
    }

    private func follow() throws {
        let last = Int64(entries.last?.number ?? 0)
        guard case .array(let missed) = try line.ask(.log, ["follow": true, "after": .int(last)]) else {
            throw Trouble("log should answer with an array")
        }
        try add(missed)
    }

    private func add(_ news: [JSONValue]) throws {
        for one in news {
            let entry = try Entry(Wire.LogEntry(json: one))
            guard !entries.contains(where: { $0.number == entry.number }) else { continue }
            entries.append(entry)
        }
        entries.sort { $0.number < $1.number }
    }

    func ask(_ method: ControlMethod, _ params: JSONObject = [:]) throws -> JSONValue {
        try reconnect()
        return try line.ask(method, params)
    }

    // MARK: Commands

    func install(_ app: TestApp) throws(Breach) {
        try attempt { _ = try ask(.install, ["path": .string(try ContractApps.make(app, in: system))]) }
    }

    func begin(_ command: UserCommand, waits: Bool) throws(Breach) -> Ticket {
        try attempt {
            try reconnect()
            var (method, params) = command.request
            params["wait"] = .bool(waits)
            let ticket = Ticket(requests.count + 1)
            requests[ticket] = (line, try line.send(method, params))
            return ticket
        }
    }

    func reply(to ticket: Ticket) throws(Breach) -> Reply? {
        guard let request = requests[ticket] else { throw Breach("no command has the number \(ticket.number)") }
        switch request.line.answer(to: request.id) {
        case .success: return .done
        case .failure(let error): return error.code == .ended ? .overtaken(error.message) : .refused(error.message)
        case nil: return request.line.isOpen ? nil : .lost
        }
    }

    // MARK: Time

    var now: WallTime { WallTime(nanoseconds: Clock.wall()) }

    func wait(for what: String, until condition: () throws(Breach) -> Bool) throws(Breach) {
        let patience = Patience()
        while try !condition() {
            if patience.isOver { throw Breach("\(what) did not come; the log ends with \(try lastEntries)") }
            // The log comes by itself. What apps print, and the processes that they have, is looked at now and then.
            line.wait(milliseconds: 10)
        }
    }

    func pass(_ span: Model.Span) throws(Breach) { try attempt { try system.pass(seconds: span.seconds) } }

    // MARK: What is

    func look(at app: String) throws(Breach) -> Look {
        try attempt {
            let apps = try AppInfo.list(json: ask(.apps))
            guard let info = apps.first(where: { $0.app == app }),
                let state = LifecycleState.allCases.first(where: { $0.name == info.state })
            else { throw Trouble("apps should name \(app) and its state") }
            let output = system.output(app)
            return try Look(
                state: state, isVisible: info.visible, pid: info.pid.map { Int32($0) },
                processes: processes(app).count, isFrozen: system.isFrozen(app, info.pids), isLocking: isLocking(app),
                isListening: output.contains { $0.hasSuffix("listens") },
                isSlowed: system.isSlowed(app, info.pids), isReady: output.contains("ready"),
                wasAskedToEnd: output.contains("SIGTERM"))
        }
    }

    private func group(_ app: String) throws -> String {
        guard let groups = system.cgroup else { throw Trouble("this machine has no cgroups that can be written") }
        return "\(groups)/app-\(app)"
    }

    /// As the kernel counts them.
    private func processes(_ app: String) throws -> [CInt] { Cgroup.processes(at: try group(app)) }

    private func isLocking(_ app: String) throws -> Bool {
        let pids = try processes(app)
        return LockTable.now()?.entries.contains { pids.contains($0.lock.pid) } ?? false
    }

    /// Misbehaver's lines: seconds since boot, a callback, and for `openURL` the URL and who sent it.
    func heard(by app: String) throws(Breach) -> [Heard] {
        let offset = Clock.wall() - Clock.boot()
        return system.output(app).compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1, let seconds = Double(words[0]),
                let kind = CallbackKind.allCases.first(where: { $0.name == words[1] })
            else { return nil }
            let at = WallTime(nanoseconds: Int64(seconds * 1e9) + offset)
            guard words.count == 4 else { return Heard(kind, at: at) }
            if kind == .scene {
                guard let step = SceneStep.allCases.first(where: { $0.name == words[2] }), let number = UInt32(words[3])
                else { return nil }
                return Heard(kind, at: at, scene: SceneCall(SceneNumber(number), step))
            }
            return Heard(kind, at: at, url: words[2], source: words[3] == "-" ? nil : words[3])
        }
    }

    func protection(heardBy app: String) throws(Breach) -> [Bool] {
        system.output(app).compactMap { line in
            line.hasSuffix("changed protectedData true")
                ? true : line.hasSuffix("changed protectedData false") ? false : nil
        }
    }

    func screenshots(heardBy app: String) throws(Breach) -> Int {
        system.output(app).count { $0.hasSuffix("changed screenshot") }
    }

    func screenHolder() throws(Breach) -> String? {
        try attempt { try StatusInfo(json: ask(.status)).keepsScreenOn }
    }

    func log() throws(Breach) -> [Entry] {
        try attempt {
            // Whatever was decided before this question was asked has been told before it is answered.
            _ = try ask(.status)
            try add(line.takeNews())
            return entries
        }
    }

    func reports(about app: String) throws(Breach) -> [Report] {
        try attempt {
            try ReportSummary.list(json: ask(.reports, ["app": .string(app)])).map { report in
                Report(
                    code: TerminationCode(namespace: report.namespace, code: UInt64(report.code)),
                    reason: report.reason)
            }
        }
    }

    func assertions(of app: String) throws(Breach) -> [String] {
        try attempt {
            guard let info = try AppInfo.list(json: ask(.apps)).first(where: { $0.app == app }) else {
                throw Trouble("apps should name \(app)")
            }
            return info.assertions.map(\.kind)
        }
    }

    // MARK: Apps

    func order(_ app: String, _ deed: Deed) throws(Breach) {
        try attempt {
            if case .lock(let name) = deed, !FileSystem.exists("\(system.folder)/\(name)") {
                try system.write("", to: "\(system.folder)/\(name)")
                try FileSystem.changeMode("\(system.folder)/\(name)", to: 0o666)
            }
        }
        try order(app, url: ContractApps.order(deed, in: system.folder))
    }

    func order(_ app: String, action: String) throws(Breach) {
        try order(app, url: ContractApps.order(action: action))
    }

    private func order(_ app: String, url: String) throws(Breach) {
        try attempt { try system.order(app, url: url) }
    }

    /// The lines that the app printed, without the moments.
    func said(by app: String) -> [String] {
        system.output(app).map { line in
            line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        }
    }

    func answer(heardBy app: String) throws(Breach) -> Bool? {
        let answers = system.output(app).compactMap { line in
            line.contains(" answered ") ? line.hasSuffix("true") : nil
        }
        return answers.last
    }

    // MARK: The service

    private static func declareProbe(_ home: String) throws {
        try FileSystem.makeDirectory(home + "/services", mode: 0o700)
        for (file, mode) in [
            ("probe.py", 0o755), ("probe.json", 0o644), ("ringer.json", 0o644),
        ] as [(String, UInt32)] {
            guard let bytes = FileSystem.read("\(Machine.repository)/Fixtures/Probe/\(file)") else {
                throw Trouble("Fixtures/Probe lacks \(file)")
            }
            try FileSystem.replace("\(home)/services/\(file)", with: bytes, mode: mode)
        }
    }

    private var probe: ServiceInfo {
        get throws {
            let services = try ask(.services).array("services").map { try ServiceInfo(json: $0) }
            guard let probe = services.first(where: { $0.service == "probe" }) else { throw Trouble("no probe") }
            return probe
        }
    }

    func holds(of app: String) throws(Breach) -> [String] {
        try attempt { try probe.holds.filter { $0.app == app }.map(\.hold) }
    }

    /// A line to the probe's own socket, and its answer.
    private func tell(_ order: String) throws -> String {
        let socket = try UnixSocket.connect(to: "\(system.home)/services/probe/control")
        try socket.writeAll(Array("\(order)\n".utf8))
        var answer: [UInt8] = []
        guard case .bytes = try socket.read(into: &answer, upTo: 4_096) else { throw Trouble("the probe is silent") }
        return String(decoding: answer, as: UTF8.self)
    }

    /// Misbehaver prints what it heard: `service use probe.playing {"ok": "playing"}`.
    func serviceAnswer(to app: String) throws(Breach) -> Bool? {
        said(by: app).last { $0.hasPrefix("service ") }.map { $0.contains("\"ok\"") }
    }

    func wakeByService(_ app: String) throws(Breach) -> Bool {
        try attempt { try tell("wake \(app)").hasPrefix("\"ok\"") }
    }

    func stallService(_ isStalled: Bool) throws(Breach) {
        try attempt { _ = try tell(isStalled ? "stall" : "go on") }
    }

    func killService() throws(Breach) {
        try attempt {
            guard let pid = try probe.pid else { throw Trouble("the probe does not run") }
            try PidFD(CInt(pid)).send(SIGKILL)
        }
    }

    func release(_ app: String) throws(Breach) { try signal(app, ContractApps.releaseSignal) }

    func kill(_ app: String) throws(Breach) { try signal(app, SIGKILL) }

    private func signal(_ app: String, _ number: CInt) throws(Breach) {
        try attempt {
            try PidFD(system.firstProcess(app)).send(number)
        }
    }

    // MARK: What befalls

    func killDaemon() throws(Breach) {
        try attempt {
            let daemon = try PidFD(CInt(StatusInfo(json: ask(.status)).pid))
            try daemon.send(SIGKILL)
            guard daemon.waitUntilDead(milliseconds: 20_000) else { throw Trouble("the daemon survives SIGKILL") }
            // What it said before it died counts. A child that was being born may hold the connection a moment longer.
            let patience = Patience()
            repeat { try add(line.takeNews()) } while line.isOpen && line.wait(milliseconds: patience.milliseconds)
        }
    }

    func awaitDaemon() throws(Breach) { try attempt { _ = try ask(.status) } }

    func connectPeer(to app: String) throws(Breach) {
        try attempt {
            let peer = try UnixSocket.connect(to: ContractApps.listener(of: app, in: system))
            peers[app, default: []].append(peer)
        }
    }

    func disconnectPeers(from app: String) throws(Breach) { peers[app] = nil }

    func setFrozen(_ app: String, _ isFrozen: Bool) throws(Breach) {
        try attempt {
            try Cgroup.write(isFrozen ? "1" : "0", to: "\(group(app))/cgroup.freeze")
        }
        try wait(for: "the kernel") { () throws(Breach) in try look(at: app).isFrozen == isFrozen }
    }

    func setTraced(_ app: String, _ isTraced: Bool) throws(Breach) {
        try attempt {
            if let tracer = tracers.removeValue(forKey: app) {
                try tracer.write("leave\n")
                guard try tracer.outcome().code == 0 else { throw Trouble("the tracer of \(app) fails") }
            }
            guard isTraced else { return }
            guard let pid = try processes(app).first, let python = Machine.find("python3") else {
                throw Trouble("\(app) cannot be traced")
            }
            let tracer = try Child(python, ["-c", Tracer.script, "\(pid)"], environment: system.environment)
            guard try tracer.line(Patience()) == "attached" else { throw Trouble("\(app) cannot be traced") }
            tracers[app] = tracer
        }
    }
}

extension Entry {
    fileprivate init(_ entry: Wire.LogEntry) throws {
        guard let event = LogEvent.allCases.first(where: { $0.name == entry.event }) else {
            throw Trouble("the log tells of \(entry.event), which nobody knows")
        }
        self.init(
            number: UInt64(entry.seq), at: try WallTime(iso8601: entry.at), app: entry.app, event: event,
            reason: entry.reason ?? "", cause: entry.cause.map { UInt64($0) })
    }
}

extension WallTime {
    /// Reads what `iso8601` prints.
    fileprivate init(iso8601 text: String) throws {
        let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
        guard numbers.count == 7, text.hasSuffix("Z") else { throw Trouble("\(text) is no time") }
        // Days since 1970, in years that begin in March.
        let (year, month) = (numbers[1] > 2 ? numbers[0] : numbers[0] - 1, (numbers[1] + 9) % 12)
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + numbers[2] - 1 - 719_468
        let seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
        self.init(nanoseconds: seconds * 1_000_000_000 + numbers[6] * 1000)
    }
}
