import Foundation
import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("A full disk", .serialized) struct Disk {
        private static let sleeper = "/bin/sleep 1000"

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
            let foreign = try system.fillDisk()
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

        @Test("An app that does not run gives up its caches before another app ends, and keeps what is the user's")
        func caches() throws {
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
                    time.sleep(0.001)
                """, to: script)
            try system.installPlain("filler", command: "\(try #require(Machine.find("python3"))) \(script)")
            for name in ["idle", "quiet"] { try system.installPlain(name, command: Self.sleeper) }
            func fill(_ app: String, _ path: String, _ bytes: Int) throws {
                let place = "\(system.home)/containers/\(app)/\(path)"
                try FileSystem.replace(place, with: [UInt8](repeating: 7, count: bytes), mode: 0o644)
            }
            for app in ["idle", "quiet"] {
                try fill(app, "Library/Caches/pictures", 3 << 20)
                try fill(app, "tmp/part", 1 << 20)
                try fill(app, "Documents/letter", 1 << 18)
            }
            try system.play(["open quiet"])
            let owner = try Descriptor.open("\(system.home)/containers/idle", .directory).identity().owner
            let before = try system.lastSequence
            _ = try system.run("open", "filler")
            let log = try system.follower()
            let emptied = try log.wait("cachesEmptied", of: "idle", after: before)
            #expect(emptied.reason?.contains("Library/Caches") == true, "\(emptied)")
            try log.wait("terminated", of: "filler", after: before)
            for place in ["Library/Caches", "tmp"] {
                #expect(FileSystem.names(in: "\(system.home)/containers/idle/\(place)").isEmpty)
                let folder = try Descriptor.open("\(system.home)/containers/idle/\(place)", .directory)
                #expect(try folder.identity().owner == owner)
            }
            #expect(FileSystem.exists("\(system.home)/containers/idle/Documents/letter"))
            // What it has may be open in it.
            #expect(FileSystem.exists("\(system.home)/containers/quiet/Library/Caches/pictures"))
            #expect(try system.app("quiet").pid != nil)
            try system.until("nothing is left of it") { FileSystem.names(in: "\(system.home)/trash").isEmpty }
            try system.play(["close quiet", "open idle", "close idle"])
        }

        /// Where a service stores what the user allows an app.
        struct Permissions: Sendable, CustomTestStringConvertible {
            let service: String
            let program: String
            let folder: String
            let file: String
            var app: String { "org.greenroom.\(folder.lowercased()).\(program.lowercased())" }
            var testDescription: String { service }

            static let all = [
                Permissions(
                    service: "location", program: "Wanderer", folder: "Fixtures",
                    file: "app-org.greenroom.fixtures.wanderer.json"),
                Permissions(
                    service: "audio", program: "Radio", folder: "Examples",
                    file: "org.greenroom.examples.radio.microphone"),
            ]
        }

        @Test(
            "What the user denies on a full disk is in force and said not to be stored, and is stored when there is room",
            .enabled(if: Machine.isRoot, "NOT TESTED: needs root"), arguments: Permissions.all)
        func denied(_ permissions: Permissions) throws {
            let system = try TestSystem(disk: "32m")
            defer { system.end() }
            let bundle = "\(system.folder)/\(permissions.program).app"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "\(Machine.programs)/\(permissions.program)", toPath: "\(bundle)/\(permissions.program)")
            try FileManager.default.copyItem(
                atPath: "\(Machine.repository)/\(permissions.folder)/\(permissions.program)/Info.plist",
                toPath: "\(bundle)/Info.plist")
            try system.expect("install", bundle)
            try system.play(["open \(permissions.app)"])
            try system.until("the service knows the app") {
                try system.run(permissions.service, "allow", permissions.app).code == 0
            }
            func stored() -> String {
                let path = "\(system.home)/services/\(permissions.service)/records/\(permissions.file)"
                return String(decoding: FileSystem.read(path) ?? [], as: UTF8.self)
            }
            #expect(!stored().isEmpty && !stored().contains("denied"))
            let foreign = try system.fillDisk()
            // The second attempt changes nothing more, and stores no more than the first.
            for _ in 0..<2 {
                let outcome = try system.run(permissions.service, "deny", permissions.app)
                #expect(outcome.code == 1 && outcome.errors.contains("could not store"), "\(outcome)")
            }
            #expect(!stored().contains("denied"))
            FileSystem.remove(foreign)
            // Nobody asks again.
            try system.until("it is stored") { stored().contains("denied") }
            try system.expect(permissions.service, "deny", permissions.app)
        }
    }
}
