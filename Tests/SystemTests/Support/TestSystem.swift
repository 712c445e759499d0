import Glibc
import LinuxSystem
import Testing
import Wire

/// A Greenroom system of real processes in a home of its own.
final class TestSystem {
    let home: String
    private let root: String
    /// For what the test writes: bundles, profiles. Others may read it, as they may any user's files; not in `/tmp`,
    /// of which each app has its own.
    let folder: String
    var environment: [String: String]
    private let uid: UInt32?
    /// The home is a disk of its own.
    private let isDisk: Bool
    /// A command that runs another one, for every command of the tool.
    private let entry: [String]
    private var knownCgroup: String?
    private(set) lazy var log = Result { try Follower(start("log", "--follow", "--json")) }

    /// Starts it. `disk`: the home gets a file system of its own, of that size. `gpu`: the machine has a GPU, made of
    /// files (`FakeGPU`).
    init(
        device: Device? = nil, memory: String? = nil, environment extra: [String: String] = [:], uid: UInt32? = nil,
        deep: Bool = false, place: String = "/tmp", disk: String? = nil, gpu: Bool = false, within entry: [String] = [],
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        self.entry = entry
        root = try Self.makeFolder("\(place)/greenroom-home-")
        isDisk = disk != nil
        if let disk { try Self.mount(disk, at: root) }
        // A socket's path holds 107 bytes.
        home = deep ? "\(root)/\(String(repeating: "long", count: 30))" : root
        folder = try Self.makeFolder((Machine.isRoot ? "/var/lib" : "/tmp") + "/greenroom-files-")
        unsafe chmod(folder, 0o755)
        self.uid = uid
        if let uid { unsafe chown(root, uid, uid) }
        var environment: [String: String] = [:]
        for variable in CurrentProcess.allEnvironment {
            let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, !parts[0].hasPrefix("GREENROOM_"), !Self.desktop.contains(String(parts[0])) {
                environment[String(parts[0])] = String(parts[1])
            }
        }
        environment["GREENROOM_HOME"] = home
        if gpu { environment["GREENROOM_GPU"] = try FakeGPU.make(in: folder) }
        self.environment = environment.merging(extra) { $1 }
        try prepare(home)
        try up(device: device, memory: memory)
    }

    deinit { clean() }

