import Foundation
import ProjectImport
import Testing

@Suite("Info.plist of iOS projects")
struct InformationTests {
    private func read(
        _ settings: String, file: String? = nil, more: [String: String] = [:]
    ) throws -> (list: [String: Any], notes: [String]) {
        var sample = Sample()
        sample.settings = settings + (file == nil ? "" : " INFOPLIST_FILE = \"$(SRCROOT)/App/Info.plist\";")
        let (project, _) = try sample.read(more.merging(file.map { ["App/Info.plist": $0] } ?? [:]) { own, _ in own })
        let target = try #require(project.targets.first)
        return (try propertyList(target.information), target.notes)
    }

    private func plist(_ body: String) -> String { "<plist version=\"1.0\"><dict>\n\(body)\n</dict></plist>" }

    @Test("Settings become booleans, lists and texts, as Xcode generates them")
    func types() throws {
        let (list, notes) = try read(
            """
            GENERATE_INFOPLIST_FILE = YES; INFOPLIST_KEY_UIRequiresFullScreen = YES;
            INFOPLIST_KEY_UIStatusBarHidden = NO; INFOPLIST_KEY_CFBundleDisplayName = "My App";
            INFOPLIST_KEY_UISupportedInterfaceOrientations_iPad =
                "UIInterfaceOrientationPortrait UIInterfaceOrientationLandscapeLeft";
            INFOPLIST_KEY_UISupportedInterfaceOrientations_iPhone = UIInterfaceOrientationPortrait;
            INFOPLIST_KEY_UISupportedInterfaceOrientations = (UIInterfaceOrientationPortrait,
                UIInterfaceOrientationPortraitUpsideDown);
            INFOPLIST_KEY_UIApplicationSceneManifest_Generation = YES; INFOPLIST_KEY_UILaunchScreen_Generation = YES;
            INFOPLIST_KEY_NSMicrophoneUsageDescription = "For $(PRODUCT_NAME)."; CURRENT_PROJECT_VERSION = 42;
            "INFOPLIST_KEY_UIStatusBarStyle[sdk=iphoneos*]" = UIStatusBarStyleLightContent;
            INFOPLIST_KEY_Invented = x;
            """)
        #expect(list["UIRequiresFullScreen"] as? Bool == true && list["UIStatusBarHidden"] as? Bool == false)
        #expect(list["CFBundleDisplayName"] as? String == "My App")
        #expect((list["UISupportedInterfaceOrientations~ipad"] as? [String])?.count == 2)
        #expect(list["UISupportedInterfaceOrientations~iphone"] as? [String] == ["UIInterfaceOrientationPortrait"])
        #expect((list["UISupportedInterfaceOrientations"] as? [String])?.count == 2)
        let scenes = list["UIApplicationSceneManifest"] as? [String: Any]
        #expect(scenes?["UIApplicationSupportsMultipleScenes"] as? Bool == true)
        #expect(list["UILaunchScreen"] is [String: Any] && list["LSRequiresIPhoneOS"] as? Bool == true)
        #expect(list["NSMicrophoneUsageDescription"] as? String == "For App.")
        #expect(list["CFBundleVersion"] as? String == "42")
        #expect(list["UIStatusBarStyle"] as? String == "UIStatusBarStyleLightContent")
        #expect(list["Invented"] == nil && notes.contains { $0.contains("INFOPLIST_KEY_Invented has no effect") })
    }

    @Test("Settings stand over plain values of the file, and lists are joined")
    func merged() throws {
        let (list, _) = try read(
            """
            GENERATE_INFOPLIST_FILE = YES; INFOPLIST_KEY_CFBundleDisplayName = New;
            INFOPLIST_KEY_UIRequiredDeviceCapabilities = "armv7 gps";
                INFOPLIST_KEY_UIApplicationSceneManifest_Generation = YES;
            """,
            file: plist(
                """
                <key>CFBundleDisplayName</key><string>Old</string><key>Mine</key><integer>7</integer>
                <key>UIRequiredDeviceCapabilities</key><array><string>gps</string><string>wifi</string></array>
                <key>UIApplicationSceneManifest</key><dict><key>UIApplicationSupportsMultipleScenes</key><false/></dict>
                """))
        #expect(list["CFBundleDisplayName"] as? String == "New" && list["Mine"] as? Int == 7)
        #expect(list["UIRequiredDeviceCapabilities"] as? [String] == ["gps", "wifi", "armv7"])
        let scenes = list["UIApplicationSceneManifest"] as? [String: Any]
        #expect(scenes?["UIApplicationSupportsMultipleScenes"] as? Bool == false)
    }

    @Test("Without GENERATE_INFOPLIST_FILE such settings have no effect, and are named", arguments: ["", "NO"])
    func ungenerated(value: String) throws {
        let (list, notes) = try read(
            (value.isEmpty ? "" : "GENERATE_INFOPLIST_FILE = \(value); ")
                + "INFOPLIST_KEY_CFBundleDisplayName = X; INFOPLIST_KEY_UIStatusBarHidden = YES;",
            file: plist("<key>UIStatusBarHidden</key><false/>"))
        #expect(list["CFBundleDisplayName"] == nil && list["UIStatusBarHidden"] as? Bool == false)
        #expect(notes.contains { $0.contains("without GENERATE_INFOPLIST_FILE: CFBundleDisplayName") })
    }

