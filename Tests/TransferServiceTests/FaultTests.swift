import LinuxSystem
import ServiceTesting
import TestPace
import Testing
import TransferWire
import Wire

@Suite("A service that is brought down")
struct FaultTests {
    @Test(
        "A redirect to a port that there cannot be is an error, and nothing worse",
        arguments: ["99999", "65536", "4294967376", "0"])
    func redirectToPort(_ port: String) throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "to=http://127.0.0.1:\(port)/x", key: "port\(port)"))
        #expect(try client.outcome().completion.error?.code == -1010)
        #expect(!service.process.isDead)
    }

    @Test("A place to resume an upload at with such a port is none, and neither is a name that SOCKS has no room for")
    func otherPlaces() throws {
        let service = try TestService()
        let client = try service.client()
        var settings = TransferSettings()
        settings.proxy = TransferProxy(kind: .socks, host: "127.0.0.1", port: 1)
        try client.open(settings)
        let name = String(repeating: "a", count: 300)
        for (task, url) in [(1, "http://\(name)/"), (2, "http://127.0.0.1:70000/"), (3, "http://[]/")] {
            let request = TransferRequestInfo(url: url, method: "GET")
            let create = TransferCreate(session: client.session, task: Int64(task), kind: .download, request: request)
            try client.peer.ask("create", create.json)
            try client.resume(Int64(task))
            #expect(try client.outcome(Int64(task)).completion.error?.code == -1002)
        }
        #expect(!service.process.isDead)
    }

    @Test("A task during which the service ended by a fault twice is set aside; what ran beside it arrives")
    func setAside() throws {
        let server = try TestServer.shared.get()
        let bad = try TestListener()
        let service = try TestService()
        var client = try service.client()
        try client.open()
        try client.download(bad.url)
        for task in 2...4 as ClosedRange<Int64> {
            try client.download(
                server.url("/file", "size=1500000&rate=1000000&seed=\(task)", key: "beside\(task)"), task: task)
        }
        try bad.waitForRequest()
        // As a trap would.
        try service.dieAndRestart(of: 4)
        // It is the first that is tried alone.
        try bad.waitForRequest()
        try service.dieAndRestart(of: 5)
        client = try service.client()
        try client.open()
        var errors: [Int64: Int64?] = [:]
        while errors.count < 4 {
            let event = try client.peer.event(within: 60)
            if case .completed(let completion) = event.info.kind, let task = event.info.task {
                errors.updateValue(completion.error?.code, forKey: task)
            }
            try client.peer.answer(event)
        }
        #expect(errors == [1: -1, 2: nil, 3: nil, 4: nil])
        #expect(
            service.log.contains("ended by signal 4, during t1")
                && service.log.contains("ended by signal 5, during t1\n"))
    }

    @Test("Whoever is killed by hand, however often, is not to blame")
    func killedByHand() throws {
        let slow = try TestListener()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(slow.url)
        for _ in 0..<5 {
            try slow.waitForRequest()
            try service.killAndRestart()
        }
        try slow.waitForRequest()
        let transfers = try TransferList(json: service.control().ask("list")).transfers
        #expect(transfers.map(\.state) == [.running])
    }

    @Test("Killed in the middle of writing, the service has everything that it acknowledged")
    func killedWhileWriting() throws {
        let silent = try TestListener()
        let service = try TestService()
        var acknowledged: Set<String> = []
        var dice = Dice(seed: 1)
        for round in 0..<6 {
            let tool = try service.control()
            // Answers that are on their way when it dies do not count.
            var pending: [RPCID] = []
            for number in 0..<Int.random(in: 5..<60, using: &dice) {
                let add = TransferAdd(url: silent.url, path: "\(service.container)/x\(number)")
                pending.append(try tool.begin("add", add.json))
            }
            for id in pending.prefix(Int.random(in: 1..<5, using: &dice)) {
                acknowledged.insert(try TransferName(json: tool.answer(to: id)).id)
            }
            try service.killAndRestart()
            let known = try all(service.control())
            #expect(acknowledged.isSubset(of: known), "round \(round): \(acknowledged.subtracting(known)) are lost")
            #expect(!service.log.contains("cannot be read"))
        }
    }

    private func all(_ tool: TestPeer) throws -> Set<String> {
        var found: Set<String> = []
        var last: String?
        while true {
            let page = try TransferList(json: tool.ask("list", TransferListParameters(after: last).json))
            found.formUnion(page.transfers.map(\.id))
            last = page.transfers.last?.id ?? last
            if !page.more { return found }
        }
    }
}
