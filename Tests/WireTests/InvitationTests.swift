import Model
import Testing
import Wire

@Suite("Invitations")
struct InvitationTests {
    @Test(
        "What an app is opened for is the same after its way as a URL, which the policy knows whom to give",
        arguments: [
            Invitation.shortcut(type: "org.example.new"), .shortcut(type: "a/b %?#ü\u{0}"),
            .activity(type: "read", info: nil),
            .activity(type: "a/b", info: ["page": 3, "text": "x/y", "none": .null]),
        ])
    func wayThrough(_ invitation: Invitation) {
        let url = invitation.url(for: "org.example.app")
        #expect(Invitation(url: url) == invitation)
        #expect(SystemURL.app(of: url) == "org.example.app")
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test(
        "Other URLs, and those of a later version, are none",
        arguments: [
            "", "greenroom-app", "greenroom-app:", "greenroom-app:a", "greenroom-app:a/shortcut", "x:a/shortcut/b",
            "greenroom-app:a/shortcut/", "greenroom-app:a/later/b", "greenroom-app:a/shortcut/%4",
            "greenroom-app:a/shortcut/%zz", "greenroom-app:a/shortcut/%FF",
        ])
    func rubbish(_ url: String) { #expect(Invitation(url: url) == nil) }

    @Test("The policy and the wire call the scheme the same, however it is spelled")
    func scheme() {
        #expect(SystemURL.scheme == Invitation.scheme)
        #expect(SystemURL.app(of: "GREENROOM-APP:org.example.app") == "org.example.app")
        #expect(SystemURL.app(of: "notes:org.example.app") == nil)
    }
}
