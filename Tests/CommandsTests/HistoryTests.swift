import Commands
import Foundation
import Model
import Testing
import Wire

@Suite("The log")
struct LogTests {
    /// A log of so many entries, as the daemon pages it.
    private static func page(_ request: FakeDaemon.Request, of entries: [JSONValue]) -> [JSONValue] {
        let after = request.params["after"]?.int ?? 0
        let limit = request.params["limit"]?.int ?? entries.count
        return Array(entries.filter { ($0["seq"]?.int ?? 0) > after }.prefix(limit))
    }

    @Test("It is read in pieces, whole and in order, one object a line")
    func json() throws {
        let tool = try Tool()
        let entries = (1...1234).map { Sample.entry($0) }
        let daemon = try FakeDaemon(in: tool.home) { .result(.array(Self.page($0, of: entries))) }
        let lines = tool.run("log", "--json").output.split(separator: "\n")
        #expect(try lines.map { try JSONValue(parsing: String($0)) } == entries)
        #expect(daemon.requests.allSatisfy { $0.params["limit"] == 500 })
    }

    @Test("The last lines are the last ones")
    func lastLines() throws {
        let tool = try Tool()
        let entries = (1...1234).map { Sample.entry($0) }
        let daemon = try FakeDaemon(in: tool.home) { .result(.array(Self.page($0, of: entries))) }
        let lines = tool.run("log", "--json", "--lines", "3").output.split(separator: "\n")
        #expect(try lines.map { try JSONValue(parsing: String($0))["seq"]?.int } == [1232, 1233, 1234])
        #expect(tool.run("log", "-n", "0").output.isEmpty)
        withExtendedLifetime(daemon) {}
    }

    @Test("People get columns, local times and how long a delegate took")
    func columns() throws {
        let tool = try Tool()
        let entries = [Sample.entry(1, app: nil), Sample.entry(2, took: 0.01234), Sample.entry(3, app: "a\u{1B}b")]
        let daemon = try FakeDaemon(in: tool.home) { .result(.array(Self.page($0, of: entries))) }
        #expect(
            tool.run("log").output == """
                     1  12:03:01.123  device                        suspended             the user pressed Home
                     2  12:03:02.123  vim                           suspended             the user pressed Home  12.3 ms
                     3  12:03:03.123  a^[b                          suspended             the user pressed Home

                """)
        withExtendedLifetime(daemon) {}
    }

    @Test("An app's log is asked for by its identifier")
    func filter() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { .result($0.method == "apps" ? Sample.apps : []) }
        #expect(tool.run("log", "--app", "Journal").code == 0)
        #expect(daemon.requests.last?.params["app"] == "org.greenroom.examples.journal")
    }

    @Test("An entry that comes before the subscription is answered is told, in its place")
    func earlyEntry() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            switch (request.params["follow"]?.bool, request.params["after"]?.int) {
            case (nil, 0): .result([Sample.entry(1)])
            case (nil, 1): .result([])
            case (true, 1): .early([Sample.entry(3)], [Sample.entry(2)])
            default: .failure(RPCError(.internalError, "enough"))
            }
        }
        let running = tool.start("log", "--follow", "--json")
        try running.output.wait(for: "\"seq\":3")
        daemon.stop()
        let lines = try running.outcome().output.split(separator: "\n")
        #expect(try lines.map { try JSONValue(parsing: String($0))["seq"]?.int } == [1, 2, 3])
    }

    @Test("A daemon that takes the connection and begins to tell nothing is exit code 3 for a follower too")
    func followsSilence() throws {
        let tool = try Tool()
        tool.silence = .milliseconds(200)
        // What has happened is answered, and then nothing is, not even what can be answered at once.
        let daemon = try FakeDaemon(in: tool.home) { request in
            guard request.method == "log", request.params["follow"] == nil else { return .nothing }
            return .result(request.params["after"] == 0 ? [Sample.entry(1)] : [])
        }
        let outcome = try tool.start("log", "--follow", "--json").outcome()
        #expect(outcome.code == 3)
        #expect(outcome.output.contains("\"seq\":1"))
        #expect(outcome.errors.contains("takes connections and does not answer"), "\(outcome.errors)")
        withExtendedLifetime(daemon) {}
    }

    @Test("A follower survives the daemon: nothing is lost and nothing told twice")
    func follow() throws {
        let tool = try Tool()
        let daemon = try FakeDaemon(in: tool.home) { request in
            switch (request.params["follow"]?.bool, request.params["after"]?.int) {
            case (nil, 0): .result([Sample.entry(1), Sample.entry(2)])
            case (nil, 5): .failure(RPCError(.internalError, "enough"))
            case (nil, _): .result([])
            case (true, 2): .stream([Sample.entry(2), Sample.entry(3)], [Sample.entry(4)], crashes: true)
            case (true, 4):
                .stream([], [Sample.entry(4), Sample.entry(5)], crashes: true)
            default: .failure(RPCError(.internalError, "enough"))
            }
        }
        let outcome = tool.run("log", "--follow", "--json")
        let numbers = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: String($0))["seq"]?.int }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(outcome.code == 1)
        #expect(outcome.errors == "greenroom: enough\n")
        withExtendedLifetime(daemon) {}
    }
}

