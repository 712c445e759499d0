internal import CoreMetrics
internal import Logging
internal import Model
internal import NIOCore
internal import NIOHTTP2
internal import PushCore
internal import PushLink
internal import Wire

extension ProviderConnection {
    private enum Authentication {
        case known(ProviderIdentity)
        /// The answer waits for this token.
        case verifying(String)
    }

    /// A request is whole, or the token that it waits for has been verified.
    func evaluate(_ stream: HTTP2StreamID) {
        guard let request = requests[stream] else { return }
        if request.fields.path == "/healthz", request.fields.method == "GET" { return health(stream) }
        do throws(PushRejection) {
            let token = try request.fields.token()
            switch try authenticate(request.fields) {
            case .known(let provider): try accept(stream, request, token, provider)
            case .verifying(let token): wait(for: token, stream)
            }
        } catch {
            refuse(stream, error)
        }
    }

    private func accept(
        _ stream: HTTP2StreamID, _ request: Request, _ text: Substring, _ provider: ProviderIdentity
    ) throws(PushRejection) {
        let now = WallTime.now
        let options = try request.fields.options(for: provider, rules: server.rules, now: now)
        if request.isTooLarge { throw PushRejection(.payloadTooLarge) }
        let payload = try Payload(request.body, for: options.type, rules: server.rules)
        let type = options.type ?? payload.type
        let priority = try options.priority(type)
        let token = try server.store.read(token: text, topic: options.topic)
        guard server.takeRequest(for: token) else { throw PushRejection(.tooManyRequests) }
        let message = PushMessage(
            number: server.store.number(), device: token.device, topic: options.topic,
            id: options.id ?? RandomBytes.identifier(), type: type, priority: priority,
            expires: options.expires, collapse: options.collapse, at: now, payload: request.body)
        let id = message.id
        for remark in payload.remarks {
            server.logger.info("a payload is odd", metadata: ["id": "\(id)", "remark": "\(remark)"])
        }
        requests[stream]?.isSubmitted = true
        server.store.accept(
            message,
            StoreWaiter(eventLoop: eventLoop) { outcome in self.stored(stream, id: id, type, outcome) })
    }

    private func stored(_ stream: HTTP2StreamID, id: String, _ type: LinkPushType, _ outcome: StoreOutcome) {
        switch outcome {
        case .accepted:
            server.metrics.accept(type)
            accept(stream, id: id)
        case .deviceGone(let since): answer(stream, PushRejection(.expiredToken, timestamp: since), id: id)
        case .full, .unavailable: answer(stream, PushRejection(.serviceUnavailable), id: id)
        case .failed: answer(stream, PushRejection(.internalServerError), id: id)
        }
    }

    private func refuse(_ stream: HTTP2StreamID, _ rejection: PushRejection) {
        answer(stream, rejection)
        switch rejection.reason {
        // The connection has no other certificate.
        case .badCertificate, .badCertificateEnvironment: goAway(rejection.reason)
        case .invalidProviderToken: if session.countWrong(server.rules) { goAway(.invalidProviderToken) }
        default: break
        }
    }

    // MARK: Who asks

    /// A token goes before a certificate: a provider that sends one means it.
    private func authenticate(_ fields: PushFields) throws(PushRejection) -> Authentication {
        guard fields.authorization != nil else {
            guard let certificate else { throw PushRejection(.missingProviderToken) }
            return .known(try certificate.identity(in: server.environment))
        }
        guard let text = BearerToken.text(fields.authorization) else { throw PushRejection(.invalidProviderToken) }
        guard let verified = known(text) else { return .verifying(String(text)) }
        let now = WallTime.now
        try session.use(verified.claims, rules: server.rules, now: now) { server.verifier.admit($0, now: now) }
        return .known(try verified.key.identity())
    }

    private func known(_ text: Substring) -> TokenVerifier.Verified? {
        if let lastToken, lastToken.text == text { return lastToken.verified }
        let token = String(text)
        guard let verified = server.verifier.known(token) else { return nil }
        lastToken = (token, verified)
        return verified
    }

    private func wait(for token: String, _ stream: HTTP2StreamID) {
        if let index = verifications.firstIndex(where: { $0.token == token }) {
            verifications[index].streams.append(stream)
        } else {
            verifications.append((token, [stream]))
            if verifications.count == 1 { verifyNext() }
        }
    }

    /// One at a time: a client with a thousand wrong tokens waits for itself.
    private func verifyNext() {
        guard let token = verifications.first?.token else { return }
        let verifier = server.verifier
        Task {
            let result: Result<TokenVerifier.Verified, PushRejection>
            do throws(PushRejection) {
                result = .success(try await verifier.verify(token))
            } catch {
                result = .failure(error)
            }
            self.eventLoop.execute { self.verified(result) }
        }
    }

    private func verified(_ result: Result<TokenVerifier.Verified, PushRejection>) {
        // The connection may have ended in the meantime.
        guard !verifications.isEmpty else { return }
        let (token, streams) = verifications.removeFirst()
        switch result {
        case .success(let verified):
            lastToken = (token, verified)
            for stream in streams { evaluate(stream) }
        case .failure(let rejection):
            for stream in streams { answer(stream, rejection) }
            if session.countWrong(server.rules) {
                verifications = []
                // What the store has came with a token that was right.
                for (stream, request) in requests where !request.isSubmitted { answer(stream, rejection) }
                return goAway(.invalidProviderToken)
            }
        }
        verifyNext()
    }
}

extension RandomBytes {
    /// A UUID of version 4.
    static func identifier() -> String {
        var bytes = make(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in Hexadecimal.text(bytes).utf8.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
