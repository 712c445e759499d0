import Model
import PushCore
import PushLink
import Testing

@Suite("The header fields of a request")
struct PushFieldsTests {
    static let token = String(repeating: "0a", count: 32)
    static let rules = PushRules()
    static let anyTopic = ProviderIdentity(name: "TEAM000001", topics: .any)
    static let seconds = Sample.now.nanoseconds / 1_000_000_000
    static let month: Int64 = 30 * 86_400

    private func fields(_ pairs: [(String, String)]) -> PushFields {
        var fields = PushFields()
        for (name, value) in pairs { fields.add(name, value) }
        return fields
    }

    private func reason<Value>(_ body: () throws(PushRejection) -> Value) -> PushReason? {
        do throws(PushRejection) {
            _ = try body()
            return nil
        } catch {
            return error.reason
        }
    }

    private func options(
        _ pairs: [(String, String)], for provider: ProviderIdentity = anyTopic
    ) throws(PushRejection) -> PushOptions {
        try fields([("apns-topic", Sample.topic)] + pairs).options(for: provider, rules: Self.rules, now: Sample.now)
    }

    static let paths: [(method: String, path: String, reason: PushReason?)] = [
        ("POST", "/3/device/" + token, nil), ("POST", "/3/device/x", nil),
        ("GET", "/3/device/" + token, .methodNotAllowed), ("post", "/3/device/" + token, .methodNotAllowed),
        ("", "/3/device/" + token, .methodNotAllowed), ("PUT", "/", .methodNotAllowed),
        ("POST", "/3/device/", .missingDeviceToken), ("POST", "/3/device", .missingDeviceToken),
        ("POST", "/3/devices/" + token, .badPath), ("POST", "/3/device/" + token + "/", .badPath),
        ("POST", "/2/device/" + token, .badPath), ("POST", "/", .badPath), ("POST", "", .badPath),
        ("POST", "/3/device//", .badPath), ("POST", "*", .badPath), ("POST", "/3/DEVICE/" + token, .badPath),
    ]

