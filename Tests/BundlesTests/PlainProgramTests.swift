import Bundles
import Foundation
import Glibc
import Testing

/// A text as an argument of a test, shown short and with its control characters escaped.
struct Lines: CustomTestStringConvertible, ExpressibleByStringInterpolation, Sendable {
    let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    var testDescription: String { String(reflecting: String(text.prefix(60))) }
}

@Suite("Plain programs are described by their .desktop file or their path")
struct PlainProgramTests {
    private let workshop: Workshop

    init() throws {
        workshop = try Workshop()
    }

    /// Describes `org.example.tool.desktop` with these lines in its group.
    private func inspect(_ lines: String) throws -> Manifest {
        try workshop.write("[Desktop Entry]\n" + lines, to: "org.example.tool.desktop")
        return try Inspection.inspect(path: workshop.path("org.example.tool.desktop"), staging: workshop.staging)
    }

    private func inspect(exec: String) throws -> Manifest {
        try inspect("Type=Application\nName=Tool\nExec=\(exec)")
    }

    @Test("Every key that counts arrives in the manifest, and nothing is copied") func everyKey() throws {
        try workshop.makeFolder("data")
        let manifest = try inspect(
            """
            # a comment
            Type = Application
            Name=Tool \\\\ Box
            Name[de]=Werkzeug
            Exec=sh -c "echo \\\\\\\\ \\\\$HOME" --name=100%% %F ""
            TryExec=/bin/sh
            Path=./data
            Terminal=true
            Icon=tool
            MimeType=text/plain;x-scheme-handler/Tool;
            X-Greenroom-BackgroundModes=audio;voip;
            X-Greenroom-ExitsOnSuspend=true
            X-Greenroom-Namespaces=true
            X-Greenroom-ConnectionLimit=600
            X-Greenroom-Freeze=false

            [Desktop Action New]
            Name=New
            Exec=rm -rf /
            """)
        var expected = Manifest(
            identifier: "org.example.tool", name: "Tool \\ Box", kind: .plain, executable: manifest.executable)
        expected.arguments = ["-c", "echo \\ $HOME", "--name=100%", ""]
        expected.workingDirectory = workshop.path("data")
        expected.terminal = true
        expected.icon = "tool"
        expected.urlSchemes = ["tool"]
        expected.backgroundModes = ["audio", "voip"]
        expected.exitsOnSuspend = true
        expected.namespaces = true
        expected.connectionLimit = 600
        expected.freezable = false
        #expect(manifest == expected)
        #expect(["/usr/bin/sh", "/bin/sh", "/usr/local/bin/sh"].contains(manifest.executable))
        #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.staging).isEmpty)
    }

    @Test("A program counts as graphical unless it has a terminal or says whether it may be frozen")
    func graphical() throws {
        let base = "Type=Application\nName=Tool\nExec=sh\n"
        #expect(try inspect(base).graphical)
        #expect(try inspect(base).freezable)
        #expect(try !inspect(base + "Terminal=true").graphical)
        #expect(try !inspect(base + "X-Greenroom-Freeze=true").graphical)
        #expect(try inspect(base + "X-Greenroom-Freeze=true").freezable)
        #expect(try !inspect(base + "X-Greenroom-Freeze=false").freezable)
    }

    @Test("A program beginning with ./ lies beside the .desktop file; arguments stay as they are") func beside() throws
    {
        try workshop.write("#!/bin/sh\n", to: "bin/serve", mode: 0o755)
        let manifest = try inspect(exec: "./bin/serve ./data")
        #expect(manifest.executable == workshop.path("bin/serve"))
        #expect(manifest.arguments == ["./data"])
        #expect(try inspect("Type=Application\nName=T\nExec=sh\nPath=.").workingDirectory == workshop.folder)
    }

    @Test("Lines may end with CR LF") func carriageReturns() throws {
        #expect(try inspect("Type=Application\r\nName=Tool\r\nExec=sh -x\r\n").arguments == ["-x"])
    }

    @Test(
        "Exec is taken apart without a shell",
        arguments: [
            ("sh a  b", ["a", "b"]), ("sh \"a b\" c", ["a b", "c"]), ("sh %f", []),
            ("sh --open=%u x", ["--open=", "x"]),
            ("sh \"\"", [""]), ("sh %d x", ["x"]),
            ("sh \"\\\\$(reboot)\"", ["$(reboot)"]),
            ("sh \"a;b|c&d\"", ["a;b|c&d"]), ("\"sh\" a=b", ["a=b"]), ("sh é 🎈", ["é", "🎈"]),
            ("sh -c 'a \"b\" c' d", ["-c", "a \"b\" c", "d"]), ("sh a\"b c\"d", ["ab cd"]), ("sh ''", [""]),
            ("sh a\\\\ b", ["a b"]), ("sh \\q", ["q"]), ("sh --name='a b' %U", ["--name=a b"]),
        ])
    func exec(line: String, arguments: [String]) throws {
        let manifest = try inspect(exec: line)
        #expect(manifest.arguments == arguments && manifest.warnings.isEmpty)
    }

