import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("The sandbox", .enabled(if: Machine.canMount, "NOT TESTED: needs the right to mount"))
struct SandboxTests {
    /// A home with two apps' containers, a bundle and the sockets' folder.
    private func makeHome(_ scratch: Scratch) throws -> String {
        let home = try scratch.directory("home", mode: 0o755)
        _ = try scratch.file("home/containers/a/note", "mine")
        _ = try scratch.file("home/containers/b/note", "hers")
        _ = try scratch.file("home/bundles/a/program", "text")
        _ = try scratch.file("home/control", "the tools' socket")
        return home
    }

    private func sandbox(_ home: String) -> Spawn.Sandbox {
        var sandbox = Spawn.Sandbox(hiding: home)
        let container = "\(home)/containers/a"
        sandbox.binds = [(container, container, false), ("\(home)/bundles/a", "\(home)/bundles/a", true)]
        sandbox.links = [("bundles/a/program", "\(home)/link")]
        return sandbox
    }

    @Test("Of the home only what was named is to be seen")
    func onlyTheNamed() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let output = try Script.run("cd \(home) && ls && ls containers bundles && cat containers/a/note link") {
            $0.sandbox = sandbox(home)
        }
        #expect(
            output == ["bundles", "containers", "link", "bundles:", "a", "containers:", "a", "minetext"]
                || output == ["bundles", "containers", "link", "bundles:", "a", "", "containers:", "a", "minetext"])
        // Outside nothing has changed.
        #expect(FileSystem.names(in: home) == ["bundles", "containers", "control"])
        #expect(FileSystem.names(in: home + "/containers") == ["a", "b"])
    }

    @Test("What an app writes into its container is there for others, and nothing can be written elsewhere")
    func writing() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let output = try Script.run(
            """
            cd \(home); echo new > containers/a/new && echo wrote
            (echo x > stray) 2>/dev/null || echo refused
            (echo x > bundles/a/program) 2>/dev/null || echo refused
            (mkdir containers/b) 2>/dev/null || echo refused
            """
        ) { $0.sandbox = sandbox(home) }
        #expect(output == ["wrote", "refused", "refused", "refused"])
        #expect(FileSystem.read(home + "/containers/a/new") == Array("new\n".utf8))
        #expect(!FileSystem.exists(home + "/stray"))
    }

    @Test("An app with a user of its own reaches its container through parents that only root owns")
    func otherUser() throws {
        let scratch = try Scratch()
        try FileSystem.changeMode(scratch.path, to: 0o711)
        let home = try makeHome(scratch)
        try FileSystem.changeOwnerOfTree(home + "/containers/a", to: 54_321)
        // A daemon that lets nobody else in makes its files so; the sandbox must not take over its mask.
        let output = try Umask.with(0o077) {
            try Script.run("cd \(home)/containers/a && cat note && id -u && ls ..") {
                $0.sandbox = sandbox(home)
                $0.uid = 54_321
                $0.directory = home + "/containers/a"
            }
        }
        #expect(output == ["mine54321", "a"])
    }

    @Test("A folder from elsewhere can be shown at a place in the home")
    func boundFromElsewhere() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        _ = try scratch.file("elsewhere/file", "from afar")
        let output = try Script.run("cat \(home)/deep/er/place/file") {
            $0.sandbox = Spawn.Sandbox(hiding: home)
            $0.sandbox?.binds = [(scratch.path + "/elsewhere", home + "/deep/er/place", true)]
        }
        #expect(output == ["from afar"])
    }

    @Test("A folder that is not there is an error of the mount namespace")
    func missingFolder() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let error = #expect(throws: SpawnError.self) {
            try Script("true") {
                $0.sandbox = Spawn.Sandbox(hiding: home)
                $0.sandbox?.binds = [(home + "/gone", home + "/gone", false)]
            }
        }
        #expect(error?.stage == "mount namespace")
        #expect(error?.errno == .noSuchFileOrDirectory)
    }

    @Test("A folder can be /tmp; one that its app made a link of is not followed, and what is there stays in memory")
    func temporaryFolder() throws {
        let scratch = try Scratch(below: "/var/lib")
        try FileSystem.changeMode(scratch.path, to: 0o755)
        let home = try makeHome(scratch)
        let folder = try scratch.directory("home/containers/a/tmp", mode: 0o777)
        let elsewhere = try scratch.directory("elsewhere", mode: 0o777)
        for path in [folder, elsewhere] { try FileSystem.changeMode(path, to: 0o777) }
        try FileSystem.changeMode(home + "/containers/a", to: 0o755)
        func write(_ name: String) throws -> [String] {
            try Script.run("echo x > /tmp/\(name); ls /var/tmp; ls \(home)/containers/a") {
                $0.sandbox = sandbox(home)
                $0.sandbox?.temporary = folder
                $0.uid = 54_321
            }
        }
        #expect(try write("one") == ["one", "note", "tmp"])
        #expect(FileSystem.names(in: folder) == ["one"])
        try FileSystem.removeTree(folder)
        try FileSystem.link(to: elsewhere, at: folder)
        #expect(try write("two") == ["two", "note", "tmp"])
        #expect(FileSystem.names(in: elsewhere).isEmpty)
        #expect(!FileSystem.exists("/tmp/one") && !FileSystem.exists("/tmp/two"))
    }

    @Test("Memory without a process has a limit, belongs to one program, and ends with it")
    func ownMemory() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let output = try Script.run(
            """
            head -c 2000000 /dev/zero > /dev/shm/full 2>/dev/null || echo refused
            stat -c %s /dev/shm/full; cat /proc/sys/kernel/shmall; test -e /proc/1 || echo hidden
            """
        ) {
            $0.sandbox = sandbox(home)
            $0.sandbox?.sharedMemory = 1 << 20
            $0.sandbox?.ownsIPC = true
            $0.sandbox?.hidesProcesses = true
            $0.uid = 54_321
        }
        #expect(output == ["refused", "1048576", "16", "hidden"])
        #expect(!FileSystem.exists("/dev/shm/full"))
        #expect(FileSystem.read("/proc/sys/kernel/shmall") != Array("16\n".utf8))
    }

    @Test("What others mounted below the container stays out of root's sandbox; in a user namespace it has to come in")
    func foreignMounts() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let place = try scratch.directory("home/containers/a/below", mode: 0o755)
        #expect(unsafe mount("greenroom-test", place, "tmpfs", 0, "size=64k") == 0)
        defer { #expect(unsafe umount(place) == 0) }
        _ = try scratch.file("home/containers/a/below/foreign", "x")
        func names(ownsUser: Bool) throws -> [String] {
            try Script.run("ls \(place); echo over") {
                $0.sandbox = sandbox(home)
                $0.sandbox?.ownsUser = ownsUser
            }
        }
        #expect(try names(ownsUser: false) == ["over"])
        if Machine.hasUserNamespaces { #expect(try names(ownsUser: true) == ["foreign", "over"]) }
    }

    @Test("What the sandbox mounts is not mounted here")
    func mountsStayInside() throws {
        let scratch = try Scratch()
        let home = try makeHome(scratch)
        let inside = try Script.run("grep -c ' \(home)' /proc/self/mountinfo") { $0.sandbox = sandbox(home) }
        #expect(inside == ["3"])
        let outside = try #require(FileSystem.read("/proc/self/mountinfo"))
        #expect(!String(decoding: outside, as: UTF8.self).contains(home))
    }
}

