import Testing

private func lowered(_ text: String, options: [String] = []) throws -> String {
    try Tool.lowered(text, options: options)
}

private func complaints(_ text: String) throws -> [Tool.Diagnostic] { try Tool.complaints(text) }

@Suite("What iOS code becomes")
struct LoweringTests {
    @Test("What only Objective-C needs becomes spaces, so that lines and columns stay")
    func attributes() throws {
        let text = """
            @objcMembers final class A: NSObject {
                @objc static dynamic var x = 0
                @IBOutlet weak var label: UILabel!
                @IBAction func tap(_ sender: Any) {}
                @objc(name:) private func b(_ x: Int) {}
            }
            """
        let result = try lowered(text)
        #expect(
            result == """
                             final class A: NSObject {
                          static         var x = 0
                              weak var label: UILabel!
                              func tap(_ sender: Any) {}
                                 private func b(_ x: Int) {}
                }
                """)
        for (old, new) in zip(text.split(separator: "\n"), result.split(separator: "\n")) {
            #expect(old.count == new.count)
        }
    }

    @Test(
        "The old attribute of the app's delegate becomes the language's",
        arguments: [
            ("@UIApplicationMain class A {}", "@main class A {}"), ("@main class A {}", "@main class A {}"),
        ])
    func main(text: String, expected: String) throws {
        #expect(try lowered(text) == expected)
    }

    @Test(
        "A selector carries the call of its method",
        arguments: [
            ("#selector(a)", #"Selector("a", { (object: C) in object.a() })"#),
            ("#selector(b)", #"Selector("b:", { (object: C, value0) in object.b(value0) })"#),
            ("#selector(b(_:))", #"Selector("b:", { (object: C, value0) in object.b(value0) })"#),
            ("#selector(self.b(_:))", #"Selector("b:", { (object: C, value0) in object.b(value0) })"#),
            (
                "#selector(C.c(x:_:))",
                #"Selector("cWithX::", { (object: C, value0, value1) in object.c(x: value0, value1) })"#
            ),
            ("#selector(other.b(_:))", #"Selector("b:", like: other, { (object, value0) in object.b(value0) })"#),
            ("#selector(s)", #"Selector("s", { (object: C.Type) in object.s() })"#),
            ("#selector(viewDidLoad)", #"Selector("viewDidLoad", method: { (object: C) in object.viewDidLoad })"#),
            ("#selector(Other.gone)", #"Selector("gone", method: { (object: Other) in object.gone })"#),
            ("#selector(getter: C.p)", #"Selector("p")"#),
            (#"Selector("b:")"#, #"Selector("b:", { (object: C, value0) in object.b(value0) })"#),
            (#"Selector(("unknown:"))"#, #"Selector(("unknown:"))"#),
        ])
    func selectors(reference: String, expected: String) throws {
        let rest = "; @objc func a() {}; func b(_ x: Any) {}; func c(x: Int, _ y: Int) {}; @objc static func s() {} }"
        #expect(try lowered("class C { func f() { use(\(reference)) }" + rest).contains("use(\(expected))"))
    }

    @Test("A selector over several lines leaves what follows on its line")
    func linesOfSelectors() throws {
        let result = try lowered("class C {\n let s = use(#selector(\n   C.a\n ), 1)\n func a() {}\n}\n")
        #expect(result.split(separator: "\n", omittingEmptySubsequences: false)[4] == " func a() {}")
    }

    @Test("Methods of other files of the module are known")
    func module() throws {
        let result = try Tool.lower([
            ("A.swift", "class A { let s = #selector(handle) }"),
            ("B.swift", "extension A { @objc func handle(note: Notification) {} }"),
        ])
        #expect(
            result.texts[0].contains(
                #"Selector("handleWithNote:", { (object: A, value0) in object.handle(note: value0) })"#))
    }

    @Test("A file that loads URLs gets the module that does, and others do not")
    func networking() throws {
        let result = try Tool.lower([
            ("A.swift", "import Foundation\nlet s = URLSession.shared"),
            ("B.swift", "import Foundation"),
        ])
        #expect(result.texts[0].hasPrefix("import UIKit; import UIKitNetworking\n"))
        #expect(result.texts[1].hasPrefix("import UIKit\n"))
    }

    @Test("Optional requirements have defaults, and calls of them no question mark")
    func optionalRequirements() throws {
        let text = """
            @objc protocol P: Q {
                @objc optional func done(_ x: Int)
                func must()
            }
            func f(p: P?) { p?.done?(1); p!.done!(2); handler?(3) }
            """
        #expect(
            try lowered(text) == """
                      protocol P: AnyObject, Q {
                                   func done(_ x: Int)
                    func must()
                }
                func f(p: P?) { p?.done(1); p!.done(2); handler?(3) }
                #sourceLocation()
                extension P { func done(_ x: Int) {} }

                """)
    }

    @Test(
        "Values become objects at run time",
        arguments: [
            ("(path as NSString)", "(path as! NSString)"), ("(path as CFString)", "(path as! CFString)"),
            ("(\"a\" + b as NSString)", "(\"a\" + b as! NSString)"),
            ("(\"a\" as NSString)", "(\"a\" as NSString)"), ("([1] as NSArray)", "([1] as NSArray)"),
            ("(x as? NSString)", "(x as? NSString)"), ("(x as Any)", "(x as Any)"),
            ("(e as NSError)", "(e as NSError)"),
        ])
    func casts(text: String, expected: String) throws {
        #expect(try lowered("let y = \(text)") == "let y = \(expected)")
    }

    @Test("A controller's initializer overrides what it does not on iOS")
    func initializers() throws {
        let rest = "(x: Int) {} }"
        #expect(
            try lowered("class A: UIViewController { public init() {}; init\(rest)")
                == "class A: UIViewController { public override init() {}; init\(rest)")
        #expect(try lowered("class A: B { init() {} }") == "class A: B { init() {} }")
    }

    @Test("A boxed time is one that can hold it")
    func times() throws {
        #expect(try lowered("let a = NSValue(time: t)") == "let a = CMBoxedTime(time: t)")
        #expect(try lowered("let a = NSValue(timeRange: r)") == "let a = CMBoxedTime(timeRange: r)")
        #expect(try lowered("let a = NSValue(range: r)") == "let a = NSValue(range: r)")
    }

    @Test("A timer that a method takes has what it was created with")
    func timers() throws {
        #expect(try lowered("func f(_ t: Timer) { t.userInfo }") == "func f(_ t: Timer) { t.targetUserInfo }")
        #expect(try lowered("func f(n: Notification) { n.userInfo }") == "func f(n: Notification) { n.userInfo }")
    }

    @Test(
        "What needs Objective-C's runtime is refused at its place, with what to do",
        arguments: [
            ("\nlet o = player.observe(\\.rating) { _, _ in }", 2, 16, "when “rating” changes"),
            ("center.addObserver(self, forKeyPath: \"a\", options: [], context: nil)", 1, 8, "when “a” changes"),
            ("queue.publisher(for: \\.operationCount)", 1, 7, "when “operationCount” changes"),
            ("player.observe(\\.items[0]) { _, _ in }", 1, 16, "names properties alone"),
            ("method_exchangeImplementations(a, b)", 1, 1, "exchanged"),
            ("@objc protocol P {\n  @objc optional func f() -> Int\n}", 2, 9, "default in an extension of P"),
        ])
    func refusals(text: String, line: Int, column: Int, words: String) throws {
        let complaint = try #require(try complaints(text).first)
        #expect((complaint.line, complaint.column) == (line, column))
        #expect(complaint.message.contains(words))
        #expect(complaint.text.hasPrefix("A.swift:\(line):\(column): error: "))
    }

    @Test(
        "Calls of what has no Objective-C are made in Swift",
        arguments: [
            ("target?.perform(selector)", "objc_perform(target, selector)"),
            ("a.b.perform(action, with: x)", "objc_perform(a.b, action, with: x)"),
            ("self.perform(selector)", "self.perform(selector)"), ("queue.perform(block)", "queue.perform(block)"),
            ("x.conforms(to: P.self)", "(x is any P)"), ("Timer()", "Timer.idle()"),
            ("Foundation.URLSession.shared", "FoundationNetworking.URLSession.shared"),
            ("Foundation.Timer.self", "Foundation.Timer.self"),
        ])
    func calls(text: String, expected: String) throws {
        #expect(try lowered("let y = \(text)") == "let y = \(expected)")
    }

    @Test("A module whose code is in the same target is not imported")
    func merged() throws {
        #expect(
            try lowered("import Toolkit\nimport Other", options: ["--merge", "Toolkit"]) == "\nimport Other")
    }

    @Test(
        "Rubbish is passed on, for the compiler to complain of",
        arguments: [
            "class {", "#selector(", "#if", "@objc", "protocol P { @objc optional", "import", "\u{0}\u{1}",
            "#available(iOS",
        ])
    func rubbish(text: String) throws {
        let result = try Tool.lower([("A.swift", text)])
        #expect(result.texts.count == 1 || !result.diagnostics.isEmpty)
    }
}