    @Test("Field codes stand for the name, the icon and the file")
    func fieldCodes() throws {
        let base = "Type=Application\nName=Tool Box\nExec=sh %i -T %c --file=%k %q\n"
        let file = workshop.path("org.example.tool.desktop")
        #expect(try inspect(base + "Icon=tool").arguments == ["--icon", "tool", "-T", "Tool Box", "--file=\(file)"])
        #expect(try inspect(base + "Icon=").arguments == ["-T", "Tool Box", "--file=\(file)"])
        let manifest = try inspect(base)
        #expect(manifest.arguments == ["-T", "Tool Box", "--file=\(file)"] && manifest.warnings.count == 1)
        #expect(manifest.warnings.first?.contains("%q") == true)
    }

    @Test(
        "What a shell would act on stands for itself, and whoever installs it is told",
        arguments: ["a;b", "$HOME", "`id`", "a|b", "a>b", "*", "~", "x#y", "(x)", "a&"])
    func noShell(argument: String) throws {
        let manifest = try inspect(exec: "sh " + argument)
        #expect(manifest.arguments == [argument] && manifest.warnings.count == 1)
    }

    @Test(
        "Quoted arguments may have tabs and line breaks",
        arguments: [
            ("sh -c \"cd /\\nexec x\"", ["-c", "cd /\nexec x"]), ("sh 'a\\tb' c\\td", ["a\tb", "c", "d"]),
            ("sh \"a\tb\" \\\\\\t", ["a\tb", "\t"]),
        ])
    func breaks(line: String, arguments: [String]) throws {
        #expect(try inspect(exec: line).arguments == arguments)
    }

    @Test(
        "A comment in Exec is left out, as desktops do it",
        arguments: [
            ("sh x # of all", ["x"]), ("sh #x", []), ("sh '#' \"#\" x#y", ["#", "#", "x#y"]), ("sh \\\\#x", ["#x"]),
            ("sh x # \"unclosed", ["x"]), ("sh # x\\ny", ["y"]),
        ])
    func comments(line: String, arguments: [String]) throws {
        let manifest = try inspect(exec: line)
        #expect(manifest.arguments == arguments)
        #expect(manifest.warnings.contains { $0.contains("is a comment") } == (line.contains(" #")))
    }

    @Test("A program without a name has that of its file, and whoever installs it is told")
    func nameless() throws {
        for lines in ["", "Name=\n", "Name[de]=Werkzeug\n", "name=Tool\n"] {
            let manifest = try inspect("Type=Application\n\(lines)Exec=sh")
            #expect(manifest.name == "org.example.tool" && manifest.warnings.count == 1, "\(lines)")
        }
    }

    @Test(
        "An Exec that names no program, or does not end, is refused",
        arguments: [
            "sh \"a", "sh 'a", "sh a\"b", "\"\" x", "'' x", "%f", "%q",
            "no-such-program-anywhere", "bin/sh", "../sh", "./../sh", "./missing", "/", "/etc", "/etc/passwd", "..",
            "sh a\\rb", "sh \u{1b}[2J", "sh \(String(repeating: "x ", count: 300))",
            "sh \(String(repeating: "x", count: 5000))",
        ])
    func refusedExec(line: Lines) {
        #expect(throws: Refusal.self) { try inspect(exec: line.text) }
    }

    @Test(
        "A .desktop file that is not as the specification says is refused",
        arguments: [
            "", "Name=T\nExec=sh", "Type=Link\nName=T\nExec=sh", "Type=Application\nName=T\nExec=",
            "Type=Application\nName=T", "Type=Application\nName=T\nDBusActivatable=true",
            "Type=Application\nName=T\nExec=sh\nHidden=true",
            "Type=Application\nName=T\nExec=sh\nTryExec=missing-program", "Type=Application\nrubbish",
            "Type=Application\nName=T\u{0}\nExec=sh", "\(String(repeating: "#\n", count: 400_000))",
        ])
    func refusedEntries(lines: Lines) {
        #expect(throws: Refusal.self) { try inspect(lines.text) }
    }

    static let oddities = [
        "Name=U", "Icon=\u{1b}[2J", "Icon=a\\tb", "Terminal=yes", "Path=/nowhere", "Path=../..", "Path=/etc/passwd",
        "X-Greenroom-BackgroundModes=a/b;", "rubbish", "MimeType=x-scheme-handler/;", "MimeType=x-scheme-handler/a b;",
        "MimeType=x-scheme-handler/file;", "X-Greenroom-Freeze=maybe",
        "Comment=\u{FFFD}\n[Desktop Entry]\nComment[de]=x",
        "MimeType=" + (0..<70).map { "x-scheme-handler/s\($0);" }.joined(),
    ]

