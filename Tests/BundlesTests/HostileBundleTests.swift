import Bundles
import Foundation
import Glibc
import TestPace
import Testing

/// What is wrong with a bundle, and a word that the refusal has to contain so that it is refused for that reason.
struct Hostile: CustomTestStringConvertible, Sendable {
    let what: String
    let word: String
    let spoil: @Sendable (Workshop) throws -> Void

    init(_ what: String, says word: String, _ spoil: @escaping @Sendable (Workshop) throws -> Void) {
        self.what = what
        self.word = word
        self.spoil = spoil
    }

    /// A bundle whose property list is `contents`.
    init(_ what: String, says word: String, plist contents: String) {
        self.init(what, says: word) { try $0.write(contents, to: "Good.app/Info.plist") }
    }

    var testDescription: String { String(reflecting: what) }
}

@Suite("Hostile bundles are refused, each with its reason, within 2 s and 256 MB")
struct HostileBundleTests {
    @Test("Property lists", arguments: Hostile.propertyLists) func propertyLists(_ hostile: Hostile) throws {
        try refuse(hostile)
    }

    @Test("Keys", arguments: Hostile.keys) func keys(_ hostile: Hostile) throws {
        try refuse(hostile)
    }

    @Test("Files", arguments: Hostile.files) func files(_ hostile: Hostile) throws {
        try refuse(hostile)
    }

    @Test("Sizes", arguments: Hostile.sizes) func sizes(_ hostile: Hostile) throws {
        try refuse(hostile)
    }

    private func refuse(_ hostile: Hostile) throws {
        let workshop = try Workshop()
        try workshop.makeBundle()
        try hostile.spoil(workshop)
        let run = try HelperRun.inspect(workshop.path("Good.app"), staging: workshop.staging)
        #expect(run.status == 1, "\(run.output)")
        #expect(run.wallClock < Pace.duration(seconds: 2))
        #expect(run.peakBytes < 256 << 20)
        let refusal = try JSONDecoder().decode(Refusal.self, from: Data(run.output.utf8))
        #expect(refusal.refused.contains(hostile.word), "\(refusal)")
        // What is refused for its list or its tree is refused before anything of it is copied.
        #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.staging).isEmpty)
    }
}

private func nested(_ count: Int) -> String {
    String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count)
}

extension Hostile {
    static let propertyLists: [Hostile] = [
        Hostile(
            "entities that multiply", says: "entities",
            plist: """
                <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
                <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><plist version="1.0"><string>&c;</string></plist>
                """),
        Hostile(
            "an external entity", says: "entities",
            plist: """
                <!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/passwd">]>
                <plist version="1.0"><string>&a;</string></plist>
                """),
        Hostile("an entity that nobody declared", says: "&a;", plist: plist("<string>&a;</string>")),
        Hostile("a binary list", says: "plutil -convert xml1") {
            try $0.write(Array("bplist00".utf8) + [UInt8](repeating: 0xd1, count: 205), to: "Good.app/Info.plist")
        },
        Hostile("arrays nested 4,000 deep", says: "nests deeper", plist: plist(nested(4000))),
        Hostile("arrays nested 33 deep", says: "nests deeper", plist: plist(nested(33))),
        Hostile(
            "arrays never closed", says: "nests deeper",
            plist: "<plist>" + String(repeating: "<array>", count: 9000)),
        Hostile(
            "5,000 values", says: "4096",
            plist: plist("<array>" + String(repeating: "<true/>", count: 5000) + "</array>")),
        Hostile("nested XML of 256 KiB", says: "64 KiB", plist: plist(nested(16_000))),
        Hostile("a sparse list of 8 GB", says: "64 KiB") {
            try $0.makeSparse("Good.app/Info.plist", bytes: 8 << 30)
        },
        Hostile("UTF-16", says: "UTF-8") {
            let wide = infoPlist().utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
            try $0.write([0xff, 0xfe] + wide, to: "Good.app/Info.plist")
        },
        Hostile("another encoding", says: "encoding", plist: "<?xml version=\"1.0\" encoding=\"latin1\"?><plist/>"),
        Hostile("a zero byte", says: "UTF-8", plist: infoPlist(identifier: "org.example\0.good")),
        Hostile("an escape sequence by reference", says: "&#27;", plist: infoPlist(executable: "good&#27;[2J")),
        Hostile("a zero by reference", says: "&#x0;", plist: infoPlist(executable: "good&#x0;")),
        Hostile(
            "a key that occurs twice", says: "twice",
            plist: infoPlist(extra: "<key>CFBundleIdentifier</key><string>org.example.other</string>")),
        Hostile("a key without value", says: "no value", plist: infoPlist(extra: "<key>Last</key>")),
        Hostile("a value without key", says: "<key>", plist: infoPlist(extra: "<string>x</string>")),
        Hostile("text between values", says: "</dict>", plist: infoPlist(extra: "text")),
        Hostile("an attribute", says: "attributes", plist: plist("<dict a=\"b\"/>")),
        Hostile("an element of another language", says: "<script>", plist: plist("<script></script>")),
        Hostile("a list that is cut off", says: "expected", plist: String(infoPlist().dropLast(30))),
        Hostile("a second list after the first", says: "follows", plist: infoPlist() + infoPlist()),
        Hostile("an integer beyond 64 bits", says: "integer", plist: plist("<integer>99999999999999999999</integer>")),
        Hostile("an endless comment", says: "comment", plist: "<plist><!-- " + String(repeating: "<!-", count: 20_000)),
        Hostile("only ampersands", says: "reference", plist: plist("<string>" + String(repeating: "&", count: 60_000))),
        Hostile("JSON", says: "<plist>", plist: "{\"CFBundleIdentifier\": \"org.example.good\"}"),
        Hostile("nothing", says: "<plist>", plist: ""),
        Hostile("an array as root", says: "dictionary", plist: plist("<array/>")),
    ]

    static let keys: [Hostile] =
        [
            "", "..", ".", "../evil", "a/b", "a b", "-rf", ".hidden", "org.example.é", "a&#10;", "a\n", "a%00",
            String(repeating: "a", count: 128),
        ].map { Hostile("the identifier “\($0)”", says: "CFBundleIdentifier", plist: infoPlist(identifier: $0)) }
        + [
            "", "../good", "/bin/sh", "sub/good", ".", "..", "missing", "good&#10;", "goo\u{202e}d", "Info.plist",
        ].map { Hostile("the executable “\($0)”", says: "CFBundleExecutable", plist: infoPlist(executable: $0)) }
        + [
            ("CFBundleIdentifier", "<integer>1</integer>", "not a string"),
            ("CFBundleExecutable", "<array><string>good</string></array>", "not a string"),
        ].map { key, value, word in
            Hostile("\(key) = \(value.prefix(60))", says: word) { workshop in
                let list = infoPlist().replacing("<key>\(key)</key>", with: "<key>\(key)</key>\(value)<key>Other</key>")
                try workshop.write(list, to: "Good.app/Info.plist")
            }
        }
}
