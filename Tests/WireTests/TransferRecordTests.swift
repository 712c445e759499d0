import Testing
import TransferWire
import Wire

@Suite("The records of transfers") struct TransferRecordTests {
    private static let response = TransferResponseInfo(
        url: "https://h/a", status: 206, headers: [WireHeader("ETag", "\"1\"")], httpVersion: "HTTP/1.1")
    private static let error = TransferErrorInfo(
        domain: "NSURLErrorDomain", code: -999, description: "cancelled", resumeData: [0, 255, 16], reason: 0)
    private static let request = TransferRequestInfo(
        url: "https://h/a", method: "POST", headers: [WireHeader("A", "b")], timeout: 5, cachePolicy: 1,
        body: Array("x=1".utf8))

    private func check<Record: WireRecord>(_ record: Record) throws {
        #expect(try Record(json: record.json) == record)
        // What travels is text.
        let parsed = try JSONValue(parsing: record.json.encoded)
        #expect(try Record(json: parsed) == record)
    }

    @Test("Sessions")
    func sessions() throws {
        let settings = TransferSettings(
            discretionary: true, headers: [WireHeader("A", "b"), WireHeader("A", "c")], cookies: .never,
            proxy: TransferProxy(kind: .socks, host: "p", port: 1080), tlsMinimum: "1.2", trustRoots: ["PEM"])
        try check(TransferOpen(session: "s", configuration: settings))
        let task = TransferTaskInfo(
            task: 1, kind: .upload, url: "https://h/", method: "PUT", headers: [], cachePolicy: 4, state: .canceling,
            received: 0, sent: 5, expectedSend: 9, priority: 0.25, response: Self.response, error: Self.error)
        try check(TransferOpened(nextTask: 7, tasks: [task], isNew: false))
        try check(TransferOpened(nextTask: 7, tasks: [task, task], more: true, isNew: false))
        try check(TransferTasksParameters(session: "s", after: 6))
        try check(TransferTaskPage(tasks: [task], more: true))
        try check(TransferInvalidate(session: "s", cancels: true))
        #expect(try TransferSettings(json: [:]) == TransferSettings())
    }

    @Test("Tasks")
    func tasks() throws {
        try check(
            TransferCreate(
                session: "s", task: 4, kind: .download, request: Self.request, description: "d", earliestBegin: 1.5,
                resumeData: [1, 2]))
        try check(TransferTaskParameters(session: "s", task: 4, producesResumeData: true))
        try check(TransferCancelled(resumeData: []))
        try check(TransferChangeParameters(session: "s", task: 4, priority: 1))
        try check(
            TransferCredentialParameters(
                session: "s", task: 4, number: 9, disposition: .useCredential, user: "u", password: "p"))
    }

    @Test(
        "Every kind of event",
        arguments: [
            .resumedAt(offset: 5, expected: nil), .finished(path: "/tmp/x", response: response),
            .completed(
                TransferCompletion(
                    error: error, response: nil, received: 5, sent: 0,
                    metrics: TransferMetrics(created: 1, ended: 2, attempts: 3))),
            .challenge(
                number: 3,
                space: TransferChallengeSpace(host: "h", port: 443, scheme: "https", realm: "r", method: "basic"),
                previousFailures: 1),
            .delayedRequest(request), .finishedEvents, .invalidated,
        ] as [TransferEventInfo.Kind])
    func events(_ kind: TransferEventInfo.Kind) throws {
        try check(TransferEventInfo(session: "s", number: 12, task: kind == .finishedEvents ? nil : 4, kind: kind))
    }

    @Test("What a delegate says of a delayed request; who says nothing lets it begin")
    func delayed() throws {
        try check(TransferDelayedAnswer(disposition: .useNewRequest, request: Self.request))
        try check(TransferDelayedAnswer(disposition: .cancel))
        #expect(try TransferDelayedAnswer(json: [:]).disposition == .continueLoading)
    }

    @Test("What goes to tools")
    func others() throws {
        try check(TransferProgress(session: "s", task: 1, received: 5, bytes: 5, expected: 10))
        try check(TransferAdd(url: "https://h/", path: "/a", priority: 0.25, checksum: "sha-256:00"))
        try check(TransferName(id: "t1"))
        let info = TransferInfo(
            id: "t1", session: "", task: 1, kind: .download, url: "https://h/", state: .waiting, received: 0, sent: 0,
            rate: 0.5, waitingFor: "radio", attempts: 2, created: 3)
        try check(TransferList(transfers: [info, info]))
        try check(TransferList(transfers: [info], more: true))
        try check(TransferListParameters(after: "t1"))
        try check(TransferExplanation(sentence: "It runs.", next: 4))
        try check(TransferEnd(state: .failed, error: "no"))
    }

    @Test("Either a role or a client says hello, in the version that is spoken")
    func hello() throws {
        try check(TransferHello.control(.tool))
        try check(TransferHello.client(name: "a/1.0", app: "a.b", container: nil))
        #expect(throws: RPCError.self) { try TransferHello(json: ["protocol": 2, "role": "tool"]) }
        #expect(throws: RPCError.self) { try TransferHello(json: ["protocol": 1]) }
    }

    @Test(
        "Base64 is that of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ coded: String) {
        #expect(Base64.text(Array(text.utf8)) == coded)
        #expect(Base64.bytes(coded) == Array(text.utf8))
    }

    @Test("What is no Base64 is refused", arguments: ["Zg=", "Zg", "Z===", "Zh==", "Zm9=", "Z g=", "Zg==Zg==", "-_=="])
    func badBase64(_ text: String) {
        #expect(Base64.bytes(text) == nil)
    }

    @Test("A header that is no pair, and an event of no kind, are refused by name")
    func refused() throws {
        let wrong = try #require(throws: RPCError.self) { try TransferSettings(json: ["headers": [["a"]]]) }
        #expect(wrong.data["parameter"] == "headers")
        let kind = try #require(throws: RPCError.self) {
            try TransferEventInfo(json: ["session": "s", "number": 1, "kind": "x"])
        }
        #expect(kind.data["parameter"] == "kind")
    }
}
