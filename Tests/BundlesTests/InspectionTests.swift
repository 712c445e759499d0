import Bundles
import Foundation
import Glibc
import Testing

@Suite("Good bundles are described and copied")
struct InspectionTests {
    private let workshop: Workshop

    init() throws {
        workshop = try Workshop()
    }

    private func inspect(_ relative: String) throws -> Manifest {
        try Inspection.inspect(path: workshop.path(relative), staging: workshop.staging)
    }

    @Test("Every key that counts arrives in the manifest") func everyKey() throws {
        try workshop.makeBundle(
            extra: """
                <key>CFBundleName</key><string>Good &amp; “Short”</string>
                <key>CFBundleDisplayName</key><string><![CDATA[Gööd <App>]]></string>
                <key>CFBundleShortVersionString</key><string>1.2</string>
                <key>CFBundleIconFile</key><string>art/icon.png</string>
                <key>UIBackgroundModes</key><array><string>audio</string><string>voip</string><string>audio</string></array>
                <key>UIApplicationExitsOnSuspend</key><true/>
                <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>good.sync</string></array>
                <!-- what is not known is left alone -->
                <key>LSMinimumSystemVersion</key><real>10.5</real>
                <key>Stamp</key><date>2010-06-21T00:00:00Z</date>
                <key>Blob</key><data>AAEC</data>
                <key>CFBundleURLTypes</key>
                <array><dict>
                  <key>CFBundleURLName</key><string>x</string>
                  <key>CFBundleURLSchemes</key><array><string>Good</string><string>g+1.x-y</string></array>
                </dict></array>
                """)
        var expected = Manifest(
            identifier: "org.example.good", name: "Gööd <App>", kind: .application, executable: "good")
        expected.version = "1.2"
        expected.icon = "art/icon.png"
        expected.backgroundModes = ["audio", "voip"]
        expected.exitsOnSuspend = true
        expected.taskIdentifiers = ["good.sync"]
        expected.urlSchemes = ["good", "g+1.x-y"]
        #expect(try inspect("Good.app") == expected)
    }

