import Testing

/// Lowers one file, and takes off what is put before it.
private func lowered(_ text: String) throws -> String {
    let result = try Tool.lower([("A.swift", text)])
    #expect(result.diagnostics.isEmpty)
    let lines = try #require(result.texts.first).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropFirst(2).joined(separator: "\n")
}

@Suite("What observing of iOS becomes")
struct ObservingTests {
    @Test(
        "A dynamic property of a class says when it changes",
        arguments: [
            (
                "@objc dynamic var x = 0",
                #"var x = 0 { willSet { objc_willChange(self, "x") } didSet { objc_didChange(self, "x") } }"#
            ),
            (
                "dynamic var x: Int? { didSet { f() } }",
                #"var x: Int? { willSet { objc_willChange(self, "x") } didSet { objc_didChange(self, "x"); f() } }"#
            ),
            (
                "dynamic var x = 0 { willSet { f() } didSet { g() } }",
                #"var x = 0 { willSet { objc_willChange(self, "x"); f() } didSet { objc_didChange(self, "x"); g() } }"#
            ),
            (
                "dynamic var x: Int { get { 1 } set { f() } }",
                #"var x: Int { get { 1 } set { objc_willChange(self, "x"); defer { objc_didChange(self, "x") }; f() } }"#
            ),
            ("dynamic var x: Int { 1 }", "var x: Int { 1 }"),
            ("dynamic lazy var x = 1", "lazy var x = 1"),
            ("dynamic func f() {}", "func f() {}"),
        ])
    func properties(text: String, expected: String) throws {
        let result = try lowered("class A { \(text) }")
        #expect(result.split(separator: " ").joined(separator: " ") == "class A { \(expected) }")
    }

    @Test("A requirement of a protocol says nothing")
    func requirements() throws {
        #expect(!(try lowered("@objc protocol P { dynamic var x: Int { get set } }")).contains("objc_"))
    }

    @Test(
        "A key path that is observed has its name beside it",
        arguments: [
            ("player.observe(\\.status) { _, _ in }", #"player.observe(\.status, named: "status") { _, _ in }"#),
            (
                "player.observe(\\AVPlayer.currentItem?.status, options: [.new]) { _, _ in }",
                #"player.observe(\AVPlayer.currentItem?.status, named: "currentItem.status", options: [.new]) { _, _ in }"#
            ),
            (
                "item.publisher(for: \\.isPlaybackBufferEmpty).sink { _ in }",
                #"item.publisher(for: \.isPlaybackBufferEmpty, named: "isPlaybackBufferEmpty").sink { _ in }"#
            ),
            ("store.publisher(for: .changed)", "store.publisher(for: .changed)"),
            ("self.didChangeValue(for: \\.speed)", #"self.didChangeValue(for: \.speed, named: "speed")"#),
            ("willChangeValue(for: \\.speed)", #"willChangeValue(for: \.speed, named: "speed")"#),
            (
                "class A { dynamic var x = 1 }; a.observe(\\.x) {}".replacing("dynamic ", with: "dynamic lazy ")
                    .replacing("x)", with: "status)"),
                #"class A { lazy var x = 1 }; a.observe(\.status, named: "status") {}"#
            ),
        ])
    func keyPaths(text: String, expected: String) throws {
        let result = try lowered(text)
        #expect(
            result.split(separator: " ").joined(separator: " ") == expected.split(separator: " ").joined(separator: " ")
        )
    }

    @Test("A method of the module's own that is called like one that observes is left alone")
    func own() throws {
        let text = "struct S { func observe(_ path: KeyPath<S, Int>) {} }; s.observe(\\.count)"
        #expect(try lowered(text) == text)
    }

    @Test("What the module says that it changes can be observed, in another file as well")
    func announced() throws {
        let result = try Tool.lower([
            ("A.swift", "class A { func f() { didChangeValue(forKey: \"speed\"); didChangeValue(for: \\.place) } }"),
            (
                "B.swift",
                "let a = b.observe(\\.speed) {}; b.addObserver(c, forKeyPath: #keyPath(A.place), context: nil)"
            ),
        ])
        #expect(result.diagnostics.isEmpty)
    }

    @Test("A class that hears of what it observes by names does so by a protocol, the first of its line")
    func observers() throws {
        let method =
            "func observeValue(forKeyPath k: String?, of o: Any?, change c: [NSKeyValueChangeKey: Any]?, "
            + "context x: UnsafeMutableRawPointer?)"
        let call = "observeValue(forKeyPath: k, of: o, change: c, context: x)"
        let text = """
            class A: NSObject { override \(method) { super.\(call) } }
            class B: A { override \(method) { super.\(call) } }
            enum N { class C: UIViewController { override \(method) {} } }
            """
        let lines = try lowered(text).split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines == [
                "class A: NSObject { \(method) { super.un\(call.replacing("observeValue", with: "observedValue")) } }",
                "class B: A { override \(method) { super.\(call) } }",
                "enum N { class C: UIViewController { \(method) {} } }",
                "#sourceLocation()", "extension A: NSKeyValueObserver {}",
                "extension N.C: @preconcurrency NSKeyValueObserver {}",
            ])
    }
}
