internal import Curl
internal import LinuxSystem
internal import Synchronization
internal import TransferCore

/// What an exchange makes of a head.
enum HeadVerdict {
    case again
    case fail(NetworkFailure)
    case report(TransferEvent)
}

extension Exchange {
    func judge(_ head: CurlHead) -> HeadVerdict {
        let (address, method) = state.withLock { state in
            state.head = head
            return (state.address, state.method)
        }
        if attempt.usesCookies {
            tools.memory.store(head.values("set-cookie"), attempt.session, from: address, now: wallSeconds())
        }
        switch Redirect.read(
            status: head.status, location: head.first("location"), method: method, from: address)
        {
        case .elsewhere: return .fail(.redirectToNowhere)
        case .follow(let redirect): return follow(redirect, from: address)
        case .none: break
        }
        if mustStayCoded(head) { return .again }
        let challenge = challenge(head)
        if let challenge, !challenge.isProxy, canAnswer(challenge, at: address) {
            tools.memory.remember(challenge, attempt.session, from: address)
            return .again
        }
        let space = challenge.map { found in
            let proxy = found.isProxy ? attempt.settings.proxy : nil
            return ChallengeSpace(
                host: proxy?.host ?? address.host, port: proxy?.port ?? Int32(address.port), scheme: address.scheme,
                realm: found.realm, method: found.scheme.rawValue.lowercased(), isProxy: found.isProxy)
        }
        if let challenge, !challenge.isProxy { tools.memory.remember(challenge, attempt.session, from: address) }
        let response = TransferResponse(
            url: address.text, status: Int32(clamping: head.status),
            headers: head.fields.map { HeaderField($0.name, $0.value) }, httpVersion: "HTTP/\(head.version)")
        return .report(.responseHead(attempt.id, ResponseHead(response), challenge: space))
    }

    /// Whether the body is coded in a way that nobody here decodes: it is asked for again, and kept as it comes.
    private func mustStayCoded(_ head: CurlHead) -> Bool {
        let codings = head.values("content-encoding").flatMap { $0.split(separator: ",") }
        let isKnown = codings.allSatisfy { coding in
            ["gzip", "x-gzip", "deflate", "br", "zstd", "identity"].contains(coding.lowercased().filter { $0 != " " })
        }
        return state.withLock { state in
            guard state.decodes, !isKnown else { return false }
            state.decodes = false
            return true
        }
    }

    private func follow(_ redirect: Redirect, from address: Address) -> HeadVerdict {
        let isTooMany = state.withLock { state -> Bool in
            state.redirects += 1
            guard state.redirects <= Self.mostRedirects else { return true }
            state.address = redirect.address
            state.method = redirect.method
            state.answered = nil
            if !redirect.keepsBody {
                state.sendsBody = false
                state.headers.removeAll {
                    ["content-type", "content-length", "content-encoding"].contains($0.name.lowercased())
                }
            }
            state.sent = 0
            if !redirect.address.hasSameOrigin(as: address) {
                // What was meant for one host is not another's to know.
                state.headers.removeAll {
                    ["authorization", "cookie", "proxy-authorization"].contains($0.name.lowercased())
                }
            }
            return false
        }
        return isTooMany ? .fail(.tooManyRedirects) : .again
    }

    private func challenge(_ head: CurlHead) -> Challenge? {
        switch head.status {
        case 401: Challenge.strongest(head.values("www-authenticate"), isProxy: false)
        case 407: Challenge.strongest(head.values("proxy-authenticate"), isProxy: true)
        default: nil
        }
    }

    /// There is a password for it, and it has not just been refused.
    private func canAnswer(_ challenge: Challenge, at address: Address) -> Bool {
        guard attempt.credential != nil, attempt.space.map(address.isIn) ?? true else { return false }
        return state.withLock { state in
            guard let last = state.answered else { return true }
            return challenge.isStale && last.nonce != challenge.nonce
        }
    }
}
