import Glibc
import LinuxSystem
import Testing

extension SystemTests {
    /// An end that cannot get better is final, and said in one sentence.
    @Suite("Starts that fail", .serialized) struct FailedStarts {
        private func expectFailure(
            _ system: TestSystem, _ words: [String], _ arguments: [String] = [],
            at location: SourceLocation = #_sourceLocation
        ) throws {
            for detach in [["--detach"], []] {
                let outcome = try system.begin(["up"] + detach + arguments).outcome()
                #expect(outcome.code == 1, "\(outcome.errors)", sourceLocation: location)
                // In the foreground, what the daemon says is printed beside it.
                let last = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
                if !detach.isEmpty {
                    #expect(outcome.errors == last + "\n", "one sentence", sourceLocation: location)
                }
                #expect(last.hasPrefix("greenroom: the system did not start: "), "\(last)", sourceLocation: location)
                for word in words { #expect(last.contains(word), "\(last)", sourceLocation: location) }
                #expect(system.processes.isEmpty, "something is left", sourceLocation: location)
                #expect(try system.run("down").code == 3, "nothing is running", sourceLocation: location)
            }
            system.expectNothingLeft(at: location)
        }

        @Test("A database that is a folder")
        func database() throws {
            let system = try TestSystem()
            try system.expect("down")
            try FileSystem.removeTree("\(system.home)/state.sqlite")
            try FileSystem.makeDirectory("\(system.home)/state.sqlite/x")
            try expectFailure(system, ["state.sqlite"])
            try FileSystem.removeTree("\(system.home)/state.sqlite")
            try system.up()
            system.end()
        }

        @Test("A folder for sockets that is a file, and a journal that is one", arguments: ["wire", "journal"])
        func file(_ name: String) throws {
            let system = try TestSystem()
            try system.expect("down")
            try FileSystem.removeTree("\(system.home)/\(name)")
            try FileSystem.replace("\(system.home)/\(name)", with: [])
            try expectFailure(system, [name])
        }

        @Test("A daemon that is no program")
        func program() throws {
            let system = try TestSystem()
            try system.expect("down")
            let programs = "\(system.folder)/programs"
            try FileSystem.makeDirectory(programs)
            try FileSystem.link(to: "\(Machine.programs)/greenroom-keeper", at: "\(programs)/greenroom-keeper")
            try FileSystem.replace("\(programs)/greenroomd", with: Array("no program\n".utf8), mode: 0o755)
            system.environment["GREENROOM_LIBEXEC"] = programs
            try expectFailure(system, ["cannot be started", "\(programs)/greenroomd"])
            // One that crashes at every start is tried some more times, with the same end.
            try FileSystem.replace(
                "\(programs)/greenroomd", with: Array("#!/bin/sh\nkill -SEGV $$\n".utf8), mode: 0o755)
            try expectFailure(system, ["was ended by signal 11"])
        }

        @Test("A path that is too long for a database, and a wrong profile")
        func path() throws {
            let system = try TestSystem()
            try system.expect("down")
            try expectFailure(system, ["there is no device profile nokia"], ["--device", "nokia"])
            let home = system.home
            let folder = "/" + String(repeating: "x", count: 200)
            system.environment["GREENROOM_HOME"] = home + String(repeating: folder, count: 5)
            try expectFailure(system, ["state.sqlite"])
            system.environment["GREENROOM_HOME"] = home
        }

        @Test("A full disk, of which the log cannot tell")
        func fullDisk() throws {
            let system = try TestSystem()
            try system.expect("down")
            let disk = "\(system.folder)/disk"
            try FileSystem.makeDirectory(disk)
            let options = ["-t", "tmpfs", "-o", "size=64k,mode=0700", "greenroom-test", disk]
            guard try Child("/bin/mount", options, environment: [:]).outcome().code == 0 else {
                return print("NOT TESTED: no file system can be mounted here")
            }
            defer { _ = try? Child("/bin/umount", ["-l", disk], environment: [:]).outcome() }
            let home = system.environment["GREENROOM_HOME"]
            system.environment["GREENROOM_HOME"] = disk
            // Full from the beginning, and filled by the daemon itself.
            for (size, words) in [(60, "No space"), (24, "state.sqlite")] {
                try FileSystem.replace("\(disk)/filler", with: [UInt8](repeating: 1, count: size << 10))
                let outcome = try system.begin(["up", "--detach"]).outcome()
                #expect(outcome.code == 1)
                #expect(outcome.errors.hasPrefix("greenroom: "), "\(outcome.errors)")
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
                #expect(try system.run("down").code == 3, "nothing is running")
                for name in FileSystem.names(in: disk) { try? FileSystem.removeTree("\(disk)/\(name)") }
            }
            system.environment["GREENROOM_HOME"] = home
            system.expectNothingLeft()
        }
    }
}
