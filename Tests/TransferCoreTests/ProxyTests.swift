import Model
import Testing
import TransferCore

@Suite("Proxies that ask who is there") struct ProxyTests {
    private let gate = ChallengeSpace(
        host: "gate", port: 8080, scheme: "http", realm: nil, method: "basic", isProxy: true)
    private let server = ChallengeSpace(host: "h", port: 80, scheme: "http", realm: nil, method: "basic")

    private static var proxied: TransferConfiguration {
        var configuration = TransferConfiguration()
        configuration.proxy = .init(kind: .http, host: "gate", port: 8080)
        return configuration
    }

    private func answer(
        _ bench: inout Bench, _ connection: ConnectionID, _ answer: ChallengeAnswer
    ) -> PendingChallenge? {
        guard case .challenge(let asked)? = bench.effects.deliveries.last?.kind else { return nil }
        bench.ask(connection, .credential(session: "s", task: 1, challenge: asked.number, answer))
        bench.drain(connection)
        return asked
    }

    @Test("The proxy's password is not the server's, and neither is lost to the other")
    func both() throws {
        var bench = Bench()
        let connection = bench.open(Self.proxied)
        bench.begin(Bench.download(), on: connection)
        let ours = TransferCredential(user: "a", password: "b")
        let theirs = TransferCredential(user: "c", password: "d")
        for (space, status, credential) in [(gate, 407, ours), (server, 401, theirs)] {
            let attempt = try #require(bench.effects.downloads.last).attempt
            bench.send(.responseHead(attempt, ResponseHead(status: Int32(status)), challenge: space))
            #expect(answer(&bench, connection, .useCredential(credential))?.previousFailures == 0)
        }
        let order = try #require(bench.effects.downloads.last).order
        #expect(order.proxyCredential == ours && order.credential == theirs)
        #expect(order.space == server, "it is for nobody else")
    }

    @Test("A tunnel that is refused is a question as well, and without an answer the end")
    func tunnel() throws {
        var bench = Bench()
        let connection = bench.open(Self.proxied)
        bench.begin(Bench.download(), on: connection)
        let first = try #require(bench.effects.downloads.last).attempt
        bench.send(.failed(first, .proxyAuthenticationRequired))
        let asked = try #require(answer(&bench, connection, .performDefaultHandling))
        #expect(asked.space.host == "gate" && asked.space.port == 8080 && asked.space.isProxy)
        let second = try #require(bench.effects.downloads.last).attempt
        #expect(second != first)
        bench.send(.failed(second, .proxyAuthenticationRequired))
        #expect(bench.drain(connection).words == ["completed -1013"])
    }
}
