import Model
import ServiceTesting
import Testing
import TransferCore
import TransferService
import TransferWire
import Wire

@Suite("What servers say, read as pure functions")
struct ServerWordsTests {
    @Test(
        "A place leads where it says, or nowhere",
        arguments: [
            ("/b", "http://h.org/b"), ("b?x#y", "http://h.org/a/b?x"), ("//i.org:81/", "http://i.org:81/"),
            ("https://i.org", "https://i.org"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://i.org:65535/", "http://i.org:65535/"), ("http://i.org:65536/", nil), ("http://i.org:0/", nil),
            ("http://i.org:-1/", nil), ("http://i.org:99999999999999999999/", nil), ("http://[]/", nil),
            ("http://%00/", nil), ("http://%5B%5D/", nil), ("http:///x", nil), ("file:///etc/passwd", nil),
            ("unix:///tmp/x", nil), ("http+unix://%2Ftmp/x", nil),
            ("http://\(String(repeating: "a", count: 256))/", nil),
        ] as [(String, String?)])
    func places(_ text: String, _ place: String?) {
        #expect(ServerWords.place(text, from: "http://h.org/a/") == place)
    }

    @Test("A cookie that could not be sent back is not kept")
    func cookies() {
        let url = "http://h.org/"
        #expect(ServerWords.cookies(["a=b; Max-Age=9223372036854775807"], at: url, now: 1e9) == "a=b")
        #expect(ServerWords.cookies(["a=b; Max-Age=-9223372036854775808"], at: url, now: 1e9) == nil)
        #expect(ServerWords.cookies(["a=b; Max-Age=99999999999999999999"], at: url, now: 1e9) == "a=b")
        #expect(ServerWords.cookies(["a=b; Max-Age=-99999999999999999999"], at: url, now: 1e9) == nil)
        #expect(ServerWords.cookies(["a=b; Max-Age=0"], at: url, now: 1e9) == nil)
        #expect(ServerWords.cookies(["a=b; Max-Age=soon"], at: url, now: 1e9) == "a=b", "no number")
        #expect(ServerWords.cookies(["a=b\r\nHost: x", "c=d\0", "e=f"], at: url, now: 1e9) == "e=f")
    }

    /// Words that are at the edge of something, and their pieces put together by seed.
    private struct Words {
        static let all = [
            "", "0", "-0", "-1", "+1", "1", "65535", "65536", "2147483648", "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808", "99999999999999999999", "1e999", "NaN", "0x10", " ", "\t", ",", ";", "=", ":", "/",
            "//", "?", "#", "@", "[", "]", "[::1]", "%", "%00", "%zz", "\"", "\\", "\0", "\r\n", "\u{00E9}",
            "\u{1F600}",
            "http", "https", "http://", "h.org", "127.0.0.1", "a", "bytes", "bytes ", "*", "Basic", "Digest ",
            "realm=\"x\"",
            "nonce=\"y\"", "qop=\"auth\"", "algorithm=SHA-256", "Max-Age=", "Expires=", "Domain=", "Path=", "Secure",
            "GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "99999",
            "sha-256=:",
            "sha-256:", "md5=", "?1", "W/\"x\"", "\"x\"",
        ]

        var dice: UInt64

        mutating func next() -> UInt64 {
            dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return dice >> 33
        }

        mutating func text() -> String {
            (0..<(1 + next() % 6)).map { _ in Self.all[Int(next() % UInt64(Self.all.count))] }.joined()
        }
    }

    @Test("Whatever is said, nothing traps", arguments: 0..<8 as Range<UInt64>)
    func anything(_ seed: UInt64) {
        var words = Words(dice: seed)
        let now = WallTime(nanoseconds: 1_795_334_400_000_000_000)
        let rules = TransferRules()
        let names = [
            "Content-Length", "Content-Range", "Content-Encoding", "ETag", "Last-Modified", "Date", "Retry-After",
            "Upload-Offset", "Upload-Complete", "Accept-Ranges", "Location",
        ]
        for _ in 0..<400 {
            let status = Int32(truncatingIfNeeded: words.next() % 700)
            let head = ResponseHead(status: status, headers: names.map { HeaderField($0, words.text()) })
            let (offset, length) = (Int64(words.next() % 3) * 1000, Int64(words.next() % 3) * 1000)
            _ = DownloadDecision(
                .init(offset: offset, validator: .etag("\"x\""), expected: length), head, challenge: nil, now: now,
                rules: rules)
            for step in [UploadOrder.Step.whole, .ask(resource: "x"), .append(resource: "x", offset: offset)] {
                _ = UploadDecision(
                    step, length: length, head, challenge: nil, acceptsUnauthorized: false, now: now, rules: rules)
            }
            _ = head.validator(now: now, rules: rules)
            _ = head.retryAfter(now: now, rules: rules)
            _ = HTTPDate.seconds(words.text(), now: Int64(words.next()))
            let place = words.text()
            if let found = ServerWords.place(place, from: "http://h.org:81/a/b?c") {
                #expect(Address(found) != nil, "\(place) leads to \(found)")
            }
            _ = ServerWords.redirect(status: Int(status), location: place, method: "POST", from: "https://h.org")
            _ = ServerWords.authorization([words.text(), words.text()], isProxy: false, user: "u", password: "p")
            _ = ServerWords.cookies([words.text(), words.text()], at: "http://h.org/a", now: 1.8e9)
            _ = ServerWords.digest(
                status: 200, ["Repr-Digest", "Content-Digest", "Digest", "Content-MD5"].map { ($0, words.text()) })
            _ = ServerWords.checksum(words.text())
        }
    }

    @Test("Numbers of clients that no clock and no integer has are numbers all the same")
    func numbers() {
        for number in [
            -1e308, -1, -0.0, 0, 0.5, 1, 9e18, 1e19, 1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ] {
            for name in ["timeout", "earliestBegin", "priority", "battery", "requestTimeout", "resourceTimeout"] {
                let request: JSONValue = [
                    "url": "http://h.org/", "method": "GET", "headers": [], "timeout": .double(number),
                ]
                ServerWords.convert([
                    "session": "s", "task": 1, "kind": "download", "request": request, name: .double(number),
                    "configuration": [name: .double(number)], "network": "wifi",
                ])
            }
        }
    }
}
