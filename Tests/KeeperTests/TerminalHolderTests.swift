import LinuxSystem
import Testing

@Suite("A terminal's holder")
struct TerminalHolderTests {
    @Test("What was printed before attaching is shown, what is typed arrives, and the end of the program ends all")
    func session() throws {
        let directory = "/tmp/greenroom-holder-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.makeDirectory(directory)
        defer { try? FileSystem.removeTree(directory) }
        let path = directory + "/tty"
        let (process, holder) = try start(path: path, output: directory + "/output")
        let client = try UnixSocket.connect(to: path)
        var seen: [UInt8] = []
        try read(client, into: &seen, until: "ready")
        _ = try client.write([UInt8(ascii: "w"), 0, 4, 0, 50, 0, 132, UInt8(ascii: "d"), 0, 3] + Array("hi\n".utf8))
        try read(client, into: &seen, until: "50 132")
        #expect(String(decoding: seen, as: UTF8.self).contains("got hi"))
        #expect(process.waitUntilDead(milliseconds: 5_000))
        _ = process.reap()
        let kept = FileSystem.read(directory + "/output") ?? []
        #expect(String(decoding: kept, as: UTF8.self).contains("got hi"))
        #expect(holder.waitUntilDead(milliseconds: 5_000), "the holder outlived its terminal")
        #expect(holder.reap() == .exited(0))
        #expect(!FileSystem.exists(path), "the holder left its socket")
    }

    /// The program on the terminal and its holder; nobody else has the terminal open when this returns.
    private func start(path: String, output: String) throws -> (program: PidFD, holder: PidFD) {
        let terminal = try Terminal.open()
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        let file = try Descriptor.open(output, .append, create: 0o600)
        var program = Spawn(
            path: "/bin/sh", arguments: ["sh", "-c", "echo ready; read line; echo got $line; stty size"],
            environment: ["PATH=/usr/bin:/bin"])
        program.controllingTerminal = 0
        program.descriptors = [(terminal.slave, 0), (terminal.slave, 1), (terminal.slave, 2)]
        let products = CommandLine.arguments[0].split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let keeper = products + "/greenroom-keeper"
        var holder = Spawn(path: keeper, arguments: [keeper, "terminal", path], environment: [])
        let null = try Descriptor.open("/dev/null", .readWrite)
        holder.descriptors = [(null, 0), (null, 1), (null, 2), (terminal.master, 3), (listener, 4), (file, 5)]
        return (try program.start(), try holder.start())
    }

    private func read(_ socket: Descriptor, into seen: inout [UInt8], until text: String) throws {
        while !String(decoding: seen, as: UTF8.self).contains(text) {
            guard case .bytes = try socket.read(into: &seen, upTo: 4096) else {
                Issue.record("the holder hung up before it showed \(text)")
                return
            }
        }
    }
}
