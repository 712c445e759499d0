import ContractSuite
import DBus
import Foundation
import Glibc
import LinuxSystem
import TestBus
import Testing
import Wire

private enum PythonBus {
    static let isThere = ["dbus", "gi"].allSatisfy {
        FileSystem.exists("/usr/lib/python3/dist-packages/\($0)/__init__.py")
    }
}

extension SystemTests {
    /// `docs/TERMINATION.md`, "Sockets": programs that own a name on a real bus.
    @Suite(
        "Calls over a message bus", .serialized, .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
        .enabled(if: PythonBus.isThere, "NOT TESTED: needs python3-dbus and python3-gi (Debian)"))
    struct BusCalls {
        /// Answers `Ask`, and hears a signal of notifications. Told to, it reads nothing more.
        private static let owner = """
            import sys, time, dbus, dbus.service, dbus.mainloop.glib
            from gi.repository import GLib
            dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
            class Owner(dbus.service.Object):
                @dbus.service.method("org.example.Notes", out_signature="s")
                def Ask(self): return "answered"
                @dbus.service.method("org.example.Notes", out_signature="s", async_callbacks=("reply", "error"))
                def AskSlowly(self, reply, error): GLib.timeout_add(3000, lambda: reply("at last"))
            bus = dbus.SessionBus()
            name = dbus.service.BusName("org.example.Notes", bus)
            Owner(bus, "/org/example/Notes")
            heard = [0]
            def hear(*arguments):
                heard[0] += 1
                print("heard", heard[0], flush=True)
            bus.add_signal_receiver(hear, signal_name="ActionInvoked")
            print("up", flush=True)
            if sys.argv[1:] == ["deaf"]:
                while True: time.sleep(1)
            GLib.MainLoop().run()
            """

        private struct World {
            let bus: TestBus
            let system: TestSystem

            init(_ arguments: String = "") throws {
                bus = try TestBus(isOpen: true)
                // A bus refuses users that the machine does not list, as the users of apps are.
                system = try TestSystem(environment: bus.environment.merging(["GREENROOM_SHARED_UID": "1"]) { $1 })
                let path = "\(system.folder)/owner.py"
                try system.write(owner, to: path)
                try system.installPlain("notes", command: "python3 \(path) \(arguments)")
                try system.play(["open notes"])
                try system.awaitOutput("up", of: "notes")
                try system.play(["home"])
                try system.follower().wait("suspended", of: "notes")
            }
        }

        private static func call(_ method: String) -> DBusCall {
            DBusCall(method, of: "org.example.Notes", at: "/org/example/Notes", to: "org.example.Notes")
        }

        @Test("A call wakes a suspended program, which answers and sleeps again")
        func wakes() throws {
            let world = try World()
            defer { world.system.end() }
            let peer = try BusPeer(world.bus)
            var seen = 0
            for (method, answer) in [("Ask", "answered"), ("AskSlowly", "at last"), ("Ask", "answered")] {
                #expect(try peer.call(Self.call(method)).get().first?.plain == .string(answer))
                let entry = try world.system.follower().wait("methodCalled", of: "notes", after: seen)
                #expect(entry.reason?.contains("org.example.Notes.\(method)") == true)
                seen = try world.system.follower().wait("suspended", of: "notes", after: entry.seq).seq
            }
            #expect(try world.system.expect("why", "notes").contains("called org.example.Notes.Ask"))
        }

        @Test("Signals do not wake a program until they fill its queue; all of them are there then")
        func signals() throws {
            let world = try World()
            defer { world.system.end() }
            let daemon = try FakeDaemon(world.bus)
            for number in 0..<UInt32(20) { try daemon.act(number) }
            // A call and its answer follow the signals on the same bus.
            let other = try BusPeer(world.bus)
            _ = try other.call(DBusCall("GetId", of: "org.freedesktop.DBus", at: "/", to: "org.freedesktop.DBus"))
            #expect(try world.system.entries("notes").contains { $0.event == "methodCalled" } == false)
            #expect(try world.system.app("notes").state == "suspended")
            for number in UInt32(20)..<200 { try daemon.act(number) }
            let entry = try world.system.follower().wait("methodCalled", of: "notes")
            #expect(entry.reason?.contains("has more for it") == true)
            try world.system.awaitOutput("heard 200", of: "notes")
        }

