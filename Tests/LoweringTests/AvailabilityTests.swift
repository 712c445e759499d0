import Testing

/// Without the spaces in the place of what is removed.
private func lowered(_ text: String, options: [String] = []) throws -> String {
    let result = try Tool.lowered(text, options: options)
    #expect(result.split(separator: "\n", omittingEmptySubsequences: false).count == text.lineCount)
    return result.collapsed
}

@Suite("Code for another version of iOS")
struct AvailabilityTests {
    @Test(
        "The body of a check that fails is removed",
        arguments: [
            ("if #available(iOS 18.1, *) { New() }", ""),
            ("if #available(macOS 12, iOS 26, *) { New() } else { old() }; end()", "do { old() }; end()"),
            ("a(); if #unavailable(iOS 17) { older() }", "a(); "),
            (
                "if c { a() } else if #available(iOS 26, *) { New() } else if d { b() } else { e() }",
                "if c { a() } else if d { b() } else { e() }"
            ),
            ("if c { a() } else if #available(iOS 26, *) { New() }", "if c { a() } "),
            ("if #available(iOS 26, *) { New() } else if d { b() }", " if d { b() }"),
            ("if #available(iOS 26, *), let x = New() { x() } else { b() }; c()", "do { b() }; c()"),
            ("if let x, #available(iOS 26, *), x > New() { x() } else { b() }; c()", "do { b() }; c()"),
            (
                "if let x = f(), #available(iOS 26, *), New() { x() } else { b() }",
                "if let _ = f(), false { fatalError() } else { b() }"
            ),
            ("while #available(iOS 26, *) { New() }; a()", "do {} ; a()"),
            ("while next(), #available(iOS 26, *) { New() }", "while next(), false { }"),
            ("switch a { case 1: if #available(iOS 26, *) { New() } }", "switch a { case 1: do {} }"),
            ("label: if #available(iOS 26, *) { New() }", "label: do {}"),
            ("label: if #available(iOS 26, *) { New() } else { a() }", "label: do { a() }"),
        ])
    func removed(text: String, expected: String) throws {
        #expect(try lowered("func f() { \(text) }") == "func f() { \(expected) }".collapsed)
    }

    @Test(
        "The alternative of a check that holds is removed",
        arguments: [
            ("if #available(iOS 17, *) { a() } else { older() }; b()", "do { a() } ; b()"),
            ("if #unavailable(iOS 26) { a() } else { New() }; b()", "do { a() } ; b()"),
            (
                "if c { a() } else if #available(iOS 18, *) { b() } else if d { older() } else { older() }",
                "if c { a() } else { b() } "
            ),
            ("if #available(macOS 14, *) { a() } else { older() }; b()", "do { a() } ; b()"),
            ("if #available(iOSApplicationExtension 26, *) { a() } else { older() }; b()", "do { a() } ; b()"),
            ("guard #unavailable(iOS 26) else { New(); return }; b()", "do {} ; b()"),
            ("if #unavailable(iOS 26), c { a() }", "if true, c { a() }"),
            ("if #available(iOS 13.0, *) { a() }", "if #available(iOS 13.0, *) { a() }"),
            ("if #available(iOS 18.0, *), let x { a() }", "if #available(iOS 18.0, *), let x { a() }"),
        ])
    func alternatives(text: String, expected: String) throws {
        #expect(try lowered("func f() { \(text) }") == "func f() { \(expected) }".collapsed)
    }

    @Test(
        "What follows a guard that always leaves its block is removed",
        arguments: [
            ("guard #available(iOS 26, *) else { return }\nNew()\nNew()", "do { return }"),
            ("guard let a, #available(iOS 26, *) else { return }; New(a)", "do { return }"),
            (
                "guard let a = b(), #available(iOS 26, *), New() else { return }\nNew(a)",
                "guard let _ = b(), false else { return }; fatalError()"
            ),
            (
                "for a in b { guard #available(iOS 26, *) else { continue }; New(a) }; c()",
                "for a in b { do { continue } }; c()"
            ),
            (
                "#if os(iOS)\nguard #available(iOS 26, *) else { return }\nNew()\n#endif\nNew()",
                "#if true\ndo { return }\n#endif"
            ),
            (
                "#if DEBUG\nguard #available(iOS 26, *) else { return }\nNew()\n#endif\na()",
                "#if DEBUG\ndo { return }\n#endif\na()"
            ),
        ])
    func guards(text: String, expected: String) throws {
        #expect(try lowered("func f() {\n\(text)\n}") == "func f() {\n\(expected)\n}")
    }