    @Test("A side matter that is odd is left out with a remark", arguments: oddities.indices)
    func odd(_ index: Int) throws {
        let manifest = try inspect("Type=Application\nName=T\nExec=sh x\n" + Self.oddities[index])
        #expect(manifest.warnings.count == 1, "\(manifest.warnings)")
        #expect(manifest.arguments == ["x"] && manifest.backgroundModes.isEmpty && manifest.workingDirectory == nil)
        #expect(manifest.urlSchemes.count == (Self.oddities[index].contains("s69") ? 64 : 0))
    }

    @Test("A file in another encoding is read as far as it goes")
    func encoding() throws {
        let head = Array("[Desktop Entry]\nType=Application\nName=Tool\nExec=sh\nComment=caf".utf8)
        try workshop.write(head + [0xE9] + Array("\n".utf8), to: "latin.desktop")
        let manifest = try Inspection.inspect(path: workshop.path("latin.desktop"), staging: workshop.staging)
        #expect(manifest.name == "Tool" && manifest.warnings.count == 1)
        for end in [[], [0x0A], [0x0D, 0x0A]] as [[UInt8]] {
            try workshop.write([0xEF, 0xBB, 0xBF] + end + head, to: "marked.desktop")
            let marked = try Inspection.inspect(path: workshop.path("marked.desktop"), staging: workshop.staging)
            #expect(marked.name == "Tool" && marked.warnings.isEmpty)
        }
    }

    @Test("Any number of types is fine, and the schemes of browsers and mail programs are claims as any other")
    func types() throws {
        let types = (0..<300).map { "audio/x-\($0);" }.joined()
        let manifest = try inspect(
            "Type=Application\nName=T\nExec=sh\nMimeType=\(types)x-scheme-handler/HTTP;x-scheme-handler/https;"
                + "x-scheme-handler/mailto;")
        #expect(manifest.urlSchemes == ["http", "https", "mailto"] && manifest.warnings.isEmpty)
    }

    @Test(
        "An app is named after its file, or by what comes near that",
        arguments: [
            ("joplin-desktop_joplin-desktop", "joplin-desktop_joplin-desktop"), ("_a", "_a"), ("a b", "a-b"),
            ("notepad++", "notepad--"), (".hidden", "hidden"), ("-x", "x"), ("kdé", "kd--"),
        ])
    func names(file: String, identifier: String) throws {
        try workshop.write("[Desktop Entry]\nType=Application\nName=T\nExec=sh\n", to: file + ".desktop")
        let manifest = try Inspection.inspect(path: workshop.path(file + ".desktop"), staging: workshop.staging)
        #expect(manifest.identifier == identifier && manifest.warnings.isEmpty == (file == identifier))
    }

    @Test("A .desktop file without its group, or that is a link, is refused") func refusedFiles()
        throws
    {
        try workshop.write("Type=Application\nName=T\nExec=sh\n", to: "bare.desktop")
        try workshop.write("[Other]\nType=Application\nName=T\nExec=sh\n", to: "other.desktop")
        let good = "[Desktop Entry]\nType=Application\nName=T\nExec=sh\n"
        for name in ["good.desktop", "++.desktop"] { try workshop.write(good, to: name) }
        try workshop.link("link.desktop", to: "good.desktop")
        _ = try Inspection.inspect(path: workshop.path("good.desktop"), staging: workshop.staging)
        for name in ["bare", "other", "++", "link"] {
            #expect(throws: Refusal.self, "\(name)") {
                try Inspection.inspect(path: workshop.path(name + ".desktop"), staging: workshop.staging)
            }
        }
    }

    @Test("An executable is named after its file; links such as Debian's alternatives are followed") func executable()
        throws
    {
        try workshop.write("#!/bin/sh\n", to: "my_tool+1", mode: 0o755)
        try workshop.link("alias", to: "my_tool+1")
        let manifest = try Inspection.inspect(path: workshop.path("my_tool+1"), staging: workshop.staging)
        #expect(
            manifest
                == Manifest(
                    identifier: "my-tool-1", name: "my_tool+1", kind: .plain, executable: workshop.path("my_tool+1")))
        let alias = try Inspection.inspect(path: workshop.path("alias"), staging: workshop.staging)
        #expect(alias.identifier == "alias" && alias.executable == workshop.path("alias"))
    }

    @Test("A file that cannot be run, or would run as someone else, is refused") func refusedExecutables() throws {
        try workshop.write("", to: "data", mode: 0o644)
        try workshop.write("", to: "su", mode: 0o4755)
        try workshop.write("", to: "sg", mode: 0o2755)
        try workshop.write("", to: "___", mode: 0o755)
        try workshop.link("broken", to: "nowhere")
        for name in ["data", "su", "sg", "___", "broken"] {
            #expect(throws: Refusal.self, "\(name)") {
                try Inspection.inspect(path: workshop.path(name), staging: workshop.staging)
            }
        }
    }
}