    @Test("The programs of extensions arrive by their extension points, as Apple's bundles have them")
    func extensions() throws {
        try workshop.makeBundle()
        try workshop.makeExtension("News", point: "com.apple.usernotifications.service")
        try workshop.makeExtension("Share", point: "com.apple.share-services")
        try workshop.write("no extension", to: "Good.app/PlugIns/README")
        let manifest = try inspect("Good.app")
        #expect(
            manifest.extensions == [
                "com.apple.usernotifications.service": "PlugIns/News.appex/News",
                "com.apple.share-services": "PlugIns/Share.appex/Share",
            ])
        let decoded = try JSONDecoder().decode(Manifest.self, from: Data(manifest.json.utf8))
        #expect(decoded == manifest)
    }

    @Test(
        "An extension that cannot be used is left out with what to do about it, and of too many none is taken",
        arguments: ["info", "point", "identifier", "program", "mode", "second", "link", "many"])
    func badExtensions(_ what: String) throws {
        try workshop.makeBundle()
        let inner = "Good.app/PlugIns/News.appex"
        try workshop.makeExtension("News", point: what == "point" ? nil : "p")
        switch what {
        case "info": try workshop.remove(inner + "/Info.plist")
        case "identifier": try workshop.makeExtension("News", point: "p", identifier: "org.example.other.news")
        case "program": try workshop.remove(inner + "/News")
        case "mode": try workshop.setMode(0o644, of: inner + "/News")
        case "second": try workshop.makeExtension("Newer", point: "p")
        case "link":
            try workshop.remove(inner)
            try workshop.link(inner, to: "..")
        case "many": for number in 0..<16 { try workshop.makeExtension("E\(number)", point: "p\(number)") }
        default: break
        }
        if what == "many" {
            let refusal = #expect(throws: Refusal.self) { try inspect("Good.app") }
            #expect(refusal?.description.contains(": ") ?? false)
            #expect(!FileManager.default.fileExists(atPath: workshop.path("staging/bundle/PlugIns")))
        } else {
            let manifest = try inspect("Good.app")
            #expect(manifest.warnings.count == 1 && manifest.warnings.allSatisfy { $0.contains(": ") })
            #expect(manifest.extensions.count == (what == "second" ? 1 : 0))
        }
    }

    /// A key, its value, and what of it arrives.
    static let oddities: [(key: String, value: String, check: @Sendable (Manifest) -> Bool, isSilent: Bool)] = [
        ("CFBundleName", "<string>\u{9b}31m</string>", { $0.name == "31m" }, false),
        ("CFBundleName", "<string>evil\u{202e}txt</string>", { $0.name == "eviltxt" }, false),
        ("CFBundleName", "<string>\(String(repeating: "n", count: 300))</string>", { $0.name.count == 256 }, false),
        ("CFBundleName", "<integer>7</integer>", { $0.name == "7" }, true),
        ("CFBundleName", "<array/>", { $0.name == "Good" }, false),
        ("CFBundleShortVersionString", "<real>1.5</real>", { $0.version == "1.5" }, true),
        ("CFBundleShortVersionString", "<true/>", { $0.version == nil }, false),
        ("UIBackgroundModes", "<string>audio</string>", { $0.backgroundModes == ["audio"] }, true),
        (
            "UIBackgroundModes", "<array><true/><string>audio</string></array>", { $0.backgroundModes == ["audio"] },
            false
        ),
        (
            "UIBackgroundModes", "<array><string>a/b</string><string>voip</string></array>",
            { $0.backgroundModes == ["voip"] },
            false
        ),
        ("UIBackgroundModes", "<dict><key>a</key><string>audio</string></dict>", { $0.backgroundModes.isEmpty }, false),
        (
            "UIBackgroundModes", "<array>\(String(repeating: "<string>a</string>", count: 65))</array>",
            { $0.backgroundModes == ["a"] }, false
        ),
        ("UIApplicationExitsOnSuspend", "<string>YES</string>", { $0.exitsOnSuspend }, true),
        ("UIApplicationExitsOnSuspend", "<integer>1</integer>", { $0.exitsOnSuspend }, true),
        ("UIApplicationExitsOnSuspend", "<string>perhaps</string>", { !$0.exitsOnSuspend }, false),
        ("GreenroomConnectionLimit", "<integer>90</integer>", { $0.connectionLimit == 90 }, true),
        ("GreenroomConnectionLimit", "<real>0.0</real>", { $0.connectionLimit == 0 }, true),
        ("GreenroomConnectionLimit", "<string>29.5</string>", { $0.connectionLimit == 30 }, true),
        ("GreenroomConnectionLimit", "<string>soon</string>", { $0.connectionLimit == nil }, false),
        ("GreenroomConnectionLimit", "<integer>-1</integer>", { $0.connectionLimit == nil }, false),
        ("GreenroomConnectionLimit", "<real>nan</real>", { $0.connectionLimit == nil }, false),
        ("GreenroomConnectionLimit", "<array/>", { $0.connectionLimit == nil }, false),
        (
            "BGTaskSchedulerPermittedIdentifiers", "<dict><key></key><string>REFRESH</string></dict>",
            { $0.taskIdentifiers.isEmpty }, false
        ),
        ("BGTaskSchedulerPermittedIdentifiers", "<string>a.b</string>", { $0.taskIdentifiers == ["a.b"] }, true),
        (
            "BGTaskSchedulerPermittedIdentifiers", "<array><string></string><string>a</string></array>",
            { $0.taskIdentifiers == ["a"] }, false
        ),
        ("UIApplicationSceneManifest", "<true/>", { $0.scenes == nil }, false),
        (
            "UIApplicationSceneManifest",
            "<dict><key>UIApplicationSupportsMultipleScenes</key><string>true</string></dict>",
            { $0.scenes == "several" }, true
        ),
        ("CFBundleURLTypes", "<dict/>", { $0.urlSchemes.isEmpty }, false),
        (
            "CFBundleURLTypes", "<dict><key>CFBundleURLSchemes</key><string>one</string></dict>",
            { $0.urlSchemes == ["one"] },
            true
        ),
        ("CFBundleURLTypes", "<array><string>x</string></array>", { $0.urlSchemes.isEmpty }, false),
        ("CFBundleURLTypes", schemes("case", ""), { $0.urlSchemes == ["case"] }, false),
        ("CFBundleURLTypes", schemes("1a", "case"), { $0.urlSchemes == ["case"] }, false),
        ("CFBundleURLTypes", schemes("a:b", "my_app", "case"), { $0.urlSchemes == ["case"] }, false),
        ("CFBundleURLTypes", schemes("file", "case"), { $0.urlSchemes == ["case"] }, false),
        (
            "CFBundleURLTypes", schemes("http", "HTTPS", "mailto"), { $0.urlSchemes == ["http", "https", "mailto"] },
            true
        ),
        ("CFBundleIconFile", "<string>../../etc/passwd</string>", { $0.icon == nil }, false),
        ("CFBundleIconFile", "<string>/etc/passwd</string>", { $0.icon == nil }, false),
        ("CFBundleIconFiles", "<string>icon.png</string>", { $0.icon == "icon.png" }, true),
    ]

    private static func schemes(_ schemes: String...) -> String {
        let items = schemes.map { "<string>\($0)</string>" }.joined()
        return "<array><dict><key>CFBundleURLSchemes</key><array>\(items)</array></dict></array>"
    }

    @Test("A key that is odd does not keep a bundle from being installed", arguments: oddities.indices)
    func odd(_ index: Int) throws {
        let (key, value, check, isSilent) = Self.oddities[index]
        try workshop.makeBundle(extra: "<key>\(key)</key>\(value)")
        let manifest = try inspect("Good.app")
        #expect(manifest.identifier == "org.example.good" && check(manifest), "\(key) \(value): \(manifest)")
        #expect(manifest.warnings.isEmpty == isSilent, "\(manifest.warnings)")
    }

    @Test("Without a name the folder's is used, and the rest is as a plain bundle expects") func defaults() throws {
        try workshop.makeBundle("Quiet Reader.app")
        let manifest = try inspect("Quiet Reader.app")
        #expect(
            manifest
                == Manifest(
                    identifier: "org.example.good", name: "Quiet Reader", kind: .application, executable: "good"))
        #expect(manifest.freezable)
    }

    @Test("A slash at the end of the path, as shells complete it, changes nothing") func trailingSlash() throws {
        try workshop.makeBundle()
        #expect(try inspect("Good.app/").identifier == "org.example.good")
    }

    @Test("The copy has the contents, inner links and x bits, and no other modes") func copies() throws {
        try workshop.makeBundle()
        try workshop.write("deep", to: "Good.app/a/b/file", mode: 0o666)
        try workshop.write("tool", to: "Good.app/a/tool", mode: 0o700)
        try workshop.write("shared", to: "elsewhere")
        try #require(unsafe link(workshop.path("elsewhere"), workshop.path("Good.app/hard")) == 0)
        try workshop.link("Good.app/a/b/up", to: "../../good")
        try workshop.link("Good.app/dangling", to: "a/./none")
        try workshop.setMode(0o2777, of: "Good.app/a")
        _ = try inspect("Good.app")

        #expect(try workshop.read("staging/bundle/a/b/file") == "deep")
        #expect(try workshop.read("staging/bundle/hard") == "shared")
        #expect(try workshop.read("staging/bundle/a/b/up") == "#!/bin/sh\n")
        let manager = FileManager.default
        #expect(try manager.destinationOfSymbolicLink(atPath: workshop.path("staging/bundle/dangling")) == "a/./none")
        #expect(try mode("staging/bundle/a") == 0o755)
        #expect(try mode("staging/bundle/a/tool") == 0o755)
        #expect(try mode("staging/bundle/a/b/file") == 0o644)
        #expect(
            try manager.subpathsOfDirectory(atPath: workshop.path("staging/bundle")).count
                == manager.subpathsOfDirectory(atPath: workshop.path("Good.app")).count)
    }

    @Test("Folders may nest 32 deep and a list too") func greatestDepth() throws {
        let arrays = String(repeating: "<array>", count: 31) + String(repeating: "</array>", count: 31)
        try workshop.makeBundle(extra: "<key>Deep</key>\(arrays)")
        let folders = "Good.app" + String(repeating: "/d", count: 32)
        try workshop.makeFolder(folders)
        _ = try inspect("Good.app")
    }

    @Test("The helper prints the same manifest as one line of JSON, within its limits") func helperAgrees() throws {
        try workshop.makeBundle(extra: "<key>CFBundleName</key><string>A \"quote\" \\ and 🎈</string>")
        let run = try HelperRun.inspect(workshop.path("Good.app"), staging: workshop.staging)
        #expect(run.status == 0)
        #expect(run.output.hasSuffix("}\n") && run.output.count { $0 == "\n" } == 1)
        #expect(run.peakBytes < 256 << 20)
        let decoded = try JSONDecoder().decode(Manifest.self, from: Data(run.output.utf8))
        try workshop.remove("staging/bundle")
        #expect(try decoded == inspect("Good.app"))
        #expect(decoded.name == "A \"quote\" \\ and 🎈")
    }

    @Test("The helper used wrongly exits with 2") func usage() throws {
        #expect(try HelperRun(arguments: []).status == 2)
        #expect(try HelperRun(arguments: ["inspect", "/"]).status == 2)
        #expect(try HelperRun(arguments: ["install", "/", "/"]).status == 2)
    }

    @Test(
        "A path that cannot be a bundle is refused",
        arguments: ["/", "", "relative/Good.app", "/tmp/..", "/nowhere/Good.app", "/etc", "/dev/null", "/tmp/a\nb"])
    func paths(_ path: String) {
        #expect(throws: Refusal.self) { try Inspection.inspect(path: path, staging: workshop.staging) }
    }

    @Test("What takes too long is refused with that reason rather than killed without one") func deadline() throws {
        try workshop.makeBundle()
        let refusal = #expect(throws: Refusal.self) {
            try Inspection.inspect(path: workshop.path("Good.app"), staging: workshop.staging, deadline: .now)
        }
        #expect(refusal?.refused.contains("longer than 2 s") == true)
    }

    @Test("A staging folder that is used already is refused rather than merged with") func usedStaging() throws {
        try workshop.makeBundle()
        try workshop.makeFolder("staging/bundle")
        #expect(throws: Refusal.self) { try inspect("Good.app") }
    }

    private func mode(_ relative: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe stat(workshop.path(relative), &status) == 0)
        return status.st_mode & 0o7777
    }
}
