import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Downloads from servers that misbehave")
struct DownloadTests {
    private static let size = 3_000_000

    /// Downloads a file of so many bytes and demands that it is that one.
    @discardableResult
    private func arrives(
        _ query: String, key: String, size: Int = size, seed: Int = 1, timeout: Double? = nil,
        settings: TransferSettings = TransferSettings()
    ) throws -> (TestClient.Outcome, [TestServer.Request]) {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open(settings)
        try client.download(server.url("/file", "size=\(size)&seed=1&\(query)", key: key), timeout: timeout)
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect(outcome.file?.count == size)
        #expect(try Content.digest(of: outcome.file ?? []) == Content.digest(seed: seed, size: size))
        withExtendedLifetime(service) {}
        return (outcome, try server.requests(key))
    }

    private func sent(_ requests: [TestServer.Request]) -> Int { requests.reduce(0) { $0 + ($1.sent ?? 0) } }

    @Test("A file arrives: finished, then completed, and the file goes when the delegate has returned")
    func plain() throws {
        let (outcome, requests) = try arrives("", key: "plain")
        #expect(outcome.status == 200)
        #expect(outcome.completion.received == Int64(Self.size))
        #expect(requests.count == 1)
        #expect(requests[0].headers["accept-encoding"] == "identity")
        #expect(!FileSystem.exists(try #require(outcome.path)))
    }

    @Test("What a server cut off is continued where it was cut")
    func cut() throws {
        let (_, requests) = try arrives("cut=3", key: "cut")
        #expect(requests.count == 4)
        #expect(requests.dropFirst().allSatisfy { $0.headers["range"] != nil && $0.headers["if-range"] != nil })
        // Of what had been read and not been written when the connection broke, something is lost.
        #expect(sent(requests) <= Self.size + 3 * (1 << 20))
    }

    @Test("A server that promises more than it has is asked for the rest")
    func short() throws {
        let (_, requests) = try arrives("short=2", key: "short")
        #expect(requests.count == 3)
        #expect(sent(requests) <= Self.size + 2 * (1 << 20))
    }

    @Test("A connection that is reset may lose what was on its way, and no more")
    func reset() throws { try arrives("cut=3&reset=1", key: "reset") }

    @Test("A server without ranges starts anew, and the file is whole")
    func withoutRanges() throws {
        let (_, requests) = try arrives("cut=2&norange=1", key: "norange")
        #expect(requests.count == 3)
    }

    @Test("A thing that has changed in between is fetched from its beginning")
    func changed() throws {
        let (_, requests) = try arrives("cut=1&changes=1", key: "changes", seed: 1001)
        #expect(requests.count == 2)
        #expect(requests[1].headers["if-range"] == "\"1-\(Self.size)-0\"")
    }

    @Test("A weak tag proves nothing: nothing is continued")
    func weak() throws {
        let (_, requests) = try arrives("cut=1&weak=1", key: "weak")
        #expect(requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test("An old date serves as a validator")
    func date() throws {
        let (_, requests) = try arrives("cut=1&date=1", key: "date")
        #expect(requests.last?.status == 206)
    }

    @Test("Another part than the one asked for is not taken")
    func wrongRange() throws {
        try arrives("cut=1&wrongrange=1", key: "wrongrange")
    }

    @Test("A server that stops in the middle is asked again after the request's timeout")
    func stalled() throws {
        let (_, requests) = try arrives("stall=1", key: "stall", timeout: 1)
        #expect(requests.count == 2)
        #expect(requests[1].headers["range"] != nil)
    }

    @Test("A slow server is no server that stopped")
    func slow() throws {
        let (_, requests) = try arrives("rate=100000", key: "slow", size: 200_000, timeout: 1)
        #expect(requests.count == 1)
    }

    @Test("Without a length the end is the end")
    func chunked() throws {
        let (outcome, _) = try arrives("chunked=1", key: "chunked")
        #expect(outcome.completion.received == Int64(Self.size))
    }

    @Test("Errors that may pass are tried again", arguments: [500, 502, 503, 504, 408, 429])
    func passing(_ status: Int) throws {
        let (_, requests) = try arrives("status=\(status)&times=2", key: "passing\(status)")
        #expect(requests.map(\.status) == [status, status, 200])
    }

    @Test("Retry-After is obeyed", arguments: ["after=2", "afterdate=3"])
    func retryAfter(_ field: String) throws {
        let (_, requests) = try arrives("status=429&times=1&\(field)", key: "after-\(field)")
        let times = requests.compactMap(\.at)
        #expect(times.count == 2)
        // A date has whole seconds.
        #expect(times[1] - times[0] >= 1.9)
    }

    @Test("An error that stays is the result, with its body as the file")
    func notFound() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "status=404", key: "404"))
        let outcome = try client.outcome()
        #expect(outcome.completion.error == nil)
        #expect(outcome.status == 404)
        #expect(outcome.file == Array("error 404".utf8))
    }

    @Test("A digest that the server says is checked: what differs is fetched again, and at last an error")
    func digest() throws {
        try arrives("digest=right&cut=1", key: "digest")
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=1000&digest=wrong", key: "wrong"))
        let outcome = try client.outcome()
        #expect(outcome.completion.error != nil)
        #expect(outcome.file == nil)
        #expect(try server.requests("wrong").count > 1)
    }

    @Test("The time for all of it has an end")
    func resourceTimeout() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(resourceTimeout: 2))
        try client.download(server.url("/file", "status=503", key: "forever"))
        #expect(try client.outcome().completion.error?.code == -1001)
    }

    @Test("Nobody there is tried again, too; a name that nobody has as well")
    func nobody() throws {
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(resourceTimeout: 2))
        try client.download("http://127.0.0.1:1/file")
        #expect(try client.outcome().completion.error?.code == -1001)
        let tool = try service.control()
        let list = try TransferList(json: tool.ask("list"))
        #expect(list.transfers.isEmpty)
    }
}

