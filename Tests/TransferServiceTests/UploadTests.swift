import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Uploads")
struct UploadTests {
    private static let size = 3_000_000

    private func makeFile(_ service: TestService, size: Int = size) throws -> (path: String, digest: String) {
        let path = service.base + "/photo"
        let script = "import random;open('\(path)','wb').write(random.Random(7).randbytes(\(size)))"
        try Command.run("/usr/bin/python3", ["-c", script])
        return (path, try Content.digest(seed: 7, size: size))
    }

    private func uploads(
        _ path: String, _ query: String, key: String, method: String = "PUT"
    ) throws -> [TestServer.Request] {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let photo = try makeFile(service)
        let client = try service.client()
        try client.open()
        let descriptor = try Descriptor.open(photo.path, .read)
        try client.upload(server.url(path, query, key: key), file: descriptor, method: method)
        // It is the service's own by now.
        FileSystem.remove(photo.path)
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect((200..<300).contains(outcome.status ?? 0))
        #expect(outcome.completion.sent == Int64(Self.size))
        #expect(outcome.completion.received == Int64(outcome.file?.count ?? 0))
        let upload = try server.upload(key)
        #expect(upload?.size == Self.size)
        #expect(upload?.sha256 == photo.digest)
        #expect(outcome.file == Array(photo.digest.utf8), "what the server said")
        return try server.requests(key)
    }

    @Test("A file arrives whole, whatever its owner does with it afterwards", arguments: ["PUT", "POST"])
    func plain(_ method: String) throws {
        let requests = try uploads("/upload", "", key: "up-\(method)", method: method)
        #expect(requests.map(\.method) == [method])
        #expect(requests[0].headers["content-length"] == String(Self.size))
    }

    @Test(
        "A file with holes takes no more room than it holds",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func holes() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        // On another file system it gets no other name, and shares no blocks.
        let folder = service.base + "/other"
        try FileSystem.makeDirectory(folder)
        try Command.run("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder])
        defer { _ = try? Command.run("/bin/umount", ["-l", folder]) }
        let size: Int64 = 2 << 30
        let file = try Descriptor.open(folder + "/holes", .readWrite, create: 0o644)
        try file.truncate(to: size)
        let word = Array("end".utf8)
        unsafe try word.withUnsafeBytes { unsafe try file.write($0, at: size / 2) }
        let client = try service.client()
        try client.open()
        try client.upload(server.url("/upload", "", key: "holes"), file: file, method: "PUT")
        let body = try #require(FileSystem.names(in: service.home + "/files").first { $0.hasSuffix(".body") })
        let copy = try Descriptor.open("\(service.home)/files/\(body)", .read)
        #expect(try copy.identity().size == size)
        #expect(FileSystem.diskUsage(of: service.home + "/files") < 1 << 20)
        var found = [UInt8](repeating: 0, count: 3)
        #expect(try copy.readAt(size / 2, into: &found) == 3 && found == word)
    }

    @Test("A server that cannot continue gets it anew")
    func cut() throws {
        let requests = try uploads("/upload", "cut=2", key: "up-cut")
        #expect(requests.count == 3)
    }

    @Test("A server that can continue gets the rest (IETF draft)")
    func resumable() throws {
        let requests = try uploads("/resumable", "cut=2", key: "up-resumable", method: "POST")
        #expect(requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(requests[0].headers["upload-complete"] == "?1")
        #expect(requests[2].headers["content-type"] == "application/partial-upload")
        // What had been read when it was cut off is not sent again.
        #expect(requests.reduce(0) { $0 + ($1.received ?? 0) } == Self.size)
    }

    @Test("A busy server is asked again")
    func busy() throws {
        let requests = try uploads("/upload", "status=503&times=1", key: "up-busy")
        #expect(requests.map(\.status) == [503, 201])
    }

    @Test(
        "A service that is killed in the middle uploads it all the same, and tells of it once",
        arguments: [true, false])
    func killed(_ isResumable: Bool) throws {
        let server = try TestServer.shared.get()
        let key = "up-kill-\(isResumable)"
        let service = try TestService()
        let photo = try makeFile(service)
        let descriptor = try Descriptor.open(photo.path, .read)
        let client = try service.client()
        try client.open()
        let path = isResumable ? "/resumable" : "/upload"
        try client.upload(
            server.url(path, "rate=2000000", key: key), file: descriptor, method: "POST")
        _ = try client.peer.take("progress") { message in
            if case .notification("progress", _) = message { true } else { false }
        }
        try service.killAndRestart()
        let again = try service.client()
        try again.open()
        #expect(try again.outcome(within: 60).completion.error == nil)
        let upload = try server.upload(key)
        #expect(upload?.sha256 == photo.digest)
        #expect(throws: TestPeer.Silence.self) { try again.peer.event(within: 0.3) }
    }

    @Test("What the server said is told until a delegate has returned, whoever is killed in between, and then no more")
    func answer() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let photo = try makeFile(service, size: 10_000)
        var client = try service.client()
        try client.open()
        try client.upload(server.url("/upload", "", key: "up-answer"), file: Descriptor.open(photo.path, .read))
        let first = try client.peer.event()
        try service.killAndRestart()
        client = try service.client()
        try client.open()
        let second = try client.peer.event()
        guard case .finished(let path, let response) = second.info.kind else {
            Issue.record("\(second.info.kind)")
            return
        }
        #expect(second.info == first.info)
        #expect(response?.status == 201)
        #expect(FileSystem.read(path) == Array(photo.digest.utf8))
        try client.peer.answer(second)
        let completed = try client.peer.event()
        #expect(completed.info.kind.name == "completed")
        try service.killAndRestart()
        client = try service.client()
        try client.open()
        #expect(try client.peer.event().info == completed.info)
        #expect(try server.requests("up-answer").count == 1)
    }

