import ContractSuite
import Foundation
import Glibc
import LinuxSystem
import TestBus
import Testing
import Wire

/// An X display that nobody sees.
final class XDisplay {
    private static let program = "/usr/bin/Xvfb"
    static let isThere =
        FileSystem.exists(program)
        && FileSystem.names(in: "/usr/lib/\(machine)-linux-gnu")
            .contains("libX11.so.6")
    static let missing = "NOT TESTED: needs Xvfb and libX11 (Debian: xvfb, libx11-6)"
    #if arch(arm64)
        private static let machine = "aarch64"
    #else
        private static let machine = "x86_64"
    #endif

    let name: String
    private let server: TestProgram

    init(_ arguments: [String] = ["-ac"]) throws {
        server = try TestProgram(
            Self.program,
            ["-displayfd", "1", "-screen", "0", "64x64x24", "-nolisten", "tcp", "-noreset"] + arguments)
        name = ":" + (try server.line())
    }

    func die() { server.kill() }
}

extension TestSystem {
    /// What an app prints comes without news.
    func awaitOutput(_ line: String, of app: String) throws {
        try until("“\(line)” of \(app)") { output(app).contains(line) }
    }
}

extension SystemTests {
    /// `docs/TERMINATION.md`, "Locks": programs that have input for themselves.
    @Suite("Grabbed input", .serialized) struct Grabs {
        /// Grabs the keyboard or the pointer, and lets go of it when it is told to.
        private static let grabber = """
            import ctypes, signal, sys, time
            x11 = ctypes.CDLL("libX11.so.6")
            x11.XOpenDisplay.restype = ctypes.c_void_p
            x11.XDefaultRootWindow.restype = ctypes.c_ulong
            display = ctypes.c_void_p(x11.XOpenDisplay(None))
            root, now = ctypes.c_ulong(x11.XDefaultRootWindow(display)), ctypes.c_ulong(0)
            none = ctypes.c_ulong(0)
            if sys.argv[1] == "keyboard": result = x11.XGrabKeyboard(display, root, 1, 1, 1, now)
            elif sys.argv[1] == "pointer": result = x11.XGrabPointer(display, root, 1, 0, 1, 1, none, none, now)
            else: result = 0
            x11.XSync(display, 0)
            def release(*arguments):
                x11.XUngrabKeyboard(display, now); x11.XUngrabPointer(display, now); x11.XSync(display, 0)
                print("released", flush=True)
            signal.signal(signal.SIGUSR1, release)
            print("has it" if result == 0 else f"refused: {result}", flush=True)
            while True: time.sleep(1)
            """

        @Test(
            "A program that has grabbed input of an X display is not suspended until it lets go, and why says so",
            .enabled(if: XDisplay.isThere, Comment(rawValue: XDisplay.missing)),
            arguments: [("keyboard", false), ("pointer", false), ("keyboard", true)])
        func grabbed(_ input: String, isLocked: Bool) throws {
            let keys = try Keys()
            let display = try XDisplay(isLocked ? ["-auth", keys.path] : ["-ac"])
            // Apps of other users cannot read the user's key.
            let system = try TestSystem(environment: [
                "DISPLAY": display.name, "XAUTHORITY": keys.path, "GREENROOM_SHARED_UID": "1",
            ])
            defer { system.end() }
            let path = "\(system.folder)/grabber.py"
            try system.write(Self.grabber, to: path)
            try system.installPlain("grabber", command: "python3 \(path) \(input)")
            try system.play(["open grabber"])
            try system.awaitOutput("has it", of: "grabber")
            try system.play(["home"])
            let log = try system.follower()
            let failed = try log.wait("suspensionFailed", of: "grabber")
            #expect(failed.reason?.contains("display \(display.name) has grabbed the keyboard or the pointer") == true)
            #expect(try system.app("grabber").state == "background")
            #expect(try system.expect("why", "grabber").contains("grabbed"))
            #expect(try system.entries("grabber").contains { $0.event == "terminated" } == false)
            kill(CInt(try system.app("grabber").pid ?? 0), SIGUSR1)
            try system.awaitOutput("released", of: "grabber")
            try log.wait("suspended", of: "grabber")
        }

        /// A file of `xauth` with the key of every display.
        private final class Keys {
            let path: String

            init() throws {
                path = "/tmp/greenroom-keys-\(CurrentProcess.pid)-\(UInt32.random(in: 0...(.max)))"
                let name = Array("MIT-MAGIC-COOKIE-1".utf8)
                let wild: [UInt8] = [0xff, 0xff, 0, 0, 0, 0]
                let entry = wild + [0, UInt8(name.count)] + name + [0, 16] + [UInt8](repeating: 0x5a, count: 16)
                try FileSystem.replace(path, with: entry)
            }

            deinit { FileSystem.remove(path) }
        }

        @Test(
            "A client of a display without a grab is suspended, and one whose server is dead as well",
            .enabled(if: XDisplay.isThere, Comment(rawValue: XDisplay.missing)))
        func harmless() throws {
            let display = try XDisplay()
            let system = try TestSystem(environment: ["DISPLAY": display.name])
            defer { system.end() }
            let path = "\(system.folder)/grabber.py"
            try system.write(Self.grabber, to: path)
            try system.installPlain("window", command: "python3 \(path) nothing")
            let log = try system.follower()
            var seen = 0
            for isAlive in [true, false] {
                try system.play(["open window"])
                try system.awaitOutput("has it", of: "window")
                if !isAlive { display.die() }
                try system.play(["home"])
                seen = try log.wait("suspended", of: "window", after: seen).seq
            }
            #expect(try system.reports("window").isEmpty)
        }

