package import Model

/// What a provider's token says, once its signature has been verified.
package struct ProviderClaims: Hashable, Sendable {
    package var key: String
    package var team: String
    /// `iat`, in seconds since 1970.
    package var issued: Int64

    package init(key: String, team: String, issued: Int64) {
        self.key = key
        self.team = team
        self.issued = issued
    }

    /// A signature that is right says nothing about the time: asked again for every request.
    package func checkTime(_ rules: PushRules, now: WallTime) throws(PushRejection) {
        let age = Double(now.nanoseconds) / 1e9 - Double(issued)
        guard age >= -rules.tokenTolerance.seconds else { throw PushRejection(.invalidProviderToken) }
        guard age <= rules.tokenLifetime.seconds else { throw PushRejection(.expiredProviderToken) }
    }
}

/// The `authorization` field, as providers write it.
package enum BearerToken {
    /// The token behind `bearer`, in any case; `nil` if there is none.
    package static func text(_ authorization: String?) -> Substring? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }
}

/// The tokens of one provider's connection.
package struct ProviderSession: Sendable {
    private var current: ProviderClaims?
    private var since = WallTime(nanoseconds: 0)
    private var wrong = 0

    package init() {}

    /// A token whose signature is right is used for a request.
    ///
    /// A token with the `iat` of the one before is the same token signed again: some clients make one for each message.
    package mutating func use(
        _ claims: ProviderClaims, rules: PushRules, now: WallTime, in ledger: (ProviderClaims) -> Bool
    ) throws(PushRejection) {
        try claims.checkTime(rules, now: now)
        if claims == current { return }
        if let current, current.key == claims.key, claims.issued > current.issued,
            now - since < rules.tokenRefresh
        {
            throw PushRejection(.tooManyProviderTokenUpdates)
        }
        guard ledger(claims) else { throw PushRejection(.tooManyProviderTokenUpdates) }
        // An older token, still good, is no update: two processes may share a connection.
        if current.map({ $0.key != claims.key || $0.issued < claims.issued }) ?? true {
            current = claims
            since = now
        }
    }

    /// A token was wrong. Whether the connection has to end: each costs a verification.
    package mutating func countWrong(_ rules: PushRules) -> Bool {
        wrong += 1
        return wrong >= rules.wrongTokens
    }
}

/// The tokens of all connections: each key has so many in twenty minutes.
package struct ProviderLedger: Sendable {
    /// When each token of a key was seen first, by its `iat`.
    private var seen: [String: [Int64: WallTime]] = [:]

    package init() {}

    /// Tokens that are remembered.
    package var count: Int { seen.values.reduce(0) { $0 + $1.count } }

    /// Whether the token may be used. Keys are the provider's own: there are as many as the gateway knows.
    package mutating func admit(_ claims: ProviderClaims, rules: PushRules, now: WallTime) -> Bool {
        var tokens = seen[claims.key] ?? [:]
        if tokens[claims.issued] != nil { return true }
        if tokens.count >= rules.tokensPerKey {
            tokens = tokens.filter { now - $0.value < rules.tokenRefresh }
        }
        let isAdmitted = tokens.count < rules.tokensPerKey
        if isAdmitted { tokens[claims.issued] = now }
        seen[claims.key] = tokens
        return isAdmitted
    }
}
