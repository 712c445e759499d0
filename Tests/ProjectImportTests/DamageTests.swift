import Foundation
import ProjectImport
import Testing

@Suite("Damaged iOS projects")
struct DamageTests {
    private func failure(_ text: String) throws -> String {
        let folder = try Folder(["A.xcodeproj/project.pbxproj": text, "A.swift": ""])
        do {
            _ = try ProjectImport.read(folder.url)
            return ""
        } catch {
            return error.description
        }
    }

    @Test(
        "An error names the line and what is wrong there",
        arguments: [
            ("{ a = 1;\n b = ; }", "line 2: a word is missing in front of ;"),
            ("{ a = (1, 2;\n }", "line 1: there is no ,"),
            ("{\n a = \"x;\n }", "line 2: a text has no closing"), ("{ a = 1;\n\n", "line 1: a { has no }"),
            ("{ /* x", "line 1: a comment has no end"), ("{ a 1; }", "line 1: there is no = after a"),
            ("{ a = 1\n b = 2; }", "line 2: there is no ; after the value of a"),
            ("{} }", "line 1: there is text after"),
            ("{ a = (\n<<<<<<< HEAD\n1,\n=======\n2,\n>>>>>>> x\n); }", "line 2: it has a conflict of a merge"),
            ("(1, 2)", "it is not a list of objects"), ("", "the file ends in the middle"), ("[", "cannot be read"),
            (String(repeating: "(", count: 100_000), "nested too deeply"),
            ("{ rootObject = T; objects = { T = { isa = PBXGroup; }; }; }", "is not a project"),
            ("{ rootObject = T; objects = ( ); }", "has no list of objects"),
        ])
    func errors(text: String, words: String) throws {
        let sentence = try failure(text)
        #expect(sentence.contains(words), "\(sentence)")
    }

    @Test("A project that names what it does not have is imported, with a note")
    func holes() throws {
        var sample = Sample()
        sample.files = ["F": "path = F.swift;"]
        sample.sources += ["F", "NOWHERE"]
        sample.targets = ["LOST", "ODD"]
        sample.phases = ["NOPHASE"]
        sample.objects = "ODD = { name = x; }; TEXT = hello;"
        let (project, _) = try sample.read(["App/F.swift": ""])
        #expect(project.sources == ["App/F.swift", "App/Main.swift"])
        for words in ["targets names what it does not have, such as LOST", "buildPhases names", "have no kind"] {
            #expect(project.notes.contains { $0.contains(words) }, "\(words) in \(project.notes)")
        }
    }

    @Test("An app without Swift files on the disk is left out, with the reason, and is an error if it is the only one")
    func emptyApps() throws {
        var sample = Sample()
        sample.files = ["O": "path = Old.m;", "GONE": "path = Gone.swift;"]
        sample.sources = ["O"]
        let none = #expect(throws: ImportFailure.self) { try sample.read(["App/Old.m": ""]) }
        #expect(none?.description.contains("App: it has no Swift files, but others (Objective-C") == true)
        sample.sources = ["GONE"]
        let gone = #expect(throws: ImportFailure.self) { try sample.read([:]) }
        #expect(gone?.description.contains("none of its 1 Swift files is on the disk") == true)
        sample.sources = ["MAIN"]
        sample.targets = ["SECOND"]
        sample.objects = """
            SECOND = { isa = PBXNativeTarget; name = Second; productType = "com.apple.product-type.application";
                buildPhases = (S2); };
            S2 = { isa = PBXSourcesBuildPhase; files = (BO); }; BO = { isa = PBXBuildFile; fileRef = O; };
            """
        let (project, _) = try sample.read(["App/Old.m": ""])
        #expect(project.targets.map(\.name) == ["App"])
        #expect(project.notes.contains { $0.contains("the target Second is left out: it has no Swift files") })
    }

    @Test("Groups and targets that contain themselves come to an end", .timeLimit(.minutes(1)))
    func circles() throws {
        var sample = Sample()
        sample.files = ["F": "path = F.swift;"]
        sample.sources += ["F"]
        sample.targets = ["LIB"]
        sample.app = "dependencies = (D1);"
        sample.children = ["X"]
        sample.objects = """
            X = { isa = PBXGroup; path = x; sourceTree = "<group>"; children = (X, Y, V); };
            Y = { isa = PBXGroup; path = y; sourceTree = "<group>"; children = (X, GROUP); };
            V = { isa = PBXVariantGroup; children = (V); };
            D1 = { isa = PBXTargetDependency; target = LIB; }; D2 = { isa = PBXTargetDependency; target = APP; };
            LIB = { isa = PBXNativeTarget; name = L; productType = "com.apple.product-type.framework";
                dependencies = (D1, D2); buildPhases = (LR); };
            LR = { isa = PBXResourcesBuildPhase; files = (BV); }; BV = { isa = PBXBuildFile; fileRef = V; };
            """
        _ = try? sample.read(["App/F.swift": ""])
    }

    @Test("A project that is cut off, or has a wrong byte, is an error or an import, never a crash")
    func mutations() throws {
        var sample = Sample()
        sample.files = ["F": "path = \"F \\U00e9.swift\";", "W": "path = Web; lastKnownFileType = folder;"]
        sample.sources += ["F"]
        sample.resources = ["W"]
        sample.settings = "PRODUCT_NAME = \"$(TARGET_NAME:lower)\"; EXCLUDED_SOURCE_FILE_NAMES = \"*[\";"
        let bytes = Array(sample.text.utf8)
        let folder = try Folder(["App/Main.swift": "", "App/F é.swift": "", "App/Web/x": "", "App.xcodeproj/x": ""])
        let file = folder.url.appending(path: "App.xcodeproj/project.pbxproj")
        var seed: UInt64 = 42
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        for round in 0..<200 {
            var changed = bytes
            if round.isMultiple(of: 2) {
                changed = Array(bytes.prefix(next(bytes.count)))
            } else {
                for _ in 0...next(3) { changed[next(changed.count)] = UInt8(next(256)) }
            }
            try Data(changed).write(to: file)
            do {
                try ProjectImport.read(folder.url).expectComplete(folder.url)
            } catch let failure as ImportFailure {
                #expect(!failure.description.contains("fault of Greenroom"), "\(failure)")
            }
        }
    }
}
