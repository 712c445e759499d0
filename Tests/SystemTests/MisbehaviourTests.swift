import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// `docs/TERMINATION.md`: each case ends with the code of its row, with a report that names limit, time and state.
    @Suite("Misbehaviour", .serialized) struct Misbehaviour {
        struct Case: Sendable, CustomTestStringConvertible {
            let name: String
            let script: String
            let commands: [String]
            let namespace: String
            let code: Int
            let state: String
            /// Words that the report's reason must hold.
            var reason: [String]
            /// Seconds that were allowed.
            var allowed: Double?
            var testDescription: String { name }
        }

        private static let hasty = Hasty(launch: 4, callback: 1.5, mainThread: 1.5, check: 0.5, processes: 100)
        private static let late = 0x8bad_f00d

        private static let blocksInBackground = """
            class Delegate(Base):
                def on_didEnterBackground(self, params):
                    time.sleep(1000)
            """
        private static let blocksMainThread = """
            def started(app):
                app.every(0.5, lambda: time.sleep(1000))
            """

        private static let cases = [
            Case(
                name: "blocks in didEnterBackground", script: Python.app(blocksInBackground),
                commands: ["open app", "home --no-wait"], namespace: "SPRINGBOARD", code: late, state: "inactive",
                reason: ["scene-update (didEnterBackground) watchdog transgression", "1.50 seconds"], allowed: 1.5),
            Case(
                name: "blocks its main thread", script: Python.app(blocksMainThread),
                commands: ["open app"], namespace: "WATCHDOG", code: late, state: "active",
                reason: ["main-thread watchdog transgression", "1.50 seconds"], allowed: 1.5),
            Case(
                name: "never says hello",
                script: """
                    #!/usr/bin/env python3
                    import time
                    time.sleep(1000)
                    """, commands: ["open app --no-wait"], namespace: "SPRINGBOARD", code: late, state: "inactive",
                reason: ["scene-create watchdog transgression", "4.00 seconds"], allowed: 4),
            Case(
                name: "blocks in didFinishLaunching",
                script: Python.app(
                    """
                    class Delegate(Base):
                        def on_didFinishLaunching(self, params):
                            time.sleep(1000)
                    """),
                commands: ["open app --no-wait"], namespace: "SPRINGBOARD", code: late, state: "inactive",
                reason: ["didFinishLaunching", "1.50 seconds"], allowed: 1.5),
            Case(
                name: "crashes",
                script: Python.app(
                    """
                    def started(app):
                        app.every(0.5, lambda: os.kill(os.getpid(), signal.SIGSEGV))
                    """), commands: ["open app"], namespace: "SIGNAL", code: 11, state: "active",
                reason: ["signal 11", "SIGSEGV"], allowed: nil),
            Case(
                name: "exits with an error",
                script: Python.app(
                    """
                    def started(app):
                        app.every(0.5, lambda: os._exit(3))
                    """), commands: ["open app"], namespace: "EXIT", code: 3, state: "active",
                reason: ["exit status 3"], allowed: nil),
            Case(
                name: "exits at launch",
                script: """
                    #!/usr/bin/env python3
                    import sys
                    sys.exit(1)
                    """, commands: ["open app --no-wait"], namespace: "GREENROOM", code: 0xfa11_7042, state: "inactive",
                reason: ["could not be launched", "exit status 1"], allowed: nil),
            Case(
                name: "blocks in willTerminate",
                script: Python.app(
                    """
                    class Delegate(Base):
                        def on_willTerminate(self, params):
                            time.sleep(1000)
                    """),
                commands: ["open app", "close app"], namespace: "SPRINGBOARD", code: late, state: "background",
                reason: ["process-exit (willTerminate) watchdog transgression", "1.50 seconds"], allowed: 1.5),
            Case(
                name: "cannot be executed", script: "#!/no/such/interpreter\n", commands: ["open app --no-wait"],
                namespace: "GREENROOM", code: 0xfa11_7042, state: "inactive",
                reason: ["could not be launched", "execve"], allowed: nil),
            Case(
                name: "forks without end",
                script: Python.app(
                    """
                    def started(app):
                        def fork():
                            # Bounded, should nobody stop it.
                            for _ in range(150):
                                try:
                                    child = os.fork()
                                except OSError:
                                    # The kernel gives no more: the app lives on.
                                    return
                                if child == 0:
                                    time.sleep(1000)
                                    os._exit(0)
                            time.sleep(0.2)
                        app.every(0.5, fork)
                    """), commands: ["open app"], namespace: "RUNNINGBOARD", code: 0xd00d_2bad, state: "active",
                reason: ["processes", "the limit is 100"], allowed: nil),
        ]

        @Test("An app that misbehaves ends with the documented code and report", arguments: cases)
        func ends(_ misbehaviour: Case) throws {
            let system = try TestSystem(device: .hasty(Self.hasty))
            defer { system.end() }
            let bundle = try system.makeBundle("app", misbehaviour.script)
            try system.expect("install", bundle)
            try system.play(misbehaviour.commands)
            let terminated = try system.follower().wait("terminated", of: "app")
            try expectReport(misbehaviour, terminated, system)
            let app = try system.app("app")
            #expect(app.state == "not-running" && app.pids.isEmpty && !app.visible)
            #expect(system.processes.allSatisfy { ProcFS().environment($0)?.contains("GREENROOM_APP=app") != true })
        }

        private func expectReport(_ misbehaviour: Case, _ terminated: LogEntry, _ system: TestSystem) throws {
            let reports = try system.reports("app")
            #expect(reports.count == 1)
            let report = try #require(reports.first)
            #expect(report.namespace == misbehaviour.namespace)
            #expect(report.code == misbehaviour.code)
            for words in misbehaviour.reason {
                #expect(report.reason.contains(words))
                #expect(terminated.reason?.contains(words) == true)
            }
            let parts = try system.expect("reports", "show", report.id).split(separator: "\n", maxSplits: 1)
            try #require(parts.count == 2, "an .ips file is a header on one line and a report")
            let header = try JSONValue(parsing: String(parts[0]))
            #expect(header["bundleID"]?.string == "app" && header["incident_id"]?.string == report.id)
            let body = try JSONValue(parsing: String(parts[1]))
            let termination = try #require(body["termination"])
            #expect(termination["namespace"]?.string == misbehaviour.namespace)
            #expect(termination["code"]?.int == misbehaviour.code)
            #expect(termination["ProcessState"]?.string == misbehaviour.state)
            if let allowed = misbehaviour.allowed {
                #expect(termination["allowedSeconds"]?.number == allowed)
                #expect(try #require(termination["elapsedSeconds"]?.number) >= allowed)
                #expect(termination["limit"]?.string?.isEmpty == false)
            }
        }

        @Test("A plain program that ignores SIGTERM is killed when its time is over, and that is reported")
        func ignoresTermination() throws {
            let system = try TestSystem(device: .hasty(Self.hasty))
            defer { system.end() }
            try system.write("trap '' TERM\nwhile true; do sleep 1; done\n", to: "\(system.folder)/stubborn.sh")
            try system.installPlain("stubborn", command: "sh \(system.folder)/stubborn.sh")
            try system.play(["open stubborn", "close stubborn"])
            let report = try #require(try system.reports("stubborn").first)
            #expect(report.namespace == "SPRINGBOARD" && report.code == Self.late)
            #expect(report.reason.contains("process-exit (SIGTERM) watchdog transgression"))
            #expect(try system.app("stubborn").pids.isEmpty)
        }

        @Test("Whoever waits for an app that ends at launch is told so")
        func openFails() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.expect("install", try system.makeBundle("app", "#!/usr/bin/env python3\nraise SystemExit(7)\n"))
            let outcome = try system.run("open", "app")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("exit status 7"), "\(outcome.errors)")
            // It can be tried again.
            #expect(try system.run("open", "app").code == 1)
            #expect(try system.reports("app").count == 2)
        }

        @Test("A plain program runs on in its children when its first process ends, and crashes with a report")
        func plain() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.write("sleep 1000 &\nexit 0\n", to: "\(system.folder)/parent.sh")
            try system.installPlain("parent", command: "sh \(system.folder)/parent.sh")
            try system.play(["open parent", "home"])
            try system.follower().wait("suspended", of: "parent")
            try system.play(["open parent"])
            let app = try system.app("parent")
            #expect(app.state == "active" && app.pids.count == 1 && app.pid == app.pids.first)
            try system.play(["close parent"])
            #expect(try system.app("parent").pids.isEmpty)
            try system.write("kill -SEGV $$\n", to: "\(system.folder)/crash.sh")
            try system.installPlain("crash", command: "sh \(system.folder)/crash.sh")
            try system.play(["open crash --no-wait"])
            try system.follower().wait("terminated", of: "crash")
            let report = try #require(try system.reports("crash").first)
            #expect(report.namespace == "SIGNAL" && report.code == 11)
        }

        @Test("An app that forks children and is closed takes all of them with it")
        func children() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "parent",
                """
                def started(app):
                    for _ in range(20):
                        if os.fork() == 0:
                            os.setsid()
                            signal.signal(signal.SIGTERM, signal.SIG_IGN)
                            time.sleep(1000)
                            os._exit(0)
                """)
            try system.play(["open parent"])
            #expect(try system.app("parent").pids.count == 21)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "parent")
            let pids = try system.app("parent").pids
            #expect(pids.count == 21 && system.isFrozen("parent", pids))
            try system.play(["close parent"])
            #expect(pids.allSatisfy { ProcFS().stat(CInt($0)).map { "ZX".contains($0.state) } ?? true })
        }

        @Test("Under a tracer from outside no limit is enforced; when it leaves, the limit counts from then on")
        func traced() throws {
            let system = try TestSystem(device: .hasty(Self.hasty))
            defer { system.end() }
            try system.installPython("app", Self.blocksMainThread)
            try system.play(["open app"])
            let pid = try #require(try system.app("app").pid)
            let tracer = try Child(
                try #require(Machine.find("python3")), ["-c", Tracer.script, "\(pid)"], environment: system.environment)
            #expect(try tracer.line(Patience()) == "attached")
            // Twice the limit and the interval between two looks.
            try system.pass(seconds: 4.5)
            #expect(try system.app("app").state == "active")
            #expect(try system.reports("app").isEmpty)
            try tracer.write("leave\n")
            #expect(try tracer.outcome().code == 0)
            try system.follower().wait("terminated", of: "app")
            #expect(try system.reports("app").first?.namespace == "WATCHDOG")
        }

        @Test("Watchdogs stand still while their app is frozen")
        func frozen() throws {
            let system = try TestSystem(device: .hasty(Self.hasty))
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app", "home"])
            try system.follower().wait("suspended", of: "app")
            let pid = try system.app("app").pid
            try system.pass(seconds: 3.5)
            try system.play(["open app"])
            #expect(try system.app("app").pid == pid)
            #expect(try system.reports("app").isEmpty)
        }
    }
}