        @Test("A call that comes while the daemon is dead is answered as soon as the next one runs")
        func daemonDies() throws {
            let world = try World()
            defer { world.system.end() }
            let peer = try BusPeer(world.bus)
            let daemon = try PidFD(world.system.daemon)
            try daemon.send(SIGKILL)
            #expect(daemon.waitUntilDead(milliseconds: 5000))
            #expect(try peer.call(Self.call("Ask")).get().first?.plain == .string("answered"))
        }

        @Test("A program that does not read its calls is suspended again and again, and not woken for ever")
        func deaf() throws {
            let world = try World("deaf")
            defer { world.system.end() }
            let peer = try BusPeer(world.bus)
            peer.on { $0.call(Self.call("Ask")) { _ in } }
            let entry = try world.system.follower().wait("listens", of: "notes")
            #expect(entry.reason?.contains("did not read the call") == true)
            #expect(try world.system.reports("notes").count == 1)
            #expect(try world.system.app("notes").state == "suspended")
            #expect(try world.system.entries("notes").count { $0.event == "methodCalled" } == 5)
        }

        @Test("A connection that leads to no bus wakes nobody, whatever comes")
        func noBus() throws {
            let system = try TestSystem()
            defer { system.end() }
            try FileSystem.changeMode(system.folder, to: 0o777)
            let path = "\(system.folder)/talker"
            let talker = try Child(
                #require(Machine.find("python3")),
                [
                    "-c",
                    """
                    import os, socket, sys
                    listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
                    os.chmod(sys.argv[1], 0o666); print("ready", flush=True)
                    app, _ = listener.accept()
                    for line in sys.stdin:
                        app.sendall(line.encode() * 100); print("sent", flush=True)
                    """, path,
                ], environment: system.environment)
            #expect(try talker.line(Patience()) == "ready")
            let program = "\(system.folder)/hearer.py"
            try system.write(
                """
                import socket, sys
                peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1]); print("up", flush=True)
                while peer.recv(1000): pass
                """, to: program)
            try system.installPlain("hearer", command: "python3 \(program) \(path)")
            try system.play(["open hearer"])
            try system.awaitOutput("up", of: "hearer")
            try system.play(["home"])
            try system.follower().wait("suspended", of: "hearer")
            for _ in 0..<3 {
                try talker.write("hello, this is no message\n")
                #expect(try talker.line(Patience()) == "sent")
            }
            // Its listener is guarded by the same loop, and this comes behind.
            #expect(try system.app("hearer").state == "suspended")
            #expect(try system.entries("hearer").contains { $0.event == "methodCalled" } == false)
        }

        @Test("A suspended program with hundreds of connections takes few of the daemon's descriptors")
        func manyConnections() throws {
            let system = try TestSystem()
            defer { system.end() }
            try FileSystem.changeMode(system.folder, to: 0o777)
            let program = "\(system.folder)/hoarder.py"
            try system.write(
                """
                import socket, sys, time
                listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen(64)
                kept = []
                for _ in range(300):
                    peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1])
                    kept += [peer, listener.accept()[0]]
                print("up", flush=True)
                while True: time.sleep(1)
                """, to: program)
            let before = FileSystem.names(in: "/proc/\(try system.daemon)/fd").count
            try system.installPlain("hoarder", command: "python3 \(program) \(system.folder)/many-bus")
            try system.play(["open hoarder"])
            try system.awaitOutput("up", of: "hoarder")
            try system.play(["home"])
            try system.follower().wait("suspended", of: "hoarder")
            #expect(FileSystem.names(in: "/proc/\(try system.daemon)/fd").count < before + 40)
        }
    }
}