@Suite("What an app printed")
struct OutputTests {
    private static func daemon(_ tool: Tool) throws -> FakeDaemon {
        let path = "\(tool.home)/run/vim/output"
        return try FakeDaemon(in: tool.home) { _ in .result(["path": .string(path)]) }
    }

    @Test("Into a pipe it goes byte by byte")
    func raw() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        try tool.write("one\u{1B}[2J\ntwo\n", to: "run/vim/output")
        #expect(tool.run("output", "vim").output == "one\u{1B}[2J\ntwo\n")
        withExtendedLifetime(daemon) {}
    }

    @Test("On a terminal what would drive it is shown")
    func visible() throws {
        let tool = try Tool()
        tool.isTerminal = true
        let daemon = try Self.daemon(tool)
        try tool.write("one\u{1B}[2J\n\tzwei: ü\n", to: "run/vim/output")
        #expect(tool.run("output", "vim").output == "one^[[2J\n\tzwei: ü\n")
        withExtendedLifetime(daemon) {}
    }

    @Test(
        "The last lines are the last ones",
        arguments: [("a\nb\nc\n", "b\nc\n"), ("a\nb\nc", "b\nc"), ("c", "c"), ("", "")])
    func lines(all: String, last: String) throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        try tool.write(all, to: "run/vim/output")
        #expect(tool.run("output", "vim", "--lines", "2").output == last)
        withExtendedLifetime(daemon) {}
    }

    @Test("Where the beginning was given back, it starts with the first whole line")
    func hole() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        try tool.write("", to: "run/vim/output")
        let file = try #require(FileHandle(forWritingAtPath: "\(tool.home)/run/vim/output"))
        try file.truncate(atOffset: 1 << 20)
        try file.seekToEnd()
        try file.write(contentsOf: Data("rest of a line\nwhole\n".utf8))
        try file.close()
        #expect(tool.run("output", "vim").output == "whole\n")
        withExtendedLifetime(daemon) {}
    }

    @Test("Terabytes of nothing between what an app printed cost neither time nor memory", .timeLimit(.minutes(1)))
    func terabyte() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        try tool.write("first\n", to: "run/vim/output")
        var reader = OutputReader(path: "\(tool.home)/run/vim/output")
        #expect(reader.available() == Array("first\n".utf8))
        let file = try #require(FileHandle(forWritingAtPath: "\(tool.home)/run/vim/output"))
        try file.truncate(atOffset: 1 << 40)
        try file.seekToEnd()
        try file.write(contentsOf: Data("second\nthird\n".utf8))
        #expect(tool.run("output", "vim").output == "first\nsecond\nthird\n")
        #expect(tool.run("output", "vim", "--lines", "2").output == "second\nthird\n")
        #expect(reader.available() == Array("second\nthird\n".utf8))
        try file.write(contentsOf: Data("fourth\n".utf8))
        #expect(reader.available() == Array("fourth\n".utf8))
        withExtendedLifetime(daemon) {}
    }

    @Test("Of an output that nobody bounded yet the last part is shown, from its first whole line")
    func endless() throws {
        let tool = try Tool()
        let line = String(repeating: "x", count: 1023) + "\n"
        try tool.write(String(repeating: line, count: 16 << 10) + "end\n", to: "run/vim/output")
        var reader = OutputReader(path: "\(tool.home)/run/vim/output")
        let shown = reader.available()
        #expect((3 << 20...8 << 20).contains(shown.count))
        #expect(shown.starts(with: line.utf8))
        #expect(shown.suffix(4) == Array("end\n".utf8)[...])
    }

    @Test("A pipe in the place of an output is none", .timeLimit(.minutes(1)))
    func pipe() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        try tool.write("", to: "run/vim/other")
        #expect(unsafe mkfifo("\(tool.home)/run/vim/output", 0o600) == 0)
        #expect(tool.run("output", "vim").output.isEmpty)
        withExtendedLifetime(daemon) {}
    }

    @Test("An app that printed nothing yet has printed nothing")
    func nothing() throws {
        let tool = try Tool()
        let daemon = try Self.daemon(tool)
        #expect(tool.run("output", "vim") == Tool.Outcome(code: 0, output: "", errors: ""))
        withExtendedLifetime(daemon) {}
    }

    @Test("A reader that follows sees what is added, and a file that is begun anew")
    func follow() throws {
        let tool = try Tool()
        try tool.write("one\n", to: "run/vim/output")
        var reader = OutputReader(path: "\(tool.home)/run/vim/output")
        #expect(reader.available() == Array("one\n".utf8))
        #expect(reader.available().isEmpty)
        let file = try #require(FileHandle(forWritingAtPath: "\(tool.home)/run/vim/output"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("two\n".utf8))
        #expect(reader.available() == Array("two\n".utf8))
        try tool.write("3\n", to: "run/vim/output")
        #expect(reader.available() == Array("3\n".utf8))
    }
}
