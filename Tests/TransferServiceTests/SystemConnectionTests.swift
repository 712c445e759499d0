import LinuxSystem
import Testing
import Wire

@Suite("Under a system")
struct SystemConnectionTests {
    @Test("An app that the system attaches has its files in its container; the system hears what is to be told")
    func attached() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        #expect(throws: (any Error).self) { try TestPeer(service.home + "/client") }
        let system = try service.control(.system)
        try system.send(
            .notification(method: "conditions", params: TransferConditionsInfo(network: .wired).json))
        let (mine, app) = try UnixSocket.pair()
        let attach = TransferAttach(app: "org.example.app", container: service.container, user: 12_345, group: 12_345)
        try system.ask("attach", attach.json, [app])
        try system.send(
            .notification(
                method: "app", params: TransferAppState(app: "org.example.app", state: .foreground).json))
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
        let system = try service.control(.system)
        func attach(_ name: String) throws -> Descriptor {
            let (mine, app) = try UnixSocket.pair()
            let attach = TransferAttach(app: name, container: service.container, user: 0, group: 0)
            try system.ask("attach", attach.json, [app])
            return mine
        }
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
        let system = try service.control(.system)
        try system.send(
            .notification(method: "conditions", params: TransferConditionsInfo(network: .cellular).json))
        let (mine, app) = try UnixSocket.pair()
        let attach = TransferAttach(app: "org.example.app", container: service.container, user: 0, group: 0)
        try system.ask("attach", attach.json, [app])
        let client = TestClient(try TestPeer(mine))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        try system.send(
            .notification(
                method: "app", params: TransferAppState(app: "org.example.app", state: .foreground).json))
        let near = server.url("/file", "size=50000", key: "near")
        try client.download(near)
        #expect(try client.outcome().completion.error == nil)
        let name = try #require(TestServer.ownName)
        try client.download(
            server.url("/file", "size=1000", key: "far").replacing("127.0.0.1", with: name), task: 2)
        #expect(try client.outcome(2).completion.error == nil)
        let message = try system.take("traffic") { message in
            if case .notification("traffic", _) = message { true } else { false }
        }
        guard case .notification(_, let params) = message else { return }
        let traffic = try TransferTraffic(json: params)
        #expect(traffic.app == "org.example.app" && traffic.from <= traffic.to)
        #expect((1000..<10_000).contains(traffic.received))
    }

    @Test("Of thousands of apps the system tells a thousand at a time; an app of which it said nothing hears nothing")
    func thousands() throws {
        let service = try TestService(isSystem: true)
        let system = try service.control(.system)
        let names = (0..<6000).map { "org.example.app\($0)" }
        let (mine, app) = try UnixSocket.pair()
        let attach = TransferAttach(app: names[5999], container: service.container, user: 0, group: 0)
        try system.ask("attach", attach.json, [app])
        let client = TestClient(try TestPeer(mine))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        let request = TransferRequestInfo(url: "http://127.0.0.1:1/", method: "GET")
        let create = TransferCreate(session: client.session, task: 1, kind: .download, request: request)
        try client.peer.ask("create", create.json)
        try client.peer.ask("cancel", TransferTaskParameters(session: client.session, task: 1).json)
        for start in stride(from: 0, to: names.count, by: TransferAppStates.most) {
            #expect(client.peer.waiting.isEmpty)
            let states = names[start..<start + TransferAppStates.most].map {
                TransferAppState(app: $0, state: .background)
            }
            try system.ask("apps", TransferAppStates(apps: states).json)
        }
        #expect(try client.peer.event().info.kind.name == "completed")
    }

    @Test(
        "An app that is gone is announced once it is done, again to a system that restarts, until it has had its events"
    )
    func announced() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        var system = try service.control(.system)
        try system.send(
            .notification(method: "conditions", params: TransferConditionsInfo(network: .wired).json))
        func attach() throws -> TestClient {
            let (mine, app) = try UnixSocket.pair()
            let attach = TransferAttach(app: "org.example.app", container: service.container, user: 0, group: 0)
            try system.ask("attach", attach.json, [app])
            let client = TestClient(try TestPeer(mine))
            try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
            try client.open()
            return client
        }
        func state(_ state: TransferAppPresence) throws {
            try system.send(
                .notification(method: "app", params: TransferAppState(app: "org.example.app", state: state).json))
        }
        try state(.foreground)
        do {
            let client = try attach()
            try client.download(server.url("/file", "size=1000000&rate=1000000", key: "announced"))
            try state(.none)
        }
        func announcement() throws -> RPCID {
            let message = try system.take("sessionEvents") { message in
                if case .request(_, "sessionEvents", _) = message { true } else { false }
            }
            guard case .request(let id, _, let params) = message else { throw TestPeer.Closed() }
            let events = try TransferSessionEvents(json: params)
            #expect(events.app == "org.example.app" && events.session == "s" && events.reason == .finished)
            return id
        }
        _ = try announcement()
        // It died before it answered; its successor says of every app how it is.
        system = try service.control(.system)
        try state(.none)
        try system.send(.response(id: announcement(), result: [:]))
        try state(.background)
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
