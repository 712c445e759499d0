import Foundation
import ProjectImport
import Testing

@Suite("Settings of iOS projects")
struct SettingTests {
    /// A project with one app, whose settings are in files as far as the arguments say so.
    ///
    /// - Parameters:
    ///   - own: settings of the target, as the project has them.
    ///   - files: the texts of the project's and the target's `.xcconfig`, and of those that they include.
    private func read(
        own: String = "", keys: [String] = ["VALUE"], _ files: [String: String]
    ) throws -> (values: [String: String], notes: [String]) {
        let text = """
            { rootObject = P; objects = {
                P = { isa = PBXProject; targets = (APP); mainGroup = G; buildConfigurationList = PL; };
                G = { isa = PBXGroup; sourceTree = "<group>"; children = (F, C); };
                F = { isa = PBXFileReference; sourceTree = "<group>"; path = App.swift; };
                C = { isa = PBXGroup; sourceTree = "<group>"; path = Settings; children = (C1); };
                C1 = { isa = PBXFileReference; sourceTree = "<group>"; path = Project.xcconfig; };
                B = { isa = PBXBuildFile; fileRef = F; }; S = { isa = PBXSourcesBuildPhase; files = (B); };
                APP = { isa = PBXNativeTarget; name = App; productType = "com.apple.product-type.application";
                    buildPhases = (S); buildConfigurationList = AL; };
                PL = { isa = XCConfigurationList; buildConfigurations = (PC); };
                PC = { isa = XCBuildConfiguration; name = Release; baseConfigurationReference = C1;
                    buildSettings = { PROJECT_OWN = "project"; }; };
                AL = { isa = XCConfigurationList; buildConfigurations = (AC); };
                AC = { isa = XCBuildConfiguration; name = Release; baseConfigurationReferenceAnchor = C;
                    baseConfigurationReferenceRelativePath = "Targets/App.xcconfig";
                    buildSettings = { INFOPLIST_FILE = Info.plist; \(own) }; };
            }; }
            """
        let values = keys.map { "<key>\($0)</key><string>$(\($0))</string>" }.joined()
        var all = files.mapKeys { "Settings/\($0)" }
        for name in ["Settings/Project.xcconfig", "Settings/Targets/App.xcconfig"] { all[name] = all[name] ?? "" }
        all["App.xcodeproj/project.pbxproj"] = text
        all["App.swift"] = ""
        all["Info.plist"] = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(values)</dict></plist>"
        let folder = try Folder(all)
        let project = try ProjectImport.read(folder.url)
        try project.expectComplete(folder.url)
        let target = try #require(project.targets.first)
        let list = try propertyList(target.information)
        return (list.compactMapValues { $0 as? String }, target.notes)
    }

    @Test("Those of files are there, each under those of the project and of the target")
    func levels() throws {
        let (values, notes) = try read(
            own: "A = \"$(inherited) own\"; B = own;", keys: ["A", "B", "C", "PROJECT_OWN"],
            [
                "Project.xcconfig": "A = project // not this\nB = project\nC = $(PART_$(KIND:upper))\nPART_X = found",
                "Targets/App.xcconfig":
                    "\n// A = never\nA = ${inherited} target\nKIND = x;\nPROJECT_OWN = $(inherited)s",
            ])
        #expect(values["A"] == "project target own" && values["B"] == "own")
        #expect(values["C"] == "found" && values["PROJECT_OWN"] == "projects")
        #expect(values["CFBundleIdentifier"] == "" && notes.isEmpty)
    }

    @Test(
        "A name may ask for a change of its value, or for another one if it is empty",
        arguments: [
            ("VALUE = $(A:lower)\nA = X Y", "x y"), ("VALUE = ${A:rfc1034identifier}\nA = a_b c", "a-b-c"),
            ("VALUE = $(A:default=https:/$()/example.org:8080)", "https://example.org:8080"),
            ("VALUE = $(A:default=$(B))\nB = b", "b"), ("VALUE = $(A:upper:default=x)\nA = a", "A"),
            ("VALUE = $(A:c99extidentifier)\nA = 1 a", "_1_a"), ("VALUE = $(A:base)$(A:suffix)\nA = /x/y.z", "y.z"),
            ("VALUE = $(A_$(B))\nA_1 = one\nB = 1", "one"),
            ("VALUE = $(VALUE) b\nVALUE[sdk = iphoneos*] = $(value) c", "b c"),
            ("VALUE = a\nVALUE = $(inherited) b\nVALUE = $(VALUE) c", "a b c"),
            ("A = $(B)\nB = $(A)\nVALUE = x$(A)", "x"),
        ])
    func changes(text: String, value: String) throws {
        let found = try read(["Project.xcconfig": text]).values["VALUE"] ?? ""
        #expect(found.trimmingCharacters(in: .whitespaces) == value)
    }

