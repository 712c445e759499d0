import Model
import Testing

@Suite("Identifiers and declarations") struct VocabularyTests {
    @Test(
        "An app's identifier is 1 to 127 letters, digits, dots, hyphens and underscores, and a file name that needs no care",
        arguments: [
            ("org.greenroom.examples.journal", true), ("a", true), ("A-1.b", true), ("0", true), ("a.", true),
            ("a..b", true),
            ("", false), (".", false), ("..", false), (".hidden", false), ("-rf", false), ("a/b", false),
            ("a b", false),
            ("a\u{0}", false), ("a\n", false), ("ä", false), ("a_b", true), ("_a", true), ("a\u{301}", false),
            ("a%2f", false),
        ])
    func identifiers(text: String, isValid: Bool) {
        #expect((AppIdentifier(text) != nil) == isValid, "\(text.debugDescription)")
        #expect(AppIdentifier(text)?.rawValue ?? text == text)
    }

    @Test("127 bytes are enough, 128 too many")
    func length() {
        #expect(AppIdentifier(String(repeating: "a", count: 127)) != nil)
        #expect(AppIdentifier(String(repeating: "a", count: 128)) == nil)
    }

    @Test("Generations and sequence numbers are ordered, and the last generation is followed by the first")
    func numbers() {
        #expect(Generation(1) < Generation(1).next)
        #expect(Generation(.max).next == Generation(0))
        #expect(CallbackNumber(1) < CallbackNumber(2))
        #expect(LogSequence(1) < LogSequence(2))
        #expect(AppIndex(1) < AppIndex(2))
    }

    @Test("Every log event, role, state and callback has a name of its own")
    func names() {
        #expect(Set(LogEvent.allCases.map(\.name)).count == LogEvent.allCases.count)
        #expect(LogEvent.launchedInBackground.name == "launchedInBackground")
        #expect(
            LifecycleState.allCases.map(\.name) == ["not-running", "inactive", "active", "background", "suspended"])
        #expect(ScreenRole.allCases.map(\.name) == ["primary", "secondary", "pip"])
        for kind in CallbackKind.allCases {
            #expect(kind.name == "\(kind)")
            guard kind != .scene else { continue }
            #expect(LogEvent(kind).name == (kind == .openURL ? "openedURL" : kind.name))
        }
        for step in SceneStep.allCases where step != .openURL {
            #expect(step.event.name == step.name)
            #expect(
                LogEvent(Callback(number: CallbackNumber(1), kind: .scene, scene: SceneCall(SceneNumber(1), step)))
                    == step.event)
        }
        #expect(Set(AssertionKind.allCases.map(\.name)).count == AssertionKind.allCases.count)
    }

    @Test("Bytes are readable, however many")
    func bytes() {
        let texts: [(Int64, String)] = [
            (0, "0 MB"), (1 << 20, "1 MB"), (13_107_200, "12.5 MB"), (-(1 << 21), "-2 MB"), (100 << 20, "100 MB"),
            (1 << 60, "1099511627776 MB"), (.max, "8796093022208 MB"), (.min, "-8796093022208 MB"),
        ]
        for (bytes, text) in texts { #expect(bytes.mebibytes == text) }
    }

    @Test("An assertion's reason names what lets the app run")
    func assertions() {
        for kind in AssertionKind.allCases {
            let assertion = Assertion(id: AssertionID(1), kind: kind, name: "", since: .zero, expires: nil)
            #expect(!assertion.reason.isEmpty)
        }
    }
}
