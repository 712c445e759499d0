import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Proxies")
struct ProxyTests {
    enum Kind: String, CaseIterable { case forwarding, tunnel }

    private func proxy(
        _ server: TestServer, _ kind: TransferProxyKind = .http, password: String? = nil
    ) -> TransferProxy {
        TransferProxy(
            kind: kind, host: "127.0.0.1", port: Int64(server.port), user: password == nil ? nil : "ada",
            password: password)
    }

    /// A server behind the proxy, and the address of a file there. Nobody but the proxy knows the name without TLS.
    private func target(_ kind: Kind, _ key: String) throws -> (server: TestServer, url: String) {
        switch kind {
        case .forwarding:
            let server = try TestServer.shared.get()
            return (server, "http://greenroom.test:\(server.port)/file?size=1000&key=\(key)")
        case .tunnel:
            let server = try TestServer("misbehaving.py", ["--tls"] + Certificates.files("good"), scheme: "https")
            return (server, "https://localhost:\(server.port)/file?size=1000&key=\(key)")
        }
    }

    private func expectAsked(_ proxy: TestServer, _ kind: Kind, _ url: String, times: Int = 1) throws {
        let asked = try proxy.requests("")
        let place = url.prefix { $0 != "?" }.split(separator: "/")[1]
        #expect(asked.map(\.method) == Array(repeating: kind == .tunnel ? "CONNECT" : "GET", count: times))
        #expect(asked.allSatisfy { $0.path == (kind == .tunnel ? String(place) : url) })
        // In a tunnel the server is told by the request that nobody on the way sees.
        #expect(asked.allSatisfy { kind == .tunnel || $0.headers["host"] == String(place) })
    }

    @Test("http is forwarded with its whole address, https goes through a tunnel", arguments: Kind.allCases)
    func plain(_ kind: Kind) throws {
        let gate = try TestServer("proxy.py", ["http"])
        let (server, url) = try target(kind, "proxy-plain")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(proxy: proxy(gate), trustRoots: [Certificates.root]))
        try client.download(url)
        #expect(try client.outcome().file?.count == 1000)
        try expectAsked(gate, kind, url)
        #expect(try server.requests("proxy-plain").map(\.path) == ["/file?size=1000&key=proxy-plain"])
    }

    @Test("A proxy gets the password of the configuration, and nobody else does", arguments: Kind.allCases)
    func password(_ kind: Kind) throws {
        let gate = try TestServer("proxy.py", ["http", "ada:love"])
        let (server, url) = try target(kind, "proxy-password")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(proxy: proxy(gate, password: "love"), trustRoots: [Certificates.root]))
        try client.download(url)
        #expect(try client.outcome().file?.count == 1000)
        try expectAsked(gate, kind, url)
        #expect(try server.requests("proxy-password").allSatisfy { $0.headers["proxy-authorization"] == nil })
    }

    @Test("A proxy that wants to know who asks is a question to the delegate", arguments: Kind.allCases)
    func challenge(_ kind: Kind) throws {
        let gate = try TestServer("proxy.py", ["http", "ada:love"])
        let (server, url) = try target(kind, "proxy-challenge")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(proxy: proxy(gate), trustRoots: [Certificates.root]))
        try client.download(url + "&auth=basic")
        for (index, password) in ["hate", "love", "love"].enumerated() {
            let event = try client.peer.event()
            guard case .challenge(let number, let space, let failures) = event.info.kind else {
                Issue.record("\(event.info.kind)")
                return
            }
            try client.peer.answer(event)
            // The third is the server's own.
            #expect(space.proxy == (index < 2))
            #expect(space.port == Int64(index < 2 ? gate.port : server.port))
            #expect(failures == (index == 1 ? 1 : 0))
            let answer = TransferCredentialParameters(
                session: client.session, task: 1, number: number, disposition: .useCredential, user: "ada",
                password: password)
            try client.peer.ask("credential", answer.json)
        }
        #expect(try client.outcome().file?.count == 1000)
    }

    @Test("Who does not say who asks gets what the proxy said, or an error where it said nothing")
    func refused() throws {
        for kind in Kind.allCases {
            let gate = try TestServer("proxy.py", ["http", "ada:love"])
            let (server, url) = try target(kind, "proxy-refused")
            let service = try TestService()
            let client = try service.client()
            try client.open(TransferSettings(proxy: proxy(gate), trustRoots: [Certificates.root]))
            try client.download(url)
            let event = try client.peer.event()
            guard case .challenge(let number, _, _) = event.info.kind else {
                Issue.record("\(event.info.kind)")
                return
            }
            try client.peer.answer(event)
            let answer = TransferCredentialParameters(
                session: client.session, task: 1, number: number, disposition: .performDefaultHandling)
            try client.peer.ask("credential", answer.json)
            let outcome = try client.outcome()
            #expect(outcome.status == (kind == .tunnel ? nil : 407))
            #expect(outcome.completion.error?.code == (kind == .tunnel ? -1013 : nil))
            #expect(try server.requests("proxy-refused").isEmpty)
        }
    }

    @Test("An upload goes through a proxy", arguments: Kind.allCases)
    func upload(_ kind: Kind) throws {
        let gate = try TestServer("proxy.py", ["http"])
        let (server, url) = try target(kind, "proxy-upload")
        let service = try TestService()
        let path = service.base + "/photo"
        try FileSystem.replace(path, with: Array(repeating: 7, count: 300_000))
        let client = try service.client()
        try client.open(TransferSettings(proxy: proxy(gate), trustRoots: [Certificates.root]))
        try client.upload(url.replacing("/file", with: "/upload"), file: Descriptor.open(path, .read))
        #expect(try client.outcome().status == 201)
        #expect(try server.upload("proxy-upload")?.size == 300_000)
        // More than one where the machine is so busy that the service tried again.
        #expect(try !gate.requests("").isEmpty)
    }

    @Test("SOCKS carries both, and finds names that only it knows", arguments: Kind.allCases)
    func socks(_ kind: Kind) throws {
        let gate = try TestServer("proxy.py", ["socks"])
        let (server, url) = try target(kind, "proxy-socks")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(proxy: proxy(gate, .socks), trustRoots: [Certificates.root]))
        try client.download(url)
        #expect(try client.outcome().file?.count == 1000)
        #expect(try server.requests("proxy-socks").count == 1)
    }
}
