import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("Apps' files", .serialized) struct Files {
        private static let sleeper = "/bin/sleep 1000"

        private func owner(_ path: String) throws -> UInt32 {
            try Descriptor.open(path, .path, followsLinks: false).identity().owner
        }

        /// Runs Python as the app's user, in its container.
        private func act(_ app: String, _ code: String, in system: TestSystem) throws {
            let container = "\(system.home)/containers/\(app)"
            let uid = try owner(container)
            // Its user has no way through the home: first the folder, then the user.
            let prefix = """
                import os
                os.chdir('\(container)')
                os.setgroups([])
                os.setresgid(\(uid), \(uid), \(uid))
                os.setresuid(\(uid), \(uid), \(uid))

                """
            let child = try Child(try #require(Machine.find("python3")), ["-c", prefix + code], environment: [:])
            let outcome = try child.outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
        }

        @Test("An app that puts a link in the place of its folder gets nothing, and can be installed again")
        func link() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPlain("victim", command: Self.sleeper)
            try system.installPlain("attacker", command: Self.sleeper)
            let containers = "\(system.home)/containers"
            let (victim, attacker) = (try owner("\(containers)/victim"), try owner("\(containers)/attacker"))
            #expect(victim != attacker)
            try system.play(["open attacker", "close attacker"])
            let links = [
                ("Library", "\(containers)/victim/Documents"), ("tmp", system.folder),
                ("Documents", "\(system.home)/run"),
            ]
            for (name, target) in links {
                try act(
                    "attacker", "import os, shutil; shutil.rmtree('\(name)'); os.symlink('\(target)', '\(name)')",
                    in: system)
            }
            try system.installPlain("attacker", command: Self.sleeper)
            #expect(FileSystem.names(in: "\(containers)/victim/Documents").isEmpty)
            #expect(try owner("\(containers)/victim/Documents") == victim)
            #expect(try owner(system.folder) == 0)
            #expect(try owner("\(system.home)/run") == 0)
            for name in ["Library", "Library/Caches", "tmp", "Documents"] {
                #expect(try owner("\(containers)/attacker/\(name)") == attacker)
                #expect(FileSystem.linkTarget("\(containers)/attacker/\(name)") == nil)
            }
            try system.play(["open attacker", "close attacker"])
        }

        @Test("A container with names that are no text goes with its app")
        func names() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPlain("writer", command: Self.sleeper)
            try act(
                "writer",
                """
                import os
                for name in [b'\\xff\\xfe', b'two\\nlines', b'\\xc3' * 255, b'-rf', b' ']:
                    os.mkdir(name)
                    open(name + b'/' + name, 'w').write('x')
                """, in: system)
            try system.expect("uninstall", "writer")
            #expect(!FileSystem.exists("\(system.home)/containers/writer"))
            #expect(FileSystem.names(in: "\(system.home)/trash").isEmpty)
        }

        /// A container with so many files that it takes a while to remove.
        private func fill(_ app: String, _ system: TestSystem, files: Int = 60_000) throws {
            try act(
                app,
                """
                import os
                for folder in range(\(files / 1000)):
                    os.mkdir('%d' % folder)
                    for file in range(1000):
                        open('%d/%d' % (folder, file), 'w').close()
                """, in: system)
        }

        @Test("While an app with many files goes, the system answers, and others come and go")
        func manyFiles() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPlain("large", command: Self.sleeper)
            try system.installPlain("small", command: Self.sleeper)
            try fill("large", system)
            let uninstall = try system.begin(["uninstall", "large"])
            var answers = 0
            // All of it while the trash has something in it.
            while FileSystem.names(in: "\(system.home)/trash").isEmpty, !uninstall.process.isDead { continue }
            try system.expect("uninstall", "small")
            try system.installPlain("other", command: Self.sleeper)
            repeat {
                #expect(try system.apps().map(\.app) == ["other"])
                if !FileSystem.names(in: "\(system.home)/trash").isEmpty { answers += 1 }
            } while !uninstall.process.isDead
            #expect(try uninstall.outcome().code == 0)
            #expect(answers > 0, "all of it waited for the large one")
            #expect(FileSystem.names(in: "\(system.home)/trash").isEmpty, "the answer came when it was gone")
        }

        @Test("A daemon that is killed while it removes goes on with it at its next start")
        func killed() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPlain("large", command: Self.sleeper)
            try fill("large", system)
            let daemon = try PidFD(try system.daemon)
            let uninstall = try system.begin(["uninstall", "large"])
            let patience = Patience()
            while FileSystem.names(in: "\(system.home)/trash").isEmpty, !patience.isOver { continue }
            try daemon.send(SIGKILL)
            _ = try uninstall.outcome()
            #expect(try system.apps().isEmpty)
            // The next daemon says nothing of it: it is not asked for.
            while !FileSystem.names(in: "\(system.home)/trash").isEmpty, !patience.isOver { continue }
            #expect(FileSystem.names(in: "\(system.home)/trash").isEmpty)
            #expect(!FileSystem.exists("\(system.home)/containers/large"))
        }

        @Test("An output of a terabyte is shown in a moment, in little memory")
        func output() throws {
            let system = try TestSystem()
            defer { system.end() }
            let script = "\(system.folder)/printer.py"
            try system.write(
                """
                import os, sys, time
                print("first", flush=True)
                os.ftruncate(1, 1 << 40)
                for line in range(5): print("line", line, flush=True)
                time.sleep(1000)
                """, to: script)
            try system.installPlain("printer", command: "\(try #require(Machine.find("python3"))) \(script)")
            try system.play(["open printer"])
            let patience = Patience()
            var output = ""
            while !output.hasSuffix("line 4\n"), !patience.isOver { output = try system.expect("output", "printer") }
            #expect(output == "first\nline 0\nline 1\nline 2\nline 3\nline 4\n")
            #expect(try system.expect("output", "printer", "--lines", "2") == "line 3\nline 4\n")
        }
    }
}
