internal import Foundation
internal import JWTKit
internal import Model
internal import PushCore
internal import Synchronization
internal import Wire

/// Verifies the tokens of providers, each once.
final class TokenVerifier: Sendable {
    /// A token whose signature is right. It says nothing about the time.
    struct Verified: Sendable {
        var claims: ProviderClaims
        var key: ProviderKey
    }

    private struct Key: Sendable {
        var key: ProviderKey
        var verifier: JWTKeyCollection
    }

    private struct State: Sendable {
        var keys: [String: Key] = [:]
        var verified: [String: Verified] = [:]
        var ledger = ProviderLedger()
    }

    private let state = Mutex(State())
    private let rules: PushRules
    /// A client that makes a token for every message must not fill the memory.
    private static let kept = 4096

    init(_ directory: ProviderDirectory, rules: PushRules) async throws {
        self.rules = rules
        try await use(directory)
    }

    /// Takes these keys from now on, and none that it had before.
    func use(_ directory: ProviderDirectory) async throws {
        var keys: [String: Key] = [:]
        for entry in directory.keys {
            do {
                let verifier = JWTKeyCollection()
                await verifier.add(ecdsa: try ES256PublicKey(pem: entry.publicKey))
                keys[entry.key.id] = Key(key: entry.key, verifier: verifier)
            } catch {
                throw GatewayError("the public key of \(entry.key.id) is none of P-256 in PEM: \(error)")
            }
        }
        state.withLock { state in
            state.keys = keys
            state.verified = [:]
        }
    }

    /// A token that was verified before.
    func known(_ token: String) -> Verified? { state.withLock { $0.verified[token] } }

    func admit(_ claims: ProviderClaims, now: WallTime) -> Bool {
        state.withLock { $0.ledger.admit(claims, rules: rules, now: now) }
    }

    func verify(_ token: String) async throws(PushRejection) -> Verified {
        guard let header = Self.header(of: token), header["alg"]?.string == "ES256",
            let identifier = header["kid"]?.string, let key = state.withLock({ $0.keys[identifier] })
        else { throw PushRejection(.invalidProviderToken) }
        let payload: ProviderTokenPayload
        do {
            payload = try await key.verifier.verify(token, as: ProviderTokenPayload.self)
        } catch {
            throw PushRejection(.invalidProviderToken)
        }
        guard payload.iss == key.key.team else { throw PushRejection(.invalidProviderToken) }
        let verified = Verified(
            claims: ProviderClaims(key: identifier, team: payload.iss, issued: payload.iat), key: key.key)
        state.withLock { state in
            // The key may have gone in the meantime.
            guard state.keys[identifier]?.key == key.key else { return }
            if state.verified.count >= Self.kept { state.verified = [:] }
            state.verified[token] = verified
        }
        return verified
    }

    private static func header(of token: String) -> JSONValue? {
        guard let end = token.firstIndex(of: "."), token.utf8.count <= 4096 else { return nil }
        var text = token[..<end].replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: String(text)) else { return nil }
        return try? JSONValue(parsing: Array(data), limits: JSONLimits(depth: 4, values: 64))
    }
}

/// The claims of a provider's token. Some clients write `iat` as a number with a fraction, some as a string.
private struct ProviderTokenPayload: JWTPayload {
    var iss: String
    var iat: Int64

    private enum CodingKeys: CodingKey { case iss, iat }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        iss = try container.decode(String.self, forKey: .iss)
        if let whole = try? container.decode(Int64.self, forKey: .iat) {
            iat = whole
            return
        }
        let number =
            try (try? container.decode(Double.self, forKey: .iat))
            ?? Double(try container.decode(String.self, forKey: .iat))
        guard let number, let whole = Int64(exactly: number.rounded(.down)) else {
            throw DecodingError.dataCorruptedError(forKey: .iat, in: container, debugDescription: "iat is no time")
        }
        iat = whole
    }

    /// The time is asked for with every request.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