    /// Nobody's desktop is to show what tests make up.
    private static let desktop = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]

    private static func makeFolder(_ prefix: String) throws -> String {
        var template = Array((prefix + "XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Trouble("no folder can be made: \(prefix)") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func mount(_ size: String, at path: String) throws {
        let mount = try Child(
            "/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "greenroom-test", path], environment: [:])
        guard try mount.outcome().code == 0 else { throw Trouble("no disk can be mounted at \(path)") }
    }

    /// Takes what is left of a disk of its own, as a program outside of Greenroom may, and returns the file.
    func fillDisk() throws -> String {
        let path = "\(home)/foreign"
        let file = try Descriptor.open(path, .append, create: 0o600)
        let chunk = [UInt8](repeating: 1, count: 4096)
        while case .bytes(4096)? = try? file.write(chunk[...]) {}
        return path
    }

    func up(device: Device? = nil, memory: String? = nil) throws {
        let device = try device.map { ["--device", try $0.argument(in: folder)] } ?? []
        try expect("up", "--detach", device + (memory.map { ["--memory", $0] } ?? []))
    }

    /// The directory that holds the apps' cgroups; `nil` where SIGSTOP stands in for the freezer. The daemon tells
    /// once it serves.
    var cgroup: String? {
        if let known = knownCgroup { return known }
        knownCgroup = contents("cgroup").flatMap { $0.isEmpty ? nil : $0 }
        return knownCgroup
    }

    // MARK: Commands

    private func start(_ arguments: String...) throws -> Child { try child(arguments) }

    private func child(_ arguments: [String]) throws -> Child {
        let command = entry + ["\(Machine.programs)/greenroom"] + arguments
        return try Child(command[0], Array(command.dropFirst()), environment: environment, uid: uid)
    }

    /// Runs a command to its end, however it ends.
    func run(_ arguments: String...) throws -> Child.Outcome { try child(arguments).outcome() }

    /// Starts a command that waits for something.
    func begin(_ arguments: [String]) throws -> Child { try child(arguments) }

    /// Runs a command that must succeed, and returns what it prints.
    @discardableResult
    func expect(_ verb: String, _ arguments: [String] = [], at location: SourceLocation = #_sourceLocation) throws
        -> String
    {
        let outcome = try child([verb] + arguments).outcome()
        #expect(
            outcome.code == 0, "greenroom \(verb) \(arguments): \(outcome.output)\(outcome.errors)",
            sourceLocation: location)
        return outcome.output
    }

    @discardableResult
    func expect(
        _ verb: String, _ first: String, _ rest: String..., at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        try expect(verb, [first] + rest, at: location)
    }

    @discardableResult
    func expect(_ verb: String, _ first: String, _ rest: [String], at location: SourceLocation = #_sourceLocation)
        throws -> String
    {
        try expect(verb, [first] + rest, at: location)
    }

    /// Commands in a row, as a person types them.
    func play(_ commands: [String], at location: SourceLocation = #_sourceLocation) throws {
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            try expect(words[0], Array(words.dropFirst()), at: location)
        }
    }

    /// Waits for what nobody announces, and only a tool or a file tells.
    func until(_ what: String, seconds: Double = 20, _ fits: () throws -> Bool) throws {
        let patience = Patience(seconds: seconds)
        while try !fits() {
            guard !patience.isOver else { throw Trouble("\(what): that is not seen") }
            // Nobody announces what a tool would have to ask for.
            usleep(20_000)
        }
    }

    /// Lets time pass in which something must not happen; never a way to wait for what should.
    func pass(seconds: Double) throws { _ = try Child("/bin/sleep", ["\(seconds)"], environment: [:]).outcome() }

    /// Speaks to the control socket itself; the whole answer.
    func ask(_ method: String, _ params: JSONObject) throws -> JSONValue { try ask([(method, params)])[0] }

    /// All at once, on one connection; the answers in the order in which they come.
    func ask(_ requests: [(method: String, params: JSONObject)]) throws -> [JSONValue] {
        let socket = try UnixSocket.connect(to: "\(home)/control")
        let lines = zip(requests, 1...).map { request, number in
            let message: JSONValue = [
                "jsonrpc": "2.0", "id": .int(Int64(number)), "method": .string(request.method),
                "params": .object(request.params),
            ]
            return message.description + "\n"
        }
        try socket.writeAll(Array(lines.joined().utf8))
        var bytes: [UInt8] = []
        let (end, patience) = (UInt8(ascii: "\n"), Patience())
        while bytes.count(where: { $0 == end }) < requests.count {
            try Child.await(socket, patience, "the answer to \(requests.map(\.method))")
            guard case .bytes = try socket.read(into: &bytes, upTo: 4096) else {
                throw Trouble("cut off: \(requests.map(\.method))")
            }
        }
        return try bytes.split(separator: end).map { try JSONValue(parsing: Array($0)) }
    }

    // MARK: Looking

    func apps() throws -> [AppInfo] {
        try AppInfo.list(json: JSONValue(parsing: Array(expect("apps", "--json").utf8), limits: .answer))
    }

    func app(_ name: String) throws -> AppInfo {
        guard let app = try apps().first(where: { $0.app == name }) else { throw Trouble("\(name) is not installed") }
        return app
    }

    func status() throws -> StatusInfo {
        try StatusInfo(json: JSONValue(parsing: expect("status", "--json")))
    }

    func entries(_ app: String? = nil) throws -> [LogEntry] {
        try expect("log", ["--json"] + (app.map { ["--app", $0] } ?? [])).split(separator: "\n").map {
            try LogEntry(json: JSONValue(parsing: String($0)))
        }
    }

    /// The callbacks that the log holds of an app, in order.
    func callbacks(_ app: String, after: Int = 0) throws -> [String] {
        try entries(app).filter { $0.isCallback && $0.seq > after }.map(\.event)
    }

    var lastSequence: Int { get throws { try entries().last?.seq ?? 0 } }

    func reports(_ app: String) throws -> [ReportSummary] {
        try ReportSummary.list(json: JSONValue(parsing: expect("reports", "--json"))).filter { $0.app == app }
    }

    func follower() throws -> Follower { try log.get() }

    func contents(_ file: String) -> String? {
        FileSystem.read("\(home)/\(file)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// What an app printed, line by line.
    func output(_ app: String) -> [String] {
        (contents("run/\(app)/output") ?? "").split(separator: "\n").map(String.init)
    }

    var daemon: CInt { get throws { CInt(try status().pid) } }

    func keeper() throws -> CInt {
        guard let pid = contents("keeper.pid")?.split(separator: " ").first.flatMap({ CInt($0) }) else {
            throw Trouble("keeper.pid names nobody")
        }
        return pid
    }

    /// Whether nothing of the app can run, as the kernel says.
    func isFrozen(_ app: String, _ pids: [Int]) -> Bool {
        guard let cgroup else {
            return pids.allSatisfy { pid in ProcFS().stat(CInt(pid)).map { "Tt".contains($0.state) } ?? false }
        }
        let events = FileSystem.read("\(cgroup)/app-\(app)/cgroup.events") ?? []
        return String(decoding: events, as: UTF8.self).contains("frozen 1")
    }

    /// Whether others have more of the processors than the app, as the kernel says.
    func isSlowed(_ app: String, _ pids: [Int]) -> Bool {
        let group = cgroup ?? "/nonexistent"
        let legacy = CgroupRoot.legacyMountPoint(of: "cpu").map { mount in
            "\(mount)/\(group.split(separator: "/").last ?? "")-\(app)"
        }
        if let legacy, FileSystem.read(legacy + "/cpu.idle") == Array("1\n".utf8) { return true }
        let shares = [("\(group)/app-\(app)/cpu.weight", 100), ((legacy ?? "") + "/cpu.shares", 1024)]
        for (file, ordinary) in shares {
            guard let bytes = FileSystem.read(file) else { continue }
            return (Int(String(decoding: bytes, as: UTF8.self).dropLast()) ?? ordinary) < ordinary
        }
        return !pids.isEmpty && pids.allSatisfy { (Autogroup.place(of: CInt($0))?.nice ?? 0) > 0 }
    }

    // MARK: The end

    /// Processes that belong to this home, by their environment; zombies are somebody else's to collect and have none.
    var processes: [CInt] {
        ProcFS().allProcesses().filter { pid in
            guard pid != CurrentProcess.pid else { return false }
            return Self.environment(of: pid, holds: "GREENROOM_HOME=\(home)")
                || Self.environment(of: pid, holds: "HOME=\(home)/")
        }
    }

    /// In C, since every process of the machine is looked at.
    private static func environment(of pid: CInt, holds text: String) -> Bool {
        let file = unsafe open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 15) { buffer in
            guard let start = buffer.baseAddress else { return false }
            let count = unsafe read(file, start, buffer.count - 1)
            guard count > 0 else { return false }
            unsafe start[count] = 0
            var offset = 0
            while offset < count {
                if unsafe strncmp(start + offset, text, text.utf8.count) == 0 { return true }
                offset += unsafe strlen(start + offset) + 1
            }
            return false
        }
    }

    /// The system's own: what an app makes in its container is the app's.
    private var sockets: [String] {
        Self.sockets(in: home).filter { !$0.hasPrefix("\(home)/containers/") }
    }

    private static func sockets(in folder: String) -> [String] {
        FileSystem.names(in: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return [] }
            switch status.st_mode & S_IFMT {
            case S_IFSOCK: return [path]
            case S_IFDIR: return sockets(in: path)
            default: return []
            }
        }
    }

    /// What the daemon decided, decided again from what it recorded, while it runs on.
    @discardableResult
    func expectReplay(of recording: String? = nil, at location: SourceLocation = #_sourceLocation) throws -> JSONValue {
        try JSONValue(parsing: expect("replay", [recording ?? home, "--json"], at: location))
    }

    /// Takes the system down and sees that nothing of it is left.
    func end(at location: SourceLocation = #_sourceLocation) {
        _ = cgroup
        do {
            // Whatever the test was about: its recording has to be equal.
            if FileSystem.exists("\(home)/journal") { try expectReplay(at: location) }
        } catch {
            Issue.record("greenroom replay: \(error)", sourceLocation: location)
        }
        do {
            let outcome = try run("down")
            #expect(outcome.code == 0, "greenroom down: \(outcome.errors)", sourceLocation: location)
            if outcome.code != 0 { print("daemon.log:\n\(contents("daemon.log") ?? "none")") }
        } catch {
            Issue.record("greenroom down: \(error)", sourceLocation: location)
        }
        expectNothingLeft(at: location)
    }

    func expectNothingLeft(at location: SourceLocation = #_sourceLocation) {
        // The one that follows the log ends by itself when there is nobody left to ask.
        log = .failure(Trouble("the system is down"))
        let left = processes.map { pid in
            "\(pid) " + String(decoding: FileSystem.read("/proc/\(pid)/cmdline") ?? [], as: UTF8.self)
        }
        #expect(left.isEmpty, "processes are left", sourceLocation: location)
        #expect(sockets.isEmpty, "sockets are left", sourceLocation: location)
        guard let cgroup, let name = cgroup.split(separator: "/").last else { return }
        #expect(!FileSystem.exists(cgroup), "a cgroup is left", sourceLocation: location)
        for controller in ["pids", "cpu"] {
            let groups = CgroupRoot.legacyMountPoint(of: controller).map { Cgroup.children(of: $0) } ?? []
            let left = groups.filter { $0.split(separator: "/").last?.hasPrefix(name) == true }
            #expect(left.isEmpty, "groups of an old hierarchy are left", sourceLocation: location)
        }
    }

    /// Whatever the test did, nothing of it stays on the machine.
    private func clean() {
        log = .failure(Trouble("the system is down"))
        _ = try? run("down", "--force")
        for pid in processes { try? PidFD(pid).send(SIGKILL) }
        if isDisk { _ = try? Child("/bin/umount", ["--lazy", root], environment: [:]).outcome() }
        try? FileSystem.removeTree(root)
        try? FileSystem.removeTree(folder)
    }
}
