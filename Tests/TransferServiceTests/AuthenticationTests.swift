import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Servers that ask who is there")
struct AuthenticationTests {
    private func begin(_ query: String, key: String) throws -> (TestService, TestClient) {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=1000&\(query)", key: key))
        return (service, client)
    }

    private func challenge(
        _ client: TestClient
    ) throws -> (number: Int64, space: TransferChallengeSpace, failures: Int64) {
        let event = try client.peer.event()
        guard case .challenge(let number, let space, let failures) = event.info.kind else {
            Issue.record("\(event.info.kind) instead of a challenge")
            return (0, TransferChallengeSpace(host: "", port: 0, scheme: "", method: ""), 0)
        }
        // The delegate has been called; its answer may take as long as a person needs.
        try client.peer.answer(event)
        return (number, space, failures)
    }

    private func answer(
        _ client: TestClient, _ number: Int64, _ disposition: TransferDisposition, user: String? = nil,
        password: String? = nil
    ) throws {
        try client.peer.ask(
            "credential",
            TransferCredentialParameters(
                session: client.session, task: 1, number: number, disposition: disposition, user: user,
                password: password
            ).json)
    }

    @Test(
        "The right password opens",
        arguments: ["auth=basic", "auth=digest", "auth=digest&algorithm=SHA-256", "auth=digest&fickle=1"])
    func right(_ query: String) throws {
        let (service, client) = try begin(query, key: "right-\(query.filter(\.isLetter))")
        let challenge = try challenge(client)
        #expect(challenge.space.host == "127.0.0.1")
        #expect(challenge.space.realm == (query == "auth=basic" ? "Engine, \"Analytical\"" : "machine"))
        #expect(challenge.space.method == (query == "auth=basic" ? "basic" : "digest"))
        #expect(challenge.failures == 0)
        try answer(client, challenge.number, .useCredential, user: "ada", password: "love")
        let outcome = try client.outcome()
        #expect(outcome.status == 200)
        #expect(outcome.file?.count == 1000)
        withExtendedLifetime(service) {}
    }

    @Test(
        "A wrong password leads to another challenge, which says how often it went wrong",
        arguments: ["basic", "digest"])
    func wrong(_ scheme: String) throws {
        let (service, client) = try begin("auth=\(scheme)", key: "wrong-\(scheme)")
        let first = try challenge(client)
        try answer(client, first.number, .useCredential, user: "ada", password: "hate")
        let second = try challenge(client)
        #expect(second.failures == 1)
        try answer(client, second.number, .useCredential, user: "ada", password: "love")
        #expect(try client.outcome().status == 200)
        withExtendedLifetime(service) {}
    }

    @Test("Default handling makes the refusal the result; to cancel ends the task")
    func without() throws {
        let (service, client) = try begin("auth=basic", key: "without")
        try answer(client, challenge(client).number, .performDefaultHandling)
        let outcome = try client.outcome()
        #expect(outcome.status == 401)
        #expect(outcome.file == Array("who?".utf8))
        let (other, second) = try begin("auth=basic", key: "cancelled")
        try answer(second, challenge(second).number, .cancelAuthenticationChallenge)
        #expect(try second.outcome().completion.error?.code == -999)
        withExtendedLifetime((service, other)) {}
    }
}

@Suite("Transport security")
struct TransportSecurityTests {
    private func outcome(
        _ certificate: String, trusts authority: Bool, host: String = "localhost"
    ) throws -> TestClient.Outcome {
        let server = try TestServer("misbehaving.py", ["--tls"] + Certificates.files(certificate), scheme: "https")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(trustRoots: authority ? [Certificates.root] : []))
        try client.download("https://\(host):\(server.port)/file?size=1000&key=x")
        return try client.outcome()
    }

    @Test("A certificate of a trusted authority is trusted")
    func good() throws { #expect(try outcome("good", trusts: true).file?.count == 1000) }

    @Test("An expired certificate ends the task, and is named")
    func expired() throws { #expect(try outcome("expired", trusts: true).completion.error?.code == -1201) }

    @Test("A certificate of nobody's ends the task, and so does one of an authority that is not trusted")
    func untrusted() throws {
        for certificate in ["self", "good"] {
            let code = try outcome(certificate, trusts: false).completion.error?.code
            #expect(code == -1202 || code == -1203, "\(certificate): \(String(describing: code))")
        }
    }

    @Test(
        "A server that asks for another connection in the middle (HTTP/2 GOAWAY) is given one, and the rest is fetched")
    func goAway() throws {
        let server = try TestServer("goaway.py", Certificates.files("good"), scheme: "https")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(trustRoots: [Certificates.root]))
        let size = 1_000_000
        try client.download("https://localhost:\(server.port)/file?size=\(size)&seed=1&leave=3&refuse=1&key=x")
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect(outcome.completion.response?.httpVersion == "HTTP/2.0")
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: 1, size: size))
    }
}