@Suite("Redirects")
struct RedirectTests {
    private func outcome(_ query: String, key: String) throws -> TestClient.Outcome {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        try client.download(server.url("/file", query, key: key))
        return try client.outcome()
    }

    @Test("A chain is followed to its end", arguments: [301, 302, 303, 307, 308])
    func chain(_ code: Int) throws {
        let outcome = try outcome("size=1000&hops=5&code=\(code)", key: "hops\(code)")
        #expect(outcome.file?.count == 1000)
        #expect(outcome.completion.response?.url.contains("hops=0") == true)
        #expect(try TestServer.shared.get().requests("hops\(code)").count == 6)
    }

    @Test("A circle ends after twenty turns")
    func loop() throws {
        #expect(try outcome("loop=1", key: "loop").completion.error?.code == -1007)
        #expect(try TestServer.shared.get().requests("loop").count == 21)
    }

    @Test("Nothing but http and https is followed", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"])
    func elsewhere(_ place: String) throws {
        let outcome = try outcome("to=\(place)", key: "to")
        #expect(outcome.completion.error != nil)
        #expect(outcome.file == nil)
    }

    @Test("Credentials and cookies that were given for one host are not another's to know")
    func credentials() throws {
        let server = try TestServer.shared.get()
        let other = try TestServer("misbehaving.py")
        let service = try TestService()
        let client = try service.client()
        try client.open()
        let place = other.url("/file", "size=10", key: "there").replacing("&", with: "%26")
        try client.download(
            server.url("/file", "to=\(place)", key: "here"),
            headers: [
                WireHeader("Authorization", "Bearer secret"), WireHeader("Cookie", "a=b"), WireHeader("X-Own", "1"),
            ])
        #expect(try client.outcome().file?.count == 10)
        let here = try #require(try server.requests("here").first)
        #expect(here.headers["authorization"] == "Bearer secret" && here.headers["cookie"] == "a=b")
        let there = try #require(try other.requests("there").first)
        #expect(there.headers["authorization"] == nil && there.headers["cookie"] == nil)
        #expect(there.headers["x-own"] == "1")
    }

    @Test("A cookie that a redirect sets goes along to where it leads, and outlives the service")
    func cookies() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        var client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=10&cookie=1", key: "cookies"))
        #expect(try client.outcome().file?.count == 10)
        try service.killAndRestart()
        client = try service.client()
        try client.open()
        try client.download(server.url("/file", "size=10&cookie=1", key: "cookies"), task: 2)
        #expect(try client.outcome(2).file?.count == 10)
    }

    @Test(
        "A cookie goes when its date is in the past, however a server writes that",
        arguments: [
            "Thu, 01-Jan-70 00:00:01 GMT", "Mon, 01 Jan 1601 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 UTC",
            "Thu Jan  1 00:00:00 1970", "1 jan 99 0:0:1",
        ])
    func cookieDates(_ date: String) throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let client = try service.client()
        try client.open()
        func said(_ query: String, task: Int64) throws -> String {
            try client.download(server.url("/cookie", query, key: "dates"), task: task)
            return String(decoding: try client.outcome(task).file ?? [], as: UTF8.self)
        }
        let gone = "sid=gone; Path=/; Expires=\(date)".replacing(" ", with: "%20").replacing(";", with: "%3B")
        #expect(try said("set=sid%3Dabc%3B%20Path%3D/", task: 1) == "none")
        #expect(try said("set=\(gone.replacing("=", with: "%3D"))", task: 2) == "sid=abc")
        #expect(try said("", task: 3) == "none")
    }
}
