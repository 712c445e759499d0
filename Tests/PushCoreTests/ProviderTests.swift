import PushCore
import Testing

@Suite("What a provider may send to")
struct ProviderTests {
    @Test("A key sends to every topic, or to those of its apps with whatever suffix")
    func keys() throws {
        let all = try ProviderKey(id: "K", team: "T").identity()
        #expect(all.allows("com.example.app") && all.allows("anything.voip") && all.onlyTopic == nil)
        let one = try ProviderKey(id: "K", team: "T", apps: ["com.example.app"]).identity()
        for topic in ["com.example.app", "com.example.app.voip", "com.example.app.push-type.liveactivity"] {
            #expect(one.allows(topic))
        }
        for topic in ["com.example", "com.example.application", "com.example.app.other", ".voip", "voip", "com.other"] {
            #expect(!one.allows(topic))
        }
    }

    @Test("A key that is suspended sends nothing")
    func suspended() {
        #expect(throws: PushRejection(.forbidden)) {
            try ProviderKey(id: "K", team: "T", isSuspended: true).identity()
        }
    }

    @Test("A certificate without a list of topics is its app's")
    func app() throws {
        for facts in [
            CertificateFacts(isTrusted: true, user: "com.example.app"),
            CertificateFacts(isTrusted: true, commonName: "Apple Push Services: com.example.app"),
            CertificateFacts(isTrusted: true, user: "com.example.app", commonName: "Apple Push Services: com.other"),
        ] {
            let identity = try facts.identity(in: .production)
            #expect(identity.name == "com.example.app" && identity.onlyTopic == "com.example.app")
            #expect(identity.allows("com.example.app.voip") && !identity.allows("com.other"))
        }
    }

    @Test("A list of topics is all that a certificate may send to; one topic need not be said")
    func topics() throws {
        var facts = CertificateFacts(
            isTrusted: true, user: "com.example.app", topics: ["com.example.app", "com.example.app.voip"])
        let two = try facts.identity(in: .production)
        #expect(two.onlyTopic == nil && two.allows("com.example.app.voip"))
        #expect(!two.allows("com.example.app.complication"))
        facts.topics = ["com.example.app.voip"]
        let one = try facts.identity(in: .production)
        #expect(one.onlyTopic == "com.example.app.voip" && !one.allows("com.example.app"))
    }

    /// For development, for production, the gateway's environment; and what is said.
    static let environments: [(Bool, Bool, CertificateFacts.Environment, PushReason?)] = [
        (false, false, .production, nil), (false, false, .development, nil), (true, true, .production, nil),
        (true, true, .development, nil), (false, true, .production, nil), (true, false, .development, nil),
        (true, false, .production, .badCertificateEnvironment),
        (false, true, .development, .badCertificateEnvironment),
    ]

    @Test("A certificate is good in the environments that it names, or in both", arguments: environments.indices)
    func environment(_ index: Int) {
        let (development, production, environment, reason) = Self.environments[index]
        let facts = CertificateFacts(
            isTrusted: true, user: "com.example.app", isForDevelopment: development, isForProduction: production)
        #expect(self.reason { () throws(PushRejection) in _ = try facts.identity(in: environment) } == reason)
    }

    @Test("A certificate that is not trusted, or names no app, is a bad one")
    func bad() {
        for facts in [
            CertificateFacts(isTrusted: false, user: "com.example.app"), CertificateFacts(isTrusted: true),
            CertificateFacts(isTrusted: true, user: "no topic"), CertificateFacts(isTrusted: true, commonName: ""),
            CertificateFacts(isTrusted: true, commonName: "Apple Push Services: é"),
            // Not trusted goes before any other complaint.
            CertificateFacts(isTrusted: false, user: "com.example.app", isForDevelopment: true),
        ] {
            #expect(reason { () throws(PushRejection) in _ = try facts.identity(in: .production) } == .badCertificate)
        }
    }

    private func reason(_ body: () throws(PushRejection) -> Void) -> PushReason? {
        do throws(PushRejection) {
            try body()
            return nil
        } catch {
            return error.reason
        }
    }
}
