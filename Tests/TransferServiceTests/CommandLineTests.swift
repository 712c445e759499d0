import LinuxSystem
import Testing
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
