import Commands
import Foundation
import Glibc
import Testing
import Wire

/// Programs that stand in for supervisor and daemon, and pipes to hear and end the first.
private struct FakeKeeper {
    let started: String
    /// Held open both ways, so that no side waits for the other to open its end.
    private let end: FileHandle

    /// The script tells its arguments and then does what it is given.
    init(_ tool: Tool, then script: String = "echo holds >&3; read line < \"$END\"") throws {
        started = tool.path("started")
        let ending = tool.path("end")
        for pipe in [started, ending] { unsafe mkfifo(pipe, 0o600) }
        end = FileHandle(fileDescriptor: unsafe open(ending, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
        tool.libexec = tool.path("libexec")
        try FileManager.default.createDirectory(atPath: tool.libexec, withIntermediateDirectories: true)
        let begin = "echo \"$@\" > \"$STARTED\""
        for (name, text) in [("greenroom-keeper", "\(begin)\n\(script)"), ("greenroomd", "")] {
            let path = "\(tool.libexec)/\(name)"
            let text = "#!/bin/sh\nSTARTED='\(started)'\nEND='\(ending)'\n\(text)\n"
            try Self.makeProgram(text, at: path)
        }
    }

    /// Nobody can execute what somebody has open for writing (`ETXTBSY`), as any child has that a test beside this one
    /// is starting: so another process writes it.
    private static func makeProgram(_ text: String, at path: String) throws {
        let source = path + ".text"
        try text.write(toFile: source, atomically: false, encoding: .utf8)
        unsafe chmod(source, 0o755)
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: ["-p", source, path])
        copy.waitUntilExit()
        guard copy.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }

    /// Returns what the supervisor was started with, once it was.
    func arguments(of running: Running) throws -> String {
        // Without blocking: a supervisor that is never started would never open its end.
        let pipe = FileHandle(
            fileDescriptor: unsafe open(started, O_RDONLY | O_NONBLOCK | O_CLOEXEC), closeOnDealloc: true)
        do {
            try Patience.wait(for: pipe.fileDescriptor, "a supervisor that starts")
        } catch {
            throw Patience.Lost(what: "a supervisor that starts; up said: \(running.errors.text)")
        }
        _ = fcntl(pipe.fileDescriptor, F_SETFL, 0)
        return String(decoding: try pipe.readToEnd() ?? Data(), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    func finish() { end.write(Data("\n".utf8)) }

    /// Of one that this process, as `up --detach`, has left to run: nobody else waits for it.
    func finish(_ outcome: Tool.Outcome) throws {
        finish()
        let pid = try #require(outcome.output.firstMatch(of: /pid (\d+)/).flatMap { CInt($0.1) })
        #expect(waitpid(pid, nil, 0) == pid)
    }
}

extension SignalTakers {
    @Suite("up")
    struct UpTests {
        @Test("--detach returns when both sockets accept; the home is its owner's alone")
        func detach() throws {
            let tool = try Tool(home: "new/home")
            try FileManager.default.removeItem(atPath: tool.path("new"))
            let keeper = try FakeKeeper(tool)
            let running = tool.start("up", "--detach", "--device", "iphone-4", "--memory", "512M")
            #expect(
                try keeper.arguments(of: running)
                    == "--home \(tool.home) --daemon \(tool.libexec)/greenroomd --report 3 -- --device iphone-4 "
                    + "--memory 536870912"
            )
            let daemon = try FakeDaemon(in: tool.home, sockets: ["control", "app"]) { _ in .result([:]) }
            let outcome = try running.outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("Greenroom runs in \(tool.home), pid "))
            let attributes = try FileManager.default.attributesOfItem(atPath: tool.home)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            try keeper.finish(outcome)
            withExtendedLifetime(daemon) {}
        }

        @Test("A home that others could enter is closed to them")
        func closesHome() throws {
            let tool = try Tool()
            unsafe chmod(tool.home, 0o755)
            try GreenroomHome(environment: ["GREENROOM_HOME": tool.home], workingDirectory: "/").create()
            let attributes = try FileManager.default.attributesOfItem(atPath: tool.home)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }

        @Test("A home that is a file is refused")
        func homeIsFile() throws {
            let tool = try Tool()
            try tool.write("", to: "file")
            tool.environment = ["GREENROOM_HOME": "\(tool.home)/file"]
            _ = try FakeKeeper(tool)
            let outcome = tool.run("up", "--detach")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("is not a folder"))
        }

        @Test("A second system in the same home is refused")
        func second() throws {
            let tool = try Tool()
            _ = try FakeKeeper(tool)
            let keeper = try Child()
            try tool.write(keeper.record, to: "keeper.pid")
            #expect(
                tool.run("up", "--detach")
                    == Tool.Outcome(
                        code: 1, output: "",
                        errors: "greenroom: Greenroom is already running in \(tool.home), pid \(keeper.pid): "
                            + "greenroom down ends it\n"))
        }