    @Test("A list that needs a preprocessor is sent through it")
    func preprocessor() throws {
        let (list, notes) = try read(
            """
            INFOPLIST_PREPROCESS = YES; INFOPLIST_PREPROCESSOR_DEFINITIONS = ("MODE=fetch", "TWO=\\"a b\\"");
            INFOPLIST_PREFIX_HEADER = "App/Version.h";
            INFOPLIST_OTHER_PREPROCESSOR_FLAGS = "-traditional -DEXTRA -fplugin=evil.so";
            """,
            file: plist(
                """
                #ifdef MODE
                <key>UIBackgroundModes</key><array><string>MODE</string></array>
                #else
                <key>Wrong</key><true/>
                #endif
                #if defined(EXTRA)
                <key>Site</key><string>https://example.org/x</string>
                #endif
                <key>Number</key><string>BUILD_NUMBER</string>
                """),
            more: ["App/Version.h": "#define BUILD_NUMBER 77\n"])
        #expect(list["UIBackgroundModes"] as? [String] == ["fetch"] && list["Wrong"] == nil)
        #expect(list["Number"] as? String == "77")
        #expect(list["Site"] as? String == "https://example.org/x")
        #expect(notes.contains { $0.contains("-fplugin=evil.so") })
    }

    @Test("A list that cannot be preprocessed is an error that says why, and one that is missing is named")
    func failures() throws {
        var sample = Sample()
        sample.settings = "INFOPLIST_FILE = App/Info.plist; INFOPLIST_PREPROCESS = YES;"
        let failure = #expect(throws: ImportFailure.self) {
            try sample.read(["App/Info.plist": "#error no version\n"])
        }
        #expect(failure?.description.contains("no version") == true)
        sample.settings = "INFOPLIST_FILE = App/Gone.plist;"
        let (project, _) = try sample.read([:])
        #expect(project.report.missing.map(\.path) == ["App/Gone.plist"])
        #expect(project.report.taken.contains { $0.use == .information } == false)
    }

    @Test("Conditions, features and the language's version reach the compiler")
    func compiler() throws {
        var sample = Sample()
        sample.projectSettings = "SWIFT_ACTIVE_COMPILATION_CONDITIONS = BASE; SWIFT_VERSION = 5.0;"
        sample.settings = """
            SWIFT_ACTIVE_COMPILATION_CONDITIONS = "$(inherited) PAID PAID 1ST"; SWIFT_VERSION = 6.0;
            OTHER_SWIFT_FLAGS = "$(inherited) -D CHANNEL -DOTHER -Xfrontend -warn-long
                -enable-upcoming-feature ExistentialAny";
            SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor; SWIFT_UPCOMING_FEATURE_MEMBER_IMPORT_VISIBILITY = YES;
            """
        let (project, folder) = try sample.read([:])
        let target = try #require(project.targets.first)
        #expect(target.compiler.conditions == ["BASE", "PAID", "CHANNEL", "OTHER"])
        #expect(target.compiler.mode == "v6" && target.compiler.isOnMainActor)
        for words in ["1ST is left out", "-Xfrontend -warn-long"] {
            #expect(target.notes.contains { $0.contains(words) }, "\(words) in \(target.notes)")
        }
        let output = folder.url.appending(path: "out")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "A \"quoted\" name")
        let manifest = try String(contentsOf: output.appending(path: "Package.swift"), encoding: .utf8)
        for words in [
            ".define(\"PAID\")", ".swiftLanguageMode(.v6)", ".enableUpcomingFeature(\"ExistentialAny\")",
            ".enableUpcomingFeature(\"MemberImportVisibility\")", ".defaultIsolation(MainActor.self)",
            "name: \"A \\\"quoted\\\" name\"",
        ] {
            #expect(manifest.contains(words), "\(words) in \(manifest)")
        }
    }

    @Test(
        "Code runs on the main actor by default, unless a class of UIKit has a subclass",
        arguments: [
            ("struct A {}", true), ("class A: NSObject, UIApplicationDelegate {}", true),
            ("class A: UIResponder, UIApplicationDelegate {}", false), ("final class A<T>: UIViewController {}", false),
        ])
    func isolation(code: String, isOnMainActor: Bool) throws {
        var sample = Sample()
        sample.settings = "SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor; SWIFT_VERSION = 6.0;"
        let target = try #require(try sample.read(["App/Main.swift": code]).project.targets.first)
        #expect(target.compiler.isOnMainActor == isOnMainActor)
        #expect(target.compiler.mode == (isOnMainActor ? "v6" : "v5"))
        #expect(target.notes.contains { $0.contains("SWIFT_DEFAULT_ACTOR_ISOLATION") } != isOnMainActor)
    }

    @Test(
        "A version of Swift is the compiler's mode",
        arguments: [
            ("5.0", "v5"), ("5", "v5"), ("6.0", "v6"), ("6.2", "v6"), ("4.2", "v4_2"), ("4.0", "v4"), ("", "v5"),
            ("3.0", "v5"),
        ])
    func versions(version: String, mode: String) throws {
        var sample = Sample()
        sample.settings = version.isEmpty ? "" : "SWIFT_VERSION = \(version);"
        let target = try #require(try sample.read([:]).project.targets.first)
        #expect(target.compiler.mode == mode)
        #expect(target.notes.contains { $0.contains("no longer knows Swift 3.0") } == (version == "3.0"))
    }
}
