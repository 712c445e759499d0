import Foundation
import ProjectImport
import Testing

/// A project as Xcode writes it: an app with a framework of its own, tests, and files of other kinds.
private let project = """
    // !$*UTF8*$!
    {
        archiveVersion = 1;
        objects = {
            P = { isa = PBXProject; targets = (APP, KIT, TESTS); mainGroup = G; buildConfigurationList = PL;
                packageReferences = (PKG); };
            PKG = { isa = XCRemoteSwiftPackageReference; repositoryURL = "https://example.org/pods"; };
            G = { isa = PBXGroup; sourceTree = "<group>"; children = (GA, GK); };
            GA = { isa = PBXGroup; sourceTree = "<group>"; path = Notes; children = (F1, F2, F3, F4, F5); };
            GK = { isa = PBXGroup; sourceTree = "<group>"; path = Kit; children = (F6); };
            F1 = { isa = PBXFileReference; sourceTree = "<group>"; path = AppDelegate.swift; };
            F2 = { isa = PBXFileReference; sourceTree = "<group>"; path = "Old Code.m"; };
            F3 = { isa = PBXFileReference; sourceTree = "<group>"; path = Main.storyboard; };
            F4 = { isa = PBXFileReference; sourceTree = "<group>"; path = notes.json; };
            F5 = { isa = PBXFileReference; sourceTree = "<group>"; path = Gone.swift; };
            F6 = { isa = PBXFileReference; sourceTree = "<group>"; path = Kit.swift; };
            B1 = { isa = PBXBuildFile; fileRef = F1; }; B2 = { isa = PBXBuildFile; fileRef = F2; };
            B3 = { isa = PBXBuildFile; fileRef = F3; }; B4 = { isa = PBXBuildFile; fileRef = F4; };
            B5 = { isa = PBXBuildFile; fileRef = F5; }; B6 = { isa = PBXBuildFile; fileRef = F6; };
            S = { isa = PBXSourcesBuildPhase; files = (B1, B2, B5); };
            R = { isa = PBXResourcesBuildPhase; files = (B3, B4); };
            KS = { isa = PBXSourcesBuildPhase; files = (B6); };
            D = { isa = PBXTargetDependency; target = KIT; };
            APP = { isa = PBXNativeTarget; name = "My Notes"; productType = "com.apple.product-type.application";
                buildPhases = (S, R); dependencies = (D); buildConfigurationList = AL; };
            KIT = { isa = PBXNativeTarget; name = Kit; productType = "com.apple.product-type.framework";
                buildPhases = (KS); };
            TESTS = { isa = PBXNativeTarget; name = Tests; productType = "com.apple.product-type.bundle.unit-test"; };
            PL = { isa = XCConfigurationList; buildConfigurations = (PC); defaultConfigurationName = Release; };
            PC = { isa = XCBuildConfiguration; name = Release; buildSettings = { IPHONEOS_DEPLOYMENT_TARGET = 15.0;
                MARKETING_VERSION = 2.1; }; };
            AL = { isa = XCConfigurationList; buildConfigurations = (AD, AR); defaultConfigurationName = Release; };
            AD = { isa = XCBuildConfiguration; name = Debug; buildSettings = { PRODUCT_BUNDLE_IDENTIFIER = wrong; }; };
            AR = { isa = XCBuildConfiguration; name = Release; buildSettings = {
                PRODUCT_BUNDLE_IDENTIFIER = "org.example.notes"; PRODUCT_NAME = "$(TARGET_NAME)";
                INFOPLIST_FILE = "Notes/Info.plist"; CODE_SIGN_ENTITLEMENTS = "Notes/Notes.entitlements";
                INFOPLIST_KEY_UIBackgroundModes = "fetch audio"; GENERATE_INFOPLIST_FILE = YES; }; };
        };
        rootObject = P;
    }
    """

private let declared = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
    <key>UIApplicationSceneManifest</key><dict>
    <key>Delegate</key><string>${PRODUCT_MODULE_NAME}.SceneDelegate</string></dict>
    </dict></plist>
    """

private let entitlements = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>aps-environment</key><string>development</string>
    <key>com.apple.developer.healthkit</key><true/></dict></plist>
    """

@Suite("Packages of iOS projects")
struct ImportTests {
    private let folder: Folder

    init() throws {
        folder = try Folder([
            "Notes.xcodeproj/project.pbxproj": project, "Notes/AppDelegate.swift": "import UIKit\nimport os.log\n",
            "Notes/Old Code.m": "", "Notes/Main.storyboard": "", "Notes/notes.json": "{}",
            "Kit/Kit.swift": "import Combine\n",
            "Notes/Info.plist": declared, "Notes/Notes.entitlements": entitlements,
        ])
    }

