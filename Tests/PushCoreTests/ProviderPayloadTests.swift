import PushPayload
import Testing

@Suite("What a payload asks for")
struct ProviderPayloadTests {
    private func payload(_ text: String, needsAps: Bool = true) throws -> ProviderPayload {
        try ProviderPayload(Array(text.utf8), needsAps: needsAps)
    }

    @Test("Everything that is proper is read, without a remark")
    func proper() throws {
        let payload = try payload(
            """
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"l"},"badge":3,"sound":"bell",
            "category":"c","thread-id":"t","target-content-id":"x","interruption-level":"time-sensitive",
            "relevance-score":0.5,"content-available":1,"mutable-content":1,"new":[1]},"own":{"a":null}}
            """)
        #expect(payload.alert.title == "T" && payload.alert.subtitle == "S" && payload.alert.body == "B")
        #expect(payload.alert.launchImage == "l" && payload.badge == 3 && payload.sound == "bell")
        #expect(payload.category == "c" && payload.thread == "t" && payload.targetContent == "x")
        #expect(payload.interruption == .timeSensitive && payload.relevance == 0.5)
        #expect(payload.isContentAvailable && payload.isMutable && payload.hasAlert && !payload.isForeign)
        #expect(payload.remarks.isEmpty && payload.rewritten == nil)
    }

    static let badges: [(text: String, badge: Int?, remarks: Int)] = [
        ("0", 0, 0), ("7", 7, 0), ("1.0", 1, 0), ("1e2", 100, 0), (#""1""#, 1, 1), (#""12""#, 12, 1), (#""1.0""#, 1, 1),
        ("null", nil, 0), ("-1", nil, 1), ("1.5", nil, 1), (#""-1""#, nil, 2), (#""many""#, nil, 1), (#""""#, nil, 1),
        (#""nan""#, nil, 1), (#""inf""#, nil, 1), ("true", nil, 1), ("[1]", nil, 1), ("{}", nil, 1), ("1e300", nil, 1),
    ]

    @Test("A badge is a count, as a number or as text; anything else is left out", arguments: badges.indices)
    func badge(_ index: Int) throws {
        let (text, badge, remarks) = Self.badges[index]
        let payload = try payload(#"{"aps":{"alert":"Milk","badge":\#(text)}}"#)
        #expect(payload.badge == badge && payload.alert.body == "Milk")
        #expect(payload.remarks.count == remarks && payload.remarks.allSatisfy { $0.contains("aps.badge") })
    }

    static let flags: [(text: String, isSet: Bool, isOdd: Bool)] = [
        ("1", true, false), ("true", true, false), ("1.0", true, false), ("0", false, false), ("false", false, false),
        ("null", false, false), (#""1""#, true, true), (#""true""#, true, true), (#""0""#, false, true),
        ("2", false, true), (#""yes""#, false, true), ("[]", false, true),
    ]

    @Test("A flag is 1 or true, as text too", arguments: flags.indices)
    func flag(_ index: Int) throws {
        let (text, isSet, isOdd) = Self.flags[index]
        let payload = try payload(#"{"aps":{"content-available":\#(text),"mutable-content":\#(text)}}"#)
        #expect(payload.isContentAvailable == isSet && payload.isMutable == isSet)
        #expect(payload.remarks.isEmpty != isOdd)
    }

    static let texts: [(text: String, thread: String, isOdd: Bool)] = [
        (#""a""#, "a", false), ("42", "42", true), ("1.5", "1.5", true), ("null", "", false), ("true", "", true),
        ("{}", "", true), (#"["a"]"#, "", true),
    ]

    @Test("A text may be a number; anything else is left out, and the alert is shown", arguments: texts.indices)
    func text(_ index: Int) throws {
        let (text, thread, isOdd) = Self.texts[index]
        for key in ["category", "thread-id", "target-content-id"] {
            let payload = try payload(#"{"aps":{"alert":"Milk","\#(key)":\#(text)}}"#)
            let found = [payload.category, payload.thread, payload.targetContent ?? ""].joined()
            #expect(found == thread && payload.alert.body == "Milk")
            #expect(payload.remarks.isEmpty != isOdd)
        }
    }

    @Test("A sound that is odd is the default one, or none")
    func sound() throws {
        #expect(try payload(#"{"aps":{"sound":{"critical":1}}}"#).sound == "default")
        #expect(try payload(#"{"aps":{"sound":{"name":"bell","volume":"loud"}}}"#).sound == "bell")
        #expect(try payload(#"{"aps":{"sound":""}}"#).sound == nil)
        let odd = try payload(#"{"aps":{"alert":"Milk","sound":true}}"#)
        #expect(odd.sound == nil && odd.alert.body == "Milk" && odd.remarks.count == 1)
    }

    @Test("Of an alert, what can be shown is")
    func alert() throws {
        let payload = try payload(#"{"aps":{"alert":{"title":"Milk","body":["a"],"subtitle":7}}}"#)
        #expect(payload.alert.title == "Milk" && payload.alert.subtitle == "7" && payload.alert.body.isEmpty)
        #expect(payload.remarks.count == 2)
        #expect(try self.payload(#"{"aps":{"alert":5}}"#).alert.body == "5")
        #expect(try self.payload(#"{"aps":{"alert":{"loc-key":"MILK","body":null}}}"#).alert.body == "MILK")
        #expect(try !self.payload(#"{"aps":{"alert":null}}"#).hasAlert)
        #expect(try !self.payload(#"{"aps":{"alert":{}}}"#).hasAlert)
    }

    @Test("A level that is none counts as active")
    func interruption() throws {
        for level in [#""loud""#, "2", "[]", "null"] {
            let payload = try payload(#"{"aps":{"alert":"Milk","interruption-level":\#(level)}}"#)
            #expect(payload.interruption == .active && payload.hasAlert)
        }
        #expect(try payload(#"{"aps":{"relevance-score":"0.5"}}"#).relevance == 0.5)
    }

    @Test("A text that was cut within a character loses that character, and the payload is written anew")
    func halfPair() throws {
        let payload = try payload(#"{"aps":{"alert":"Milk \ud83e","thread-id":"\udd5bx"},"own":1}"#)
        #expect(payload.alert.body == "Milk \u{FFFD}" && payload.thread == "\u{FFFD}x" && payload.remarks.count == 1)
        let rewritten = try #require(payload.rewritten)
        let again = try self.payload(rewritten)
        #expect(again.alert.body == "Milk \u{FFFD}" && again.rewritten == nil && rewritten.contains(#""own":1"#))
        // What follows half a pair stands for itself.
        #expect(try self.payload(#"{"aps":{"alert":"\ud83e\u0041"}}"#).alert.body == "\u{FFFD}A")
    }

    @Test("Without aps it is its receiver's own affair, where that can be")
    func foreign() throws {
        #expect(try payload(#"{"mdm":"a"}"#).isForeign)
        #expect(try payload(#"{"call":1}"#, needsAps: false).isForeign)
        #expect(throws: ProviderPayload.Unusable.self) { try payload(#"{"call":1}"#) }
    }
}
