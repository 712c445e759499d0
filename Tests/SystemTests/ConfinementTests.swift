import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// docs/SECURITY.md: what an app can and cannot do to others.
    @Suite("Confinement", .serialized) struct Confinement {
        enum User: String, CaseIterable, CustomTestStringConvertible {
            case root, ordinary
            var testDescription: String { self == .root ? "root's system" : "an ordinary user's system" }
            var uid: UInt32? { self == .root ? nil : 65534 }
        }

        /// What an app found when it tried.
        private func findings(_ user: User) throws -> [String: String] {
            let system = try TestSystem(
                environment: user == .root ? [:] : ["GREENROOM_CGROUP": ""], uid: user.uid, place: "/var/lib")
            defer { system.end() }
            let tool = "\(system.folder)/setuid"
            let program = try #require(FileSystem.read("/usr/bin/id"))
            try FileSystem.replace(tool, with: program, mode: 0o755)
            unsafe chmod(tool, 0o4755)
            let note = "\(system.folder)/note"
            try system.write("the user's", to: note)
            if let uid = user.uid { unsafe chown(note, uid, uid) }
            let (noteBefore, homeBefore) = (rights(note), rights(system.home))
            try system.installPython("victim", Attacks.victim(hasOwnFolders: user == .root))
            try system.play(["open victim"])
            let container = "\(system.home)/containers/victim"
            let victim = try system.app("victim")
            let patience = Patience()
            while system.contents("containers/victim/Documents/ready") == nil, !patience.isOver {}
            try system.installPython(
                "attacker",
                Attacks.app(
                    victim: victim.pid ?? 0, container: container, daemon: system.daemon, setuid: tool,
                    home: system.home, note: note))
            try system.play(["open attacker"])
            var found: [String: String] = [:]
            while found["done"] == nil, !patience.isOver {
                found = [:]
                for line in (system.contents("containers/attacker/Documents/findings") ?? "").split(separator: "\n") {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    if parts.count == 2 { found[String(parts[0])] = parts[1].trimmingPrefix(" ").description }
                }
            }
            if found["done"] == nil { print(system.output("attacker")) }
            #expect(FileSystem.read("\(container)/Documents/secret") == Array("hers".utf8))
            #expect(!FileSystem.exists("\(container)/Documents/planted"))
            #expect(rights(system.home) == homeBefore)
            if isClosed(user) { #expect(rights(note) == noteBefore) }
            #expect(try system.app("victim").pid == victim.pid)
            return found
        }

        private func rights(_ path: String) -> [UInt32] {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return [] }
            return [status.st_mode, status.st_uid, status.st_gid]
        }

        /// Whether a sandbox keeps the user's files from apps.
        private func isClosed(_ user: User) -> Bool { user == .root || Machine.hasUserNamespaces }

        private func expect(_ found: [String: String], _ answers: [String], of names: [String], _ sentence: String) {
            for name in names {
                let answer = found[name] ?? "not tried"
                #expect(answers.contains(answer), "\(sentence): \(name): \(answer)")
            }
        }

        @Test("An app on root's system reaches neither another app, nor the daemon, nor the machine")
        func root() throws {
            let found = try findings(.root)
            expectSystemCalls(found)
            expectHonest(found)
            expect(found, ["0"], of: ["bounding set"], "no program can give a capability back")
            expect(
                found, ["ENOENT"],
                of: [
                    "victim in proc", "victim's environment", "victim's files by proc", "victim's secret",
                    "a file for victim", "hard link", "move", "victim's file in /tmp", "victim's file in /var/tmp",
                    "victim's file in /dev/shm", "system v", "mode of the home's file", "times of the home's file",
                    "lock of the database", "database", "tools' socket", "services' socket", "mode of victim's file",
                ], "another app's files, memory and processes are not there")
            expect(
                found, ["EPERM", "EACCES", "EROFS", "ENOENT"],
                of: [
                    "mode of the home", "attribute of the home", "daemon's oom_score_adj", "mode of the user's file",
                    "times of the user's file", "attribute of the user's file",
                ], "what is not its own keeps its modes, times and attributes")
            expect(found, ["256"], of: ["size of /dev/shm"], "memory without a process is limited")
            expect(found, ["0"], of: ["groups of others"], "the groups name the other apps")
            if Spawn.Confinement.landlockVersion >= 6 {
                expect(found, ["EPERM"], of: ["abstract socket"], "another app's abstract socket")
            }
        }

        @Test("An app on an ordinary user's system changes, traces and reads no other process or file")
        func ordinary() throws {
            guard Machine.hasUserNamespaces else {
                print("NOT TESTED: a user namespace keeps an ordinary user's apps apart, which this machine forbids")
                return
            }
            let found = try findings(.ordinary)
            expectSystemCalls(found, signals: Spawn.Confinement.landlockVersion >= 6)
            expectHonest(found)
            expect(
                found, ["ENOENT"],
                of: [
                    "victim's secret", "a file for victim", "hard link", "move", "mode of the home's file",
                    "times of the home's file", "lock of the database", "database", "tools' socket",
                    "services' socket", "mode of victim's file",
                ], "of the home it sees its own part")
            expect(
                found, ["EACCES", "EPERM"], of: ["victim's environment", "victim's files by proc"],
                "another app's process cannot be looked into")
            expect(
                found, ["EROFS"],
                of: [
                    "mode of the home", "attribute of the home", "daemon's oom_score_adj", "mode of the user's file",
                    "times of the user's file", "attribute of the user's file",
                ], "what is not its own keeps its modes, times and attributes")
            expect(found, ["256"], of: ["size of /dev/shm"], "memory without a process is limited")
            expect(found, ["0"], of: ["groups of others"], "the groups name the other apps")
            expect(found, ["done"], of: ["honest output"], "it may open its standard streams by their names")
            guard Spawn.Confinement.landlockVersion >= 6 else {
                return print("NOT TESTED: signals and abstract sockets, which Landlock 6 closes; this kernel lacks it")
            }
            expect(found, ["EPERM"], of: ["abstract socket"], "another app's abstract socket")
        }

        /// The same for everybody.
        private func expectSystemCalls(_ found: [String: String], signals: Bool = true) {
            expect(
                found, ["EPERM"],
                of: [
                    "unshare user", "unshare mounts", "clone user", "setns", "mount", "new mount", "pivot root",
                    "io_uring", "userfaultfd", "bpf", "perf", "keyctl", "add key", "request key", "huge memfd",
                    "personality", "fanotify", "kernel log", "file by handle", "clock", "host name", "reboot",
                    "module", "swap", "quota", "ask to be traced", "huge pages", "type into a terminal",
                    "type with high bits", "another project", "device of one's own", "raw socket",
                ], "a privilege that no app has")
            expect(
                found, ["ENOSYS"], of: ["clone3", "secret memory", "a call of the future", "an old call"],
                "calls that cannot be checked are not there")
            expect(
                found, ["EAFNOSUPPORT"], of: ["packet socket", "crypto socket", "sockets of all"],
                "kinds of sockets that no app needs are not there")
            expect(
                found, ["EPERM", "ESRCH"],
                of: [
                    "trace victim", "trace daemon", "read victim's memory", "write victim's memory", "victims limits",
                    "daemons limits", "victims descriptors",
                ] + (signals ? ["signal victim", "signal victim by pidfd", "signal daemon"] : []),
                "no process but its own")
            expect(
                found, ["EACCES", "EPERM", "EROFS"], of: ["file of the kernel", "setting of the kernel"],
                "nothing of the kernel's can be written")
            expect(
                found, ["EACCES", "EPERM", "EROFS", "ENOENT"], of: ["leave the group", "own freezer"],
                "its group is the system's")
            expect(found, ["EACCES", "EPERM", "ENOENT"], of: ["memory device", "disk device"], "devices")
            expect(found, ["ETOOMANYREFS"], of: ["descriptors in flight"], "descriptors on their way are counted")
            expect(found, ["0 1 2 3"], of: ["inherited"], "the standard streams and the app's socket, nothing else")
            expect(found, ["1"], of: ["new privileges"], "no program gives new privileges")
            expect(found, ["0 0 0 0"], of: ["capabilities"], "no capability")
            expect(found, ["True"], of: ["setuid program"], "a setuid program runs as the app's user")
            expect(found, ["True True True True True"], of: ["limits"], "what belongs to no process is limited")
        }

        private func expectHonest(_ found: [String: String]) {
            expect(
                found, ["done"],
                of: [
                    "honest threads", "honest shared memory", "honest interfaces", "honest server", "honest child",
                    "honest files", "honest modes", "honest terminal", "honest memory", "honest machine",
                ], "what honest programs do goes on as ever")
        }

        @Test("A home that is not below /tmp gives each app its own tmp folder as /tmp, on disk")
        func temporaryFolder() throws {
            let system = try TestSystem(place: "/var/lib")
            defer { system.end() }
            // Another program could have a file with a common name in /tmp.
            let name = "greenroom-note-\(CurrentProcess.pid)"
            try system.installPython("writer", "open('/tmp/\(name)', 'w').write('mine')")
            try system.play(["open writer"])
            let patience = Patience()
            while system.contents("containers/writer/tmp/\(name)") != "mine", !patience.isOver {}
            #expect(system.contents("containers/writer/tmp/\(name)") == "mine")
            #expect(!FileSystem.exists("/tmp/\(name)"))
        }

        @Test("A plain program on an ordinary user's system saves with its times and modes, and leaves the home alone")
        func plainOfUser() throws {
            guard Machine.hasUserNamespaces else {
                return print("NOT TESTED: an ordinary user's sandbox needs user namespaces, which this machine forbids")
            }
            let system = try TestSystem(
                environment: ["GREENROOM_CGROUP": ""], uid: User.ordinary.uid, place: "/var/lib")
            defer { system.end() }
            let before = rights(system.home)
            // The user's own files, beside the home.
            let folder = "\(system.folder)/work"
            try FileSystem.makeDirectory(folder, mode: 0o777)
            try FileSystem.changeMode(folder, to: 0o777)
            try system.write(
                """
                #!/bin/sh
                pwd
                cd "$HOME" && echo text > one && touch -d @981158400 one && chmod 640 one
                cp -p one two && tar -cf all.tar one two && mkdir out && tar -xpf all.tar -C out
                stat -c '%a %Y %u' out/two && echo x > \(folder)/note && chmod 600 \(folder)/note
                (chmod 0 \(system.home)) 2>/dev/null || echo closed
                cat \(system.home)/state.sqlite 2>/dev/null || echo hidden
                echo over
                sleep 1000

                """, to: "\(folder)/work.sh", executable: true)
            let file = "\(folder)/work.desktop"
            try system.write(
                "[Desktop Entry]\nType=Application\nName=Work\nExec=./work.sh\nPath=.\nX-Greenroom-Freeze=true\n",
                to: file)
            try system.expect("install", file)
            try system.play(["open work"])
            let patience = Patience()
            while !system.output("work").contains("over"), !patience.isOver {}
            let seconds = 981_158_400
            #expect(system.output("work") == [folder, "640 \(seconds) 65534", "closed", "hidden", "over"])
            #expect(rights(system.home) == before)
            #expect(rights("\(folder)/note").first.map { $0 & 0o777 } == 0o600)
        }

        @Test("A program whose .desktop file asks for namespaces can make them, and only such a program")
        func namespaces() throws {
            guard (FileSystem.read("/proc/sys/user/max_user_namespaces") ?? []).first != UInt8(ascii: "0"),
                let unshare = Machine.find("unshare")
            else {
                print("NOT TESTED: this machine has no user namespaces or no unshare")
                return
            }
            let system = try TestSystem()
            defer { system.end() }
            for (name, key) in [("browser", "X-Greenroom-Namespaces=true\n"), ("editor", "")] {
                let script = "\(system.folder)/\(name).sh"
                try system.write(
                    "#!/bin/sh\n\(unshare) -Ur id -u\necho over\nsleep 1000\n", to: script, executable: true)
                let file = "\(system.folder)/\(name).desktop"
                try system.write(
                    "[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(script)\nX-Greenroom-Freeze=true\n\(key)",
                    to: file)
                try system.expect("install", file)
                try system.play(["open \(name)"])
                let patience = Patience()
                while !system.output(name).contains("over"), !patience.isOver {}
            }
            #expect(system.output("browser").contains("0"))
            #expect(system.output("editor").contains { $0.contains("not permitted") })
        }
    }
}
