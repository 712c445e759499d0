import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("The service as a process")
struct ServiceTests {
    private func serverURL(_ query: String, _ key: String) throws -> String {
        try TestServer.shared.get().url("/file", query, key: key)
    }

    private func progress(_ peer: TestPeer, beyond bytes: Int64) throws {
        _ = try peer.take("progress") { message in
            guard case .notification("progress", let params) = message else { return false }
            return (try? TransferProgress(json: params).received).flatMap { $0 }.map { $0 > bytes } ?? false
        }
    }

    @Test("Killed again and again, a download loses nothing that was written, and is told of once")
    func killed() throws {
        let server = try TestServer.shared.get()
        let size = 12_000_000
        let service = try TestService()
        var client = try service.client()
        try client.open()
        try client.download(serverURL("size=\(size)&rate=8000000", "killed"))
        for kill in 1...4 {
            try progress(client.peer, beyond: Int64(kill) * 1_500_000)
            try service.killAndRestart()
            client = try service.client()
            let opened = try client.open()
            #expect(opened.tasks.map(\.state) == [.running])
        }
        let outcome = try client.outcome()
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: 1, size: size))
        let requests = try server.requests("killed")
        #expect(requests.count == 5)
        // What the server sent and nobody read is the sockets' to lose; offsets say what was fetched again.
        let offsets = requests.dropFirst().compactMap { request in
            request.headers["range"].flatMap { Int($0.filter(\.isNumber)) }
        }
        #expect(offsets == offsets.sorted() && offsets.count == 4)
        #expect(throws: TestPeer.Silence.self) { try client.peer.event(within: 0.3) }
    }

    @Test(
        "A connection that ends behind half of a line, or behind an answer that nobody reads, is gone from the service")
    func departures() throws {
        let service = try TestService()
        let folder = "/proc/\(service.process.pid)/fd"
        func descriptors() -> Int { FileSystem.names(in: folder).count }
        _ = try service.control()
        let before = descriptors()
        let words = ["{\"jsonrpc\":\"2.0\",\"id\":1,\"meth", "\n\n", "x\n", String(repeating: "x\n", count: 500)]
        for _ in 1...10 {
            for word in words {
                let socket = try UnixSocket.connect(to: service.home + "/control")
                _ = try socket.send(Array(word.utf8)[...])
            }
        }
        // Of those some are not taken yet.
        for _ in 0..<500 where descriptors() > before { _ = service.process.waitUntilDead(milliseconds: 10) }
        #expect(descriptors() <= before)
    }

    @Test("An event that no delegate has returned from comes again; one that was answered never")
    func delivery() throws {
        let service = try TestService()
        var client = try service.client()
        try client.open()
        try client.download(serverURL("size=1000", "delivery"))
        let first = try client.peer.event()
        guard case .finished(let path, _) = first.info.kind else {
            Issue.record("\(first.info.kind)")
            return
        }
        #expect(FileSystem.exists(path))
        #expect(path.hasPrefix(service.container + "/tmp/"))
        try service.killAndRestart()
        client = try service.client()
        #expect(try client.open().tasks.map(\.state) == [.completed])
        let again = try client.peer.event()
        #expect(again.info == first.info)
        #expect(FileSystem.size(of: path) == 1000)
        try client.peer.answer(again)
        let completed = try client.peer.event()
        #expect(completed.info.kind.name == "completed")
        // A worker takes it away.
        for _ in 0..<500 where FileSystem.exists(path) { try client.peer.hear(milliseconds: 10) }
        #expect(!FileSystem.exists(path))
        try client.peer.answer(completed)
        #expect(try client.open().tasks.isEmpty)
        #expect(throws: TestPeer.Silence.self) { try client.peer.event(within: 0.3) }
    }

    @Test("A delegate that took its file and died before it returned is told again; that the file is gone is no error")
    func takenFile() throws {
        let service = try TestService()
        var client = try service.client()
        try client.open()
        try client.download(serverURL("size=1000", "taken"))
        let first = try client.peer.event()
        guard case .finished(let path, _) = first.info.kind else {
            Issue.record("\(first.info.kind)")
            return
        }
        try FileSystem.rename(path, to: service.base + "/taken")
        try service.killAndRestart()
        client = try service.client()
        try client.open()
        let outcome = try client.outcome()
        #expect(outcome.path == path && outcome.file == nil)
        #expect(outcome.completion.error == nil)
    }

    @Test("A session is one connection's; another hears that it exists")
    func secondSession() throws {
        let service = try TestService()
        let client = try service.client()
        #expect(try client.open().isNew)
        let other = try service.client()
        let error = #expect(throws: RPCError.self) { try other.open() }
        #expect(error?.code == .refused)
        let stranger = try service.client("org.example.other")
        #expect(try stranger.open().isNew)
    }

    @Test(
        "A name that a server gives cannot lead out of the app's folder",
        arguments: ["..%2F..%2Fevil", "%2Fetc%2Fevil"])
    func hostileName(_ name: String) throws {
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(serverURL("size=1000&name=\(name)", "hostile"))
        let path = try #require(try client.outcome().path)
        #expect(path.hasPrefix(service.container + "/tmp/") && !path.contains("evil") && !path.contains(".."))
    }

    @Test("A link in place of the app's folder is not followed")
    func link() throws {
        let service = try TestService()
        let client = try service.client()
        try client.open()
        let elsewhere = service.base + "/elsewhere"
        try FileSystem.makeDirectory(elsewhere)
        try FileSystem.link(to: elsewhere, at: service.container + "/tmp")
        try client.download(serverURL("size=1000", "link"))
        let outcome = try client.outcome()
        #expect(outcome.completion.error != nil && outcome.path == nil)
        #expect(FileSystem.names(in: elsewhere).isEmpty)
    }

    @Test("Suspended and resumed, a download goes on where it was; cancelled, it can be taken up by another task")
    func resumeData() throws {
        let size = 4_000_000
        let service = try TestService()
        let client = try service.client()
        try client.open()
        let url = try serverURL("size=\(size)&rate=2000000", "resume")
        try client.download(url)
        try progress(client.peer, beyond: 1_200_000)
        let name = TransferTaskParameters(session: client.session, task: 1, producesResumeData: true)
        try client.peer.ask("suspend", name.json)
        try client.peer.ask("resume", name.json)
        try progress(client.peer, beyond: 2_000_000)
        let cancelled = try TransferCancelled(json: client.peer.ask("cancel", name.json))
        let data = try #require(cancelled.resumeData)
        #expect(try client.outcome().completion.error?.code == -999)
        let request = TransferRequestInfo(url: url, method: "GET")
        try client.peer.ask(
            "create",
            TransferCreate(session: client.session, task: 2, kind: .download, request: request, resumeData: data).json)
        try client.resume(2)
        let resumed = try client.peer.event()
        guard case .resumedAt(let offset, _) = resumed.info.kind else {
            Issue.record("\(resumed.info.kind)")
            return
        }
        #expect(offset > 0)
        try client.peer.answer(resumed)
        let outcome = try client.outcome(2)
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: 1, size: size))
    }

    @Test("A client that does not read is not served, and the others are")
    func deaf() throws {
        let service = try TestService()
        let deaf = try TestPeer(service.home + "/control")
        try deaf.ask("hello", TransferHello.control(.tool).json)
        #expect(throws: (any Error).self) {
            for _ in 0..<100_000 { try deaf.begin("list") }
        }
        #expect(try TransferList(json: service.control().ask("list")).transfers.isEmpty)
    }

    @Test("Rubbish is answered with an error, too long a line with the end")
    func rubbish() throws {
        let service = try TestService()
        let peer = try service.control()
        #expect(throws: RPCError.self) { try peer.ask("levitate") }
        #expect(throws: RPCError.self) { try peer.ask("why", ["id": "x7"]) }
        #expect(throws: RPCError.self) { try peer.ask("add", ["url": "http://x/", "path": "relative"]) }
        #expect(throws: RPCError.self) {
            try peer.ask("attach", ["app": "a", "container": "/", "user": 0, "group": 0])
        }
        let unknown = try TestPeer(service.home + "/client")
        #expect(throws: RPCError.self) { try unknown.ask("open", ["session": "s", "configuration": [:]]) }
        #expect(throws: RPCError.self) {
            try unknown.ask("hello", TransferHello.client(name: "t", app: "../x", container: nil).json)
        }
    }

    @Test("One service a folder; it ends by itself when nobody needs it, and on SIGTERM in order")
    func lifetime() throws {
        let service = try TestService(idleExit: "0.3")
        let program = Place.products + "/greenroom-transferd"
        do {
            let tool = try service.control()
            try Command.run(program, ["--home", service.home])
            try tool.ask("list")
        }
        #expect(service.process.waitUntilDead(milliseconds: 5000))
        #expect(service.process.reap() == .exited(0))
        #expect(!FileSystem.exists(service.home + "/control"))
        let other = try TestService()
        try other.process.send(15)
        #expect(other.process.waitUntilDead(milliseconds: 5000))
        #expect(other.process.reap() == .exited(0))
        #expect(!FileSystem.exists(other.home + "/client"))
    }
}
