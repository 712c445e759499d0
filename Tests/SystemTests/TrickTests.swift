import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Apps that hide from the system, or hold it up.
    @Suite("Tricks", .serialized) struct Tricks {
        /// The app's first thread ends by a system call; a second one is the app.
        private static let headless = """
            import ctypes, fcntl, platform

            def is_headless():
                with open("/proc/self/stat") as stat:
                    return stat.read().rpartition(")")[2].split()[0] == "Z"

            def started(app):
                def serve():
                    while not is_headless():
                        time.sleep(0.001)
                    print("headless", flush=True)
                    while True:
                        app.turn()
                threading.Thread(target=serve).start()
                ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)

            """

        private static func system(withCgroups: Bool) throws -> TestSystem {
            try TestSystem(environment: withCgroups ? [:] : ["GREENROOM_CGROUP": ""])
        }

        private func expectHeadless(_ system: TestSystem, at location: SourceLocation = #_sourceLocation) throws
            -> PidFD
        {
            let process = try PidFD(system.firstProcess("tricky"))
            let stat = try #require(ProcFS().stat(process.pid), sourceLocation: location)
            #expect(stat.hasDeadLeader && !stat.isOver, sourceLocation: location)
            return process
        }

        @Test(
            "An app whose first thread has ended is seen, suspended, closed, restarted and uninstalled like any other",
            arguments: [true, false])
        func headless(withCgroups: Bool) throws {
            let system = try Self.system(withCgroups: withCgroups)
            defer { system.end() }
            try system.installPython("tricky", Self.headless)
            try system.play(["open tricky"])
            let first = try expectHeadless(system)
            let app = try system.app("tricky")
            #expect(app.state == "active" && app.pids == [Int(first.pid)])
            #expect(try #require(app.memory.dirty) > 1 << 20)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "tricky")
            #expect(ProcFS().isStopped(first.pid) || withCgroups && system.isFrozen("tricky", app.pids))
            // Suspended and killed while it is, then thawed and ended in order.
            try system.play(["close tricky"])
            #expect(first.waitUntilDead(milliseconds: 10_000))
            try system.play(["open tricky"])
            let second = try expectHeadless(system)
            try system.play(["home", "open tricky", "restart tricky"])
            #expect(second.waitUntilDead(milliseconds: 10_000))
            let third = try expectHeadless(system)
            try system.play(["uninstall tricky"])
            #expect(third.waitUntilDead(milliseconds: 10_000))
            // The next one is there when the system goes down.
            try system.installPython("tricky", Self.headless)
            try system.play(["open tricky"])
            _ = try expectHeadless(system)
        }

        @Test("So it is ended where no daemon is, and found by one that comes back", arguments: [true, false])
        func withoutDaemon(withCgroups: Bool) throws {
            let system = try Self.system(withCgroups: withCgroups)
            defer { system.end() }
            try system.installPython("tricky", Self.headless)
            try system.play(["open tricky"])
            let process = try expectHeadless(system)
            try PidFD(system.daemon).send(SIGKILL)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            #expect(try system.app("tricky").pid == Int(process.pid))
            let (keeper, daemon) = (try PidFD(system.keeper()), try PidFD(system.daemon))
            try daemon.send(SIGSTOP)
            try keeper.send(SIGKILL)
            try daemon.send(SIGKILL)
            #expect(keeper.waitUntilDead(milliseconds: 20_000) && daemon.waitUntilDead(milliseconds: 20_000))
            try system.expect("down", "--force")
            #expect(process.waitUntilDead(milliseconds: 10_000))
            system.expectNothingLeft()
            try system.up()
        }

        @Test("What it has locked for itself alone ends it when it is suspended, as it ends any app")
        func lock() throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = "\(system.folder)/shared"
            try system.write("x", to: path)
            try FileSystem.changeMode(path, to: 0o666)
            let takesLock = "file = open(\"\(path)\", \"r+\")\nfcntl.flock(file, fcntl.LOCK_EX)\n"
            try system.installPython("tricky", Self.headless + takesLock)
            try system.play(["open tricky"])
            _ = try expectHeadless(system)
            try system.play(["home"])
            try system.follower().wait("terminated", of: "tricky")
            let report = try #require(try system.reports("tricky").first)
            #expect(report.code == 0xdead_10cc && report.reason.contains(path), "\(report)")
        }

        @Test("Whoever fills the socket of an app that has ended holds nobody up")
        func flood() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("other")
            let meeting = "\(system.folder)/meeting"
            // Somebody outside of the app, whom its end does not end.
            let flooder = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import os, socket, sys
                    server = socket.socket(socket.AF_UNIX)
                    server.bind(sys.argv[1])
                    os.chmod(sys.argv[1], 0o666)
                    server.listen()
                    print("ready", flush=True)
                    peer, _ = server.accept()
                    target = socket.socket(fileno=socket.recv_fds(peer, 1, 1)[1][0])
                    lines = b'{"jsonrpc":"2.0","method":"nothing"}\\n' * 1500
                    # Four of them: one may have to wait for the processor.
                    os.fork()
                    os.fork()
                    try:
                        while True: target.sendall(lines)
                    except OSError:
                        print("cut")
                    """, meeting,
                ], environment: system.environment)
            #expect(try flooder.line(Patience()) == "ready")
            try system.installPython(
                "leaving",
                """
                import socket

                def leave():
                    peer = socket.socket(socket.AF_UNIX)
                    peer.connect("\(meeting)")
                    socket.send_fds(peer, [b"x"], [app.connection.fileno()])
                    time.sleep(0.3)
                    os._exit(0)

                class Delegate(Base):
                    def on_didBecomeActive(self, params):
                        threading.Timer(0.1, leave).start()
                """)
            let daemon = try system.daemon
            let before = try #require(ProcFS().stat(daemon)).processorTime
            try system.play(["open leaving"])
            try system.follower().wait("terminated", of: "leaving")
            try system.play(["open other", "home", "open other"])
            #expect(try flooder.outcome().output.contains("cut"))
            // Half a second of it is for the flood while the app lives.
            let used = try #require(ProcFS().stat(daemon)).processorTime - before
            #expect(used < 2_500_000_000, "the daemon worked for \(used / 1_000_000) ms")
            #expect(try system.app("leaving").state == "not-running")
        }

        @Test("Peers that come back at once are turned away, and leave the daemon time for others")
        func comingBack() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "server",
                """
                import socket
                server = socket.create_server(("127.0.0.1", 0), backlog=64)
                print("listening", server.getsockname()[1], flush=True)
                """)
            try system.play(["open server", "home"])
            try system.follower().wait("suspended", of: "server")
            let line = try #require(system.output("server").first { $0.hasPrefix("listening") })
            let port = try #require(line.split(separator: " ").last)
            let child = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys, threading, time
                    end, count = time.monotonic() + 2, [0]
                    def come():
                        while time.monotonic() < end:
                            try:
                                with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5) as peer:
                                    peer.recv(1)
                            except ConnectionError:
                                count[0] += 1
                    threads = [threading.Thread(target=come) for _ in range(4)]
                    for thread in threads: thread.start()
                    for thread in threads: thread.join()
                    print(count[0])
                    """, String(port),
                ], environment: system.environment)
            let outcome = try child.outcome()
            let count = try #require(Int(outcome.output.prefix { $0 != "\n" }), "\(outcome)")
            // 128 in a tenth of a second, and one turn more.
            #expect(count > 0 && count < 21 * (128 + 64), "\(count)")
            try system.play(["open server"])
        }
    }
}