@Suite(
    "The sandbox of an ordinary user",
    .enabled(if: Machine.hasUserNamespaces, "NOT TESTED: needs user namespaces, and mounts in them"))
struct UserSandboxTests {
    private func run(_ script: String, home: String, _ change: (inout Spawn.Sandbox) -> Void = { _ in }) throws
        -> [String]
    {
        try Script.run(script) {
            var sandbox = Spawn.Sandbox(hiding: home)
            sandbox.binds = [("\(home)/own", "\(home)/own", false)]
            sandbox.ownsUser = true
            sandbox.closesProcesses = true
            change(&sandbox)
            $0.sandbox = sandbox
            $0.confinement = Spawn.Confinement()
        }
    }

    private func status(_ path: String) -> stat {
        var status = stat()
        _ = unsafe stat(path, &status)
        return status
    }

    @Test("The program keeps its user, and sees of the home only its own part, which it can change")
    func user() throws {
        let scratch = try Scratch(below: "/var/lib")
        let home = try scratch.directory("home", mode: 0o700)
        let note = try scratch.file("home/own/note", "mine")
        _ = try scratch.file("home/other/note", "hers")
        let output = try run(
            """
            id -u; cd \(home); ls; cat other/note 2>/dev/null || echo hidden
            chmod 600 own/note && touch -d 2001-01-01 own/note && echo new > own/new && mv own/new own/moved && echo own
            chmod 0 . 2>/dev/null || echo closed
            """, home: home)
        #expect(output == ["\(getuid())", "own", "hidden", "own", "closed"])
        #expect(status(note).st_mode & 0o777 == 0o600)
        #expect(FileSystem.read("\(home)/own/moved") == Array("new\n".utf8))
    }

