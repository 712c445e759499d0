import Foundation
import ProjectImport
import Testing

@Suite("Files of targets")
struct MemberTests {
    // MARK: Synchronized folders

    private static func synchronized(own: String, other: String = "", keys: String = "") -> Sample {
        var sample = Sample()
        sample.children = ["OWN", "OTHER"]
        sample.app = "fileSystemSynchronizedGroups = (OWN);"
        sample.targets = ["WIDGET"]
        sample.objects = """
            OWN = { isa = PBXFileSystemSynchronizedRootGroup; path = Own; sourceTree = "<group>"; exceptions = (X1, X3);
                \(keys) };
            X1 = { isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = APP; \(own) };
            X3 = { isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = WIDGET;
                membershipExceptions = (Shared.swift); };
            OTHER = { isa = PBXFileSystemSynchronizedRootGroup; path = Other; sourceTree = "<group>";
                exceptions = (X2); };
            X2 = { isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = APP; \(other) };
            WIDGET = { isa = PBXNativeTarget; name = Widget; productType = "com.apple.product-type.app-extension";
                buildPhases = (); fileSystemSynchronizedGroups = (OTHER); };
            """
        return sample
    }

    @Test("A synchronized folder gives its Swift files and, without its folders, its resources")
    func folder() throws {
        let sample = Self.synchronized(own: "membershipExceptions = (Info.plist, Left.swift, Sub/Old);")
        let (project, _) = try sample.read([
            "Own/A.swift": "", "Own/Left.swift": "", "Own/Shared.swift": "", "Own/Sounds/ping.caf": "x",
            "Own/beep.json": "{}", "Own/de.lproj/Localizable.strings": "", "Own/Sub/Old/B.swift": "",
            "Own/Sub/C.swift": "", "Own/Art.xcassets/Contents.json": "{}", "Own/Bridge.h": "", "Own/.hidden": "",
            "Own/Media.bundle/a/b.txt": "", "Own/App.entitlements": "",
        ])
        #expect(project.sources == ["App/Main.swift", "Own/A.swift", "Own/Shared.swift", "Own/Sub/C.swift"])
        #expect(
            project.places == ["Media.bundle/a/b.txt", "beep.json", "de.lproj/Localizable.strings", "ping.caf"])
        for path in ["Own/Left.swift", "Own/Sub/Old/B.swift"] {
            #expect(project.reason(path)?.contains("excepts it") == true)
        }
        #expect(project.reason("Own/Art.xcassets/Contents.json")?.contains("asset catalog") == true)
    }

    @Test("An exception set of a folder that another target has is what the app takes of it")
    func otherFolder() throws {
        let sample = Self.synchronized(
            own: "", other: "membershipExceptions = (Common.swift, \"/Localized: Texts.strings\", Data);")
        let (project, _) = try sample.read([
            "Own/A.swift": "", "Other/Common.swift": "", "Other/OnlyWidget.swift": "",
            "Other/en.lproj/Texts.strings": "",
            "Other/fr.lproj/Texts.strings": "", "Other/fr.lproj/Mine.strings": "", "Other/Data/x.bin": "1",
        ])
        #expect(project.sources.contains("Other/Common.swift"))
        #expect(project.places == ["en.lproj/Texts.strings", "fr.lproj/Texts.strings", "x.bin"])
        for path in ["Other/OnlyWidget.swift", "Other/fr.lproj/Mine.strings"] {
            #expect(project.reason(path)?.contains("only the target Widget") == true)
        }
    }

    @Test("Filters, types and folders of a synchronized folder count")
    func keys() throws {
        let sample = Self.synchronized(
            own: """
                platformFiltersByRelativePath = { "Mac.swift" = (macos, ); Both.swift = (ios, maccatalyst, );
                    "tv" = (tvos); };
                additionalCompilerFlagsByRelativePath = { A.swift = "-O"; };
                """,
            keys: "explicitFolders = (Web); explicitFileTypes = { Sample.swift = text; };")
        let (project, _) = try sample.read([
            "Own/A.swift": "", "Own/Mac.swift": "", "Own/Both.swift": "", "Own/tv/T.swift": "", "Own/Sample.swift": "",
            "Own/Web/index.html": "", "Own/Web/js/a.js": "", "Own/Web/swift.swift": "",
        ])
        #expect(project.sources == ["App/Main.swift", "Own/A.swift", "Own/Both.swift"])
        #expect(project.places == ["Sample.swift", "Web/index.html", "Web/js/a.js", "Web/swift.swift"])
        #expect(project.reason("Own/Mac.swift") == "its platform filter is macos")
        #expect(project.reason("Own/tv/T.swift") == "its platform filter is tvos")
        #expect(project.notes.contains { $0.contains("A.swift is compiled without its own flags -O") })
    }

    @Test("A file of a synchronized folder may belong to a phase of its own")
    func phases() throws {
        var sample = Self.synchronized(own: "")
        sample.phases = ["COPY"]
        sample.objects =
            sample.objects.replacing("(X1, X3)", with: "(X1, X3, X4)") + """
                COPY = { isa = PBXCopyFilesBuildPhase; dstPath = Deep/Down; dstSubfolderSpec = 7; files = (); };
                X4 = { isa = PBXFileSystemSynchronizedGroupBuildPhaseMembershipExceptionSet; buildPhase = COPY;
                    membershipExceptions = (data.bin, Folder); };
                """
        let (project, _) = try sample.read([
            "Own/data.bin": "1", "Own/Folder/x.txt": "", "Own/rest.txt": "", "Own/A.swift": "",
        ])
        #expect(project.places == ["Deep/Down/data.bin", "Deep/Down/x.txt", "rest.txt"])
    }

    // MARK: Build files

    @Test(
        "A file whose platform filter names other systems is left out",
        arguments: [
            ("platformFilter = macos;", "macos"), ("platformFilters = (macos, maccatalyst, );", "macos, maccatalyst"),
            ("platformFilter = maccatalyst;", "maccatalyst"),
            ("platformFilters = (tvos, watchos, xros);", "tvos, watchos, xros"),
            ("platformFilter = ios;", nil), ("platformFilters = (ios, macos, );", nil), ("platformFilters = ();", nil),
        ])
    func filters(filter: String, others: String?) throws {
        var sample = Sample()
        sample.files = ["F": "path = Filtered.swift;", "J": "path = data.json;"]
        sample.sources += ["F"]
        sample.resources = ["J"]
        sample.filters = ["F": filter, "J": filter]
        let (project, _) = try sample.read(["App/Filtered.swift": "", "App/data.json": ""])
        #expect(project.sources.contains("App/Filtered.swift") == (others == nil))
        #expect(project.places == (others == nil ? ["data.json"] : []))
        #expect(project.reason("App/Filtered.swift") == others.map { "its platform filter is \($0)" })
    }

    @Test(
        "EXCLUDED_SOURCE_FILE_NAMES leaves out files, unless INCLUDED_SOURCE_FILE_NAMES takes them back",
        arguments: [
            ("EXCLUDED_SOURCE_FILE_NAMES = \"Mock*.swift\";", ["Mock.swift", "Mock2.swift"]),
            ("EXCLUDED_SOURCE_FILE_NAMES = (\"Mock?.swift\", \"*.js*\");", ["Mock2.swift", "data.json"]),
            ("EXCLUDED_SOURCE_FILE_NAMES = \"*/Mock.swift\";", ["Mock.swift"]),
            ("EXCLUDED_SOURCE_FILE_NAMES = \"$(SRCROOT)/App/Mock.swift\";", ["Mock.swift"]),
            ("EXCLUDED_SOURCE_FILE_NAMES = \"Other/Mock*\";", []),
            ("EXCLUDED_SOURCE_FILE_NAMES = \"Mock[0-9].swift\";", ["Mock2.swift"]),
            ("\"EXCLUDED_SOURCE_FILE_NAMES[sdk=iphoneos*]\" = Mock.swift;", ["Mock.swift"]),
            ("\"EXCLUDED_SOURCE_FILE_NAMES[sdk=macosx*]\" = Mock.swift;", []),
            (
                "EXCLUDED_SOURCE_FILE_NAMES = \"*\"; INCLUDED_SOURCE_FILE_NAMES = \"Main.swift Mock.swift data.*\";",
                ["Mock2.swift"]
            ),
        ])
    func exclusion(settings: String, left: [String]) throws {
        var sample = Sample()
        sample.settings = settings
        sample.files = ["F": "path = Mock.swift;", "H": "path = Mock2.swift;", "J": "path = data.json;"]
        sample.sources += ["F", "H"]
        sample.resources = ["J"]
        let (project, _) = try sample.read(["App/Mock.swift": "", "App/Mock2.swift": "", "App/data.json": ""])
        let names = project.report.left.map { URL(fileURLWithPath: $0.path).lastPathComponent }
        #expect(names.sorted() == left)
        #expect(project.report.left.allSatisfy { $0.reason.contains("EXCLUDED_SOURCE_FILE_NAMES has") })
    }

    private static let catalog = """
        { "sourceLanguage": "en", "version": "1.0", "strings": { "Hello": { "localizations": { "fr": {
            "stringUnit": { "state": "translated", "value": "Bonjour" } } } }, "Plain": {},
            "%lld files": { "localizations": { "fr": { "variations": { "plural": {
                "one": { "stringUnit": { "state": "translated", "value": "%lld fichier" } },
                "other": { "stringUnit": { "state": "translated", "value": "%lld fichiers" } } } } } } } } }
        """

    @Test("Files in several languages keep the folders of their languages, and folders their names")
    func resources() throws {
        var sample = Sample()
        sample.files = [
            "V": "isa = PBXVariantGroup; name = Localizable.strings; children = (EN, DE);",
            "W": "path = Web; lastKnownFileType = folder;", "E": "path = Empty; lastKnownFileType = folder;",
            "D": "path = \"Größe & \\\"Maß\\\".txt\";",
            "M": "isa = XCVersionGroup; path = Model.xcdatamodeld; children = ();", "X": "path = Texts.xcstrings;",
        ]
        sample.resources = ["V", "W", "E", "D", "X"]
        sample.sources += ["M"]
        sample.objects = """
            EN = { isa = PBXFileReference; path = en.lproj/Localizable.strings; sourceTree = "<group>"; };
            DE = { isa = PBXFileReference; path = de.lproj/Localizable.strings; sourceTree = "<group>"; };
            """
        let (project, folder) = try sample.read([
            "App/en.lproj/Localizable.strings": "1", "App/de.lproj/Localizable.strings": "2", "App/Web/a/b.js": "3",
            "App/Web/.DS_Store": "", "App/Größe & \"Maß\".txt": "4",
            "App/Model.xcdatamodeld/M.xcdatamodel/contents": "",
            "App/Texts.xcstrings": Self.catalog, "App/fr.lproj/Localizable.strings": "", "Notes.txt": "",
            "App/Empty/": "",
        ])
        #expect(
            project.places == [
                "Größe & \"Maß\".txt", "Web/a/b.js", "de.lproj/Localizable.strings", "en.lproj/Localizable.strings",
                "fr.lproj/Texts.strings", "fr.lproj/Texts.stringsdict",
            ])
        #expect(project.reason("App/Model.xcdatamodeld/M.xcdatamodel/contents")?.contains("Core Data") == true)
        #expect(project.reason("Notes.txt") == "no target of the project has it")
        #expect(project.notes.contains { $0.contains("the folder Empty is empty") })
        let output = folder.url.appending(path: "out")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        let copy = output.appending(path: "Apps/App/de.lproj/Localizable.strings")
        #expect(try String(contentsOf: copy, encoding: .utf8) == "2")
        let french = try Data(contentsOf: output.appending(path: "Apps/App/fr.lproj/Texts.strings"))
        #expect(try propertyList(french)["Hello"] as? String == "Bonjour")
        let bundle = try #require(Bundle(url: output.appending(path: "Apps/App/fr.lproj")))
        #expect(bundle.localizedString(forKey: "Hello", value: nil, table: "Texts") == "Bonjour")
    }

    @Test("Phases that copy files fill folders of the bundle; scripts and rules are named")
    func otherPhases() throws {
        var sample = Sample()
        sample.files = ["A": "path = a.dat;", "L": "path = Lib.framework;", "Y": "path = Parser.y;"]
        sample.phases = ["COPY", "EMBED", "SCRIPT", "LIBS"]
        sample.app = "buildRules = (RULE);"
        sample.sources += ["Y"]
        sample.objects = """
            COPY = { isa = PBXCopyFilesBuildPhase; dstPath = "Data/$(CONFIGURATION)/../x"; dstSubfolderSpec = 7;
                files = (CA); };
            CA = { isa = PBXBuildFile; fileRef = A; };
            EMBED = { isa = PBXCopyFilesBuildPhase; dstSubfolderSpec = 10; files = (CL); };
            CL = { isa = PBXBuildFile; fileRef = L; };
            LIBS = { isa = PBXFrameworksBuildPhase; files = (CL, CS); };
            CS = { isa = PBXBuildFile; fileRef = SYSTEM; };
            SYSTEM = { isa = PBXFileReference; path = System/Library/Frameworks/UIKit.framework; sourceTree = SDKROOT;
                };
            SCRIPT = { isa = PBXShellScriptBuildPhase; name = "Write Keys"; shellScript = "echo"; };
            RULE = { isa = PBXBuildRule; filePatterns = "*.proto"; };
            """
        let (project, _) = try sample.read(["App/a.dat": "", "App/Lib.framework/Lib": "", "App/Parser.y": ""])
        #expect(project.places == ["Data/Release/x/a.dat"])
        #expect(project.reason("App/Lib.framework/Lib") != nil)
        #expect(project.notes.contains { $0.contains("“Write Keys” is not run") })
        #expect(project.notes.contains { $0.contains("*.proto") })
    }

    // MARK: Places

    @Test("Paths begin where the project says, and may have settings in them")
    func places() throws {
        var sample = Sample()
        sample.projectSettings = "BRAND = Blue; LIBS = Vendor;"
        sample.files = [
            "ROOT": "path = Root.swift; sourceTree = SOURCE_ROOT;", "B": "path = \"$(BRAND:lower)/Brand.swift\";",
            "V": "path = V.swift; sourceTree = LIBS;", "U": "path = U.swift; sourceTree = NOWHERE;",
            "T": "path = Made.swift; sourceTree = BUILT_PRODUCTS_DIR;", "C": "path = wrongcase.SWIFT;",
        ]
        sample.sources += ["ROOT", "B", "V", "U", "T", "C"]
        let (project, _) = try sample.read([
            "Root.swift": "", "App/blue/Brand.swift": "", "Vendor/V.swift": "", "App/WrongCase.swift": "",
        ])
        #expect(
            project.sources == [
                "App/Main.swift", "App/WrongCase.swift", "App/blue/Brand.swift", "Root.swift", "Vendor/V.swift",
            ])
        for words in ["U.swift is left out: its place NOWHERE", "Made.swift is left out: the build makes it"] {
            #expect(project.notes.contains { $0.contains(words) }, "\(words) in \(project.notes)")
        }
    }

    @Test(
        "A project may begin its paths in another folder, and lie in one",
        arguments: ["..", "../", "../../Deep/Here/..", "\"..\""])
    func projectFolder(path: String) throws {
        var sample = Sample()
        sample.project = "projectDirPath = \(path); projectRoot = \"\";"
        let text = sample.text
        let folder = try Folder([
            "Deep/proj/App.xcodeproj/project.pbxproj": text, "Deep/App/Main.swift": "", "Deep/Here/x.txt": "",
            "Top.swift": "",
        ])
        let named = try ProjectImport.read(folder.url.appending(path: "Deep/proj/App.xcodeproj"))
        #expect(named.sources == ["App/Main.swift"])
        try named.expectComplete(folder.url.appending(path: "Deep"))
        let found = try ProjectImport.read(folder.url)
        #expect(found.sources == ["Deep/App/Main.swift"])
        #expect(found.targets.map(\.name) == ["App"])
        try found.expectComplete(folder.url)
    }

    @Test("Two names that differ only in how an accent is written are two files")
    func accents() throws {
        let (project, _) = try Sample().read(["caf\u{e9}.txt": ""], links: ["cafe\u{301}.txt": "caf\u{e9}.txt"])
        #expect(project.report.left.count == 2)
    }

    @Test("A link is what it stands for, and what is reached by a link is taken once")
    func links() throws {
        var sample = Sample()
        sample.files = ["A": "path = Linked.swift;", "B": "path = way/B.swift;"]
        sample.sources += ["A", "B"]
        let (project, _) = try sample.read(
            ["Real/A.swift": "", "Real/B.swift": "", "Real/C.swift": ""],
            links: ["App/Linked.swift": "../Real/A.swift", "App/way": "../Real", "loop": ".", "dead": "nowhere"])
        #expect(project.sources == ["App/Linked.swift", "App/Main.swift", "Real/A.swift", "Real/B.swift"])
        #expect(project.targets.first?.sources.count == 3)
        #expect(project.reason("Real/C.swift") != nil && project.reason("dead") == "a symbolic link to nowhere")
    }

    // MARK: Other targets

    @Test("Libraries of the project are a part of the app, with their resources, however deep they are")
    func libraries() throws {
        var sample = Sample()
        sample.targets = ["KIT", "CORE", "RES", "MACKIT"]
        sample.app = "dependencies = (D1, D3, D4);"
        sample.children = ["K"]
        sample.objects = """
            K = { isa = PBXGroup; path = Kit; sourceTree = "<group>"; children = (K1, K2, C1, RJ, KJ, M1); };
            K1 = { isa = PBXFileReference; path = Kit.swift; sourceTree = "<group>"; };
            K2 = { isa = PBXFileReference; path = Main.swift; sourceTree = "<group>"; };
            C1 = { isa = PBXFileReference; path = Core.swift; sourceTree = "<group>"; };
            M1 = { isa = PBXFileReference; path = Mac.swift; sourceTree = "<group>"; };
            RJ = { isa = PBXFileReference; path = words.json; sourceTree = "<group>"; };
            KJ = { isa = PBXFileReference; path = kit.json; sourceTree = "<group>"; };
            D1 = { isa = PBXTargetDependency; target = KIT; }; D2 = { isa = PBXTargetDependency; target = CORE; };
            D3 = { isa = PBXTargetDependency; target = RES; };
            D4 = { isa = PBXTargetDependency; target = MACKIT; platformFilter = macos; };
            BK1 = { isa = PBXBuildFile; fileRef = K1; }; BK2 = { isa = PBXBuildFile; fileRef = K2; };
            BC1 = { isa = PBXBuildFile; fileRef = C1; }; BRJ = { isa = PBXBuildFile; fileRef = RJ; };
            BKJ = { isa = PBXBuildFile; fileRef = KJ; }; BM1 = { isa = PBXBuildFile; fileRef = M1; };
            KS = { isa = PBXSourcesBuildPhase; files = (BK1, BK2); }; KR = { isa = PBXResourcesBuildPhase;
                files = (BKJ); };
            CS = { isa = PBXSourcesBuildPhase; files = (BC1); }; RR = { isa = PBXResourcesBuildPhase; files = (BRJ); };
            MS = { isa = PBXSourcesBuildPhase; files = (BM1); };
            KIT = { isa = PBXNativeTarget; name = Kit; productType = "com.apple.product-type.framework";
                buildPhases = (KS, KR); dependencies = (D2); };
            CORE = { isa = PBXNativeTarget; name = "My Core"; productType = "com.apple.product-type.library.static";
                buildPhases = (CS); };
            RES = { isa = PBXNativeTarget; name = Words; productType = "com.apple.product-type.bundle";
                buildPhases = (RR); };
            MACKIT = { isa = PBXNativeTarget; name = MacKit; productType = "com.apple.product-type.framework";
                buildPhases = (MS); };
            """
        let (project, folder) = try sample.read([
            "Kit/Kit.swift": "", "Kit/Main.swift": "", "Kit/Core.swift": "", "Kit/words.json": "1", "Kit/kit.json": "2",
            "Kit/Mac.swift": "",
        ])
        let app = try #require(project.targets.first)
        #expect(app.merged == ["Kit", "My_Core"])
        #expect(project.sources == ["App/Main.swift", "Kit/Core.swift", "Kit/Kit.swift", "Kit/Main.swift"])
        #expect(project.places == ["Words.bundle/words.json", "kit.json"])
        #expect(app.renamed.values.sorted() == ["Kit_Main.swift"])
        #expect(project.reason("Kit/Mac.swift")?.contains("MacKit") == true)
        let output = folder.url.appending(path: "out")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        let link = output.appending(path: "Sources/App/Renamed/Kit_Main.swift")
        #expect(FileManager.default.fileExists(atPath: link.path))
    }

    @Test(
        "An app for another system is left out, and named",
        arguments: [
            ("SDKROOT = macosx;", "macOS"), ("SDKROOT = appletvos;", "tvOS"), ("SDKROOT = watchos;", "watchOS"),
            ("SDKROOT = xros;", "visionOS"), ("SDKROOT = auto; SUPPORTED_PLATFORMS = \"macosx xros\";", "macOS"),
            ("SUPPORTED_PLATFORMS = \"appletvos appletvsimulator\";", "tvOS"),
            ("MACOSX_DEPLOYMENT_TARGET = 14.0;", "macOS"),
            ("SDKROOT = iphoneos;", nil), ("SDKROOT = auto; SUPPORTED_PLATFORMS = \"iphoneos macosx\";", nil),
            ("IPHONEOS_DEPLOYMENT_TARGET = 17.0; MACOSX_DEPLOYMENT_TARGET = 14.0;", nil), ("", nil),
            ("SDKROOT = \"$(KIT)\"; KIT = macosx;", "macOS"),
        ])
    func systems(settings: String, system: String?) throws {
        var sample = Sample()
        sample.targets = ["SECOND"]
        sample.children = ["E"]
        sample.objects = """
            SECOND = { isa = PBXNativeTarget; name = Second; productType = "com.apple.product-type.application";
                buildPhases = (ES); buildConfigurationList = EL; };
            E = { isa = PBXFileReference; path = Second.swift; sourceTree = "<group>"; };
            BE = { isa = PBXBuildFile; fileRef = E; }; ES = { isa = PBXSourcesBuildPhase; files = (BE); };
            EL = { isa = XCConfigurationList; buildConfigurations = (EC); };
            EC = { isa = XCBuildConfiguration; name = Release; buildSettings = { \(settings) }; };
            """
        let (project, _) = try sample.read(["Second.swift": ""])
        #expect(project.targets.map(\.name) == (system == nil ? ["App", "Second"] : ["App"]))
        if let system {
            #expect(project.notes.contains("the target Second is left out: it is an app for \(system)"))
            #expect(project.reason("Second.swift")?.contains(system) == true)
        }
    }
}
