import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Answers that are coded, and answers that do not end")
struct CodingTests {
    private static let size = 3_000_000

    /// Downloads a file of so many bytes and demands that it is that one.
    private func arrives(
        _ query: String, key: String, size: Int = size
    ) throws -> (TestClient.Outcome, [TestServer.Request]) {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=\(size)&seed=1&\(query)", key: key))
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect(outcome.file?.count == size)
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: 1, size: size))
        withExtendedLifetime(service) {}
        return (outcome, try server.requests(key))
    }

    @Test("What a server codes without being asked arrives decoded", arguments: ["gzip", "deflate"])
    func coded(_ coding: String) throws {
        let (outcome, requests) = try arrives("coded=\(coding)&digest=wrong", key: "coded-\(coding)")
        #expect(requests.count == 1)
        #expect(requests[0].headers["accept-encoding"] == "identity")
        #expect(outcome.completion.received == Int64(Self.size), "what is told is the length of the file")
    }

    @Test("What is coded begins anew after an interruption: no part of it can be asked for")
    func codedAndCut() throws {
        let (_, requests) = try arrives("coded=gzip&cut=2", key: "coded-cut")
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test("What is coded in an unknown way arrives as it came")
    func unknownCoding() throws {
        let (outcome, requests) = try arrives("coded=unknown", key: "coded-unknown")
        #expect(requests.count == 2, "it is asked for once more, and not decoded")
        #expect(outcome.status == 200)
    }

    @Test("What is not coded as the server says ends the task")
    func wrongCoding() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=1000&coded=wrong", key: "coded-wrong"))
        let outcome = try client.outcome()
        #expect(outcome.completion.error?.code == -1015)
        #expect(outcome.file == nil)
        #expect(try server.requests("coded-wrong").count == 1)
    }

    @Test("All bytes, but not the end of the answer: an empty 206 completes it", arguments: [1, 3_000_000])
    func unended(_ size: Int) throws {
        let (_, requests) = try arrives("chunked=1&unended=1", key: "unended-\(size)", size: size)
        #expect(requests.count == 2)
        #expect(requests.last?.status == 206)
        #expect(requests.reduce(0) { $0 + ($1.sent ?? 0) } == size, "nothing is fetched twice")
    }

    @Test(
        "A body that ends with the connection is whole with TLS only if the server says so",
        arguments: [("polite", 1), ("rude", 2)])
    func unsized(_ manner: String, _ count: Int) throws {
        let server = try TestServer("misbehaving.py", ["--tls"] + Certificates.files("good"), scheme: "https")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(trustRoots: [Certificates.root]))
        let query = "size=100000&seed=1&unsized=\(manner)"
        try client.download("https://localhost:\(server.port)/file?\(query)&key=unsized")
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: 1, size: 100_000))
        #expect(try server.requests("unsized").count == count)
    }

    @Test("In the clear a body that ends with the connection is whole")
    func unsizedInTheClear() throws {
        let (_, requests) = try arrives("unsized=rude", key: "unsized-clear")
        #expect(requests.count == 1)
    }

    @Test("A head without end holds up no other transfer")
    func manyFields() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=10&lines=60000", key: "lines"), task: 1)
        for task in 2...4 as ClosedRange<Int64> {
            try client.download(server.url("/file", "size=10", key: "lines-\(task)"), task: task)
            #expect(try client.outcome(task, within: 10).status == 200)
        }
    }

    @Test("A long download from a server holds up no other from it")
    func beside() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        // Both are asked for before the first is answered.
        try client.download(server.url("/file", "size=10&held=1", key: "beside"), task: 1)
        try client.download(server.url("/file", "size=10", key: "beside-2"), task: 2)
        #expect(try client.outcome(2, within: 20).status == 200)
        _ = try Command.run("/usr/bin/curl", ["-sS", server.url("/release", "", key: "beside")])
        #expect(try client.outcome(1).status == 200)
    }
}