        @Test("When the supervisor fails, its last words are shown")
        func failure() throws {
            let tool = try Tool()
            try tool.write("of an earlier day\n", to: "daemon.log")
            let keeper = try FakeKeeper(tool, then: "echo cannot do this >&2; exit 3")
            let running = tool.start("up", "--detach")
            _ = try keeper.arguments(of: running)
            #expect(
                try running.outcome()
                    == Tool.Outcome(
                        code: 1, output: "",
                        errors: "greenroom: the system did not start: the supervisor ended with exit code 3. "
                            + "\(tool.home)/daemon.log says:\n  cannot do this\n"))
        }

        @Test("What failed says why in one sentence", arguments: [true, false])
        func cause(isDetached: Bool) throws {
            let tool = try Tool()
            try tool.write("of an earlier day\n", to: "daemon.log")
            let keeper = try FakeKeeper(
                tool, then: "echo holds >&3; echo noise >&2; echo failed the disk is full >&3; exit 1")
            let running = isDetached ? tool.start("up", "--detach") : tool.start("up")
            _ = try keeper.arguments(of: running)
            #expect(
                try running.outcome()
                    == Tool.Outcome(
                        code: 1, output: "", errors: "greenroom: the system did not start: the disk is full\n"))
        }

        @Test("Of two that begin at once, the one that comes late says who serves", arguments: [true, false])
        func overtaken(isDetached: Bool) throws {
            let tool = try Tool()
            let other = try Child()
            let keeper = try FakeKeeper(
                tool,
                then: "echo '\(other.record.dropLast())' > '\(tool.home)/keeper.pid'; echo taken >&3; exit 1")
            let running = isDetached ? tool.start("up", "--detach") : tool.start("up")
            _ = try keeper.arguments(of: running)
            let outcome = try running.outcome()
            #expect(outcome.code == 1 && outcome.output == "")
            #expect(
                outcome.errors.contains("Greenroom is already running in \(tool.home), pid \(other.pid)"),
                "\(outcome.errors)")
        }

        @Test("A running system with other options is told with its options")
        func otherOptions() throws {
            let tool = try Tool()
            _ = try FakeKeeper(tool)
            let keeper = try Child()
            try tool.write(keeper.record, to: "keeper.pid")
            try tool.write("/x/greenroomd\n--device\niphone-4", to: "daemon.arguments")
            #expect(
                tool.run("up", "--detach").errors
                    == "greenroom: Greenroom is already running in \(tool.home), pid \(keeper.pid) "
                    + "with --device iphone-4: greenroom down ends it\n")
            #expect(
                tool.run("up", "--detach", "--device", "iphone-4").errors
                    == "greenroom: Greenroom is already running in \(tool.home), pid \(keeper.pid): "
                    + "greenroom down ends it\n")
        }

        @Test("A crash's helper is not waited for, unless somebody asked for it", arguments: [nil, "enable=yes"])
        func backtrace(_ chosen: String?) throws {
            let tool = try Tool()
            if let chosen { tool.environment["SWIFT_BACKTRACE"] = chosen }
            let keeper = try FakeKeeper(tool, then: "echo failed $SWIFT_BACKTRACE >&3; exit 1")
            let running = tool.start("up", "--detach")
            _ = try keeper.arguments(of: running)
            #expect(try running.outcome().errors.hasSuffix(": \(chosen ?? "enable=no")\n"))
        }

        @Test("A daemon that refuses to start is a failure, though the supervisor's sockets accepted")
        func daemonFails() throws {
            let tool = try Tool()
            let keeper = try FakeKeeper(
                tool, then: "echo holds >&3; read line < \"$END\"; echo no such profile >&2; exit 2")
            let running = tool.start("up", "--detach", "--device", "toaster")
            _ = try keeper.arguments(of: running)
            let daemon = try FakeDaemon(in: tool.home, sockets: ["control", "app"]) { _ in
                keeper.finish()
                return .crash
            }
            let outcome = try running.outcome()
            #expect(outcome.code == 1)
            #expect(outcome.errors.hasSuffix("says:\n  no such profile\n"), "\(outcome.errors)")
            withExtendedLifetime(daemon) {}
        }

        @Test("Missing programs and profiles are named")
        func missing() throws {
            let tool = try Tool()
            tool.libexec = tool.path("nowhere")
            #expect(tool.run("up").errors.contains("there is no program \(tool.path("nowhere"))/greenroom-keeper"))
            _ = try FakeKeeper(tool)
            #expect(tool.run("up", "--device", "my.json").errors.contains("no device profile \(tool.path("my.json"))"))
        }

        @Test("In the foreground it prints the log, and Ctrl-C takes the system down in order")
        func foreground() throws {
            let tool = try Tool()
            let keeper = try FakeKeeper(tool)
            let running = tool.start("up")
            _ = try keeper.arguments(of: running)
            let daemon = try FakeDaemon(in: tool.home) { request in
                switch (request.method, request.params["follow"]?.bool, request.params["after"]?.int) {
                case ("log", nil, 0): return .result([Sample.entry(1)])
                case ("log", true, 1): return .stream([], [Sample.entry(2)], crashes: false)
                case ("down", _, _):
                    keeper.finish()
                    return .result([:])
                default: return .result([])
                }
            }
            try running.output.wait(for: "the user pressed Home\n")
            kill(getpid(), SIGINT)
            let outcome = try running.outcome()
            #expect(
                outcome.output == """
                    Greenroom runs in \(tool.home). Ctrl-C takes it down.
                         2  12:03:02.123  vim                           suspended             the user pressed Home
                    Greenroom in \(tool.home) is down

                    """)
            #expect(outcome.errors == "greenroom: going down; once more kills everything at once\n")
            #expect(outcome.code == 0)
            #expect(daemon.methods.last == "down")
        }

        @Test("A system that ends in the foreground without being asked to is a failure")
        func crash() throws {
            let tool = try Tool()
            let keeper = try FakeKeeper(tool, then: "kill -9 $$")
            let running = tool.start("up")
            _ = try keeper.arguments(of: running)
            let outcome = try running.outcome()
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("the supervisor was ended by signal 9"))
        }
    }
}
