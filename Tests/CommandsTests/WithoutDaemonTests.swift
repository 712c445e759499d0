import Commands
import Foundation
import Glibc
import Model
import Testing
import Wire

@Suite("Without a daemon")
struct WithoutDaemonTests {
    /// A tree of files that looks like a system's cgroups.
    private static func fakeTree(_ tool: Tool) throws -> String {
        let files = [
            ("fake/cgroup.procs", ""), ("fake/cgroup.freeze", "0\n"), ("fake/cgroup.kill", ""),
            ("fake/app-org.example.a/cgroup.procs", ""), ("fake/app-org.example.a/cgroup.freeze", "1\n"),
            ("fake/app-org.example.b/cgroup.procs", ""), ("fake/app-org.example.b/cgroup.freeze", "0\n"),
        ]
        for (name, text) in files { try tool.write(text, to: name) }
        try tool.write("\(tool.home)/fake\n", to: "cgroup")
        try tool.write("999999999 1\n", to: "keeper.pid")
        return "fake"
    }

    @Test(
        "A verb of another program says what to do where that program is missing",
        arguments: [
            ("run", "--help", "simulator"), ("replay", "--help", "replay"), ("replay", "--as-scenario", "simulator"),
        ])
    func programMissing(verb: String, option: String, program: String) throws {
        let tool = try Tool()
        tool.libexec = "/nowhere"
        let sentence = "there is no program /nowhere/greenroom-\(program): build it (make build), or set "
        let outcome = tool.run(verb, option, "x")
        #expect(
            outcome
                == Tool.Outcome(code: 1, output: "", errors: "greenroom: \(sentence)GREENROOM_LIBEXEC to its folder\n"))
    }

    @Test("thaw lets frozen groups run and names them")
    func thawGroups() throws {
        let tool = try Tool()
        let tree = try Self.fakeTree(tool)
        #expect(tool.run("thaw") == Tool.Outcome(code: 0, output: "thawed org.example.a\n", errors: ""))
        #expect(tool.contents("\(tree)/app-org.example.a/cgroup.freeze")?.first == "0")
        #expect(tool.contents("\(tree)/app-org.example.b/cgroup.freeze")?.first == "0")
        #expect(tool.run("thaw").output == "nothing was frozen\n")
    }

    @Test("thaw leaves a system alone that has its daemon, unless it is forced")
    func thawSupervised() throws {
        let tool = try Tool()
        let tree = try Self.fakeTree(tool)
        let daemon = try FakeDaemon(in: tool.home) { _ in .result([:]) }
        let outcome = tool.run("thaw")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("greenroom exempt"))
        #expect(tool.contents("\(tree)/app-org.example.a/cgroup.freeze") == "1\n")
        #expect(tool.run("thaw", "--force").output == "thawed org.example.a\n")
        withExtendedLifetime(daemon) {}
    }

    @Test("Where SIGSTOP stood in for cgroups, thaw continues the recorded groups, and only those")
    func thawProcessGroups() throws {
        let tool = try Tool()
        let app = try Child(environment: ["GREENROOM_APP": "vim"])
        let timed = try Child()
        let stranger = try Child(environment: ["GREENROOM_APP": "other"])
        for child in [app, timed, stranger] { child.stop() }
        try tool.write("\(app.pid)\n", to: "run/vim/birth")
        try tool.write(timed.record, to: "run/timed/birth")
        // Its number was an app's once.
        try tool.write("\(stranger.pid)\n", to: "run/reused/birth")
        try tool.write("\(stranger.pid) 1\n", to: "run/reused-too/birth")
        try tool.write("", to: "cgroup")
        // Required: what follows waits for what was to happen.
        try #require(tool.run("thaw") == Tool.Outcome(code: 0, output: "thawed timed\nthawed vim\n", errors: ""))
        app.waitUntilContinued()
        timed.waitUntilContinued()
        #expect(stranger.state == "T")
    }

    @Test("down ends the recorded groups, removes sockets and process files, and leaves the data")
    func downProcessGroups() throws {
        let tool = try Tool()
        let app = try Child(environment: ["GREENROOM_APP": "vim"])
        let stranger = try Child()
        app.stop()
        try tool.write("\(app.pid)\n", to: "run/vim/birth")
        try tool.write("\(stranger.pid)\n", to: "run/reused/birth")
        try tool.write("999999999 1\n", to: "keeper.pid")
        try tool.write("999999999 1\n", to: "daemon.pid")
        try tool.write("", to: "cgroup")
        try tool.write("note", to: "containers/vim/Documents/note.txt")
        try tool.write("text", to: "run/vim/output")
        try tool.write("", to: "wire/keep")
        close(try FakeDaemon.listener(folder: tool.home, name: "control"))
        close(try FakeDaemon.listener(folder: "\(tool.home)/wire", name: "app"))
        close(try FakeDaemon.listener(folder: "\(tool.home)/run/vim", name: "tty"))
        let outcome = tool.run("down")
        try #require(
            outcome
                == Tool.Outcome(
                    code: 0,
                    output: "processes that were left and killed: 1\nGreenroom in \(tool.home) is down\n", errors: ""))
        #expect(app.signalThatEnded() == SIGKILL)
        #expect(stranger.isUntouched)
        let left = FileManager.default.enumerator(atPath: tool.home)?.compactMap { $0 as? String } ?? []
        #expect(
            Set(left) == [
                "containers", "containers/vim", "containers/vim/Documents", "containers/vim/Documents/note.txt", "lock",
                "run",
                "run/vim", "run/vim/output", "run/reused", "wire", "wire/keep",
            ])
    }

    @Test("down ends a supervisor that lives though its sockets are dead")
    func downKeeper() throws {
        let tool = try Tool()
        tool.patience = .milliseconds(20)
        let keeper = try Child()
        try tool.write(keeper.record, to: "keeper.pid")
        try #require(tool.run("down").code == 0)
        #expect(keeper.signalThatEnded() == SIGKILL)
        #expect(tool.contents("keeper.pid") == nil)
    }

    @Test("down does not touch a process that has a dead supervisor's number")
    func downReused() throws {
        let tool = try Tool()
        let stranger = try Child()
        try tool.write("\(stranger.pid) 1\n", to: "keeper.pid")
        #expect(tool.run("down").code == 0)
        #expect(stranger.isUntouched)
    }

    @Test("When nothing is running, down says so: exit code 3")
    func downNothing() throws {
        let tool = try Tool()
        #expect(
            tool.run("down")
                == Tool.Outcome(code: 3, output: "", errors: "greenroom: nothing is running in \(tool.home)\n"))
        #expect(tool.run("thaw").code == 3)
    }

    @Test("Another system that begins while one goes down is not touched")
    func downBeside() throws {
        let tool = try Tool()
        let (keeper, next) = (try Child(), try Child())
        let pid = keeper.pid
        try tool.write(keeper.record, to: "keeper.pid")
        let home = tool.home
        let file = unsafe open("\(home)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let record = next.record
        let daemon = try FakeDaemon(in: home) { _ in
            // The other has the lock as soon as the first has gone.
            flock(file, LOCK_EX)
            _ = unsafe record.withCString { unsafe pwrite(file, $0, record.utf8.count, 0) }
            try? record.write(toFile: "\(home)/keeper.pid", atomically: true, encoding: .utf8)
            kill(pid, SIGTERM)
            return .result([:])
        }
        let outcome = tool.run("down")
        try #require(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("has started it again"))
        #expect(next.isUntouched)
        #expect(tool.contents("keeper.pid") == record)
        withExtendedLifetime(daemon) {}
    }

    @Test("A home of another user is not cleared in his name", .enabled(if: getuid() == 0, "NOT TESTED: needs root"))
    func foreignHome() throws {
        let tool = try Tool()
        let stranger = try Child()
        try tool.write(stranger.record, to: "keeper.pid")
        unsafe chown(tool.home, 4711, 4711)
        let outcome = tool.run("down", "--force")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("belongs to the user 4711"))
        #expect(stranger.isUntouched)
    }

    @Test("A home of another user is not thawed in his name", .enabled(if: getuid() == 0, "NOT TESTED: needs root"))
    func foreignThaw() throws {
        let tool = try Tool()
        let tree = try Self.fakeTree(tool)
        unsafe chown(tool.home, 4711, 4711)
        for words in [["thaw"], ["thaw", "--force"]] {
            let outcome = tool.run(words)
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("belongs to the user 4711"), "\(outcome)")
        }
        #expect(tool.contents("\(tree)/app-org.example.a/cgroup.freeze") == "1\n")
    }

    @Test("down leaves a daemon alone that lives and does not answer, and names the way to end it")
    func downSilent() throws {
        let tool = try Tool()
        tool.silence = .milliseconds(100)
        let process = try Child()
        try tool.write(process.record, to: "daemon.pid")
        let daemon = try FakeDaemon(in: tool.home) { _ in .nothing }
        let outcome = tool.run("down")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("greenroom down --force ends everything"), "\(outcome.errors)")
        #expect(process.isUntouched)
        daemon.stop()
        #expect(tool.run("down", "--force").code == 0)
        #expect(process.signalThatEnded() == SIGKILL)
    }

    @Test("down asks the daemon and waits until the supervisor is gone")
    func downAsks() throws {
        let tool = try Tool()
        let keeper = try Child()
        let pid = keeper.pid
        try tool.write(keeper.record, to: "keeper.pid")
        let daemon = try FakeDaemon(in: tool.home) { _ in
            kill(pid, SIGTERM)
            return .result([:])
        }
        try #require(
            tool.run("down") == Tool.Outcome(code: 0, output: "Greenroom in \(tool.home) is down\n", errors: ""))
        #expect(daemon.methods == ["down"])
        #expect(keeper.signalThatEnded() == SIGTERM)
    }

    @Test("A daemon that refuses to go down is obeyed, and --force is named")
    func downRefused() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { _ in .failure(RPCError(.internalError, "no")) }
        let outcome = tool.run("down")
        try #require(
            outcome
                == Tool.Outcome(code: 1, output: "", errors: "greenroom: no; greenroom down --force kills everything\n")
        )
        withExtendedLifetime(daemon) {}
    }

    @Test("A folder that is no cgroup is neither killed nor removed")
    func wrongCgroup() throws {
        let tool = try Tool()
        try tool.write("x", to: "precious/file")
        try tool.write("\(tool.home)/precious\n", to: "cgroup")
        try tool.write("1 1\n", to: "keeper.pid")
        #expect(tool.run("down").code == 0)
        #expect(tool.contents("precious/file") == "x")
    }

    // Needs a cgroup v2 that this process may write: without one, what the kernel does is not tested here.
    @Test(
        "With real cgroups, thaw and down do what they say",
        .enabled(if: TestCgroup.mount != nil, "NOT TESTED: needs a writable cgroup v2"))
    func realCgroup() throws {
        let tool = try Tool()
        let group = try TestCgroup()
        try group.add("app-org.example.a")
        let (app, systems) = (try Child(), try Child())
        try group.write(String(app.pid), to: "app-org.example.a/cgroup.procs")
        try group.write("1", to: "app-org.example.a/cgroup.freeze")
        try tool.write("\(group.path)\n", to: "cgroup")
        #expect(tool.run("thaw").output == "thawed org.example.a\n")
        #expect(group.contents("app-org.example.a/cgroup.freeze") == "0\n")
        try group.write("1", to: "app-org.example.a/cgroup.freeze")
        try group.write(String(systems.pid), to: "cgroup.procs")
        let outcome = tool.run("down")
        try #require(outcome.code == 0)
        #expect(outcome.output.hasPrefix("processes that were left and killed: 2\n"))
        #expect(app.signalThatEnded() == SIGKILL)
        #expect(systems.signalThatEnded() == SIGKILL)
        #expect(!FileManager.default.fileExists(atPath: group.path))
    }
}