    @Test("An app has its Swift files, and those of the project's libraries that it uses")
    func sources() throws {
        let target = try #require(ProjectImport.read(folder.url).targets.first)
        #expect(target.name == "My Notes")
        #expect(target.module == "My_Notes")
        #expect(target.sources.map(\.lastPathComponent) == ["Kit.swift", "AppDelegate.swift"])
        #expect(target.merged == ["Kit"])
        #expect(target.resources.map(\.place) == ["notes.json"])
        #expect(target.iOS == "18.0")
    }

    @Test("Settings are put into Info.plist, those of the target over the project's")
    func information() throws {
        let target = try #require(ProjectImport.read(folder.url).targets.first)
        let list = try propertyList(target.information)
        #expect(list["CFBundleIdentifier"] as? String == "org.example.notes")
        #expect(list["CFBundleExecutable"] as? String == "My_Notes")
        #expect(list["CFBundleName"] as? String == "My Notes")
        #expect(list["CFBundleShortVersionString"] as? String == "2.1")
        #expect(list["UIBackgroundModes"] as? [String] == ["fetch", "audio"])
        let scenes = list["UIApplicationSceneManifest"] as? [String: String]
        #expect(scenes?["Delegate"] == "My_Notes.SceneDelegate")
    }

    @Test("What is left out is said, with the reason")
    func leftOut() throws {
        let project = try ProjectImport.read(folder.url.appending(path: "Notes.xcodeproj"))
        #expect(project.reason("Notes/Old Code.m")?.contains("Objective-C") == true)
        #expect(project.reason("Notes/Main.storyboard")?.contains("storyboard") == true)
        #expect(project.report.missing.map(\.path) == ["Notes/Gone.swift"])
        for words in ["healthkit", "target Tests", "https://example.org/pods"] {
            #expect(project.notes.contains { $0.contains(words) }, "nothing of \(words) in \(project.notes)")
        }
        #expect(!project.notes.contains { $0.contains("aps-environment") })
        try project.expectComplete(folder.url)
    }

    @Test("The package names the code where it lies, and what it needs of Greenroom")
    func package() throws {
        let project = try ProjectImport.read(folder.url)
        let output = folder.url.appending(path: "Package Folder")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "Notes")
        let manifest = try String(contentsOf: output.appending(path: "Package.swift"), encoding: .utf8)
        for words in ["My_Notes", "\"UIKit\"", "GreenroomOS", "GreenroomCombine", "IOSSources", "/opt/greenroom"] {
            #expect(manifest.contains(words))
        }
        #expect(!manifest.contains("GreenroomNetwork"))
        let place = output.appending(path: "Sources/My_Notes")
        let data = try Data(contentsOf: place.appending(path: "ios.json"))
        let configuration = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(configuration["merge"] as? [String] == ["Kit"])
        for source in try #require(configuration["sources"] as? [String]) {
            #expect(FileManager.default.fileExists(atPath: place.appending(path: source).standardizedFileURL.path))
        }
        #expect(FileManager.default.fileExists(atPath: output.appending(path: "Apps/My_Notes/notes.json").path))
        #expect(FileManager.default.isExecutableFile(atPath: output.appending(path: "make-apps").path))
    }

    @Test("A folder without a project is one app, without what others put there and without tests")
    func plainFolder() throws {
        let code = try Folder([
            "App/Main.swift": "", "App/Model/Model.swift": "", "Pods/Pod.swift": "", "AppTests/Test.swift": "",
            "App/Old.m": "", "App/Info.plist": declared,
        ])
        let target = try #require(ProjectImport.read(code.url).targets.first)
        #expect(Set(target.sources.map(\.lastPathComponent)) == ["Main.swift", "Model.swift"])
        let project = try ProjectImport.read(code.url)
        #expect(project.report.left.map(\.path) == ["App/Old.m", "AppTests/Test.swift", "Pods/Pod.swift"])
        #expect(project.notes.contains { $0.contains("tests are left out (1)") })
        try project.expectComplete(code.url)
        #expect(try propertyList(target.information)["CFBundleIdentifier"] as? String != nil)
    }

    @Test(
        "What is no project is refused with what to do",
        arguments: [
            (["a.txt": ""], "has no Swift files"), (["A.xcodeproj/project.pbxproj": "{"], "cannot be read"),
            (["A.xcodeproj/project.pbxproj": "{ objects = {}; }"], "has no root object"),
            (
                ["A.xcodeproj/project.pbxproj": "{ rootObject = P; objects = { P = { isa = PBXProject; }; }; }"],
                "has no app"
            ),
            (["A.xcodeproj/x": "", "B.xcodeproj/x": ""], "several projects"),
        ])
    func refusals(files: [String: String], words: String) throws {
        let folder = try Folder(files)
        let failure = #expect(throws: ImportFailure.self) { try ProjectImport.read(folder.url) }
        #expect(failure?.description.contains(words) == true)
    }
}
