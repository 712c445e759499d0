import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

/// The answers are those of `Fixtures/servers/hostile.py`. What becomes of each transfer is of no interest here: none
/// of them may end the service, or keep it from others.
@Suite("Servers that are none")
struct HostileTests {
    /// Downloads them all, and ends those that would be tried again, until nothing is left.
    private func survives(_ service: TestService, _ urls: [String], _ download: (String, Int) throws -> Void) throws {
        let tool = try service.control()
        for (number, url) in urls.enumerated() { try download(url, number) }
        let end = Clock.monotonic() + 60_000_000_000
        while true {
            #expect(!service.process.isDead, "the service ended: \(service.log.suffix(2000))")
            guard !service.process.isDead else { return }
            let left = try all(tool).filter { [.waiting, .running, .suspended].contains($0.state) }
            if left.isEmpty { return }
            guard Clock.monotonic() < end else {
                Issue.record("\(left.count) transfers do not end: \(left.prefix(3).map(\.url))")
                return
            }
            for one in left where one.state == .waiting && ["retry", "credential", "delegate"].contains(one.waitingFor)
            {
                _ = try? tool.ask("cancel", TransferName(id: one.id).json)
            }
            try tool.hear(milliseconds: 20)
        }
    }

    private func all(_ tool: TestPeer) throws -> [TransferInfo] {
        var found: [TransferInfo] = []
        while true {
            let page = try TransferList(json: tool.ask("list", TransferListParameters(after: found.last?.id).json))
            found += page.transfers
            if !page.more || page.transfers.isEmpty { return found }
        }
    }

    private func text(_ url: String) throws -> Int {
        let output = try Command.run("/usr/bin/curl", ["-sSk", "--http1.1", url])
        return try #require(Int(String(decoding: output, as: UTF8.self)))
    }

    @Test("No answer of HTTP/1 ends the service, nor do two hundred that are wrong in some bytes")
    func first() throws {
        let server = try TestServer("hostile.py")
        let service = try TestService()
        let tool = try service.control()
        let base = "http://127.0.0.1:\(server.port)"
        let urls =
            try (0..<text(base + "/cases")).map { "\(base)/case?n=\($0)" } + (0..<200).map { "\(base)/mutant?n=\($0)" }
        try survives(service, urls) { url, number in
            try tool.ask("add", TransferAdd(url: url, path: "\(service.container)/\(number)").json)
        }
        let good = try tool.ask("add", TransferAdd(url: base + "/good", path: "\(service.container)/good").json)
        #expect(try TransferEnd(json: tool.ask("wait", TransferName(json: good).json, within: 30)).state == .done)
    }

    @Test(
        "No answer of HTTP/2 ends the service either: statuses below zero, windows that overflow, floods, and the like")
    func second() throws {
        let server = try TestServer("hostile.py", ["--tls"] + Certificates.files("good"), scheme: "https")
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(trustRoots: [Certificates.root]))
        let base = "https://localhost:\(server.port)"
        let count = 163
        let urls = (0..<count).map { "\(base)/case?n=\($0)" } + (0..<100).map { "\(base)/mutant?n=\($0)" }
        try survives(service, urls) { url, number in try client.download(url, task: Int64(number) + 1) }
        let last = Int64(urls.count) + 1
        try client.download(base + "/good", task: last)
        #expect(try client.outcome(last).file == Array("good".utf8))
    }

    @Test("No proxy ends the service, whatever it says to who wants a tunnel", arguments: [true, false])
    func proxies(_ isSocks: Bool) throws {
        let server = try TestServer("hostile.py")
        let service = try TestService()
        let client = try service.client()
        var settings = TransferSettings()
        settings.proxy = TransferProxy(kind: isSocks ? .socks : .http, host: "127.0.0.1", port: Int64(server.port))
        try client.open(settings)
        let count = isSocks ? 21 : try text("http://127.0.0.1:\(server.port)/cases")
        let urls = (0..<count).map { isSocks ? "http://n\($0)/" : "https://n\($0)/" }
        // Some say nothing at all.
        try survives(service, urls) { url, number in
            try client.download(url, task: Int64(number) + 1, timeout: 5)
        }
    }

    @Test("Whatever an app asks in, it harms nobody else", arguments: [false, true])
    func requests(_ isSecond: Bool) throws {
        let server = try TestServer("hostile.py", isSecond ? ["--tls"] + Certificates.files("good") : [])
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(trustRoots: [Certificates.root]))
        let base = "\(isSecond ? "https" : "http")://localhost:\(server.port)/good"
        let fields = [
            ("Content-Length", "-5"), ("Content-Length", "99999999999999999999"),
            ("Transfer-Encoding", "chunked, chunked"),
            ("Transfer-Encoding", "chunked"), ("Host", ""), ("Connection", "Upgrade"), ("Upgrade", "h2c"),
            ("TE", "gzip"),
            ("Expect", "100-continue"), ("Range", "bytes=-1"), ("Cookie", ";"), ("Authorization", "\u{e9}"),
            ("If-Range", ""),
            ("HTTP2-Settings", "x"), ("Proxy-Connection", "x"), ("Keep-Alive", "timeout=99999999999999999999"),
        ]
        let methods = ["CONNECT", "HEAD", "TRACE", "OPTIONS", "PRI", "get", "M-SEARCH", "POST"]
        var requests = methods.map { TransferRequestInfo(url: base, method: $0) }
        for (name, value) in fields {
            let headers = [WireHeader(name, value)]
            requests.append(TransferRequestInfo(url: base, method: "GET", headers: headers))
            requests.append(TransferRequestInfo(url: base, method: "POST", headers: headers, body: Array("body".utf8)))
        }
        try survives(service, requests.map(\.url)) { _, number in
            let task = Int64(number) + 1
            let create = TransferCreate(
                session: client.session, task: task, kind: .download, request: requests[number])
            try client.peer.ask("create", create.json)
            try client.resume(task)
        }
        let last = Int64(requests.count) + 1
        try client.download(base, task: last)
        #expect(try client.outcome(last).file == Array("good".utf8))
    }

    @Test("A server that gives its head byte by byte has its time; one that gives its body so holds up nobody")
    func drips() throws {
        let server = try TestServer("hostile.py")
        let service = try TestService()
        let client = try service.client()
        try client.open()
        let base = "http://127.0.0.1:\(server.port)"
        try client.download(base + "/drip?part=head", task: 1, timeout: 1)
        for task in 2...5 as ClosedRange<Int64> { try client.download(base + "/drip?part=body", task: task) }
        try client.download(base + "/good", task: 6)
        #expect(try client.outcome(6, within: 20).file == Array("good".utf8))
        let tool = try service.control()
        var slow: TransferInfo?
        for _ in 0..<500 {
            slow = try all(tool).first { $0.task == 1 && $0.error != nil }
            if slow != nil { break }
            try tool.hear(milliseconds: 20)
        }
        #expect(slow?.error?.contains("said nothing for too long") == true)
    }
}
