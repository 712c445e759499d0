import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Under a system")
struct SystemConnectionTests {
    @Test("An app that the system attaches has its files in its container; the system hears what is to be told")
    func attached() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        #expect(throws: (any Error).self) { try TestPeer(service.home + "/client") }
        let daemon = try service.daemon()
        #expect(daemon.hello == ["protocol": 1, "service": "transfers", "holds": []])
        let mine = try daemon.attach("org.example.app", service.container, user: 12_345)
        try daemon.tell("org.example.app", "active")
        let client = TestClient(try TestPeer(mine))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        try client.download(server.url("/file", "size=1000", key: "attached"))
        let event = try client.peer.event()
        guard case .finished(let path, _) = event.info.kind else {
            Issue.record("\(event.info.kind)")
            return
        }
        #expect(path.hasPrefix(service.container + "/tmp/"))
        if CurrentProcess.isRoot { #expect(try Descriptor.open(path, .read).identity().owner == 12_345) }
    }

    @Test("An app that hoards connections leaves places for others, and has one again when it gives some up")
    func hoard() throws {
        let service = try TestService(isSystem: true)
        let daemon = try service.daemon()
        func attach(_ name: String) throws -> Descriptor { try daemon.attach(name, service.container) }
        var kept: [Descriptor] = []
        #expect(throws: (any Error).self) { for _ in 0..<100 { kept.append(try attach("org.example.hoarder")) } }
        #expect(kept.count == 32)
        _ = try attach("org.example.other")
        _ = try service.control()
        kept.removeLast()
        var again: Descriptor?
        for _ in 0..<500 where again == nil {
            again = try? attach("org.example.hoarder")
            if again == nil { _ = service.process.waitUntilDead(milliseconds: 10) }
        }
        #expect(again != nil)
    }

