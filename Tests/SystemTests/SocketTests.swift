import ContractSuite
import Foundation
import Glibc
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// `docs/TERMINATION.md`, "Sockets": real servers, and peers that know nothing of Greenroom.
    @Suite("Sockets", .serialized) struct Sockets {
        /// Answers each line with the same line; says where it listens, and what went wrong.
        private static let server = """
            import os, socket, sys, threading
            kind = sys.argv[1]
            if kind == "unix":
                server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[2]); server.listen(64)
                os.chmod(sys.argv[2], 0o666)
            elif kind == "given":
                giver = socket.socket(socket.AF_UNIX); giver.connect(sys.argv[2])
                server = socket.socket(fileno=socket.recv_fds(giver, 1, 1)[1][0])
            else:
                server = socket.create_server(("127.0.0.1", 0), backlog=64)
            if kind != "unix": print("listening on", server.getsockname()[1], flush=True)
            else: print("listening on 0", flush=True)

            def serve(peer):
                while True:
                    try: line = peer.recv(1000)
                    except OSError as error: print("error", error.errno, flush=True); return
                    if not line: peer.close(); return
                    peer.sendall(line)

            while True:
                peer, _ = server.accept()
                threading.Thread(target=serve, args=[peer], daemon=True).start()
            """

        /// Installs and opens a server; its port.
        private static func open(
            _ name: String, _ arguments: String = "tcp", modes: String = "", more: String = "",
            in system: TestSystem
        ) throws -> Int {
            let path = "\(system.folder)/server.py"
            try system.write(server, to: path)
            try system.installPlain(name, command: "python3 \(path) \(arguments)", modes: modes, more: more)
            try system.play(["open \(name)"])
            let patience = Patience()
            // What an app prints comes without news.
            while !patience.isOver {
                let line = system.output(name).first { $0.hasPrefix("listening on ") }
                if let port = line?.split(separator: " ").last.flatMap({ Int($0) }) { return port }
                try system.pass(seconds: 0.02)
            }
            throw Trouble("\(name) does not listen")
        }

        /// A peer: what it was answered for each line, or the error's number.
        private static func peer(_ address: String, lines: Int = 1, _ system: TestSystem) throws -> [String] {
            let child = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys
                    address = sys.argv[1]
                    try:
                        if address.isdigit(): peer = socket.create_connection(("127.0.0.1", int(address)), timeout=20)
                        else: peer = socket.socket(socket.AF_UNIX); peer.settimeout(20); peer.connect(address)
                        for line in range(int(sys.argv[2])):
                            peer.sendall(b"line %d" % line)
                            print(peer.recv(1000).decode() or "end", flush=True)
                    except OSError as error: print(error.errno, flush=True)
                    """, address, "\(lines)",
                ], environment: system.environment)
            let outcome = try child.outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            return outcome.output.split(separator: "\n").map(String.init)
        }

        private static func profile(_ change: (inout SocketRules) -> Void) throws -> Device {
            var profile = DeviceProfile.linux
            var rules = SocketRules()
            change(&rules)
            profile.sockets = rules
            return .profile(String(decoding: try JSONEncoder().encode(profile), as: UTF8.self))
        }

        @Test("A suspended server refuses at once, its neighbour never notices, and it serves again when it is opened")
        func refuses() throws {
            let system = try TestSystem()
            defer { system.end() }
            let port = try Self.open("server", in: system)
            let neighbour = try Self.open("neighbour", in: system)
            try system.follower().wait("suspended", of: "server")
            for _ in 0..<3 { #expect(try Self.peer("\(port)", system) == ["\(ECONNRESET)"]) }
            #expect(try Self.peer("\(neighbour)", lines: 3, system) == ["line 0", "line 1", "line 2"])
            #expect(try system.app("server").state == "suspended")
            let report = try #require(try system.reports("server").first)
            #expect(report.code == 0xdead_0ea2 && report.reason.contains("port \(port) (0 peers connected)"))
            try system.play(["open server"])
            #expect(try Self.peer("\(port)", system) == ["line 0"])
            let told = try system.follower().wait("peersRefused", of: "server")
            #expect(told.reason?.hasPrefix("3 connections to its port \(port)") == true)
            #expect(try system.reports("neighbour").allSatisfy { !$0.reason.contains("\(port)") })
        }

        @Test("A connection outlives a suspension, with what was sent meanwhile")
        func keepsConnections() throws {
            let system = try TestSystem()
            defer { system.end() }
            let port = try Self.open("server", in: system)
            let child = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys
                    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
                    peer.sendall(b"one"); print(peer.recv(100).decode(), flush=True)
                    sys.stdin.readline()
                    peer.sendall(b"two"); print("sent", flush=True); print(peer.recv(100).decode(), flush=True)
                    """, "\(port)",
                ], environment: system.environment)
            #expect(try child.line(Patience()) == "one")
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            let report = try #require(try system.reports("server").first)
            #expect(report.reason.contains("(1 peer connected)"))
            try child.write("\n")
            #expect(try child.line(Patience()) == "sent")
            try system.play(["open server"])
            #expect(try child.line(Patience()) == "two")
        }

        @Test(
            "Connections are closed after the profile's time, or after the program's: both sides see a reset",
            arguments: [false, true])
        func closesConnections(isOwn: Bool) throws {
            let system = try TestSystem(
                device: Self.profile { $0.connectionLimit = isOwn ? .seconds(3600) : .milliseconds(500) })
            defer { system.end() }
            let port = try Self.open("server", more: isOwn ? "X-Greenroom-ConnectionLimit=1" : "", in: system)
            let child = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys
                    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
                    peer.sendall(b"one"); print(peer.recv(100).decode(), flush=True)
                    try: print(peer.recv(100).decode() or "end", flush=True)
                    except OSError as error: print(error.errno, flush=True)
                    """, "\(port)",
                ], environment: system.environment)
            #expect(try child.line(Patience()) == "one")
            try system.play(["home"])
            #expect(try child.line(Patience()) == "\(ECONNRESET)")
            try system.follower().wait("connectionsClosed", of: "server")
            #expect(try system.app("server").state == "suspended")
            try system.play(["open server"])
            let patience = Patience()
            while !system.output("server").contains("error \(ECONNRESET)"), !patience.isOver {
                try system.pass(seconds: 0.02)
            }
            #expect(system.output("server").contains("error \(ECONNRESET)"))
            #expect(try Self.peer("\(port)", system) == ["line 0"])
        }

        @Test("A sleeping server is woken by who connects, serves, and sleeps again", arguments: ["tcp", "unix"])
        func wakes(_ kind: String) throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = "\(system.folder)/socket"
            try FileSystem.changeMode(system.folder, to: 0o777)
            let port = try Self.open("server", kind == "unix" ? "unix \(path)" : kind, modes: "listen", in: system)
            let address = kind == "unix" ? path : "\(port)"
            try system.play(["home"])
            let log = try system.follower()
            var seen = try log.wait("suspended", of: "server").seq
            for _ in 0..<3 {
                #expect(try Self.peer(address, lines: 3, system) == ["line 0", "line 1", "line 2"])
                seen = try log.wait("suspended", of: "server", after: seen).seq
            }
            #expect(try system.entries("server").count { $0.event == "peerConnected" } == 3)
            #expect(try system.reports("server").isEmpty)
        }

        @Test("A server with somebody connected to it is not suspended")
        func servesOn() throws {
            let system = try TestSystem(device: Self.profile { $0.grace = .milliseconds(100) })
            defer { system.end() }
            let port = try Self.open("server", modes: "listen", in: system)
            let child = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys
                    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
                    peer.sendall(b"one"); print(peer.recv(100).decode(), flush=True)
                    sys.stdin.readline()
                    peer.sendall(b"two"); print(peer.recv(100).decode(), flush=True)
                    """, "\(port)",
                ], environment: system.environment)
            #expect(try child.line(Patience()) == "one")
            let log = try system.follower()
            try system.play(["home"])
            try log.wait("keptRunning", of: "server")
            // Several looks.
            try system.pass(seconds: 0.5)
            #expect(try system.app("server").state == "background")
            try child.write("\n")
            #expect(try child.line(Patience()) == "two")
            _ = try child.outcome()
            try log.wait("suspended", of: "server")
        }

        @Test("Nobody is lost while the daemon is dead: the next one refuses, or wakes", arguments: ["", "listen"])
        func daemonDies(_ modes: String) throws {
            let system = try TestSystem()
            defer { system.end() }
            let port = try Self.open("server", modes: modes, in: system)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            for _ in 0..<3 {
                let daemon = try PidFD(system.daemon)
                try daemon.send(SIGKILL)
                let answer = try Self.peer("\(port)", system)
                #expect(answer == [modes.isEmpty ? "\(ECONNRESET)" : "line 0"])
                let patience = Patience()
                while try system.app("server").state != "suspended", !patience.isOver { try system.pass(seconds: 0.05) }
                #expect(try system.app("server").state == "suspended")
            }
            try system.play(["open server"])
            #expect(try Self.peer("\(port)", system) == ["line 0"])
        }

        @Test("A listener that somebody outside the app has as well is left alone")
        func shared() throws {
            let system = try TestSystem()
            defer { system.end() }
            try FileSystem.changeMode(system.folder, to: 0o777)
            let path = "\(system.folder)/giver"
            // It gives the app a listener, keeps it, and answers there itself once it is told to.
            let outside = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import os, socket, sys
                    listener = socket.create_server(("127.0.0.1", 0))
                    giver = socket.socket(socket.AF_UNIX); giver.bind(sys.argv[1]); giver.listen()
                    os.chmod(sys.argv[1], 0o666); print("ready", flush=True)
                    app, _ = giver.accept()
                    socket.send_fds(app, [b"x"], [listener.fileno()])
                    sys.stdin.readline()
                    peer, _ = listener.accept(); peer.sendall(b"from outside " + peer.recv(100))
                    """, path,
                ], environment: system.environment)
            #expect(try outside.line(Patience()) == "ready")
            let port = try Self.open("server", "given \(path)", in: system)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            try outside.write("\n")
            #expect(try Self.peer("\(port)", system) == ["from outside line 0"])
        }

        @Test("An ordinary user's daemon without cgroups refuses and wakes as well", arguments: ["", "listen"])
        func ordinary(_ modes: String) throws {
            let system = try TestSystem(environment: ["GREENROOM_CGROUP": ""], uid: 65534)
            defer { system.end() }
            let port = try Self.open("server", modes: modes, in: system)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            #expect(try Self.peer("\(port)", system) == [modes.isEmpty ? "\(ECONNRESET)" : "line 0"])
        }

        @Test("A flood of peers neither stops the daemon nor wakes the app")
        func flood() throws {
            let system = try TestSystem()
            defer { system.end() }
            let port = try Self.open("server", in: system)
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            let flood = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import socket, sys
                    refused = 0
                    for _ in range(5000):
                        try: peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
                        except ConnectionError: refused += 1; continue
                        try: refused += not peer.recv(1)
                        except ConnectionError: refused += 1
                        peer.close()
                    print(refused)
                    """, "\(port)",
                ], environment: system.environment)
            for _ in 0..<20 { #expect(try system.app("server").state == "suspended") }
            #expect(try flood.outcome(Patience(seconds: 60)).output == "5000\n")
            try system.play(["open server"])
            let told = try system.follower().wait("peersRefused", of: "server")
            #expect(told.reason?.hasPrefix("5000 connections") == true)
        }
    }
}
