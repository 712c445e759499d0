import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Cache policies on the wire")
struct CachePolicyTests {
    /// What was asked for, and how it ended.
    private func ask(
        _ policy: Int64, session: Int64 = 0, headers: [WireHeader] = [], method: String = "GET", key: String
    ) throws -> (TestClient.Outcome, [TestServer.Request]) {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(cachePolicy: session))
        try client.download(
            server.url("/file", "size=1000", key: key), method: method, headers: headers, cachePolicy: policy)
        let outcome = try client.outcome()
        withExtendedLifetime(service) {}
        return (outcome, try server.requests(key))
    }

    @Test(
        "A server and the caches before it hear what the policy wants of them",
        arguments: [
            (0, nil, nil), (1, nil, nil), (2, nil, nil), (4, "no-cache", "no-cache"), (5, "max-age=0", nil),
        ] as [(Int64, String?, String?)])
    func heard(_ policy: Int64, _ control: String?, _ pragma: String?) throws {
        let (outcome, requests) = try ask(policy, key: "policy\(policy)")
        #expect(outcome.file?.count == 1000)
        #expect(requests.map { $0.headers["cache-control"] } == [control])
        #expect(requests.map { $0.headers["pragma"] } == [pragma])
    }

    @Test("The session's policy is that of a request without one of its own")
    func session() throws {
        let (_, inherited) = try ask(0, session: 4, key: "policy-session")
        #expect(inherited.map { $0.headers["cache-control"] } == ["no-cache"])
        let (_, own) = try ask(5, session: 4, key: "policy-own")
        #expect(own.map { $0.headers["cache-control"] } == ["max-age=0"])
    }

    @Test("What the app itself says of caches arrives as it said it")
    func untouched() throws {
        let headers = [WireHeader("Cache-Control", "only-if-cached")]
        let (_, requests) = try ask(4, headers: headers, key: "policy-untouched")
        #expect(requests.map { $0.headers["cache-control"] } == ["only-if-cached"])
        #expect(requests.map { $0.headers["pragma"] } == [nil])
    }

    @Test("What may only come from a cache fails with −1008, and no server is asked")
    func dontLoad() throws {
        let (outcome, requests) = try ask(3, key: "policy-none")
        #expect(outcome.completion.error?.code == -1008)
        #expect(outcome.completion.error?.domain == "NSURLErrorDomain")
        #expect(outcome.file == nil)
        #expect(requests.isEmpty)
    }

    @Test("A condition of the app's own is asked once, and its 304 is an answer with nothing in it")
    func notModified() throws {
        let headers = [WireHeader("If-None-Match", "\"1-1000-0\"")]
        let (outcome, requests) = try ask(5, headers: headers, key: "policy-304")
        #expect(outcome.completion.error == nil)
        #expect(outcome.status == 304)
        #expect(outcome.file == [])
        #expect(requests.map(\.status) == [304])
    }

    @Test("A HEAD is answered without a body, whatever length it names")
    func head() throws {
        let (outcome, requests) = try ask(0, method: "HEAD", key: "policy-head")
        #expect(outcome.completion.error == nil)
        #expect(outcome.file == [])
        #expect(requests.map(\.method) == ["HEAD"])
    }
}
