import Testing

@Suite("Conditions of iOS code")
struct ConditionTests {
    @Test(
        "Conditions are answered as on iOS",
        arguments: [
            ("os(iOS)", "true"), ("os(macOS)", "false"), ("os(Linux)", "false"), ("!os(tvOS)", "!false"),
            ("os(iOS) || os(tvOS)", "true || false"), ("canImport(Combine)", "true"), ("canImport(AppKit)", "false"),
            ("canImport(FoundationNetworking)", "false"), ("canImport(UIKit)", "canImport(UIKit)"),
            ("targetEnvironment(simulator)", "false"), ("targetEnvironment(macCatalyst)", "false"),
            ("DEBUG && os(iOS)", "DEBUG && true"), ("swift(>=5.5)", "swift(>=5.5)"),
            ("canImport(Darwin)", "true"), ("canImport(Darwin.C)", "true"), ("!canImport(Darwin)", "!true"),
            ("canImport(Glibc)", "false"), ("canImport(Musl)", "false"), ("canImport(Android)", "false"),
            ("canImport(FoundationEssentials)", "false"), ("canImport(CoreGraphics)", "true"),
            ("canImport(QuartzCore)", "true"), ("canImport(ObjectiveC)", "false"), ("canImport(SQLite3)", "true"),
            ("canImport(zlib)", "true"), ("canImport(CoreHaptics)", "false"), ("canImport(MapKit)", "false"),
            ("canImport(Foundation, _version: 1.2)", "canImport(Foundation)"),
            ("canImport(UIKit.UIView)", "canImport(UIKit)"), ("canImport(Alamofire)", "canImport(Alamofire)"),
            ("(os(iOS) && !canImport(AppKit)) || arch(arm64)", "(true && !false) || arch(arm64)"),
            ("compiler(>=6.0) && hasFeature(Macros)", "compiler(>=6.0) && hasFeature(Macros)"),
        ])
    func conditions(condition: String, expected: String) throws {
        #expect(try Tool.lowered("#if \(condition)\nlet x = 1\n#endif") == "#if \(expected)\nlet x = 1\n#endif")
    }

    @Test("A simulator is asked for in ios.json")
    func simulator() throws {
        let text = "#if targetEnvironment(simulator)\n#endif"
        #expect(try Tool.lowered(text, options: ["--simulator"]) == "#if true\n#endif")
    }

    @Test(
        "Code that iOS does not compile has no warnings and no errors",
        arguments: [
            "#if os(macOS)\nimport AppKit\n#elseif DEBUG || os(iOS)\nimport Foundation\n#else\nimport CloudKit\n#endif",
            "#if canImport(UIKit)\nimport UIKit\n#else\nimport AppKit\n#endif",
            "#if compiler(>=5.9)\nimport UIKit\n#else\nimport CoreHaptics\nlet e = CHHapticEngine()\n#endif",
            "#if swift(<5.5)\nimport AudioToolbox\n#endif",
            "struct S {\n#if os(watchOS)\nlet x = class_addMethod\n#endif\n}",
            "func f(n: Int) { switch n {\n#if os(macOS)\ncase 1: class_addMethod()\n#endif\ndefault: break } }",
            "let x = a\n#if canImport(AppKit)\n.b(class_addMethod)\n#endif\n.c()",
            "#if canImport(ObjectiveC)\nmethod_exchangeImplementations(a, b)\n#endif",
            "#if canImport(CloudKit)\nimport CloudKit\nlet c = CKContainer.default()\n#endif",
        ])
    func inactive(text: String) throws { #expect(try Tool.complaints(text).isEmpty) }

    @Test(
        "The compiler decides about an error under a condition that only it knows",
        arguments: [
            ("#if DEBUG\nclass_addMethod(a)\n#endif", "(DEBUG)"),
            ("#if os(iOS)\n#if A && os(iOS)\nclass_addMethod(a)\n#endif\n#endif", "(A && true)"),
            ("#if A\n#elseif canImport(Toolkit)\nclass_addMethod(a)\n#endif", "!(A) && (canImport(Toolkit))"),
            ("#if A\n#else\n#if B\nclass_addMethod(a)\n#endif\n#endif", "!(A) && (B)"),
        ])
    func undecided(text: String, condition: String) throws {
        let lowered = try Tool.lowered(text)
        let line = text.split(separator: "\n").firstIndex { $0.hasPrefix("class") }.map { $0 + 1 } ?? 0
        let error =
            "#if \(condition)\n#sourceLocation(file: \"A.swift\", line: \(line))\n#error(\"class_addMethod needs"
        #expect(lowered.contains(error))
        #expect(lowered.hasSuffix("#sourceLocation()\n#endif\n"))
    }
}