    @Test(
        "What goes over a network is told to the system, and what stays on the machine is not",
        .enabled(if: TestServer.ownName != nil, "this machine's name does not lead to itself"))
    func traffic() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        let daemon = try service.daemon(ServiceConditions(network: .cellular))
        let mine = try daemon.attach("org.example.app", service.container)
        let client = TestClient(try TestPeer(mine))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        try daemon.tell("org.example.app", "active")
        let near = server.url("/file", "size=50000", key: "near")
        try client.download(near)
        #expect(try client.outcome().completion.error == nil)
        let name = try #require(TestServer.ownName)
        try client.download(
            server.url("/file", "size=1000", key: "far").replacing("127.0.0.1", with: name), task: 2)
        #expect(try client.outcome(2).completion.error == nil)
        let message = try daemon.peer.take("traffic") { message in
            if case .notification("traffic", _) = message { true } else { false }
        }
        guard case .notification(_, let params) = message else { return }
        let traffic = try ServiceTraffic(json: params)
        #expect(traffic.app == "org.example.app" && traffic.purpose == "transfer" && traffic.from <= traffic.to)
        #expect((1000..<10_000).contains(traffic.received))
    }

    @Test("An app of which the system said nothing hears nothing, nor does one that has yet to be called")
    func unknown() throws {
        let service = try TestService(isSystem: true)
        let name = "org.example.app"
        let others = (0..<1000).map {
            ServiceAppState(
                app: "org.example.other\($0)", process: 1, state: "active", visible: true, awaitsCall: false)
        }
        let daemon = try service.daemon(apps: others)
        let client = TestClient(try TestPeer(try daemon.attach(name, service.container)))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        let request = TransferRequestInfo(url: "http://127.0.0.1:1/", method: "GET")
        let create = TransferCreate(session: client.session, task: 1, kind: .download, request: request)
        try client.peer.ask("create", create.json)
        try client.peer.ask("cancel", TransferTaskParameters(session: client.session, task: 1).json)
        // Whatever was to be told was told before the answer to something that came later.
        func isSilent() throws -> Bool {
            try daemon.peer.ask("stop", ["app": .string(name)])
            _ = try client.open()
            return client.peer.waiting.isEmpty
        }
        #expect(try isSilent())
        try daemon.tell(name, "background", awaitsCall: true)
        #expect(try isSilent())
        try daemon.tell(name, "background")
        #expect(try client.peer.event().info.kind.name == "completed")
    }

    @Test("Who is closed in the switcher gives up its transfers where the profile says so, and only there")
    func closedByUser() throws {
        let service = try TestService(isSystem: true)
        let daemon = try service.daemon(ServiceConditions(network: .none))
        let client = TestClient(try TestPeer(try daemon.attach("org.example.app", service.container)))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        try client.download("http://127.0.0.1:1/")
        let tool = try service.control()
        func close(ends: Bool) throws -> String? {
            try daemon.peer.send(
                .notification(method: "closedByUser", params: ["app": "org.example.app", "ends": .bool(ends)]))
            try daemon.peer.ask("stop")
            return try tool.ask("list").array("transfers").first?["state"]?.string
        }
        let (kept, ended) = (try close(ends: false), try close(ends: true))
        #expect(kept != "cancelled" && ended == "cancelled")
    }

    @Test("While something is left to do a file says so, and a service that is done takes it away")
    func unfinished() throws {
        let service = try TestService(isSystem: true, idleExit: "0.2")
        let mark = service.home + "/unfinished"
        #expect(FileSystem.exists(mark))
        try service.process.send(9)
        #expect(service.process.waitUntilDead(milliseconds: 5000) && FileSystem.exists(mark))
        try service.dieAndRestart(of: 9)
        let daemon = try service.daemon()
        #expect(service.process.waitUntilDead(milliseconds: 20_000) && !FileSystem.exists(mark), "\(service.log)")
        withExtendedLifetime(daemon) {}
    }

    @Test("What an earlier version kept in another folder is taken over")
    func adopted() throws {
        let service = try TestService(isSystem: true)
        _ = try service.daemon(ServiceConditions(network: .none))
        let added = TransferAdd(url: "http://127.0.0.1:1/a", path: service.container + "/a")
        try service.control().ask("add", added.json)
        try service.process.send(9)
        #expect(service.process.waitUntilDead(milliseconds: 5000))
        try FileSystem.rename(service.home, to: service.base + "/former")
        try FileSystem.makeDirectory(service.home)
        service.arguments = ["--formerly", "../former"]
        try service.dieAndRestart(of: 9)
        #expect(try service.control().ask("list").array("transfers").count == 1)
    }

    @Test(
        "An app that is gone is announced once it is done, again to a system that restarts, until it has had its events"
    )
    func announced() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        var daemon: TestDaemon? = try service.daemon()
        func attach() throws -> TestClient {
            let client = TestClient(try TestPeer(try #require(daemon).attach("org.example.app", service.container)))
            try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
            try client.open()
            return client
        }
        func state(_ state: String) throws { try daemon?.tell("org.example.app", state) }
        try state("active")
        do {
            let client = try attach()
            try client.download(server.url("/file", "size=1000000&rate=1000000", key: "announced"))
            try state("not-running")
        }
        func announcement() throws -> RPCID {
            let (id, params) = try #require(daemon).wake()
            #expect(
                params == [
                    "app": "org.example.app", "window": "session",
                    "because": "all transfers of the session have come to an end", "payload": "s",
                ])
            return id
        }
        _ = try announcement()
        // It died before it answered; its successor says of every app how it is.
        daemon = nil
        daemon = try service.daemon()
        try state("not-running")
        try daemon?.peer.send(.failure(id: announcement(), RPCError(.refused, "the app is not woken")))
        try state("background")
        let client = try attach()
        var kinds: [String] = []
        while kinds.last != "finishedEvents" {
            let event = try client.peer.event()
            kinds.append(event.info.kind.name)
            try client.peer.answer(event)
        }
        #expect(kinds == ["finished", "completed", "finishedEvents"])
    }
}
