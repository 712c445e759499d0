internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization
internal import TransferCore

/// What an exchange asks.
extension Exchange {
    func request(_ state: State) throws -> HTTPClient.Request {
        var headers = HTTPHeaders(state.headers.map { ($0.name, $0.value) })
        let address = state.address
        let now = wallSeconds()
        if attempt.usesCookies, !headers.contains(name: "cookie"),
            let cookies = tools.memory.cookies(attempt.session, for: address, now: now)
        {
            headers.add(name: "Cookie", value: cookies)
        }
        if let authorization = authorization(for: address, method: state.method) {
            headers.replaceOrAdd(name: "Authorization", value: authorization)
        }
        if let proxy = attempt.settings.proxy, attempt.settings.reaching(address).isForwarded {
            Forwarding.prepare(&headers, address, through: proxy)
        }
        return try HTTPClient.Request(
            url: Forwarding.url(address, attempt.settings), method: HTTPMethod(rawValue: state.method),
            headers: headers, body: state.sendsBody ? body() : nil)
    }

    private func body() -> HTTPClient.Body? {
        switch attempt.body {
        case .none: return nil
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let file, let start, let length):
            return .stream(contentLength: length - start) { [self] writer in
                BodyPump(self, file, from: start, length: length, writer, on: tools.clients.group.next()).run()
            }
        }
    }

    private func authorization(for address: Address, method: String) -> String? {
        guard let credential = attempt.credential, attempt.space.map(address.isIn) ?? true,
            let (challenge, use) = tools.memory.challenge(attempt.session, for: address)
        else { return nil }
        state.withLock { $0.answered = challenge }
        return challenge.answer(
            credential, method: method, target: address.target, count: use,
            clientNonce: String(UInt64.random(in: 0 ... .max), radix: 16))
    }
}
