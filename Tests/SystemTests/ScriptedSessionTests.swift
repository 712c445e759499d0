import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// The session of `docs/PROTOCOL.md` and of the Core's own tests, with real apps: after each command the log holds
    /// exactly these callbacks, and the app is in this state.
    @Suite("A scripted session", .serialized) struct ScriptedSession {
        struct Step {
            let command: String
            let callbacks: [String]
            let state: String

            init(_ command: String, _ callbacks: [String], _ state: String) {
                self.command = command
                self.callbacks = callbacks
                self.state = state
            }
        }

        enum Kind: String, CaseIterable, CustomTestStringConvertible {
            case python, swift, statically, plain

            var app: String {
                switch self {
                case .python: "org.greenroom.examples.counter"
                case .swift, .statically: "org.greenroom.examples.journal"
                case .plain: "server"
                }
            }

            var testDescription: String { rawValue }

            /// The program of the Swift app lies beside the tests; with Swift's libraries in it `make static-app` makes
            /// it.
            static var available: [Kind] {
                allCases.filter { kind in
                    switch kind {
                    case .python, .plain: true
                    case .swift: FileSystem.exists("\(Machine.programs)/Journal")
                    case .statically: FileSystem.exists("\(staticApp)/Journal")
                    }
                }
            }

            static let staticApp = "\(Machine.repository)/.build/static-apps/Journal.app"
        }

        private static let launch = ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
        private static let leave = ["willResignActive", "didEnterBackground"]
        private static let comeBack = ["willEnterForeground", "didBecomeActive"]

        private static func session(lock: [Step]) -> [Step] {
            [
                Step("open APP", launch, "active"),
                Step("simulate call", ["willResignActive"], "inactive"),
                Step("simulate call --decline", ["didBecomeActive"], "active"),
                Step("simulate call", ["willResignActive"], "inactive"),
                Step("simulate call --accept", ["didEnterBackground"], "suspended"),
                Step("home", [], "suspended"),
                Step("open APP", comeBack, "active"),
                Step("simulate call --end", [], "active"),
            ] + lock + [
                Step("switcher open", ["willResignActive"], "inactive"),
                Step("switcher close", ["didBecomeActive"], "active"),
                Step("switcher open", ["willResignActive"], "inactive"),
                Step("close APP", ["didEnterBackground", "willTerminate"], "not-running"),
                Step("open APP", launch, "active"),
                Step("close APP", leave + ["willTerminate"], "not-running"),
                Step("open APP", launch, "active"),
                Step("home", leave, "suspended"),
                Step("close APP", [], "not-running"),
            ]
        }

        private static let modern = session(lock: [
            Step("lock", leave, "suspended"), Step("unlock", comeBack, "active"),
        ])
        private static let of2010 = session(lock: [
            Step("lock", ["willResignActive"], "inactive"), Step("unlock", ["didBecomeActive"], "active"),
        ])

        private func install(_ kind: Kind, on system: TestSystem) throws {
            switch kind {
            case .python: try system.expect("install", "\(Machine.repository)/Examples/python/Counter.app")
            case .swift: try system.expect("install", try journal(system))
            case .statically: try system.expect("install", Kind.staticApp)
            case .plain: try system.installPlain("server", command: "python3 -m http.server 0 --bind 127.0.0.1")
            }
        }

        private func journal(_ system: TestSystem) throws -> String {
            let bundle = "\(system.folder)/Journal.app"
            let sources = "\(Machine.repository)/Examples/Journal"
            let text = try #require(FileSystem.read("\(sources)/Info.plist"))
            try system.write(String(decoding: text, as: UTF8.self), to: "\(bundle)/Info.plist")
            let copy = try Child(
                "/bin/cp", ["\(Machine.programs)/Journal", "\(bundle)/Journal"], environment: [:])
            #expect(try copy.outcome().code == 0)
            return bundle
        }

        private func play(_ steps: [Step], _ kind: Kind, device: Device?) throws {
            let system = try TestSystem(device: device)
            defer { system.end() }
            let app = kind.app
            try install(kind, on: system)
            var pid: Int?
            var seen = 0
            var last = ""
            for (number, step) in steps.enumerated() {
                try system.play([step.command.replacing("APP", with: app)])
                if step.state == "suspended", last != "suspended" {
                    try system.follower().wait("suspended", of: app, after: seen)
                }
                last = step.state
                let context = Comment(rawValue: "step \(number + 1), \(step.command)")
                let info = try system.app(app)
                #expect(info.state == step.state, context)
                let entries = try system.entries(app).filter { $0.seq > seen }
                seen = entries.last?.seq ?? seen
                #expect(entries.filter(\.isCallback).map(\.event) == (kind == .plain ? [] : step.callbacks), context)
                if step.state == "suspended" { #expect(system.isFrozen(app, info.pids), context) }
                // A new process only where a launch was.
                if step.callbacks == Self.launch {
                    pid = info.pid
                } else if step.state != "not-running" {
                    #expect(info.pid == pid, context)
                } else {
                    #expect(info.pid == nil && info.pids.isEmpty, context)
                }
            }
            // That a suspended server listens is reported, and no end.
            #expect(try system.reports(app).allSatisfy { $0.code == 0xdead_0ea2 })
        }

        @Test("Today each app hears exactly the documented callbacks", arguments: Kind.available)
        func modern(kind: Kind) throws { try play(Self.modern, kind, device: nil) }

        @Test("On an iPhone 4 locking leaves the app in the foreground", arguments: Kind.available)
        func iPhone4(kind: Kind) throws { try play(Self.of2010, kind, device: .named("iphone-4")) }

        @Test("On iPhone OS 3, and where an app opts out, leaving the screen ends it")
        func withoutMultitasking() throws {
            for device in [Device.named("iphone-os-3"), .named("linux")] {
                let system = try TestSystem(device: device)
                defer { system.end() }
                try system.installPython("app", keys: "<key>UIApplicationExitsOnSuspend</key><true/>")
                try system.play(["open app", "home"])
                try system.follower().wait("terminated", of: "app")
                #expect(
                    try system.callbacks("app") == Self.launch + ["willResignActive", "willTerminate"]
                        || system.callbacks("app") == Self.launch + Self.leave + ["willTerminate"])
                #expect(try system.app("app").state == "not-running")
                #expect(try system.reports("app").isEmpty)
            }
        }

        @Test("Each callback reaches the delegate once, in the order of the log")
        func delegate() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play([
                "open app", "simulate alert", "simulate alert --dismiss", "home", "open app", "switcher open", "home",
                "open app", "close app",
            ])
            let heard = system.output("app").map { String($0.split(separator: " ")[0]) }
            #expect(heard == (try system.callbacks("app")))
            let numbers = system.output("app").compactMap { Int($0.split(separator: " ")[1]) }
            #expect(numbers == Array(1...numbers.count))
        }

        @Test("A URL opens the app that is registered for its scheme, and is handed to it once")
        func url() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.expect("install", "\(Machine.repository)/Examples/python/Counter.app")
            try system.expect("open", "counter://add?n=3")
            try system.expect("home")
            try system.expect("open", "counter://add?n=4")
            let app = "org.greenroom.examples.counter"
            #expect(
                system.output(app).filter { $0.contains("openURL") && $0.hasSuffix("not handled") == false }.count >= 2)
            #expect(
                try system.callbacks(app) == [
                    "willFinishLaunching", "didFinishLaunching", "openedURL", "didBecomeActive", "willResignActive",
                    "didEnterBackground", "willEnterForeground", "openedURL", "didBecomeActive",
                ])
        }

        @Test("No app takes https silently: the user chooses, which a new daemon knows, and may take it back")
        func defaultApp() throws {
            let system = try TestSystem()
            defer { system.end() }
            for name in ["one", "two"] {
                let entry = """
                    [Desktop Entry]
                    Type=Application
                    Name=Browser \(name)
                    Exec=/bin/sleep 1000
                    Terminal=true
                    MimeType=text/html;x-scheme-handler/https;
                    """
                try system.write(entry, to: "\(system.folder)/org.example.\(name).desktop")
                try system.expect("install", "\(system.folder)/org.example.\(name).desktop")
            }
            #expect(try system.run("open", "https://example.org/").code == 1)
            #expect(try system.expect("default", "https").contains("no app yet"))
            #expect(try system.run("default", "gopher", "one").code == 1)
            try system.expect("default", "https", ["one"])
            try system.expect("open", "https://example.org/")
            #expect(try system.app("org.example.one").state == "active")
            try system.killDaemon()
            #expect(try system.expect("default", "https").contains("org.example.one, which you chose"))
            try system.expect("default", "HTTPS://", ["two"])
            try system.expect("open", "https://example.org/")
            #expect(try system.app("org.example.two").state == "active")
            try system.expect("uninstall", "two")
            #expect(try system.run("open", "https://example.org/").code == 1)
            try system.expect("default", "https", ["--none"])
            #expect(try system.expect("default", "https").contains("no app yet"))
        }
    }
}