    @Test("The path is /3/device/ and a token, the method is POST", arguments: paths.indices)
    func path(_ index: Int) {
        let (method, path, reason) = Self.paths[index]
        #expect(
            self.reason { () throws(PushRejection) in
                try fields([(":method", method), (":path", path)]).token()
            } == reason)
    }

    @Test("The token is the rest of the path, whatever it is")
    func token() throws {
        #expect(try fields([(":method", "POST"), (":path", "/3/device/a?b#c")]).token() == "a?b#c")
    }

    static let known = [
        "authorization", "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration",
        "apns-collapse-id",
    ]

    @Test("A field that comes twice is refused before anything else, even with the same value", arguments: known)
    func duplicates(_ name: String) {
        let twice = fields([(":method", "GET"), (name, "10"), ("user-agent", "x"), (name, "10")])
        #expect(reason { () throws(PushRejection) in try twice.token() } == .duplicateHeaders)
    }

    @Test("Other fields may come as often as they like")
    func others() throws {
        let many = fields([(":method", "POST"), (":path", "/3/device/x"), ("x-a", "1"), ("x-a", "2"), ("cookie", "a")])
        #expect(try many.token() == "x")
    }

    /// A field, its value, and what is said.
    static let values: [(name: String, value: String, reason: PushReason?)] = [
        ("apns-id", Sample.id, nil), ("apns-id", Sample.id.uppercased(), nil), ("apns-id", "", .badMessageId),
        ("apns-id", "1", .badMessageId), ("apns-id", Sample.id + "0", .badMessageId),
        ("apns-id", Sample.id.replacing("-", with: "0"), .badMessageId),
        ("apns-id", "123e4567-e89b-12d3-a456-42661417400g", .badMessageId),
        ("apns-id", "123e4567e-89b-12d3-a456-426614174000", .badMessageId),
        ("apns-id", "{23e4567-e89b-12d3-a456-426614174000", .badMessageId),
        ("apns-priority", "10", nil), ("apns-priority", "5", nil), ("apns-priority", "1", nil),
        ("apns-priority", "", .badPriority), ("apns-priority", "0", .badPriority), ("apns-priority", "2", .badPriority),
        ("apns-priority", "11", .badPriority), ("apns-priority", "05", .badPriority),
        ("apns-priority", " 5", .badPriority), ("apns-priority", "high", .badPriority),
        ("apns-expiration", "0", nil), ("apns-expiration", "1", nil), ("apns-expiration", "4102444800", nil),
        ("apns-expiration", "9223372036854775807", nil),
        ("apns-expiration", "9223372036854775808", .badExpirationDate), ("apns-expiration", "", .badExpirationDate),
        ("apns-expiration", "-1", .badExpirationDate), ("apns-expiration", "+1", .badExpirationDate),
        ("apns-expiration", "1.5", .badExpirationDate), ("apns-expiration", "tomorrow", .badExpirationDate),
        ("apns-expiration", "１", .badExpirationDate),
        ("apns-expiration", String(repeating: "0", count: 20), .badExpirationDate),
        ("apns-collapse-id", "a", nil), ("apns-collapse-id", String(repeating: "a", count: 64), nil),
        ("apns-collapse-id", String(repeating: "ä", count: 32), nil),
        ("apns-collapse-id", String(repeating: "a", count: 65), .badCollapseId),
        ("apns-collapse-id", String(repeating: "ä", count: 33), .badCollapseId),
        ("apns-collapse-id", "", .badCollapseId),
        ("apns-push-type", "alert", nil), ("apns-push-type", "background", nil), ("apns-push-type", "mdm", nil),
        ("apns-push-type", "", .invalidPushType), ("apns-push-type", "Alert", .invalidPushType),
        ("apns-push-type", "silent", .invalidPushType), ("apns-push-type", "voip", .badTopic),
        ("apns-push-type", "location", .badTopic), ("apns-push-type", "liveactivity", .badTopic),
    ]

    @Test("Every field has its values, and a reason for all others", arguments: values.indices)
    func value(_ index: Int) {
        let (name, value, reason) = Self.values[index]
        #expect(self.reason { () throws(PushRejection) in try options([(name, value)]) } == reason)
    }

    @Test("A topic is missing, malformed or another provider's")
    func topics() {
        func reason(_ topic: String?, _ provider: ProviderIdentity) -> PushReason? {
            let fields = fields(topic.map { [("apns-topic", $0)] } ?? [])
            return self.reason { () throws(PushRejection) in
                try fields.options(for: provider, rules: Self.rules, now: Sample.now)
            }
        }
        #expect(reason(nil, Self.anyTopic) == .missingTopic)
        for topic in ["", " ", "a b", "ä", "a/b", String(repeating: "a", count: 256)] {
            #expect(reason(topic, Self.anyTopic) == .badTopic)
        }
        let app = ProviderIdentity(name: "x", topics: .apps([Sample.topic]), onlyTopic: Sample.topic)
        #expect(reason(nil, app) == nil && reason("com.example.other", app) == .topicDisallowed)
        #expect(reason(Sample.topic + ".voip", app) == nil)
        let several = ProviderIdentity(name: "x", topics: .exactly(["a", "b"]))
        #expect(reason(nil, several) == .missingTopic && reason("c", several) == .topicDisallowed)
    }

    @Test(
        "Of two faults the one is said that comes first: the identifier, topic, type, priority, expiration, collapsing")
    func order() {
        var pairs = [
            ("apns-id", "x"), ("apns-topic", "ä"), ("apns-push-type", "x"), ("apns-priority", "x"),
            ("apns-expiration", "x"), ("apns-collapse-id", ""),
        ]
        let right = [Sample.id, Sample.topic, "alert", "10", "0", "c"]
        let reasons: [PushReason] = [
            .badMessageId, .badTopic, .invalidPushType, .badPriority, .badExpirationDate, .badCollapseId,
        ]
        for (index, expected) in reasons.enumerated() {
            let reason = reason { () throws(PushRejection) in
                try fields(pairs).options(for: Self.anyTopic, rules: Self.rules, now: Sample.now)
            }
            #expect(reason == expected)
            pairs[index].1 = right[index]
        }
    }

    @Test("What a provider does not say has its default")
    func defaults() throws {
        let options = try options([])
        #expect(
            options
                == PushOptions(
                    id: nil, topic: Sample.topic, type: nil, priority: nil, expires: Self.seconds + Self.month,
                    collapse: nil))
    }

    static let expirations: [(written: Int64, expires: Int64)] = [
        (0, 0), (1, 0), (seconds, 0), (seconds + 1, seconds + 1), (seconds + month, seconds + month),
        (seconds + month + 1, seconds + month), (.max, seconds + month),
    ]

    @Test(
        "What has expired is delivered now or never, and nothing is kept for more than a month",
        arguments: expirations.indices)
    func expiration(_ index: Int) throws {
        let (written, expires) = Self.expirations[index]
        #expect(try options([("apns-expiration", "\(written)")]).expires == expires)
    }

    static let suffixes: [(LinkPushType, String)] = [
        (.complication, ".complication"), (.controls, ".push-type.controls"), (.fileprovider, ".pushkit.fileprovider"),
        (.liveactivity, ".push-type.liveactivity"), (.location, ".location-query"), (.pushtotalk, ".voip-ptt"),
        (.voip, ".voip"), (.widgets, ".push-type.widgets"),
    ]

    @Test("A topic's suffix says the type, and the type needs the suffix", arguments: suffixes.indices)
    func suffix(_ index: Int) throws {
        let (type, suffix) = Self.suffixes[index]
        func options(_ pairs: [(String, String)]) throws(PushRejection) -> PushOptions {
            try fields(pairs).options(for: Self.anyTopic, rules: Self.rules, now: Sample.now)
        }
        #expect(try options([("apns-topic", "com.a" + suffix)]).type == type)
        #expect(try options([("apns-topic", "com.a" + suffix), ("apns-push-type", type.rawValue)]).type == type)
        #expect(throws: PushRejection(.badTopic)) {
            try options([("apns-topic", "com.a"), ("apns-push-type", type.rawValue)])
        }
        #expect(LinkPushType.app(of: "com.a" + suffix) == "com.a")
        #expect(LinkPushType.app(of: suffix) == suffix)
    }

    @Test("Every type but those of an app itself has a suffix of its own")
    func suffixesAreComplete() {
        let without = Set(LinkPushType.allCases).subtracting(Self.suffixes.map(\.0))
        #expect(without == [.alert, .background, .mdm])
        #expect(without.allSatisfy { $0.topicSuffix == nil })
        #expect(Set(Self.suffixes.map(\.1)).count == Self.suffixes.count)
    }

    @Test("The answer repeats an identifier as it was written, and none that is no identifier")
    func echo() {
        #expect(fields([("apns-id", Sample.id.uppercased())]).echo == Sample.id.uppercased())
        #expect(fields([("apns-id", "\r\nx: y")]).echo == nil && fields([]).echo == nil)
    }
}
