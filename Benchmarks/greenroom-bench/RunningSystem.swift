internal import Glibc
internal import LinuxSystem
internal import Wire

/// A Greenroom of our own, in a temporary home.
struct RunningSystem {
    private let programs: String
    private let place: String
    private let name: String
    private let budget: Int?
    let home: String

    /// Beside another one of another name; with a budget in megabytes, or all that the machine has.
    init(_ options: Options, _ name: String = "home", budget: Int? = nil) {
        programs = options.programs
        place = options.place
        self.name = name
        self.budget = budget
        home = "\(options.place)/\(name)"
    }

    /// Those that a run may start.
    static func all(_ options: Options) -> [RunningSystem] {
        ["home", "memory", "scale"].map { RunningSystem(options, $0) }
    }

    private var variables: [String] { ["GREENROOM_HOME=\(home)"] }
    private var tool: String { programs + "/greenroom" }
    /// The program of the generated bundles, where every user can run it.
    private var program: String { "\(place)/app-\(name)" }

    func start() throws -> Tool {
        try FileSystem.makeDirectory(home, mode: 0o700)
        guard let own = FileSystem.read("/proc/self/exe") else { throw BenchError("this program cannot read itself") }
        try Descriptor.open(program, .write, create: 0o755).writeAll(own)
        try FileSystem.changeMode(program, to: 0o755)
        try Processes.run([tool, "up", "--detach"] + (budget.map { ["--memory", "\($0)M"] } ?? []), variables)
        return try Tool(home + "/control")
    }

    /// Ends what runs, and names what is left of it.
    func takeDown() -> [String] {
        guard FileSystem.exists(home) else { return [] }
        let group = groupDirectory
        var problems: [String] = []
        if FileSystem.exists(home + "/keeper.pid") {
            do { try Processes.run([tool, "down"], variables, milliseconds: 300_000) } catch {
                problems.append("\(error)")
            }
        }
        if let group, FileSystem.exists(group) {
            try? Cgroup.kill(at: group)
            problems.append("the cgroup \(group)")
        }
        return problems
    }

    /// `nil` where no cgroup can be written.
    var groupDirectory: String? {
        let bytes = FileSystem.read(home + "/cgroup") ?? []
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    func group(of app: String) throws -> String {
        guard let groupDirectory else { throw BenchError("no cgroup v2 can be written here: see greenroom doctor") }
        return "\(groupDirectory)/app-\(app)"
    }

    var keeper: CInt? {
        let text = String(decoding: FileSystem.read(home + "/keeper.pid") ?? [], as: UTF8.self)
        return CInt(text.prefix { $0.isNumber })
    }

    // MARK: Apps

    static func identifier(_ number: Int) -> String { "org.greenroom.bench.app\(number)" }

    /// Makes a bundle whose executable is a line for the kernel: a thousand of them cost no disk.
    /// `words` say what it takes of memory (`Appetite`).
    func install(
        _ number: Int, with tool: Tool, does words: String = "", mode: String? = nil
    ) throws -> String {
        let identifier = Self.identifier(number)
        let bundle = "\(place)/bundles-\(name)/Bench\(number).app"
        try FileSystem.makeDirectory(bundle, mode: 0o755)
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(identifier)</string>
            <key>CFBundleName</key><string>Bench \(number)</string>
            <key>CFBundleExecutable</key><string>run</string>
            <key>UIBackgroundModes</key><array>\(mode.map { "<string>\($0)</string>" } ?? "")</array>
            </dict></plist>

            """
        try Descriptor.open(bundle + "/Info.plist", .write, create: 0o644).writeAll(Array(plist.utf8))
        let line = "#!\(program) app \(words)\n"
        try Descriptor.open(bundle + "/run", .write, create: 0o755).writeAll(Array(line.utf8))
        try tool.ask(.install, ["path": .string(bundle)])
        return identifier
    }

    /// All entries of the system's log that came after one.
    func log(with tool: Tool, after first: Int = 0) throws -> [LoggedEvent] {
        var entries: [LoggedEvent] = []
        while true {
            let after = entries.last?.sequence ?? first
            let page = try tool.ask(.log, ["after": .int(Int64(after)), "limit": 5_000])
            guard case .array(let values) = page else { throw BenchError("the log is no array") }
            if values.isEmpty { return entries }
            entries += try values.map(LoggedEvent.init)
        }
    }
}

/// What counts here of a log entry.
struct LoggedEvent {
    let sequence: Int
    let app: String?
    let event: String
    let reason: String?
    /// Microseconds of the day.
    let at: Int64

    init(_ json: JSONValue) throws {
        sequence = try json.int("seq")
        app = try json.optionalString("app")
        event = try json.string("event")
        reason = try json.optionalString("reason")
        // 2026-01-31T23:59:59.123456Z
        let digits = try json.string("at").dropFirst(11).split { ":.Z".contains($0) }.compactMap { Int64($0) }
        guard digits.count == 4 else { throw BenchError("a log entry's time has another form") }
        at = ((digits[0] * 60 + digits[1]) * 60 + digits[2]) * 1_000_000 + digits[3]
    }

    private static let day: Int64 = 86_400_000_000

    /// Nanoseconds, over midnight too.
    func since(_ earlier: LoggedEvent) -> Int64 { Self.between(earlier.at, at) }

    /// Nanoseconds from the entry to a moment of the wall clock.
    func nanoseconds(untilWall wall: Int64) -> Int64 { Self.between(at, wall / 1_000 % Self.day) }

    private static func between(_ begin: Int64, _ end: Int64) -> Int64 { (end - begin + day) % day * 1_000 }
}

/// Waits as a person does, without using the processor.
func pause(milliseconds: Int) {
    _ = poll(nil, 0, CInt(milliseconds))
}

/// The shortest sleep: some tens of microseconds.
func nap() {
    // Between two looks at a file that nothing announces.
    _ = usleep(20)
}
