import Crypto
import Foundation
import Model
import PushCore
import PushGateway
import Testing
import Wire

@Suite("Providers with tokens")
struct TokenTests {
    private func refused(
        _ scene: Scene, _ reason: PushReason, _ authorization: String?, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await scene.provider.push(scene.token, authorization, [("apns-id", Scene.id)])
        answer.expect(reason, at: location)
    }

    @Test("A token that is an hour old has expired")
    func expiredProviderToken() async throws {
        try await Scene.with { scene in
            try await refused(scene, .expiredProviderToken, scene.gateway.key.bearer(age: 3602))
            try await refused(scene, .expiredProviderToken, scene.gateway.key.bearer(age: SigningKey.now))
            #expect(try await scene.provider.push(scene.token, scene.gateway.key.bearer(age: 3590)).status == 200)
        }
    }

    @Test("A token that expires on its connection is refused from then on")
    func expires() async throws {
        try await Scene.with({ $0.rules.tokenLifetime = .seconds(3) }) { scene in
            let now = SigningKey.now
            let bearer = try scene.gateway.key.bearer(at: now)
            #expect(try await scene.provider.push(scene.token, bearer).status == 200)
            // It is the time itself that this waits for.
            while SigningKey.now <= now + 3 { try await Task.sleep(nanoseconds: 100_000_000) }
            try await scene.provider.push(scene.token, bearer).expect(.expiredProviderToken, id: nil)
        }
    }

