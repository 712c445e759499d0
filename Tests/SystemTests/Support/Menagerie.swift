import Glibc
import LinuxSystem
import Testing
import Wire

/// Five apps of all kinds on one system, all of them started, and what must stay true of them whatever dies.
struct Menagerie {
    static let python = ["alpha", "beta"]
    static let radio = "radio"
    static let server = "server"
    static let editor = "editor"
    static let all = python + [radio, server, editor]
    /// Comes and goes: launched and closed while the others stay.
    static let guest = "guest"

    let system: TestSystem
    private(set) var pids: [String: Int] = [:]
    private var port = 0
    private var requests = 0

    init(_ system: TestSystem) throws {
        self.system = system
        for name in Self.python + [Self.guest] { try system.installPython(name) }
        try system.installPython(Self.radio)
        try system.play(["exempt \(Self.radio)"])
        let script = try #require(FileSystem.read("\(Machine.repository)/Examples/plain/server.py"))
        try system.write(String(decoding: script, as: UTF8.self), to: "\(system.folder)/server.py")
        try system.installPlain(Self.server, command: "python3 \(system.folder)/server.py 0")
        try system.installPlain(Self.editor, command: "cat", terminal: true)
        for name in Self.all {
            try system.play(["open \(name)"])
            let pid: Int = try #require(system.app(name).pid)
            pids[name] = pid
            if name == Self.server { port = try Self.waitForPort(system) }
        }
        try type("unsaved text\n")
    }

    /// Before it leaves the screen and is frozen. Nothing announces a line in a file.
    private static func waitForPort(_ system: TestSystem) throws -> Int {
        let patience = Patience()
        while !patience.isOver {
            let line = system.output(server).first { $0.hasPrefix("listening on http://") }
            if let port = line?.split(separator: ":").last.flatMap({ Int($0.dropLast()) }) { return port }
            try system.pass(seconds: 0.02)
        }
        throw Trouble("the server does not listen")
    }

    /// The apps as they are once nothing is on its way any more: each as its state says, each still the same process.
    @discardableResult
    func expectWhole(_ context: Comment, at location: SourceLocation = #_sourceLocation) throws -> [AppInfo] {
        let patience = Patience(seconds: 20)
        var apps = try system.apps()
        while !isSettled(apps), !patience.isOver { apps = try system.apps() }
        for app in apps {
            let comment: Comment = "\(context): \(app.app) is \(app.state)"
            if app.app == Self.guest {
                // Never two of it, nor one that nobody knows of.
                #expect(app.pids.count == (app.state == "not-running" ? 0 : 1), comment, sourceLocation: location)
            } else {
                #expect(app.pid == pids[app.app], comment, sourceLocation: location)
            }
            #expect(fits(app), comment, sourceLocation: location)
            let isFrozen = system.isFrozen(app.app, app.pids)
            #expect(isFrozen == (app.state == "suspended"), comment, sourceLocation: location)
        }
        #expect(apps.count == Self.all.count + 1, context, sourceLocation: location)
        return apps
    }

    private func isSettled(_ apps: [AppInfo]) -> Bool {
        apps.allSatisfy { fits($0) && system.isFrozen($0.app, $0.pids) == ($0.state == "suspended") }
    }

    /// On screen, or exempt, or suspended.
    private func fits(_ app: AppInfo) -> Bool {
        switch app.state {
        case "active", "inactive": app.visible
        case "background": app.app == Self.radio
        case "suspended": !app.visible
        case "not-running": app.app == Self.guest && app.pids.isEmpty
        default: false
        }
    }

    /// What the delegates heard is what the log says, each callback once.
    func expectCallbacks(_ context: Comment, at location: SourceLocation = #_sourceLocation) throws {
        for name in Self.python + [Self.radio, Self.guest] {
            let lines = system.output(name).map { $0.split(separator: " ") }
            let heard = lines.map { $0[0] == "openURL" ? "openedURL" : String($0[0]) }
            #expect(
                heard == (try system.callbacks(name)), "\(context): what \(name) heard, and the log",
                sourceLocation: location)
            // Numbered without a gap, from 1 in each process.
            var last = 0
            for number in lines.compactMap({ Int($0[1]) }) {
                let isFirst = number == 1 && name == Self.guest
                #expect(number == last + 1 || isFirst, "\(context): \(name)", sourceLocation: location)
                last = number
            }
        }
    }

    /// Each app does its work, with what it had in memory.
    mutating func expectWorking(_ context: Comment, at location: SourceLocation = #_sourceLocation) throws {
        for name in Self.all {
            try system.play(["open \(name)"], at: location)
            let app = try system.app(name)
            #expect(app.state == "active" && app.pid == pids[name], context, sourceLocation: location)
            if name == Self.server { try expectAnswer(context, location) }
            if name == Self.editor { try expectText(context, location) }
        }
    }

    /// The server counts its requests: nothing of its memory is lost.
    private mutating func expectAnswer(_ context: Comment, _ location: SourceLocation) throws {
        requests += 1
        let fetch = try Child(
            try #require(Machine.find("python3")),
            [
                "-c",
                "import urllib.request as u; print(u.urlopen('http://127.0.0.1:\(port)/', timeout=30).read().decode())",
            ],
            environment: system.environment)
        let answer = try fetch.outcome()
        #expect(
            answer.output.contains("request \(requests) of process \(pids[Self.server] ?? 0)"),
            "\(context): \(answer.output)\(answer.errors)", sourceLocation: location)
    }

    // MARK: The terminal

    private var terminal: String { "\(system.home)/run/\(Self.editor)/tty" }

    private func type(_ text: String) throws {
        let socket = try UnixSocket.connect(to: terminal)
        let bytes = Array(text.utf8)
        try socket.writeAll([UInt8(ascii: "d"), 0, UInt8(bytes.count)] + bytes)
        try read(socket, until: text.replacing("\n", with: ""))
    }

    /// What was on the terminal before is shown to whoever attaches, and the program still answers.
    private func expectText(_ context: Comment, _ location: SourceLocation) throws {
        let socket = try UnixSocket.connect(to: terminal)
        try read(socket, until: "unsaved text")
        try type("once more\n")
    }

    private func read(_ socket: Descriptor, until text: String) throws {
        var bytes: [UInt8] = []
        let patience = Patience(seconds: 20)
        while !String(decoding: bytes, as: UTF8.self).contains(text) {
            try Child.await(socket, patience, "“\(text)” on the terminal")
            guard case .bytes = try socket.read(into: &bytes, upTo: 4096) else {
                throw Trouble("the terminal closed before it showed “\(text)”")
            }
        }
    }
}
