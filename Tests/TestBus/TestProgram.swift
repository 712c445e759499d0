package import LinuxSystem

/// A program that runs as long as this object lives.
package final class TestProgram: Sendable {
    package let process: PidFD
    /// Its standard output, from the other end of a socket: reading hears of its death.
    private let output: Descriptor

    package init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let (ours, theirs) = try UnixSocket.pair()
        let null = try Descriptor.open("/dev/null", .readWrite)
        var all = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"]
        all.merge(environment) { _, given in given }
        var spawn = Spawn(
            path: path, arguments: [path] + arguments, environment: all.map { "\($0.key)=\($0.value)" }.sorted())
        spawn.descriptors = [(null, 0), (theirs, 1), (null, 2)]
        process = try spawn.start()
        output = ours
    }

    deinit { kill() }

    /// Ends it at once, and waits for that.
    package func kill() {
        try? process.send(9)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
    }

    /// The next line that it prints; shorter where it ends before.
    package func line() throws -> String {
        var text: [UInt8] = []
        while text.last != UInt8(ascii: "\n"), case .bytes = try output.read(into: &text, upTo: 1) {}
        return String(decoding: text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...], as: UTF8.self)
    }

    /// Runs a program to its end: what it printed, and whether it said that all went well.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (output: String, isDone: Bool) {
        let program = try TestProgram(path, arguments, environment: environment)
        let text = try program.output.readAll()
        _ = program.process.waitUntilDead(milliseconds: 10_000)
        return (String(decoding: text, as: UTF8.self), program.process.reap() == .exited(0))
    }
}