    @Test("A key that is suspended is forbidden to send")
    func forbidden() async throws {
        let path = TestGateway.makeFolder()
        defer { TestGateway.remove(path) }
        try await TestGateway.with(path) { _ in }
        let file = path + "/providers.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("\"suspended\":false", with: "\"suspended\":true").write(
            toFile: file, atomically: true, encoding: .utf8)
        try await TestGateway.with(path) { gateway in
            let device = try await LinkDevice().connect(gateway)
            let token = try await device.register()
            let provider = try await ProviderClient.connect(to: gateway)
            try await provider.push(token, gateway.key.bearer(), [("apns-id", Scene.id)]).expect(.forbidden)
        }
    }

    @Test("Without a token or a certificate the token is missing")
    func missingProviderToken() async throws {
        try await Scene.with { scene in try await refused(scene, .missingProviderToken, nil) }
    }

    /// What a provider's library may get wrong, and what an attacker may try.
    private func wrong(_ key: SigningKey) throws -> [String: String] {
        let claims = #"{"iss":"\#(key.team)","iat":\#(SigningKey.now)}"#
        let other = P256.Signing.PrivateKey()
        let text = try key.token(claims: claims)
        let parts = text.split(separator: ".").map(String.init)
        let strange = SigningKey(team: key.team, id: key.id, key: other)
        let none = SigningKey.base64(Array(#"{"alg":"none","kid":"\#(key.id)"}"#.utf8))
        let hmac = SigningKey.base64(Array(#"{"alg":"HS256","kid":"\#(key.id)"}"#.utf8))
        return [
            "no bearer": text, "basic": "basic " + text, "nothing": "bearer", "empty": "bearer ",
            "no token": "bearer x", "two parts": "bearer " + parts[0] + "." + parts[1],
            "four parts": "bearer " + text + ".x",
            "another team": "bearer "
                + (try key.token(
                    claims: #"{"iss":"ABCDE12345","iat":\#(SigningKey.now)}"#)),
            "another key": "bearer " + (try key.token(header: #"{"alg":"ES256","kid":"ABCDE12345"}"#, claims: claims)),
            "no key": "bearer " + (try key.token(header: #"{"alg":"ES256"}"#, claims: claims)),
            "a key that is a number": "bearer " + (try key.token(header: #"{"alg":"ES256","kid":1}"#, claims: claims)),
            "signed by another key": try strange.bearer(), "unsigned": "bearer " + none + "." + parts[1] + ".",
            "signed by hash": "bearer " + hmac + "." + parts[1] + "." + parts[2],
        ]
    }

    private func wrongClaims(_ key: SigningKey) throws -> [String: String] {
        let now = SigningKey.now
        return try [
            "no iat": #"{"iss":"\#(key.team)"}"#, "no iss": #"{"iat":\#(now)}"#,
            "iat that is no time": #"{"iss":"\#(key.team)","iat":"now"}"#,
            "iat too large": #"{"iss":"\#(key.team)","iat":1e300}"#, "iat null": #"{"iss":"\#(key.team)","iat":null}"#,
            "an hour ahead": #"{"iss":"\#(key.team)","iat":\#(now + 3600)}"#, "not an object": "[]", "not JSON": "x",
        ].mapValues { "bearer " + (try key.token(claims: $0)) }
    }

    @Test("A token that is not signed by a key of the gateway, for its team and its time, is not valid")
    func invalidProviderToken() async throws {
        try await Scene.with({ $0.rules.wrongTokens = 1000 }) { scene in
            let key = scene.gateway.key
            for (name, field) in try wrong(key).merging(wrongClaims(key), uniquingKeysWith: { first, _ in first }) {
                let answer = try await scene.provider.push(scene.token, field, [("apns-id", Scene.id)])
                #expect(answer.reason == "InvalidProviderToken", "\(name)")
                answer.expect(.invalidProviderToken)
            }
            try await scene.works()
        }
    }

    @Test("A token with 4,097 bytes is not even looked at")
    func longToken() async throws {
        try await Scene.with { scene in
            let padding = String(repeating: "a", count: 4096)
            let claims = #"{"iss":"\#(scene.gateway.key.team)","iat":\#(SigningKey.now),"x":"\#(padding)"}"#
            try await refused(scene, .invalidProviderToken, "bearer " + scene.gateway.key.token(claims: claims))
        }
    }

    @Test("The iat may be a number with a fraction or a text, and bearer in any case: some libraries write them so")
    func lenient() async throws {
        try await Scene.with { scene in
            let (key, now) = (scene.gateway.key, SigningKey.now)
            for iat in ["\(now)", "\(now).25", "\"\(now)\"", "\"\(now).5\"", "\(Double(now))"] {
                let token = try key.token(claims: #"{"iss":"\#(key.team)","iat":\#(iat),"exp":1}"#)
                for word in ["bearer", "Bearer", "BEARER"] {
                    #expect(try await scene.provider.push(scene.token, "\(word) \(token)").status == 200, "\(iat)")
                }
            }
        }
    }

    @Test("A token for every message, each signed again, is one token")
    func signedAgain() async throws {
        try await Scene.with { scene in
            let claims = #"{"iss":"\#(scene.gateway.key.team)","iat":\#(SigningKey.now)}"#
            var texts: Set<String> = []
            for _ in 0..<50 {
                let text = try scene.gateway.key.token(claims: claims)
                texts.insert(text)
                #expect(try await scene.provider.push(scene.token, "bearer \(text)").status == 200)
            }
            #expect(texts.count == 50)
        }
    }

    @Test("A connection that changes to a newer token within twenty minutes updates it too often")
    func tooManyProviderTokenUpdates() async throws {
        try await Scene.with { scene in
            let key = scene.gateway.key
            let now = SigningKey.now
            let first = try key.bearer(age: 100, at: now)
            #expect(try await scene.provider.push(scene.token, first).status == 200)
            try await refused(scene, .tooManyProviderTokenUpdates, key.bearer(age: 50, at: now))
            // The first one is good as before, and a new connection may begin with the new one.
            #expect(try await scene.provider.push(scene.token, first).status == 200)
            let another = try await ProviderClient.connect(to: scene.gateway)
            #expect(try await another.push(scene.token, key.bearer(age: 50, at: now)).status == 200)
        }
    }

    @Test("A key with more tokens than the rules have, on whatever connections, updates them too often")
    func tooManyOfAKey() async throws {
        try await Scene.with({ $0.rules.tokensPerKey = 3 }) { scene in
            let now = SigningKey.now
            for age in 1...4 as ClosedRange<Int64> {
                let provider = try await ProviderClient.connect(to: scene.gateway)
                let answer = try await provider.push(scene.token, scene.gateway.key.bearer(age: age, at: now))
                #expect(answer.status == (age < 4 ? 200 : 429))
                if age == 4 { answer.expect(.tooManyProviderTokenUpdates, id: nil) }
                provider.close()
            }
        }
    }

    @Test("A connection ends with its sixteenth wrong token, and says why; no other one does")
    func wrongTokens() async throws {
        try await Scene.with { scene in
            let attacker = try await ProviderClient.connect(to: scene.gateway)
            for number in 1...16 {
                let answer = try await attacker.push(scene.token, "bearer a.b.\(number)")
                answer.expect(.invalidProviderToken, id: nil)
            }
            #expect(try await attacker.goAways.next().reason == "InvalidProviderToken")
            try await attacker.closed()
            #expect(try await scene.push().status == 200)
        }
    }

    @Test("Nine hundred requests with wrong tokens at once are all told so before their connection ends")
    func wrongAtOnce() async throws {
        try await Scene.with { scene in
            let attacker = try await ProviderClient.connect(to: scene.gateway)
            let all = (0..<900).map { attacker.fields(scene.token, "bearer a.b.\($0)") }
            let streams = try await attacker.open(all, body: Array(ProviderClient.alert.utf8))
            for stream in streams {
                try await attacker.answer(to: stream).expect(.invalidProviderToken, id: nil)
            }
            #expect(try await attacker.goAways.next().reason == "InvalidProviderToken")
            try await scene.works()
        }
    }
}
