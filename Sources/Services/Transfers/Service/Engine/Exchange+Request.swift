internal import Curl
internal import LinuxSystem
internal import Synchronization
internal import SystemPackage
internal import TransferCore

/// What an exchange asks.
extension Exchange {
    func request(_ state: State) -> (CurlRequest, BodySource?) {
        let address = state.address
        var fields = state.headers.map { CurlField($0.name, $0.value) }
        func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
        if attempt.usesCookies, !has("cookie"),
            let cookies = tools.memory.cookies(attempt.session, for: address, now: wallSeconds())
        {
            fields.append(CurlField("Cookie", cookies))
        }
        if let authorization = authorization(for: address, method: state.method) {
            fields.removeAll { $0.name.lowercased() == "authorization" }
            fields.append(CurlField("Authorization", authorization))
        }
        var request = CurlRequest(url: address.text, method: state.method, fields: fields)
        let body = state.sendsBody ? body() : nil
        if body != nil { request.body = .bytes(attempt.bodyLength - attempt.bodyStart) }
        attempt.settings.apply(to: &request)
        request.decodes = state.decodes
        return (request, body)
    }

    private func body() -> BodySource? {
        switch attempt.body {
        case .none: return nil
        case .bytes(let bytes): return BodySource(bytes, workers: tools.workers.writers)
        case .file(let file, let start, let length):
            state.withLock { $0.sent = start }
            return BodySource(from: start, length: length, workers: tools.workers.writers) {
                [files = tools.files] () throws(SystemError) in
                let body = try files.body(file)
                // It is not what it was when it was handed in.
                guard try body.identity().size == length else { throw SystemError("open", .ioError) }
                return body
            } onReady: { [weak self] in
                guard let self, let request = state.withLock({ $0.request }) else { return }
                tools.network.post(.resume(request))
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

extension ConnectionSettings {
    func apply(to request: inout CurlRequest) {
        request.oldestTLS =
            switch tlsMinimum {
            case "1.0": .tls1
            case "1.1": .tls11
            case "1.3": .tls13
            default: .tls12
            }
        request.serviceClass = serviceClass
        request.roots = trustRoots.isEmpty ? nil : trustRoots.joined(separator: "\n")
        request.proxy = proxy.map { proxy in
            CurlRequest.Proxy(
                kind: proxy.kind == .http ? .http : .socks, host: proxy.host, port: Int(proxy.port), user: proxy.user,
                password: proxy.password)
        }
    }
}