    @Test(
        "A value that depends on a check stays a value",
        arguments: [
            ("let a = if #available(iOS 26, *) { New() } else { 1 }", "let a = 1 "),
            ("let a = if b { 2 } else if #available(iOS 26, *) { New() } else { 1 }", "let a = if b { 2 } else { 1 }"),
            ("let a = if #available(iOS 26, *) { New() } else if b { 2 } else { 1 }", "let a = if b { 2 } else { 1 }"),
            ("var a: Int { if #available(iOS 26, *) { New() } else { 1 } }", "var a: Int { 1 }"),
            ("let a = { if #available(iOS 26, *) { return New() } else { return 1 } }()", "let a = { return 1 }()"),
            (
                "func a() { if #available(iOS 26, *) {} else { let b = 1; c(b) } }",
                "func a() { do { let b = 1; c(b) } }"
            ),
        ])
    func values(text: String, expected: String) throws { #expect(try lowered(text) == expected) }

    @Test(
        "A declaration for a later version is removed",
        arguments: [
            ("@available(iOS 26, *) func a(_ x: New) {}; let b = 1", "let b = 1"),
            (
                "@available(macOS 15, iOS 26.0, *)\n@MainActor final class A: New {\n let x = New()\n}\nlet b = 1",
                "let b = 1"
            ),
            ("@available(iOS, introduced: 26.0, message: \"a\") extension New {}", ""),
            ("struct A { @available(iOS 26, *) var a: New { New() }; var b = 1 }", "struct A { var b = 1 }"),
            ("protocol A {\n@available(iOS 26, *) func a() -> New\nfunc b()\n}", "protocol A {\nfunc b()\n}"),
            (
                "struct A {\n#if os(iOS)\n@available(iOS 26, *) init(a: New) {}\n#endif\n}",
                "struct A {\n#if true\n#endif\n}"
            ),
            ("func a() {\n@available(iOS 26, *) func b() -> New {}\nc()\n}", "func a() {\nc()\n}"),
            ("@available(macOS 26, *) func a() {}", "@available(macOS 26, *) func a() {}"),
            ("@available(iOS 18, *) func a() {}", "@available(iOS 18, *) func a() {}"),
            ("@available(iOS, deprecated: 26) func a() {}", "@available(iOS, deprecated: 26) func a() {}"),
            ("@available(*, unavailable) func a() {}", "@available(*, unavailable) func a() {}"),
            ("enum A { @available(iOS 26, *) case a }", "enum A { @available(iOS 26, *) case a }"),
        ])
    func declarations(text: String, expected: String) throws {
        #expect(try lowered(text).drop { $0.isWhitespace } == expected)
    }

    @Test("What is removed is not complained of, and needs no modules")
    func silence() throws {
        let text = """
            import AudioToolbox
            @available(iOS 26, *) func a() { method_exchangeImplementations(a, b) }
            func b() {
                if #available(iOS 26, *) { AudioServicesPlaySystemSound(1); URLSession.shared.a() }
                guard #available(iOS 26, *) else { return }
                class_addMethod(a)
            }
            """
        let result = try Tool.lower([("A.swift", text)])
        #expect(result.diagnostics.map(\.line) == [1])
        #expect(result.texts[0].hasPrefix("import UIKit\n"))
    }

    @Test("The version is that of ios.json", arguments: [("26", "a() "), ("26.0.1", "a() "), ("18.6", "b() ")])
    func versions(iOS: String, expected: String) throws {
        let text = "let c = { if #available(iOS 26.0, *) { a() } else { b() } }"
        #expect(try lowered(text, options: ["--ios", iOS]) == "let c = { \(expected)}")
    }

    @Test("What follows on a line keeps its column")
    func columns() throws {
        let text = "func f() { if #available(iOS 26, *) { New() } else { old() }; end() }"
        let result = try Tool.lowered(text)
        #expect(text.range(of: "old()") == result.range(of: "old()"))
        #expect(text.range(of: "end()") == result.range(of: "end()"))
    }
}

extension String {
    fileprivate var collapsed: String {
        replacing(#/ +/#, with: " ").replacing(#/\s*\n\s*/#, with: "\n")
    }

    fileprivate var lineCount: Int { split(separator: "\n", omittingEmptySubsequences: false).count }

    fileprivate func range(of text: String) -> Range<Int>? {
        firstRange(of: text).map { $0.lowerBound.utf16Offset(in: self)..<$0.upperBound.utf16Offset(in: self) }
    }
}
