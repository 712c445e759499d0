import LinuxSystem
import ServiceTesting
import TestPace
import Testing
import TransferWire
import Wire

@Suite("greenroom transfer without a system")
struct CommandLineTests {
    @Test("It starts the service itself, gets a file that is right, and sends one")
    func standAlone() throws {
        let server = try TestServer.shared.get()
        let base = "/tmp/greenroom-transfer-tool-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.makeDirectory(base)
        defer { try? FileSystem.removeTree(base) }
        let tool = [
            "GREENROOM_TRANSFERS=\(base)/service", "GREENROOM_HOME=\(base)/system",
            "\(Place.products)/greenroom", "transfer",
        ]
        defer { stop(base) }
        let size = 500_000
        let digest = try Content.digest(seed: 1, size: size)
        let url = server.url("/file", "size=\(size)&cut=1", key: "command")
        try Command.run(
            "/usr/bin/env", tool + [url, "-o", "\(base)/file", "--wait", "--checksum", "sha-256:\(digest)"])
        #expect(FileSystem.size(of: base + "/file") == size)
        try Command.run(
            "/usr/bin/env",
            tool + [server.url("/upload", "", key: "command-up"), "--upload", "\(base)/file", "--wait"])
        #expect(try server.upload("command-up")?.sha256 == digest)
        #expect(throws: Command.Failed.self) {
            try Command.run(
                "/usr/bin/env", tool + [server.url("/file", "status=404", key: "c4"), "-o", "\(base)/x", "--wait"])
        }
    }

    /// What the tool prints, and how it ends.
    private func words(_ base: String, _ arguments: String, before: String = "") throws -> String {
        let tool = "GREENROOM_TRANSFERS=\(base)/service GREENROOM_HOME=\(base)/system \(Place.products)/greenroom"
        let output = try Command.run("/bin/sh", ["-c", "\(before) \(tool) \(arguments) 2>&1; echo \"exit $?\""])
        return String(decoding: output, as: UTF8.self)
    }

    private func folder() throws -> String {
        let base = "/tmp/greenroom-transfer-tool-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.makeDirectory(base)
        return base
    }

    @Test("A place that no file can have is refused with a sentence, before anything is fetched")
    func places() throws {
        let server = try TestServer.shared.get()
        let base = try folder()
        defer { try? FileSystem.removeTree(base) }
        defer { stop(base) }
        try FileSystem.makeDirectory(base + "/folder")
        try FileSystem.link(to: base + "/folder", at: base + "/link")
        try Command.run("/usr/bin/mkfifo", [base + "/pipe"])
        let url = server.url("/file", "size=10", key: "places")
        for (place, reason) in [
            ("\(base)/folder", "is a folder"), ("\(base)/folder/", "is a folder"), ("\(base)/link", "is a folder"),
            ("\(base)/pipe", "is a device, a pipe or a socket"),
            ("\(base)/" + String(repeating: "x", count: 256), "at most 255"), ("\(base)/missing/file", "No such file"),
            ("/proc/file", "no file can be made in /proc"), ("''", "it is empty"), ("/", "is a folder"),
        ] {
            let said = try words(base, "transfer '\(url)' -o \(place)")
            #expect(said.contains(reason) && !said.contains("exit 0"), "\(place.prefix(60)): \(said)")
        }
        #expect(try server.requests("places").isEmpty)
        // A link to a file gives way to the file, and so does one that leads nowhere.
        try FileSystem.link(to: base + "/nowhere", at: base + "/loose")
        #expect(try words(base, "transfer '\(url)' -o \(base)/loose --wait").contains("exit 0"))
        #expect(FileSystem.linkTarget(base + "/loose") == nil && FileSystem.size(of: base + "/loose") == 10)
    }

    @Test(
        "Of a service that takes connections and does not answer, every tool says so within seconds",
        arguments: ["transfers", "transfers why t1", "transfer http://127.0.0.1:1/ -o /tmp/x --wait"])
    func silent(_ arguments: String) throws {
        let base = try folder()
        defer { try? FileSystem.removeTree(base) }
        try FileSystem.makeDirectory(base + "/service")
        let listener = try UnixSocket.listen(at: base + "/service/control", mode: 0o600)
        let began = Clock.monotonic()
        let said = try withExtendedLifetime(listener) { try words(base, arguments) }
        #expect(said.contains("does not answer") && said.contains("exit 3"), "\(said)")
        #expect(Clock.monotonic() - began < Pace.nanoseconds(seconds: 30))
    }

    @Test("A listener with more waiting than it takes is no reason to wait for ever, either")
    func crowded() throws {
        let base = try folder()
        defer { try? FileSystem.removeTree(base) }
        try FileSystem.makeDirectory(base + "/service")
        let listener = try UnixSocket.listen(at: base + "/service/control", mode: 0o600, backlog: 1)
        var waiting: [Descriptor] = []
        while let one = try? UnixSocket.connect(to: base + "/service/control", isNonblocking: true) {
            waiting.append(one)
        }
        let said = try withExtendedLifetime((listener, waiting)) {
            try words(base, "transfers", before: "GREENROOM_TRANSFERD=/bin/true")
        }
        #expect(said.contains("answer") && said.contains("exit 3"), "\(said)")
    }

    @Test("Who waits for a transfer waits as long as the service is there, and no longer than that")
    func stopped() throws {
        let server = try TestServer.shared.get()
        let base = try folder()
        defer { try? FileSystem.removeTree(base) }
        defer { stop(base) }
        let url = server.url("/file", "size=1000000&rate=20000", key: "stopped")
        #expect(try words(base, "transfer '\(url)' -o \(base)/file").contains("exit 0"))
        let line = FileSystem.read(base + "/service/pid").map { String(decoding: $0, as: UTF8.self) } ?? ""
        let process = try PidFD(#require(line.split(separator: " ").first.flatMap { CInt($0) }))
        defer { try? process.send(18) }
        let halt = "(sleep 1; kill -STOP \(process.pid)) &"
        let said = try words(base, "transfer '\(url)' -o \(base)/other --wait", before: halt)
        #expect(said.contains("does not answer") && said.contains("exit 3"), "\(said)")
    }

    /// The process that the tool left behind is the only one that has the folder's lock.
    private func stop(_ base: String) {
        for entry in FileSystem.names(in: "/proc") {
            guard let pid = CInt(entry),
                let line = FileSystem.read("/proc/\(pid)/cmdline", limit: 4096),
                String(decoding: line, as: UTF8.self).contains("\(base)/service"), let process = try? PidFD(pid)
            else { continue }
            try? process.send(15)
            _ = process.waitUntilDead(milliseconds: 5000)
        }
    }
}
