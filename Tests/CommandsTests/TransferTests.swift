import Commands
import Foundation
import Testing
import TransferWire
import Wire

@Suite("Transfers")
struct TransferTests {
    private static func info(
        _ state: TransferStateName, received: Int64 = 45_000_000, expected: Int64? = 100_000_000, rate: Double = 0,
        waitingFor: String? = nil, kind: TransferKindName = .download
    ) -> TransferInfo {
        TransferInfo(
            id: "t1", session: "tool", task: 1, kind: kind, url: "http://example.org/disk.img", state: state,
            received: received, sent: kind == .upload ? received : 0, expected: expected, rate: rate,
            waitingFor: waitingFor, attempts: 1, created: 0)
    }

    @Test("The bar shows the share, the rate and the time that is left")
    func bar() {
        #expect(
            TransferLine.progress(Self.info(.running, rate: 12_300_000))
                == "[=============>                ]  45 %  12.3 MB/s  0:05 left")
        #expect(
            TransferLine.progress(Self.info(.running, received: 100_000_000, rate: 5_000, kind: .upload))
                == "[==============================] 100 %  5.0 kB/s  0:00 left")
        #expect(TransferLine.progress(Self.info(.running, expected: nil, rate: 999)) == "45.0 MB  999 B/s")
        #expect(
            TransferLine.progress(Self.info(.waiting, waitingFor: "network"))
                == "[=============>                ]  45 %  waits: network")
    }

    @Test(
        "Amounts have three digits or so",
        arguments: [(0.0, "0 B"), (1_500, "1.5 kB"), (999_700, "1.0 MB"), (2e12, "2000 GB")])
    func amounts(_ bytes: Double, _ text: String) { #expect(TransferLine.amount(bytes) == text) }

    private func service(_ tool: Tool, _ answer: @escaping @Sendable (FakeDaemon.Request) -> FakeDaemon.Reply) throws
        -> FakeDaemon
    {
        let folder = "\(tool.home)/service"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        tool.environment["GREENROOM_TRANSFERS"] = folder
        return try FakeDaemon(in: folder) { request in
            request.method == "hello" ? .result(["protocol": 1]) : answer(request)
        }
    }

    @Test("Where a system is up, it is the system's service that is asked, and the daemon starts it")
    func ofSystem() throws {
        let tool = try Tool()
        let service = try service(tool) { _ in .result(TransferList(transfers: [Self.info(.running)]).json) }
        tool.environment["GREENROOM_TRANSFERS"] = "/nonexistent"
        let path = JSONValue.string("\(tool.home)/service/control")
        let daemon = try FakeDaemon(in: tool.home) { _ in .result(["path": path]) }
        #expect(tool.run("transfers", "--json").code == 0)
        #expect(daemon.methods == ["service"])
        #expect(service.methods == ["hello", "list"])
    }

    @Test("The list is a table, or the records as they are")
    func list() throws {
        let tool = try Tool()
        let infos = [Self.info(.running, rate: 12_300_000), Self.info(.waiting, waitingFor: "power")]
        let daemon = try service(tool) { _ in .result(TransferList(transfers: infos).json) }
        #expect(
            tool.run("transfers").output == """
                ID  APP  STATE               DONE      OF       RATE  URL
                t1       running          45.0 MB  100 MB  12.3 MB/s  http://example.org/disk.img
                t1       waiting (power)  45.0 MB  100 MB             http://example.org/disk.img

                """)
        #expect(tool.run("transfers", "--json").output.contains("\"waitingFor\""))
        #expect(daemon.methods == ["hello", "list", "hello", "list"])
    }

    @Test("Why, pause, resume and cancel name their transfer", arguments: ["why", "pause", "resume", "cancel"])
    func verbs(_ verb: String) throws {
        let tool = try Tool()
        let daemon = try service(tool) { request in
            request.method == "why" ? .result(["sentence": "It waits for a wire."]) : .result([:])
        }
        let outcome = tool.run("transfers", verb, "t7")
        #expect(outcome == Tool.Outcome(code: 0, output: verb == "why" ? "It waits for a wire.\n" : "", errors: ""))
        #expect(daemon.requests.last?.params["id"]?.string == "t7")
    }

    @Test("A download names its file absolutely; its id is printed")
    func download() throws {
        let tool = try Tool()
        let daemon = try service(tool) { _ in .result(["id": "t12"]) }
        let outcome = tool.run(
            "transfer", "http://example.org/x", "-o", "home/x", "--header", "Accept: text/plain", "--discretionary",
            "--priority", "low")
        #expect(outcome == Tool.Outcome(code: 0, output: "t12\n", errors: ""))
        let add = try TransferAdd(json: #require(daemon.requests.last).params)
        #expect(add.path == tool.home + "/x")
        for (written, sent) in [
            ("HTTPS://example.org/a b?c=ü&d=%20", "HTTPS://example.org/a%20b?c=%C3%BC&d=%20"),
            ("http://example.org/<a>|\\", "http://example.org/%3Ca%3E%7C%5C"),
        ] {
            #expect(tool.run("transfer", written, "-o", "home/x").code == 0)
            #expect(try TransferAdd(json: #require(daemon.requests.last).params).url == sent)
        }
        #expect(add.discretionary && add.priority == 0.25 && add.headers == [WireHeader("Accept", "text/plain")])
    }

    @Test("A transfer that failed is exit code 1, with the reason; a service that restarts meanwhile is waited for")
    func wait() throws {
        let tool = try Tool()
        let daemon = try service(tool) { request in
            switch request.method {
            case "add": .result(["id": "t12"])
            case "wait": .result(TransferEnd(state: .failed, error: "the server answered 404 (not found)").json)
            default: .result([:])
            }
        }
        let outcome = tool.run("transfer", "http://example.org/x", "-o", "home/x", "--wait")
        #expect(
            outcome
                == Tool.Outcome(
                    code: 1, output: "", errors: "greenroom: t12 failed: the server answered 404 (not found)\n"))
        #expect(daemon.methods == ["hello", "add", "hello", "wait"])
    }

    @Test("What makes no sense is exit code 2")
    func misuse() throws {
        let tool = try Tool()
        let url = "http://example.org/x"
        #expect(tool.run("transfer", url).code == 2)
        #expect(tool.run("transfer", url, "-o", "x", "--upload", "y").code == 2)
        #expect(tool.run("transfer", url, "-o", "x", "--header", "y").code == 2)
        for odd in ["ftp://example.org/x", "example.org/x", "http:/x", "https://", "file:///etc/passwd", ""] {
            #expect(tool.run("transfer", odd, "-o", "x").code == 2, "\(odd)")
        }
        #expect(tool.run("transfer", url, "-o", "..").code == 2)
    }
}
