import PushCore
import Testing
import Wire

@Suite("Reasons")
struct PushReasonTests {
    /// As Apple's documentation has them.
    static let apple: [(status: Int, reasons: String)] = [
        (
            400,
            """
            BadCollapseId BadDeviceToken BadExpirationDate BadMessageId BadPriority BadTopic DeviceTokenNotForTopic \
            DuplicateHeaders IdleTimeout InvalidPushType MissingDeviceToken MissingTopic PayloadEmpty TopicDisallowed
            """
        ),
        (
            403,
            """
            BadCertificate BadCertificateEnvironment ExpiredProviderToken Forbidden InvalidProviderToken \
            MissingProviderToken
            """
        ),
        (404, "BadPath"), (405, "MethodNotAllowed"), (410, "Unregistered ExpiredToken"), (413, "PayloadTooLarge"),
        (429, "TooManyRequests TooManyProviderTokenUpdates"), (500, "InternalServerError"),
        (503, "ServiceUnavailable Shutdown"),
    ]

    @Test("Every reason of Apple's is there with its status, and no other one")
    func complete() throws {
        var count = 0
        for (status, reasons) in Self.apple {
            for name in reasons.split(separator: " ") {
                let reason = try #require(PushReason(rawValue: String(name)), "\(name) is missing")
                #expect(reason.status == status)
                count += 1
            }
        }
        #expect(count == PushReason.allCases.count)
    }

    @Test("The body is Apple's JSON: the reason, of a token that ended since when, and what Apple has no word for")
    func body() {
        func text(_ rejection: PushRejection) -> String { String(decoding: rejection.body, as: UTF8.self) }
        #expect(text(PushRejection(.badTopic)) == #"{"reason":"BadTopic"}"#)
        #expect(
            text(PushRejection(.unregistered, timestamp: 1_700_000_000_123))
                == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
        #expect(text(PushRejection(.payloadEmpty, detail: "a\"b")) == #"{"reason":"PayloadEmpty","detail":"a\"b"}"#)
    }
}
