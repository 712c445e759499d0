internal import Synchronization

/// What sessions remember between requests: cookies, and the challenges of servers.
final class SessionMemory: Sendable {
    private struct Space: Hashable {
        let session: SessionKey
        let origin: String
    }

    private struct State {
        var cookies: [SessionKey: CookieJar] = [:]
        var challenges: [Space: (challenge: Challenge, uses: Int)] = [:]
    }

    private let state = Mutex(State())
    /// A session's cookies have changed.
    private let onCookies: @Sendable (SessionKey, CookieJar) -> Void

    init(
        cookies: [SessionKey: CookieJar] = [:], onCookies: @escaping @Sendable (SessionKey, CookieJar) -> Void
    ) {
        self.onCookies = onCookies
        state.withLock { $0.cookies = cookies }
    }

    func cookies(_ session: SessionKey, for address: Address, now: Double) -> String? {
        state.withLock {
            $0.cookies[session]?.header(host: address.host, path: address.path, isSecure: address.isSecure, now: now)
        }
    }

    func store(_ headers: [String], _ session: SessionKey, from address: Address, now: Double) {
        guard !headers.isEmpty else { return }
        let changed = state.withLock { state -> CookieJar? in
            var jar = state.cookies[session] ?? CookieJar()
            guard
                jar.store(headers, host: address.host, path: address.path, isSecure: address.isSecure, now: now)
            else { return nil }
            state.cookies[session] = jar
            return jar
        }
        if let changed { onCookies(session, changed) }
    }

    func remember(_ challenge: Challenge, _ session: SessionKey, from address: Address) {
        state.withLock { $0.challenges[Self.space(session, address)] = (challenge, 0) }
    }

    /// The server's last challenge, and how often it is answered with this time.
    func challenge(_ session: SessionKey, for address: Address) -> (challenge: Challenge, use: Int)? {
        state.withLock { state in
            let space = Self.space(session, address)
            guard var known = state.challenges[space] else { return nil }
            known.uses += 1
            state.challenges[space] = known
            return (known.challenge, known.uses)
        }
    }

    /// The session is gone.
    func forget(_ session: SessionKey) {
        state.withLock { state in
            state.cookies[session] = nil
            state.challenges = state.challenges.filter { $0.key.session != session }
        }
    }

    private static func space(_ session: SessionKey, _ address: Address) -> Space {
        Space(session: session, origin: "\(address.scheme)://\(address.host):\(address.port)")
    }
}