    @Test("Where the rest is closed, no file, mode, time or attribute changes but in its own part, /tmp and /dev/shm")
    func rest() throws {
        let scratch = try Scratch(below: "/var/lib")
        let home = try scratch.directory("home", mode: 0o700)
        let folder = try scratch.directory("home/own/tmp", mode: 0o700)
        let note = try scratch.file("note", "the user's")
        let before = status(note)
        let output = try run(
            """
            for change in 'chmod 777' 'touch -d 2001-01-01' 'rm' 'ln -f \(note) \(home)/own/link &&' 'truncate -s 0'; do
                (eval $change \(note)) 2>/dev/null || echo closed
            done
            (echo 500 > /proc/$PPID/oom_score_adj) 2>/dev/null || echo closed
            echo x > /tmp/one && echo x > /dev/shm/two && echo x > /dev/null && chmod 600 /tmp/one && echo open
            """, home: home
        ) {
            $0.closesRest = true
            $0.temporary = folder
            $0.sharedMemory = 1 << 20
        }
        #expect(output == ["closed", "closed", "closed", "closed", "closed", "closed", "open"])
        let after = status(note)
        #expect(after.st_mode == before.st_mode && after.st_size == before.st_size && after.st_nlink == before.st_nlink)
        #expect(after.st_mtim.tv_sec == before.st_mtim.tv_sec)
        #expect(FileSystem.names(in: folder) == ["one"])
        #expect(!FileSystem.exists("/dev/shm/two"))
    }
}

@Suite("What a sandbox may name")
struct SandboxPathTests {
    @Test(
        "A path that is not plainly below the hidden directory is refused before anything is mounted",
        arguments: [
            "/home/x", "/home", "/home/x/", "/home/x/../y", "/home/x/./y", "/home/x//y", "/home/xy", "home/x/y", "",
            "/home/x/\u{0}y",
        ])
    func refused(path: String) {
        var spawn = Spawn(path: "/bin/true", arguments: ["true"], environment: [])
        spawn.sandbox = Spawn.Sandbox(hiding: "/home/x")
        spawn.sandbox?.binds = [("/tmp", path, true)]
        let error = #expect(throws: SpawnError.self) { try spawn.start() }
        #expect(error?.errno == .invalidArgument)
        spawn.sandbox = Spawn.Sandbox(hiding: "/home/x")
        spawn.sandbox?.links = [("target", path)]
        #expect(throws: SpawnError.self) { try spawn.start() }
    }
}
