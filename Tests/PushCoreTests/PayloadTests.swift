import PushCore
import PushLink
import Testing

@Suite("Payloads")
struct PayloadTests {
    static let rules = PushRules()

    private func payload(_ text: String, _ type: LinkPushType? = .alert) throws(PushRejection) -> Payload {
        try Payload(Array(text.utf8), for: type, rules: Self.rules)
    }

    private func rejection(_ text: String, _ type: LinkPushType? = .alert) -> PushRejection? {
        do throws(PushRejection) {
            _ = try payload(text, type)
            return nil
        } catch {
            return error
        }
    }

    @Test("A payload without a byte is empty, and Apple has nothing to add")
    func empty() {
        #expect(rejection("") == PushRejection(.payloadEmpty))
    }

    /// What a provider may have written, and what the detail says of it.
    static let unusable: [(text: String, detail: String)] = [
        ("x", "not JSON"), ("{", "not JSON"), ("{\"aps\":{}}x", "not JSON"), ("{'aps':{}}", "not JSON"),
        ("\u{FEFF}{\"aps\":{}}", "not JSON"), ("{\"aps\":{\"alert\":\"\u{1}\"}}", "not JSON"),
        ("[]", "dictionary"), ("null", "dictionary"), ("\"aps\"", "dictionary"), ("1", "dictionary"),
        ("{}", "no aps"), ("{\"APS\":{}}", "no aps"), (#"{"aps":[]}"#, "aps is not"), (#"{"aps":null}"#, "aps is not"),
        (#"{"aps":"x"}"#, "aps is not"), (#"{"aps":1}"#, "aps is not"), (#"{"aps":{"alert":true}}"#, "aps.alert"),
        (#"{"aps":{"alert":["x"]}}"#, "aps.alert"), (#"{"aps":{"alert":{"body":["x"]},"badge":1}}"#, "aps.alert.body"),
        (#"{"aps":{"badge":1e400}}"#, "JSON"), (#"{"mdm":"a","aps":1}"#, "aps is not"),
    ]

    @Test("What no device could use is refused, and the answer says what is wrong", arguments: unusable.indices)
    func refused(_ index: Int) throws {
        let (text, detail) = Self.unusable[index]
        let rejection = try #require(self.rejection(text))
        #expect(rejection.reason == .payloadEmpty)
        #expect(rejection.detail?.contains(detail) == true, "\(rejection.detail ?? "")")
    }

    @Test("Bytes that are no UTF-8 are no JSON")
    func encoding() {
        let bytes = Array(#"{"aps":{"alert":""#.utf8) + [0xFF, 0xFE] + Array(#""}}"#.utf8)
        #expect(throws: PushRejection.self) { try Payload(bytes, for: .alert, rules: Self.rules) }
    }

    @Test("Nesting and small values are bounded: a payload of 4,096 brackets costs no stack")
    func nesting() {
        for text in [
            String(repeating: "[", count: 4096), #"{"aps":{},"x":"# + String(repeating: "[", count: 2000),
            #"{"aps":{},"x":["# + String(repeating: "1,", count: 2500) + "1]}",
            #"{"aps":"# + String(repeating: #"{"a":"#, count: 800),
        ] {
            #expect(rejection(text, .voip)?.reason == .payloadEmpty)
        }
        let deep = #"{"aps":{},"x":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
        #expect(rejection(deep) == nil)
    }

    static let lengths: [(type: LinkPushType?, longest: Int)] = [
        (.alert, 4096), (.background, 4096), (nil, 4096), (.liveactivity, 4096), (.voip, 5120),
    ]

    @Test("4,096 bytes fit, and 5,120 for a call", arguments: lengths.indices)
    func length(_ index: Int) {
        let (type, longest) = Self.lengths[index]
        func text(_ count: Int) -> String {
            let (start, end) = (#"{"aps":{"alert":""#, #""}}"#)
            return start + String(repeating: "a", count: count - start.utf8.count - end.utf8.count) + end
        }
        #expect(rejection(text(longest), type) == nil)
        #expect(rejection(text(longest + 1), type) == PushRejection(.payloadTooLarge))
        // Too large goes before what is in it.
        #expect(rejection(String(repeating: "x", count: longest + 1), type) == PushRejection(.payloadTooLarge))
    }

    static let kinds: [(text: String, hasAlert: Bool, isContentAvailable: Bool, type: LinkPushType)] = [
        (#"{"aps":{"alert":"a"}}"#, true, false, .alert), (#"{"aps":{"alert":{"title":"a"}}}"#, true, false, .alert),
        (#"{"aps":{"badge":0}}"#, true, false, .alert), (#"{"aps":{"sound":"default"}}"#, true, false, .alert),
        (#"{"aps":{"sound":{"critical":1}}}"#, true, false, .alert), (#"{"aps":{}}"#, false, false, .alert),
        (#"{"aps":{"content-available":1}}"#, false, true, .background),
        (#"{"aps":{"content-available":true},"a":[1]}"#, false, true, .background),
        (#"{"aps":{"content-available":0}}"#, false, false, .alert),
        (#"{"aps":{"content-available":1,"alert":"a"}}"#, true, true, .alert),
        (#"{"aps":{"mutable-content":1,"category":"c","thread-id":"t","new":[1]}}"#, false, false, .alert),
    ]

    @Test("The payload says whether it is an alert or wakes an app", arguments: kinds.indices)
    func kind(_ index: Int) throws {
        let (text, hasAlert, isContentAvailable, type) = Self.kinds[index]
        let payload = try payload(text, nil)
        #expect(payload.hasAlert == hasAlert && payload.isContentAvailable == isContentAvailable)
        #expect(payload.type == type)
    }

    @Test("Only an app's own payloads need aps", arguments: LinkPushType.allCases)
    func withoutAps(_ type: LinkPushType) {
        let needs = type == .alert || type == .background
        #expect((rejection(#"{"call":1}"#, type) == nil) != needs)
        // What is there is proper, whatever the type.
        #expect(rejection(#"{"aps":1}"#, type)?.reason == .payloadEmpty)
    }

    @Test("A payload of device management says by itself what it is")
    func deviceManagement() throws {
        #expect(try payload(#"{"mdm":"3F2504E0"}"#, nil).type == .mdm)
        #expect(rejection(#"{"mdm":"3F2504E0"}"#, .mdm) == nil)
    }

    @Test("What is odd is accepted, and remarked on")
    func remarks() throws {
        #expect(try payload(#"{"aps":{"alert":"a","badge":"1"}}"#).remarks.count == 1)
        #expect(try payload(#"{"aps":{"alert":"a","badge":1}}"#).remarks.isEmpty)
        #expect(try payload(#"{"aps":{"content-available":"1"}}"#, nil).type == .background)
    }

    @Test("Priority 10 is an error of a silent push, which has 5 where nothing is said; others have 10")
    func priority() throws {
        func options(_ priority: Int?) -> PushOptions {
            PushOptions(id: nil, topic: Sample.topic, type: nil, priority: priority, expires: 0, collapse: nil)
        }
        #expect(try options(nil).priority(.background) == 5)
        for type in LinkPushType.allCases where type != .background {
            #expect(try options(nil).priority(type) == 10 && options(10).priority(type) == 10)
        }
        for priority in [1, 5] {
            #expect(try options(priority).priority(.background) == priority)
            #expect(try options(priority).priority(.alert) == priority)
        }
        #expect {
            try options(10).priority(.background)
        } throws: {
            ($0 as? PushRejection)?.reason == .badPriority
        }
    }
}
