import Foundation
import ProjectImport
import Testing

@Suite("Local packages of iOS projects")
struct PackageTests {
    private static let manifest = """
        // swift-tools-version: 5.9
        import PackageDescription
        /* .library(name: "Old", targets: []) */
        let package = Package(name: "Core", products: [
            .library(name: "Core", targets: ["Core"]), // .library(name: "Older", targets: [])
            .library(
                name: "CoreUI", type: .static, targets: ["CoreUI"]),
        ], dependencies: [.package(path: "../Base")], targets: [.target(name: "Core")])
        """
    private static let files = [
        "Packages/Core/Package.swift": manifest, "Packages/Core/Sources/Core/Core.swift": "public struct Core {}",
        "Packages/Core/Sources/CoreUI/View.swift": "@preconcurrency import SwiftUI\n",
        "Packages/Core/Sources/CoreUI/Guarded.swift": "#if canImport(UIKit)\nimport UIKit\n#endif\n",
        "Packages/Core/Tests/CoreTests/T.swift": "import XCTest",
        "Packages/Base/Package.swift": "// swift-tools-version: 5.9",
        "Packages/Base/Sources/Base/B.swift": "",
    ]
    private static let product = """
        DEP = { isa = XCSwiftPackageProductDependency; productName = CoreUI; };
        """

    /// The ways in which a project names a package of its folder.
    private static func sample(_ way: String) -> Sample {
        var sample = Sample()
        sample.app = "packageProductDependencies = (DEP);"
        sample.objects = product
        switch way {
        case "reference":
            sample.project = "packageReferences = (LOCAL);"
            sample.objects += """
                LOCAL = { isa = XCLocalSwiftPackageReference; relativePath = "Packages/Core"; };
                """
        case "folder", "wrapper":
            sample.children = ["PKG"]
            sample.objects += """
                PKG = { isa = PBXFileReference; lastKnownFileType = \(way); path = Packages/Core;
                    sourceTree = "<group>"; };
                """
        case "synchronized":
            sample.children = ["PKG"]
            sample.objects += """
                PKG = { isa = PBXFileSystemSynchronizedRootGroup; path = Packages; sourceTree = "<group>"; };
                """
        case "phase":
            sample.app = ""
            sample.phases = ["LIBS"]
            sample.project = "packageReferences = (LOCAL);"
            sample.objects += """
                LOCAL = { isa = XCLocalSwiftPackageReference; relativePath = "Packages/Core"; };
                LIBS = { isa = PBXFrameworksBuildPhase; files = (BP); }; BP = { isa = PBXBuildFile; productRef = DEP; };
                """
        default: break
        }
        return sample
    }

    @Test(
        "A product of a local package is a dependency by the package's folder",
        arguments: ["reference", "folder", "wrapper", "synchronized", "phase", "workspace"])
    func ways(way: String) throws {
        var files = Self.files
        if way == "workspace" {
            files["App.xcworkspace/contents.xcworkspacedata"] = """
                <Workspace><FileRef location = "group:App.xcodeproj"/>
                <FileRef location = "group:Packages/Core"/></Workspace>
                """
        }
        let (project, folder) = try Self.sample(way).read(files)
        let target = try #require(project.targets.first)
        #expect(target.products.map(\.name) == ["CoreUI"])
        let inside = project.report.taken.filter { $0.use == .package }.map(\.path)
        #expect(inside.contains("Packages/Core/Sources/Core/Core.swift"))
        #expect(inside.contains("Packages/Base/Sources/Base/B.swift"), "a package that a package uses is built, too")
        #expect(project.sources == ["App/Main.swift"])
        let packages = project.report.packages.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(packages == ["Base", "Core"])
        #expect(project.notes.contains { $0.contains("Core is built as it is, and imports SwiftUI. If it does not") })
        let output = folder.url.appending(path: "out")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        let text = try String(contentsOf: output.appending(path: "Package.swift"), encoding: .utf8)
        #expect(text.contains(".package(path: \"../Packages/Core\")"))
        #expect(text.contains(".product(name: \"CoreUI\", package: \"Core\")"))
    }

    @Test("A package that is not there, that fetches others, or that no app uses is named")
    func notes() throws {
        var sample = Self.sample("reference")
        sample.project = "packageReferences = (LOCAL, GONE, UNUSED, REMOTE);"
        sample.app = "packageProductDependencies = (DEP, NONE, FAR, MAC);"
        sample.objects += """
            GONE = { isa = XCLocalSwiftPackageReference; relativePath = "../Gone"; };
            UNUSED = { isa = XCLocalSwiftPackageReference; relativePath = Unused; };
            REMOTE = { isa = XCRemoteSwiftPackageReference; repositoryURL = "https://example.org/far"; };
            NONE = { isa = XCSwiftPackageProductDependency; productName = Missing; };
            FAR = { isa = XCSwiftPackageProductDependency; productName = Far; package = REMOTE; };
            MAC = { isa = XCSwiftPackageProductDependency; productName = OnlyMac; platformFilter = macos; };
            """
        var files = Self.files
        files["Unused/Package.swift"] = ""
        files["Packages/Base/Package.swift"] = "let p = [.package(url: \"https://example.org/deep\", from: \"1.0.0\")]"
        let (project, _) = try sample.read(files)
        for words in [
            "../Gone is left out", "Unused is left out: no app", "product Missing is left out",
            "https://example.org/far is left out (Far)", "the package Base fetches https://example.org/deep",
        ] {
            #expect(project.notes.contains { $0.contains(words) }, "\(words) in \(project.notes)")
        }
        #expect(project.reason("Unused/Package.swift") == "no app uses the package Unused")
    }

    @Test("Apps that are called alike have modules of different names")
    func names() throws {
        var sample = Sample()
        sample.targets = ["SECOND"]
        sample.projectSettings = "PRODUCT_NAME = Notes;"
        sample.objects = """
            SECOND = { isa = PBXNativeTarget; name = "Notes Beta"; productType = "com.apple.product-type.application";
                buildPhases = (S); };
            """
        let (project, folder) = try sample.read([:])
        #expect(project.targets.map(\.module) == ["Notes", "Notes_Beta"])
        let other = try ProjectImport.read(folder.url, ImportOptions(reserved: ["notes", "Wire"]))
        #expect(other.targets.map(\.module) == ["App", "Notes_Beta"], "Greenroom may have a module of that name")
        let output = folder.url.appending(path: "out")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        let data = try Data(contentsOf: output.appending(path: "report.json"))
        let report = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let taken = try #require(report["taken"] as? [[String: Any]])
        #expect(taken.first?["modules"] as? [String] == ["Notes", "Notes_Beta"])
        #expect(report["left"] != nil && report["missing"] != nil && report["output"] as? String == output.path)
    }
}