        /// Says that everything is grabbed, or nothing at all.
        private static let pretender = """
            import os, socket, struct, sys, threading
            path = sys.argv[1]
            listener = socket.socket(socket.AF_UNIX); listener.bind(path); listener.listen(); os.chmod(path, 0o666)
            own = socket.socket(socket.AF_UNIX); own.connect(path)
            def serve(peer):
                peer.recv(4096)
                if sys.argv[2] == "mute": return
                # 8 bytes of a head, 32 of the server, and a screen.
                peer.sendall(struct.pack("<BBHHH", 1, 0, 11, 0, 10) + bytes(20) + bytes([1, 0]) + bytes(18))
                peer.recv(4096)
                peer.sendall((struct.pack("<BBHI", 1, 1, 2, 0) + bytes(24)) * 2)
            print("has it", flush=True)
            kept = []
            while True:
                peer, _ = listener.accept()
                kept.append(peer)
                threading.Thread(target=serve, args=[peer], daemon=True).start()
            """

        /// A path of a display that nobody else has.
        private static func path() throws -> String {
            let folder = "/tmp/.X11-unix"
            if !FileSystem.exists(folder) {
                try FileSystem.makeDirectory(folder, mode: 0o1777)
                try FileSystem.changeMode(folder, to: 0o1777)
            }
            return "\(folder)/X\(20_000 + CurrentProcess.pid % 20_000)"
        }

        @Test(
            "An app cannot keep itself running by a display of its own",
            .enabled(if: Machine.cgroupRoot != nil, "NOT TESTED: needs a cgroup"))
        func ownServer() throws {
            let path = try Self.path()
            let system = try TestSystem(environment: ["GREENROOM_SHARED_UID": "1"])
            defer {
                system.end()
                FileSystem.remove(path)
            }
            let program = "\(system.folder)/server.py"
            try system.write(Self.pretender, to: program)
            try system.installPlain("server", command: "python3 \(program) \(path) grabbed")
            try system.play(["open server"])
            try system.awaitOutput("has it", of: "server")
            try system.play(["home"])
            try system.follower().wait("suspended", of: "server")
            #expect(try system.entries("server").contains { $0.event == "suspensionFailed" } == false)
        }

        @Test(
            "A server that answers nothing holds nobody up, and one that says so keeps its client running",
            arguments: ["mute", "grabbed"])
        func otherServer(_ manner: String) throws {
            let path = try Self.path()
            let system = try TestSystem(environment: ["GREENROOM_SHARED_UID": "1"])
            defer {
                system.end()
                FileSystem.remove(path)
            }
            let program = "\(system.folder)/server.py"
            try system.write(Self.pretender, to: program)
            let server = try Child(
                #require(Machine.find("python3")), [program, path, manner], environment: system.environment)
            #expect(try server.line(Patience()) == "has it")
            let client = "\(system.folder)/client.py"
            try system.write(
                """
                import socket, sys, time
                peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1]); print("has it", flush=True)
                while True: time.sleep(1)
                """, to: client)
            try system.installPlain("client", command: "python3 \(client) \(path)")
            try system.play(["open client"])
            try system.awaitOutput("has it", of: "client")
            try system.play(["home"])
            try system.follower().wait(manner == "mute" ? "suspended" : "suspensionFailed", of: "client")
        }

        @Test(
            "A program that has an input device for itself is not suspended",
            .enabled(if: FileSystem.exists("/dev/uinput"), "NOT TESTED: needs /dev/uinput"))
        func device() throws {
            let system = try TestSystem(environment: ["GREENROOM_SHARED_UID": "1"])
            defer { system.end() }
            let path = "\(system.folder)/device.py"
            try system.write(Self.inputDevice, to: path)
            try system.installPlain("keys", command: "python3 \(path)")
            try system.play(["open keys"])
            try system.awaitOutput("has it", of: "keys")
            try system.play(["home"])
            let log = try system.follower()
            let failed = try log.wait("suspensionFailed", of: "keys")
            #expect(failed.reason?.contains("/dev/input/event") == true)
            // It has the device afterwards as before.
            kill(CInt(try system.app("keys").pid ?? 0), SIGUSR1)
            try system.awaitOutput("released", of: "keys")
            try log.wait("suspended", of: "keys")
        }

        /// Makes a keyboard, and has it for itself.
        private static let inputDevice = """
            import fcntl, glob, os, signal, struct, time
            ui = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
            fcntl.ioctl(ui, 0x40045564, 1)
            fcntl.ioctl(ui, 0x40045565, 30)
            fcntl.ioctl(ui, 0x405c5503, struct.pack("HHHH80sI", 3, 1, 1, 1, b"greenroom test", 0))
            fcntl.ioctl(ui, 0x5501)
            name = bytearray(64)
            fcntl.ioctl(ui, 0x8040552c, name)
            folder = "/sys/devices/virtual/input/" + name.split(b"\\0")[0].decode()
            node = None
            while not node:
                events = glob.glob(folder + "/event*")
                node = events and "/dev/input/" + os.path.basename(events[0])
                if node and not os.path.exists(node): node = None
                time.sleep(0.01)
            keyboard = os.open(node, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.ioctl(keyboard, 0x40044590, 1)
            def release(*arguments):
                fcntl.ioctl(keyboard, 0x40044590, 0)
                print("released", flush=True)
            signal.signal(signal.SIGUSR1, release)
            print("has it", flush=True)
            while True: time.sleep(1)
            """
    }
}
