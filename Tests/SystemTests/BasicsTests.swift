import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("Basics", .serialized) struct Basics {
        private static let counter = "org.greenroom.examples.counter"
        private static let bundle = "\(Machine.repository)/Examples/python/Counter.app"

        @Test(
            "An app is suspended 100 ms after it has left, uses no processor time, and comes back as the same process")
        func suspendAndReturn() throws {
            let system = try TestSystem()
            defer { system.end() }
            let app = Self.counter
            try system.play(["install \(Self.bundle)", "open counter", "home"])
            let suspended = try system.follower().wait("suspended", of: app)
            let left = try #require(system.entries(app).last { $0.event == "didEnterBackground" })
            // The entry is written when the delegate has returned.
            #expect(suspended.secondOfDay - left.secondOfDay < 0.1)
            let before = try system.app(app)
            #expect(before.state == "suspended")
            #expect(!before.visible && before.role == nil)
            #expect(system.isFrozen(app, before.pids))
            let pid = try CInt(#require(before.pid))
            let used = ProcFS().stat(pid)?.processorTime
            // A running Counter ticks every second; this one has a whole second in which it must not.
            try system.pass(seconds: 1.1)
            #expect(ProcFS().stat(pid)?.processorTime == used)
            let ticks = system.output(app).filter { $0.contains("tick") }.count
            try system.play(["open counter"])
            let after = try system.app(app)
            #expect(after.pid == before.pid)
            #expect(after.state == "active" && after.visible && after.front && after.role == "primary")
            #expect(!system.isFrozen(app, after.pids))
            #expect(system.output(app).filter { $0.contains("tick") }.count <= ticks + 1)
        }

        @Test("When an app with a terminal was closed, the daemon goes back to sleep")
        func closedTerminal() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPlain("editor", command: "cat", terminal: true)
            try system.play(["open editor", "close editor"])
            let daemon = try system.daemon
            // The terminal's holder ends a moment after the app.
            try system.pass(seconds: 0.5)
            let used = try #require(ProcFS().stat(daemon)?.processorTime)
            try system.pass(seconds: 1)
            #expect(try #require(ProcFS().stat(daemon)?.processorTime) - used < 200_000_000)
        }

        @Test("An app's container goes with it, unless its data is to be kept")
        func uninstall() throws {
            let system = try TestSystem()
            defer { system.end() }
            let container = "\(system.home)/containers/\(Self.counter)"
            try system.play(["install \(Self.bundle)", "open counter", "home"])
            for folder in ["Documents", "Library/Caches", "tmp"] {
                #expect(FileSystem.exists("\(container)/\(folder)"))
            }
            try system.expect("uninstall", "counter", "--keep-data")
            #expect(FileSystem.exists("\(container)/Documents"))
            #expect(try system.apps().isEmpty)
            try system.play(["install \(Self.bundle)", "open counter"])
            try system.expect("uninstall", "counter")
            #expect(!FileSystem.exists(container))
            #expect(try system.apps().isEmpty)
        }

        @Test("Exit codes say whether it was done, refused, wrongly used, or nobody was there")
        func exitCodes() throws {
            let system = try TestSystem()
            defer { system.end() }
            #expect(try system.run("apps").code == 0)
            #expect(try system.run("open", "org.example.nobody").code == 1)
            #expect(try system.run("open", "nobody://x").code == 1)
            #expect(try system.run("install", "/dev/null").code == 1)
            #expect(try system.run("reports", "show", "nothing").code == 1)
            #expect(try system.run("up", "--detach").code == 1)
            #expect(try system.run("open").code == 2)
            #expect(try system.run("levitate").code == 2)
            #expect(try system.run("up", "--device", "nokia").code != 0)
            system.environment["GREENROOM_HOME"] = system.folder
            #expect(try system.run("apps").code == 3)
            #expect(try system.run("down").code == 3)
            system.environment["GREENROOM_HOME"] = system.home
        }

        @Test("A log entry has exactly its documented keys, and its number grows across restarts of daemon and system")
        func logEntries() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.play(["install \(Self.bundle)", "open counter", "home"])
            try system.follower().wait("suspended", of: Self.counter)
            let text = try system.expect("log", "--json")
            for line in text.split(separator: "\n") {
                let keys = try JSONValue(parsing: String(line)).object?.members.map(\.key).sorted()
                #expect(keys == ["app", "at", "cause", "event", "reason", "seq", "took"])
            }
            let first = try system.entries()
            #expect(first.map(\.seq) == first.map(\.seq).sorted())
            #expect(Set(first.map(\.seq)).count == first.count)
            for entry in first where entry.isCallback { #expect(entry.took != nil) }
            for entry in first {
                guard let cause = entry.cause else { continue }
                #expect(cause < entry.seq && first.contains { $0.seq == cause })
            }
            let highest = try system.lastSequence
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart", after: highest) { $0.event == "daemonRestarted" }
            let afterCrash = try system.lastSequence
            #expect(afterCrash > highest)
            try system.expect("down")
            system.expectNothingLeft()
            try system.up()
            let entries = try system.entries()
            #expect(try #require(entries.last).seq > afterCrash)
            #expect(Set(entries.map(\.seq)).count == entries.count)
            #expect(entries.contains { $0.seq == highest }, "what was logged before is still there")
        }

        @Test("why leads from the present state back to what the user did")
        func why() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.play(["install \(Self.bundle)", "open counter", "home"])
            try system.follower().wait("suspended", of: Self.counter)
            let answer = try WhyAnswer(json: JSONValue(parsing: system.expect("why", "counter", "--json")))
            #expect(answer.app == Self.counter && answer.state == "suspended")
            #expect(answer.because.first?.event == "suspended")
            #expect(answer.because.last?.event == "homePressed")
            #expect(answer.because.map(\.seq) == answer.because.map(\.seq).sorted(by: >))
            #expect(try system.expect("why", "counter").contains("Home"))
            try system.play(["open counter"])
            let active = try WhyAnswer(json: JSONValue(parsing: system.expect("why", "counter", "--json")))
            #expect(active.state == "active")
            #expect(active.because.last?.event == "openRequested")
        }

        @Test("Two systems run side by side and know nothing of each other")
        func twoSystems() throws {
            let one = try TestSystem()
            defer { one.end() }
            let other = try TestSystem()
            defer { other.end() }
            try one.play(["install \(Self.bundle)", "open counter"])
            #expect(try other.apps().isEmpty)
            try other.play(["install \(Self.bundle)", "open counter", "home"])
            #expect(try one.app(Self.counter).state == "active")
            #expect(try one.app(Self.counter).state == "active")
        }

        @Test("A home whose sockets have too long a path works, and its apps survive the daemon")
        func deepHome() throws {
            let system = try TestSystem(deep: true)
            defer { system.end() }
            unsafe chmod(Machine.folder(of: system.home), 0o755)
            #expect("\(system.home)/control".utf8.count > 107)
            try system.play(["install \(Self.bundle)", "open counter"])
            let pid = try system.app(Self.counter).pid
            try PidFD(system.daemon).send(9)
            try system.play(["home"])
            try system.follower().wait("suspended", of: Self.counter)
            try system.play(["open counter"])
            #expect(try system.app(Self.counter).pid == pid)
        }

        @Test("Nobody else can enter the home, and the control socket is its owner's")
        func modes() throws {
            let system = try TestSystem()
            defer { system.end() }
            for (name, mode) in [("", 0o700), ("/control", 0o600), ("/state.sqlite", 0o600)] {
                var status = stat()
                #expect(unsafe lstat(system.home + name, &status) == 0)
                #expect(Int(status.st_mode & 0o777) == mode, "\(name)")
            }
        }

        @Test("What an app prints is kept in a file that does not grow without bound")
        func boundedOutput() throws {
            let system = try TestSystem(device: .hasty(Hasty(check: 0.2)))
            defer { system.end() }
            try system.installPython(
                "chatterbox",
                """
                def started(app):
                    def chat():
                        print("\\n".join(["x" * 1000] * 100), flush=True)
                    app.every(0.01, chat)
                """)
            try system.play(["open chatterbox"])
            let path = "\(system.home)/run/chatterbox/output"
            // It prints at most 10 MB a second, and is looked at five times a second.
            while try Descriptor.open(path, .read).status().size < 20_000_000 { try system.pass(seconds: 0.2) }
            try system.play(["home"])
            try system.follower().wait("suspended", of: "chatterbox")
            let status = try Descriptor.open(path, .read).status()
            #expect(status.size >= 20_000_000)
            #expect(status.allocated < 10_000_000, "\(status.allocated) bytes of disk for \(status.size) printed")
        }
    }
}
