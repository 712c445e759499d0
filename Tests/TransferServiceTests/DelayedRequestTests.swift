import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Delegates that are asked before a delayed request")
struct DelayedRequestTests {
    private static let settings = TransferSettings(delayedRequests: true)

    private func asked(_ client: TestClient) throws -> (event: TestPeer.Event, request: TransferRequestInfo) {
        let event = try client.peer.event()
        guard case .delayedRequest(let request) = event.info.kind else {
            Issue.record("\(event.info.kind)")
            throw TestPeer.Closed()
        }
        return (event, request)
    }

    @Test("Each answer does what it says, and no server hears of the request before", arguments: ["as it is", "new"])
    func answered(_ decision: String) throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open(Self.settings)
        let key = "delayed-\(decision.prefix(2))"
        let url = server.url("/file", "size=1000", key: key)
        try client.download(url, headers: [WireHeader("X-A", "b")], earliestBegin: Clock.wallSeconds() + 0.3)
        let (event, request) = try asked(client)
        #expect(request.url == url && request.headers == [WireHeader("X-A", "b")])
        #expect(try server.requests(key).isEmpty)
        var answer = TransferDelayedAnswer(disposition: .continueLoading)
        if decision == "new" {
            let new = TransferRequestInfo(url: server.url("/file", "size=2000", key: key), method: "GET")
            answer = TransferDelayedAnswer(disposition: .useNewRequest, request: new)
        }
        try client.peer.answer(event, answer.json)
        #expect(try client.outcome().file?.count == (decision == "new" ? 2000 : 1000))
        #expect(try server.requests(key).count == 1)
    }

    @Test("A task that its delegate cancels ends, and the service that was killed in between asks again")
    func cancelled() throws {
        let service = try TestService()
        var client = try service.client()
        try client.open(Self.settings)
        try client.download("http://127.0.0.1:1/", earliestBegin: Clock.wallSeconds() + 0.2)
        let first = try asked(client).event
        try service.killAndRestart()
        client = try service.client()
        try client.open(Self.settings)
        let second = try asked(client).event
        #expect(second.info == first.info)
        try client.peer.answer(second, TransferDelayedAnswer(disposition: .cancel).json)
        #expect(try client.outcome().completion.error?.code == -999)
    }
}