    @Test("A bundle's identifier and name come from a file that a file includes")
    func includes() throws {
        let (values, notes) = try read(
            [
                "Project.xcconfig": "#include \"../Settings/Shared/Names.xcconfig\"\n#include? \"Mine.xcconfig\"",
                "Shared/Names.xcconfig": """
                #include "More.xcconfig"
                PRODUCT_BUNDLE_IDENTIFIER = org.example.$(PRODUCT_NAME:rfc1034identifier)
                """,
                "Shared/More.xcconfig": "PRODUCT_NAME = My App\nMARKETING_VERSION = 3.1",
            ])
        #expect(values["CFBundleIdentifier"] == "org.example.My-App" && values["CFBundleName"] == "My App")
        #expect(values["CFBundleShortVersionString"] == "3.1" && notes.isEmpty)
    }

    @Test(
        "A value for devices stands over one for all; one for the simulator, a Mac or another configuration is none",
        arguments: [
            ("VALUE = a\nVALUE[sdk=iphoneos*] = b", "b"), ("VALUE[sdk=iphoneos*] = b\nVALUE = a", "b"),
            ("VALUE = a\nVALUE[sdk=iphonesimulator*] = b", "a"), ("VALUE = a\nVALUE[sdk=macosx*] = b", "a"),
            ("VALUE[config=Release][sdk=*] = b", "b"), ("VALUE = a\nVALUE[sdk=iphoneos*,arch=x86_64] = b", "a"),
            ("VALUE[config=Debug] = b", ""), ("VALUE[weather=rain] = b", ""), ("VALUE [arch=arm64] = b = c", "b = c"),
        ])
    func conditions(text: String, value: String) throws {
        #expect(try read(["Project.xcconfig": text]).values["VALUE"] == value)
        #expect(try read(own: "\"VALUE[sdk=iphoneos*]\" = own;", ["Project.xcconfig": text]).values["VALUE"] == "own")
    }

    @Test("A file that is missing, or that includes itself, is said; the rest counts")
    func complaints() throws {
        let (values, notes) = try read(
            [
                "Project.xcconfig":
                    "#include \"Round.xcconfig\"\n#include \"Gone.xcconfig\"\n#include nothing\nVALUE = $(A)",
                "Round.xcconfig": "A = 1\n#include \"Project.xcconfig\"",
            ])
        #expect(values["VALUE"] == "1")
        for words in ["Project.xcconfig includes itself", "Gone.xcconfig is not there", "no name in quotation"] {
            #expect(notes.count { $0.contains(words) } == 1, "\(words) in \(notes)")
        }
    }

    @Test("Files and values without an end are given up", .timeLimit(.minutes(1)))
    func bounds() throws {
        var files = ["Project.xcconfig": "#include \"0.xcconfig\"\nVALUE = $(A0)\nSELF = $(SELF)x"]
        for number in 0..<40 {
            // Each includes the next one twice, and names it twice.
            let next = "\(number + 1)"
            files["\(number).xcconfig"] = """
                #include "\(next).xcconfig"
                #include "\(next).xcconfig"
                A\(number) = x$(A\(next))$(A\(next))
                """
        }
        files["40.xcconfig"] = "B = " + String(repeating: "$(", count: 20_000)
        let (values, notes) = try read(keys: ["VALUE", "SELF", "B"], files)
        let value = try #require(values["VALUE"])
        #expect(value.hasPrefix("x") && value.utf8.count < 100_000)
        #expect(values["SELF"] == String(repeating: "x", count: values["SELF"]?.count ?? 0))
        #expect(notes.contains { $0.contains("too many files of settings") })
    }

    @Test(
        "Info.plist and ios.json name one version of iOS: the system's, or the project's where that is later",
        arguments: [
            ("", "18.0"), ("IPHONEOS_DEPLOYMENT_TARGET = 15.0", "18.0"), ("IPHONEOS_DEPLOYMENT_TARGET = 26.1", "26.1"),
            ("IPHONEOS_DEPLOYMENT_TARGET = $(LATEST)\nLATEST = 18.2.1", "18.2.1"),
            ("IPHONEOS_DEPLOYMENT_TARGET = latest", "18.0"),
        ])
    func version(text: String, version: String) throws {
        #expect(try read(["Project.xcconfig": text]).values["DTPlatformVersion"] == version)
        let folder = try Folder([
            "App.swift": "",
            "Info.plist": "<plist version=\"1.0\"><dict><key>DTPlatformVersion</key><string>17.4"
                + "</string></dict></plist>",
        ])
        let project = try ProjectImport.read(folder.url)
        let output = folder.url.appending(path: "Package")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        let module = try #require(project.targets.first).module
        let list = try propertyList(Data(contentsOf: output.appending(path: "Apps/\(module)/Info.plist")))
        let json = try Data(contentsOf: output.appending(path: "Sources/\(module)/ios.json"))
        let configuration = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
        // What the app's own file says is meant.
        #expect(list["DTPlatformVersion"] as? String == "17.4" && configuration["iOS"] as? String == "17.4")
    }
}

extension Dictionary {
    fileprivate func mapKeys<New: Hashable>(_ change: (Key) -> New) -> [New: Value] {
        Dictionary<New, Value>(map { (change($0.key), $0.value) }) { $1 }
    }
}
