import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("A full disk", .serialized) struct Disk {
        private static let sleeper = "/bin/sleep 1000"

        /// Takes what is left, as a program outside of Greenroom may.
        private func fill(_ system: TestSystem) throws -> String {
            let path = "\(system.home)/foreign"
            let file = try Descriptor.open(path, .append, create: 0o600)
            let chunk = [UInt8](repeating: 1, count: 4096)
            while case .bytes(4096)? = try? file.write(chunk[...]) {}
            return path
        }

        @Test("The app that fills the disk ends, with a report, and nobody else does")
        func filler() throws {
            let system = try TestSystem(disk: "24m")
            defer { system.end() }
            let script = "\(system.folder)/filler.py"
            try system.write(
                """
                import os, time
                file = os.open(os.environ["HOME"] + "/Documents/fill", os.O_CREAT | os.O_WRONLY, 0o600)
                while True:
                    try: os.write(file, b"x" * 65536)
                    except OSError: time.sleep(0.01)
                """, to: script)
            try system.installPlain("filler", command: "\(try #require(Machine.find("python3"))) \(script)")
            try system.installPlain("quiet", command: Self.sleeper)
            try system.play(["open quiet", "exempt quiet"])
            let before = try system.lastSequence
            _ = try system.run("open", "filler")
            let end = try system.follower().wait("terminated", of: "filler", after: before)
            #expect(end.reason?.contains("disk") == true, "\(end)")
            #expect(try system.reports("filler").first?.code == 0xbadd_d15c)
            #expect(try system.app("quiet").pid != nil)
            try system.expect("uninstall", "filler")
            try system.play(["close quiet", "open quiet"])
        }

        @Test("On a disk that others filled, everything is answered, apps go, and a killed daemon comes back")
        func full() throws {
            let system = try TestSystem(disk: "24m")
            defer { system.end() }
            for name in ["first", "second"] { try system.installPlain(name, command: Self.sleeper) }
            try system.play(["open first"])
            let foreign = try fill(system)
            try system.play(["open second", "home", "apps", "memory", "exempt second", "close first"])
            let daemon = try PidFD(try system.daemon)
            try daemon.send(SIGKILL)
            #expect(daemon.waitUntilDead(milliseconds: 10_000))
            try system.play(["apps", "open second", "home"])
            #expect(try system.app("second").exempt, "what was acknowledged was not lost")
            try system.expect("uninstall", "second")
            #expect(try system.apps().map(\.app) == ["first"])
            FileSystem.remove(foreign)
            try system.play(["open first", "close first"])
        }
    }
}
