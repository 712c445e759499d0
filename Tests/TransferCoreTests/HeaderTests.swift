import Model
import Testing
import TransferCore

@Suite("What the Core reads of HTTP") struct HeaderTests {
    private let rules = TransferRules()
    /// 2026-11-22T08:00:00Z.
    private let now = WallTime(nanoseconds: 1_795_334_400_000_000_000)

    private func head(_ fields: (String, String)...) -> ResponseHead {
        ResponseHead(status: 200, headers: fields.map { HeaderField($0.0, $0.1) })
    }

    @Test(
        "The three forms of a date are read, and nothing else",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:60 GMT", 784_111_799), ("Sun, 06 Nov 1994 08:49:37", nil),
            ("06 Nov 1994", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("", nil), ("Sun, 06 Nov 99999 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ seconds: Int64?) {
        #expect(HTTPDate.seconds(text, now: 1_795_334_400) == seconds)
    }

    @Test(
        "A part is what Content-Range says, and an impossible one is none",
        arguments: [
            ("bytes 5-9/10", ContentRange(start: 5, end: 9, total: 10)),
            ("Bytes 0-0/*", ContentRange(start: 0, end: 0, total: nil)), ("bytes 9-5/10", nil),
            ("bytes 5-10/10", nil), ("bytes */10", nil), ("items 5-9/10", nil), ("bytes -5-9/10", nil),
            ("bytes 5-9", nil), ("bytes 5-9/10/11", nil), ("bytes 5-99999999999999999999/*", nil), ("", nil),
        ] as [(String, ContentRange?)])
    func ranges(_ text: String, _ range: ContentRange?) {
        #expect(head(("content-range", text)).contentRange == range)
    }

    @Test(
        "Only a strong entity tag is one",
        arguments: [
            ("\"a\"", true), ("\"\"", true), ("W/\"a\"", false), ("a", false), ("\"", false), ("\"a\"b\"", false),
            ("\"a b\"", false),
        ])
    func tags(_ text: String, _ isStrong: Bool) {
        #expect((head(("ETag", text)).strongTag != nil) == isStrong)
    }

    @Test("A field that is there twice with two values says nothing")
    func twice() {
        #expect(head(("ETag", "\"a\""), ("etag", "\"b\"")).field("ETag") == nil)
        #expect(head(("Content-Length", "5"), ("content-length", " 5 ")).contentLength == 5)
        #expect(head(("Content-Length", "5"), ("content-length", "6")).contentLength == nil)
        #expect(head(("Content-Length", "+5")).contentLength == nil)
        #expect(head(("Content-Encoding", "gzip"), ("Content-Encoding", "br")).isCoded)
    }

    @Test("A date of change tells two versions apart only if it is old enough")
    func lastModified() {
        let modified = "Sun, 22 Nov 2026 07:59:00 GMT"
        func validator(_ date: String) -> Validator? {
            head(("Last-Modified", modified), ("Date", date)).validator(now: now, rules: rules)
        }
        #expect(validator("Sun, 22 Nov 2026 08:00:00 GMT") == .lastModified(modified))
        #expect(validator("Sun, 22 Nov 2026 07:59:59 GMT") == nil)
        #expect(head(("Last-Modified", modified)).validator(now: now, rules: rules) == nil)
    }

    @Test("A tag is preferred, and what is coded or cannot be had in parts has no validator")
    func validators() {
        #expect(head(("ETag", "\"a\"")).validator(now: now, rules: rules) == .etag("\"a\""))
        #expect(head(("ETag", "\"a\""), ("Content-Encoding", "gzip")).validator(now: now, rules: rules) == nil)
        #expect(head(("ETag", "\"a\""), ("Accept-Ranges", "none")).validator(now: now, rules: rules) == nil)
        #expect(head(("ETag", "\"a\""), ("Accept-Ranges", "bytes")).validator(now: now, rules: rules) != nil)
    }

    @Test(
        "Retry-After is seconds or a date, and bounded",
        arguments: [
            ("120", 120), ("0", 0), ("999999999", 21_600), ("Sun, 22 Nov 2026 08:02:00 GMT", 120),
            ("Sun, 22 Nov 2026 07:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 21_600), ("-5", nil),
            ("soon", nil),
        ] as [(String, Double?)])
    func retryAfter(_ text: String, _ seconds: Double?) {
        #expect(head(("Retry-After", text)).retryAfter(now: now, rules: rules)?.seconds == seconds)
    }

    @Test(
        "Only an http or https address with a host is one",
        arguments: [
            ("https://Example.org/a", "https://example.org:443"), ("http://a:8080?x", "http://a:8080"),
            ("HTTP://u:p@h/", "http://h:80"), ("http://[::1]:81/", "http://[::1]:81"), ("http://h:/", "http://h:80"),
            ("ftp://h/", nil), ("file:///etc/passwd", nil), ("http:///a", nil), ("http://h:0/", nil),
            ("http://h:99999/", nil), ("http://[::1/", nil), ("http//h", nil), ("http://a b/", nil), ("", nil),
        ] as [(String, String?)])
    func addresses(_ url: String, _ server: String?) {
        #expect(Address(url)?.server == server)
    }

    @Test("What is reached without a network is known")
    func loopback() {
        for url in ["http://127.0.0.1:8/", "http://localhost/", "https://[::1]/"] {
            #expect(Address(url)?.isLoopback == true)
        }
        for url in ["http://127.0.0.1.example.org/", "http://localhost.example.org/", "http://10.0.0.1/"] {
            #expect(Address(url)?.isLoopback == false)
        }
    }
}