    @Test("An answer of up to a MiB is kept; one that is longer ends the upload, which is not sent again")
    func longAnswer() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let photo = try makeFile(service, size: 1000)
        let client = try service.client()
        try client.open()
        let most = 1 << 20
        for (task, length) in [(1, most), (2, most + 1)] {
            let url = server.url("/upload", "answer=\(length)", key: "up-long-\(task)")
            try client.upload(url, file: Descriptor.open(photo.path, .read), task: Int64(task))
            let outcome = try client.outcome(Int64(task))
            #expect(outcome.status == 201)
            #expect(outcome.file?.count == (length > most ? nil : length))
            #expect(outcome.completion.error?.code == (length > most ? -1103 : nil))
            #expect(try server.requests("up-long-\(task)").count == 1)
        }
    }

    @Test("Without its file there is no upload, and a descriptor that cannot be read is refused")
    func refused() throws {
        let service = try TestService()
        let client = try service.client()
        try client.open()
        let request = TransferRequestInfo(url: "http://127.0.0.1:1/", method: "PUT")
        let create = TransferCreate(session: client.session, task: 1, kind: .upload, request: request).json
        #expect(throws: RPCError.self) { try client.peer.ask("create", create) }
        let path = service.base + "/writable"
        let blind = try Descriptor.open(path, .write, create: 0o600)
        #expect(throws: RPCError.self) { try client.peer.ask("create", create, [blind]) }
        #expect(throws: RPCError.self) {
            try client.peer.ask("create", create, [Descriptor.open(service.base, .directory)])
        }
    }

    @Test(
        "A server that answers early and closes has answered, and gets nothing twice",
        arguments: ["1", "reset"], ["PUT", "POST"])
    func hasty(_ how: String, _ method: String) throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let photo = try makeFile(service, size: 8_000_000)
        let client = try service.client()
        try client.open()
        for number in 1...10 {
            let key = "up-hasty-\(how)-\(method)-\(number)"
            let descriptor = try Descriptor.open(photo.path, .read)
            try client.upload(
                server.url("/upload", "hasty=\(how)", key: key), file: descriptor, task: Int64(number), method: method)
            let outcome = try client.outcome(Int64(number))
            #expect(outcome.completion.error == nil)
            #expect(outcome.status == 200)
            #expect(outcome.file == Array("enough".utf8))
            #expect(try server.requests(key).count == 1)
        }
    }
}
