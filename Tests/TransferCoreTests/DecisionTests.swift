import Model
import Testing
import TransferCore

@Suite("What becomes of a response") struct DecisionTests {
    private static let now = WallTime(nanoseconds: 1_795_334_400_000_000_000)
    private static let space = ChallengeSpace(host: "h", port: 443, scheme: "https", realm: nil, method: "basic")

    private func decide(
        _ status: Int32, _ fields: [String: String] = [:], offset: Int64 = 0, validator: Validator? = .etag("\"1\""),
        expected: Int64? = nil, accepts: Bool = false, isHead: Bool = false, isPart: Bool = false,
        acceptsRefusal: Bool = false, space: ChallengeSpace? = nil
    ) -> DownloadDecision {
        DownloadDecision(
            .init(
                offset: offset, validator: validator, expected: expected, acceptsUnauthorized: accepts, isHead: isHead,
                isPart: isPart, acceptsRefusal: acceptsRefusal),
            ResponseHead(status: status, headers: fields.map { HeaderField($0.key, $0.value) }), challenge: space,
            now: Self.now, rules: TransferRules())
    }

    private func isFromZero(_ decision: DownloadDecision) -> Bool {
        if case .fromZero = decision { true } else { false }
    }

    @Test("A 200 is the whole thing, also where a part was asked for")
    func whole() {
        let fields = ["Content-Length": "9", "ETag": "\"2\""]
        let whole = DownloadDecision.whole(.etag("\"2\""), expected: 9, isError: false)
        #expect(decide(200, fields) == whole)
        #expect(decide(200, fields, offset: 5) == whole)
        #expect(decide(200, [:]) == .whole(nil, expected: nil, isError: false))
        #expect(
            decide(200, ["Content-Length": "9", "Content-Encoding": "gzip"])
                == .whole(nil, expected: nil, isError: false))
        #expect(decide(204) == .whole(nil, expected: 0, isError: false))
    }

    @Test("The length that a 304 or the answer to a HEAD names is not theirs")
    func bodiless() {
        let fields = ["Content-Length": "9", "ETag": "\"1\""]
        #expect(decide(304, fields) == .whole(nil, expected: 0, isError: true))
        #expect(decide(200, fields, isHead: true) == .whole(nil, expected: 0, isError: false))
        #expect(decide(404, fields, isHead: true) == .whole(nil, expected: 0, isError: true))
    }

    @Test("A 206 continues if it is the part that was asked for, of the same thing")
    func rest() {
        func range(_ text: String, _ more: [String: String] = [:], expected: Int64? = nil) -> DownloadDecision {
            decide(206, more.merging(["Content-Range": text]) { $1 }, offset: 5, expected: expected)
        }
        #expect(range("bytes 5-9/10") == .rest(expected: 10))
        #expect(range("bytes 5-9/10", ["ETag": "\"1\""], expected: 10) == .rest(expected: 10))
        #expect(range("bytes 5-9/*", expected: 10) == .rest(expected: 10))
        #expect(isFromZero(range("bytes 4-9/10")))
        #expect(isFromZero(range("bytes 5-10/11", expected: 10)))
        #expect(isFromZero(range("bytes 5-9/10", ["ETag": "\"2\""])))
        #expect(isFromZero(range("bytes 5-9/10", ["Content-Encoding": "br"])))
        #expect(isFromZero(decide(206, ["Content-Type": "multipart/byteranges"], offset: 5)))
    }

    @Test("A 206 for all that has all is the whole thing, and any other is none")
    func unaskedPart() {
        let tag = ["ETag": "\"1\""]
        func answer(_ range: String?, _ more: [String: String] = [:]) -> DownloadDecision {
            decide(206, tag.merging(more) { $1 }.merging(range.map { ["Content-Range": $0] } ?? [:]) { $1 })
        }
        #expect(
            answer("bytes 0-9/10", ["Content-Length": "10"]) == .whole(.etag("\"1\""), expected: 10, isError: false))
        #expect(answer("bytes 0-9/10") == .whole(.etag("\"1\""), expected: nil, isError: false))
        for range in ["bytes 0-8/10", "bytes 1-9/10", "bytes 0-9/*", "bytes */10", "rubbish", nil] {
            #expect(isFromZero(answer(range)), "\(range ?? "none")")
        }
        #expect(isFromZero(decide(206, ["Content-Range": "bytes 0-9/10"], offset: 5)), "it goes on from there")
    }

    @Test("The part that an app itself asked for is the whole thing for it, with any range and none")
    func ownPart() {
        for range in ["bytes 1000-1999/4000", "bytes 0-3999/4000", "bytes 5-9/*", "rubbish"] {
            let fields = ["Content-Range": range, "Content-Length": "1000", "ETag": "\"1\""]
            #expect(decide(206, fields, isPart: true) == .whole(nil, expected: 1000, isError: false))
        }
        #expect(decide(206, isPart: true) == .whole(nil, expected: nil, isError: false))
        #expect(decide(416, ["Content-Length": "3"], isPart: true) == .whole(nil, expected: 3, isError: true))
        #expect(decide(200, ["Content-Length": "9"], isPart: true) == .whole(nil, expected: 9, isError: false))
    }

    @Test("A 416 at the exact length means that all is there, if it is the same thing")
    func unsatisfiable() {
        #expect(decide(416, ["Content-Range": "bytes */5"], offset: 5, expected: 5) == .alreadyWhole)
        #expect(decide(416, ["Content-Range": "bytes */5", "ETag": "\"1\""], offset: 5) == .alreadyWhole)
        #expect(isFromZero(decide(416, ["Content-Range": "bytes */5", "ETag": "\"2\""], offset: 5)))
        #expect(isFromZero(decide(416, ["Content-Range": "bytes */4"], offset: 5)))
        #expect(isFromZero(decide(416, [:], offset: 5)))
        #expect(isFromZero(decide(416, ["Content-Range": "bytes */5"], offset: 5, expected: 9)))
        #expect(decide(416, [:]) == .whole(nil, expected: nil, isError: true))
        // Behind the end some answer with an empty part.
        let empty = ["Content-Length": "0"]
        #expect(decide(206, empty, offset: 5, expected: 5) == .alreadyWhole)
        #expect(decide(206, empty.merging(["ETag": "\"1\""]) { $1 }, offset: 5) == .alreadyWhole)
        #expect(isFromZero(decide(206, empty, offset: 5)), "nobody says what it is a part of")
        #expect(isFromZero(decide(206, empty.merging(["ETag": "\"2\""]) { $1 }, offset: 5)))
        #expect(isFromZero(decide(206, empty, offset: 5, expected: 9)))
    }

    @Test("What may pass is tried again", arguments: [408, 429, 500, 502, 503, 504] as [Int32])
    func passing(_ status: Int32) {
        guard case .retry(let after, let problem) = decide(status, ["Retry-After": "7"], offset: 5) else {
            Issue.record("\(status) is not tried again")
            return
        }
        #expect(after == .seconds(7))
        #expect(problem.contains("\(status)"))
        #expect(
            decide(status, ["Content-Length": "9"], offset: 5, acceptsRefusal: true)
                == .whole(nil, expected: 9, isError: true))
    }

    @Test(
        "Any other error is the result, with what the server says of it",
        arguments: [400, 403, 404, 410, 501] as [Int32])
    func errors(_ status: Int32) {
        #expect(decide(status, ["Content-Length": "9"], offset: 5) == .whole(nil, expected: 9, isError: true))
    }

    @Test("Who asks is asked for, unless nobody is to be asked", arguments: [401, 407] as [Int32])
    func challenges(_ status: Int32) {
        #expect(decide(status, space: Self.space) == .challenge(Self.space))
        #expect(decide(status, accepts: true, space: Self.space) == .whole(nil, expected: nil, isError: true))
        #expect(decide(status) == .whole(nil, expected: nil, isError: true))
    }

    // Uploads.

    private func upload(
        _ step: UploadOrder.Step, _ status: Int32, _ fields: [String: String] = [:], space: ChallengeSpace? = nil
    ) -> UploadDecision {
        UploadDecision(
            step, length: 100, ResponseHead(status: status, headers: fields.map { HeaderField($0.key, $0.value) }),
            challenge: space, acceptsUnauthorized: false, now: Self.now, rules: TransferRules())
    }

    @Test("The answer to an upload is its result")
    func results() {
        #expect(upload(.whole, 201) == .result(isError: false))
        #expect(upload(.whole, 200, ["Upload-Complete": "?1"]) == .result(isError: false))
        #expect(upload(.whole, 413) == .result(isError: true))
        #expect(upload(.append(resource: "r", offset: 5), 200) == .result(isError: false))
        #expect(upload(.whole, 401, space: Self.space) == .challenge(Self.space))
        #expect(
            upload(.whole, 503, ["Retry-After": "3"])
                == .retry(after: .seconds(3), "the server answered 503 (unavailable)"))
    }

    @Test("A server that is asked how far an upload has come is believed as far as that can be")
    func asked() {
        let ask = UploadOrder.Step.ask(resource: "r")
        #expect(upload(ask, 204, ["Upload-Offset": "40", "Upload-Complete": "?0"]) == .append(offset: 40))
        #expect(upload(ask, 204, ["Upload-Offset": "100", "Upload-Complete": "?1"]) == .alreadyWhole)
        #expect(upload(ask, 204, ["Upload-Offset": "100", "Upload-Complete": "?0"]) == .append(offset: 100))
        for (status, fields) in [
            (404, [:]), (410, [:]), (204, [:]), (204, ["Upload-Offset": "101"]), (204, ["Upload-Offset": "-1"]),
            (204, ["Upload-Offset": "40", "Upload-Complete": "?1"]),
        ] as [(Int32, [String: String])] {
            guard case .fromZero = upload(ask, status, fields) else {
                Issue.record("\(status) \(fields) is gone on from")
                continue
            }
        }
    }

    @Test("A server that had come to another place is asked, and one that took a part gets the rest")
    func appended() {
        let append = UploadOrder.Step.append(resource: "r", offset: 40)
        guard case .ask = upload(append, 409) else { return missing("a conflict is not asked about") }
        guard case .fromZero = upload(append, 404) else { return missing("a lost upload is gone on with") }
        #expect(upload(append, 204, ["Upload-Complete": "?0", "Upload-Offset": "60"]) == .append(offset: 60))
        guard case .ask = upload(.whole, 201, ["Upload-Complete": "?0"]) else {
            return missing("a part is taken for the whole")
        }
    }
}
